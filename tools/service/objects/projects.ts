import type { Project, ProjectListItem } from '@neon/sdk/raw';
import { createResponseBody } from '../branches/create.ts';
import { RECOVERY_WINDOW_MS } from '../branches/recover.ts';
import {
  isJsonObject,
  optionalNumber,
  optionalObject,
  optionalString,
  requiredObject,
  stringMap,
} from '../http/body.ts';
import { badRequest, locked, notFound } from '../http/errors.ts';
import { parseLimit } from '../http/pagination.ts';
import type { Call, HandlerResponse } from '../http/router.ts';
import type { ProjectRecord, State } from '../state.ts';
import { timestamp } from '../time.ts';
import { startProject } from './new-project.ts';

/** A deleted project needs disk space for all its branches, so only the latest ones are kept. */
const MAX_DELETED = 2;

const listItem = ({ project }: ProjectRecord): ProjectListItem => ({
  id: project.id,
  platform_id: project.platform_id,
  region_id: project.region_id,
  name: project.name,
  provisioner: project.provisioner,
  ...(project.default_endpoint_settings && { default_endpoint_settings: project.default_endpoint_settings }),
  ...(project.settings && { settings: project.settings }),
  pg_version: project.pg_version,
  proxy_host: project.proxy_host,
  branch_logical_size_limit: project.branch_logical_size_limit,
  branch_logical_size_limit_bytes: project.branch_logical_size_limit_bytes,
  store_passwords: project.store_passwords,
  active_time: 0,
  cpu_used_sec: 0,
  creation_source: project.creation_source,
  created_at: project.created_at,
  updated_at: project.updated_at,
  owner_id: project.owner_id,
  history_retention_seconds: project.history_retention_seconds,
});

/**
 * Sorted by ID: the cursor is the last ID of a page, so pages stay correct while projects are added and deleted. With `recoverable`,
 * lists the deleted projects.
 */
export function listProjects({ state, query }: Call): HandlerResponse {
  const limit = parseLimit(query.get('limit'), { fallback: 10, max: 400 });
  const search = query.get('search') ?? '';
  const after = query.get('cursor') ?? '';
  const deleted = [...state.deletedProjects.values()].map(
    ({ record, deletedAt }): ProjectListItem => ({
      ...listItem(record),
      deleted_at: timestamp(deletedAt),
      recoverable_until: timestamp(deletedAt + RECOVERY_WINDOW_MS),
    }),
  );
  const listed = query.get('recoverable') === 'true' ? deleted : [...state.projects.values()].map(listItem);
  const page = listed
    .filter(({ id, name }) => (name.includes(search) || id.includes(search)) && id > after)
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .slice(0, limit);
  const last = page.at(-1);
  return {
    status: 200,
    body: {
      projects: page,
      applications: {},
      integrations: {},
      ...(last && { pagination: { cursor: last.id } }),
    },
  };
}

export const sharedProjects = (): HandlerResponse => ({ status: 200, body: { projects: [] } });

export function getProject({ state, params }: Call): HandlerResponse {
  return { status: 200, body: { project: state.project(params.project_id).project } };
}

function endpointSettings(fields: Record<string, unknown>): Project['default_endpoint_settings'] {
  const given = optionalObject(fields, 'default_endpoint_settings');
  const settings: NonNullable<Project['default_endpoint_settings']> = {};
  for (const key of ['autoscaling_limit_min_cu', 'autoscaling_limit_max_cu', 'suspend_timeout_seconds'] as const) {
    const value = optionalNumber(given, key);
    if (value !== undefined) settings[key] = value;
  }
  return settings;
}

function historySeconds(fields: Record<string, unknown>): number | undefined {
  const seconds = optionalNumber(fields, 'history_retention_seconds');
  if (seconds !== undefined && (seconds < 0 || seconds > 2_592_000)) {
    throw badRequest('"history_retention_seconds" is out of range');
  }
  return seconds;
}

export async function createProject({ state, body }: Call): Promise<HandlerResponse> {
  const fields = requiredObject(body, 'project');
  const branch = optionalObject(fields, 'branch');
  const owner = optionalString(branch, 'role_name') ?? 'neondb_owner';
  const created = await startProject(state, {
    name: optionalString(fields, 'name') ?? 'project',
    branchName: optionalString(branch, 'name'),
    roles: [owner],
    databases: [{ name: optionalString(branch, 'database_name') ?? 'neondb', owner }],
    annotations: stringMap(branch, 'annotations'),
    regionId: optionalString(fields, 'region_id'),
    historySeconds: historySeconds(fields),
    endpointSettings: endpointSettings(fields),
  });
  return {
    status: 201,
    body: { project: created.project.project, connection_uris: [], ...createResponseBody(state, created) },
  };
}

export function updateProject({ state, params, body }: Call): HandlerResponse {
  const { project } = state.project(params.project_id);
  const fields = requiredObject(body, 'project');
  const name = optionalString(fields, 'name');
  const history = historySeconds(fields);
  if (name !== undefined) project.name = name;
  if (history !== undefined) project.history_retention_seconds = history;
  project.default_endpoint_settings = { ...project.default_endpoint_settings, ...endpointSettings(fields) };
  if (isJsonObject(fields.settings)) project.settings = { ...project.settings, ...fields.settings };
  project.updated_at = timestamp(state.now());
  return { status: 200, body: { project, operations: [] } };
}

export async function deleteProject({ state, params }: Call): Promise<HandlerResponse> {
  const record = state.project(params.project_id);
  if (record.operations.busy() && state.settings.conflicts === 'lock') throw locked('project');
  state.projects.delete(record.project.id);
  await record.operations.idle();
  for (const id of record.endpoints.keys()) await state.compute.blockEndpoint(id);
  for (const id of record.branches.keys()) await state.compute.stopBranch(id);
  state.deletedProjects.set(record.project.id, { record, deletedAt: state.now() });
  const excess = [...state.deletedProjects].slice(0, Math.max(0, state.deletedProjects.size - MAX_DELETED));
  for (const [id, oldest] of excess) {
    state.deletedProjects.delete(id);
    await removeData(state, oldest.record);
  }
  return { status: 200, body: { project: record.project } };
}

async function removeData(state: State, record: ProjectRecord): Promise<void> {
  for (const id of record.endpoints.keys()) await state.compute.closeEndpoint(id);
  for (const id of [...record.branches.keys(), ...record.deleted.keys(), ...record.snapshots.keys()])
    await state.compute.remove(id);
}

/** Restores a deleted project. Its endpoints keep their ports and are idle. */
export async function recoverProject({ state, params }: Call): Promise<HandlerResponse> {
  const found = state.deletedProjects.get(params.project_id ?? '');
  if (!found || found.deletedAt + RECOVERY_WINDOW_MS < state.now()) throw notFound('deleted project');
  const { record } = found;
  const { project } = record;
  state.deletedProjects.delete(project.id);
  state.projects.set(project.id, record);
  for (const { endpoint } of record.endpoints.values()) {
    await state.compute.suspendEndpoint(endpoint.id);
    endpoint.current_state = 'idle';
  }
  return { status: 200, body: { project, branches: [...record.branches.values()].map(({ branch }) => branch) } };
}
