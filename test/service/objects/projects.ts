import type { Project, ProjectListItem } from '@neon/sdk/raw';
import { createdBody } from '../branches/create.ts';
import { pageSize } from '../branches/read.ts';
import { branchRecord, changeState, contentOf } from '../branches/record.ts';
import { newBranchId, newEndpointId, newProjectId, stamp } from '../generate.ts';
import { amount, isFields, part, requiredPart, text, texts } from '../http/body.ts';
import { badRequest, locked } from '../http/errors.ts';
import type { Answer, Call } from '../http/router.ts';
import { Operations } from '../operations.ts';
import { operationDuration } from '../options.ts';
import type { BranchRecord, ProjectRecord, State } from '../state.ts';
import { addEndpoint, startStep } from './endpoint-record.ts';

export const OWNER_ID = '629982cc-de05-43db-ae16-28f2399c4910';

export interface NewProject {
  name: string;
  branchName?: string | undefined;
  roles: string[];
  databases: string[];
  protected?: boolean;
  annotations?: Record<string, string> | undefined;
  regionId?: string | undefined;
  historySeconds?: number | undefined;
  endpointSettings?: Project['default_endpoint_settings'] | undefined;
  /** How long its operations take at least, where that is not the service's usual time. */
  ms?: number;
}

/** A project with its default branch and a compute for it, whose operations are under way. */
export async function startProject(state: State, spec: NewProject) {
  const at = stamp(state.now());
  const project: Project = {
    id: newProjectId(),
    platform_id: 'aws',
    region_id: spec.regionId ?? 'aws-us-east-2',
    name: spec.name,
    provisioner: 'k8s-neonvm',
    default_endpoint_settings: {
      autoscaling_limit_min_cu: 0.25,
      autoscaling_limit_max_cu: 2,
      suspend_timeout_seconds: 0,
      ...spec.endpointSettings,
    },
    settings: {},
    pg_version: state.compute.pgVersion,
    proxy_host: state.compute.proxyHost,
    branch_logical_size_limit: 512,
    branch_logical_size_limit_bytes: 536_870_912,
    store_passwords: true,
    active_time_seconds: 0,
    compute_time_seconds: 0,
    cpu_used_sec: 0,
    written_data_bytes: 0,
    data_transfer_bytes: 0,
    data_storage_bytes_hour: 0,
    creation_source: 'console',
    history_retention_seconds: spec.historySeconds ?? 86_400,
    consumption_period_start: at,
    consumption_period_end: stamp(state.now() + 30 * 86_400_000),
    created_at: at,
    updated_at: at,
    owner_id: OWNER_ID,
  };
  const record: ProjectRecord = {
    project,
    branches: new Map(),
    endpoints: new Map(),
    deleted: new Map(),
    operations: new Operations({
      projectId: project.id,
      now: () => state.now(),
      duration: operationDuration(state.settings.operationMs),
      slots: state.settings.slots,
      fault: (operation) => state.faults.forOperation(operation),
    }),
    nextDatabaseId: 1_000 + state.projects.size * 1_000,
  };
  const branchId = newBranchId();
  const endpointId = newEndpointId();
  const address = await state.compute.openEndpoint(endpointId, branchId);
  const main = branchRecord(state, record, {
    id: branchId,
    name: spec.branchName ?? 'main',
    default: true,
    protected: spec.protected ?? false,
    annotations: spec.annotations,
    roles: spec.roles.map((name) => ({ name, password: state.newPassword() })),
    databases: spec.databases.map((name) => ({ name, owner: spec.roles[0] ?? 'neondb_owner' })),
  });
  main.unsettled = { reads: 0, changes: 0, lists: 0 };
  record.branches.set(branchId, main);
  state.projects.set(project.id, record);
  const endpoint = addEndpoint(state, record, {
    id: endpointId,
    branchId,
    address,
    spec: { type: 'read_write', minCu: undefined, maxCu: undefined, suspendTimeout: undefined },
  });
  const pace = spec.ms === undefined ? {} : { ms: spec.ms };
  const operations = state.run(
    record,
    [
      {
        action: 'create_timeline',
        branchId,
        ...pace,
        work: () => state.compute.createRoot(branchId, contentOf(main)),
        after: () => changeState(main, 'ready', stamp(state.now())),
      },
      { ...startStep(state, endpoint), ...pace },
    ],
    [{ id: branchId }],
  );
  return { project: record, record: main, endpoints: [endpoint], operations };
}

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

/** By ID, so that the cursor, the last ID of a page, stays right while projects come and go. */
export function listProjects({ state, query }: Call): Answer {
  const limit = pageSize(query.get('limit'), { fallback: 10, most: 400 });
  const search = query.get('search') ?? '';
  const after = query.get('cursor') ?? '';
  const rest = [...state.projects.values()]
    .filter(({ project }) => (project.name.includes(search) || project.id.includes(search)) && project.id > after)
    .sort((a, b) => (a.project.id < b.project.id ? -1 : 1));
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  return {
    status: 200,
    body: {
      projects: page.map(listItem),
      applications: {},
      integrations: {},
      ...(last && { pagination: { cursor: last.project.id } }),
    },
  };
}

/** Nobody shares a project with a developer's own machine. */
export const sharedProjects = (): Answer => ({ status: 200, body: { projects: [] } });

export function getProject({ state, params }: Call): Answer {
  return { status: 200, body: { project: state.project(params.project_id).project } };
}

function endpointSettings(fields: Record<string, unknown>): Project['default_endpoint_settings'] {
  const given = part(fields, 'default_endpoint_settings');
  const settings: NonNullable<Project['default_endpoint_settings']> = {};
  for (const key of ['autoscaling_limit_min_cu', 'autoscaling_limit_max_cu', 'suspend_timeout_seconds'] as const) {
    const value = amount(given, key);
    if (value !== undefined) settings[key] = value;
  }
  return settings;
}

function historySeconds(fields: Record<string, unknown>): number | undefined {
  const seconds = amount(fields, 'history_retention_seconds');
  if (seconds !== undefined && (seconds < 0 || seconds > 2_592_000)) {
    throw badRequest('"history_retention_seconds" is out of range');
  }
  return seconds;
}

export async function createProject({ state, body }: Call): Promise<Answer> {
  const fields = requiredPart(body, 'project');
  const branch = part(fields, 'branch');
  const created = await startProject(state, {
    name: text(fields, 'name') ?? 'project',
    branchName: text(branch, 'name'),
    roles: [text(branch, 'role_name') ?? 'neondb_owner'],
    databases: [text(branch, 'database_name') ?? 'neondb'],
    annotations: texts(branch, 'annotations'),
    regionId: text(fields, 'region_id'),
    historySeconds: historySeconds(fields),
    endpointSettings: endpointSettings(fields),
  });
  return {
    status: 201,
    body: { project: created.project.project, connection_uris: [], ...createdBody(state, created) },
  };
}

export function updateProject({ state, params, body }: Call): Answer {
  const { project } = state.project(params.project_id);
  const fields = requiredPart(body, 'project');
  const name = text(fields, 'name');
  const history = historySeconds(fields);
  if (name !== undefined) project.name = name;
  if (history !== undefined) project.history_retention_seconds = history;
  project.default_endpoint_settings = { ...project.default_endpoint_settings, ...endpointSettings(fields) };
  if (isFields(fields.settings)) project.settings = { ...project.settings, ...fields.settings };
  project.updated_at = stamp(state.now());
  return { status: 200, body: { project, operations: [] } };
}

export async function deleteProject({ state, params }: Call): Promise<Answer> {
  const record = state.project(params.project_id);
  if (record.operations.busy() && state.settings.conflicts === 'lock') throw locked('project');
  state.projects.delete(record.project.id);
  await record.operations.idle();
  for (const id of record.endpoints.keys()) await state.compute.closeEndpoint(id);
  for (const id of [...record.branches.keys(), ...record.deleted.keys()]) await state.compute.remove(id);
  return { status: 200, body: { project: record.project } };
}

export const mainOf = (record: ProjectRecord): BranchRecord => {
  for (const branch of record.branches.values()) if (branch.branch.default) return branch;
  throw new Error('a project has a default branch');
};
