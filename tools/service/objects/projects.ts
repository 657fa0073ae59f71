import type { Project, ProjectListItem } from '@neon/sdk/raw';
import { createResponseBody } from '../branches/create.ts';
import {
  isJsonObject,
  optionalNumber,
  optionalObject,
  optionalString,
  requiredObject,
  stringMap,
} from '../http/body.ts';
import { badRequest, locked } from '../http/errors.ts';
import { parseLimit } from '../http/pagination.ts';
import type { Call, HandlerResponse } from '../http/router.ts';
import type { ProjectRecord } from '../state.ts';
import { timestamp } from '../time.ts';
import { startProject } from './new-project.ts';

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

/** Sorted by ID: the cursor is the last ID of a page, so pages stay correct while projects are added and deleted. */
export function listProjects({ state, query }: Call): HandlerResponse {
  const limit = parseLimit(query.get('limit'), { fallback: 10, max: 400 });
  const search = query.get('search') ?? '';
  const after = query.get('cursor') ?? '';
  const page = [...state.projects.values()]
    .map(listItem)
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
  for (const id of record.endpoints.keys()) await state.compute.closeEndpoint(id);
  for (const id of [...record.branches.keys(), ...record.snapshots.keys()]) await state.compute.remove(id);
  return { status: 200, body: { project: record.project } };
}
