import type { Project } from '@neon/sdk/raw';
import { contentOf, newBranchRecord, setState } from '../branches/record.ts';
import type { DatabaseOwner } from '../compute.ts';
import { newBranchId, newEndpointId, newProjectId } from '../generate.ts';
import { Operations, type Step } from '../operations.ts';
import { operationDuration } from '../options.ts';
import type { ProjectRecord, State } from '../state.ts';
import { timestamp } from '../time.ts';
import { addEndpoint, startStep } from './endpoint-record.ts';

/** The only user of the service. */
export const OWNER_ID = '629982cc-de05-43db-ae16-28f2399c4910';

export interface NewProject {
  name: string;
  branchName?: string | undefined;
  roles: string[];
  databases: DatabaseOwner[];
  protected?: boolean;
  annotations?: Record<string, string> | undefined;
  regionId?: string | undefined;
  historySeconds?: number | undefined;
  endpointSettings?: Project['default_endpoint_settings'] | undefined;
  /** Minimum duration of its operations in milliseconds, instead of the service's `operationMs`. */
  durationMs?: number;
}

/** Adds a project and starts the operations that create its default branch and compute. */
export async function startProject(state: State, spec: NewProject) {
  const at = timestamp(state.now());
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
    consumption_period_end: timestamp(state.now() + 30 * 86_400_000),
    created_at: at,
    updated_at: at,
    owner_id: OWNER_ID,
  };
  const record: ProjectRecord = {
    project,
    branches: new Map(),
    endpoints: new Map(),
    snapshots: new Map(),
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
  const main = newBranchRecord(state, record, {
    id: branchId,
    name: spec.branchName ?? 'main',
    default: true,
    protected: spec.protected ?? false,
    annotations: spec.annotations,
    roles: spec.roles.map((name) => ({ name, password: state.newPassword() })),
    databases: spec.databases,
  });
  main.propagation = { reads: 0, changes: 0, lists: 0 };
  record.branches.set(branchId, main);
  state.projects.set(project.id, record);
  const endpoint = addEndpoint(state, record, {
    id: endpointId,
    branchId,
    address,
    compute: { type: 'read_write', minCu: undefined, maxCu: undefined, suspendTimeout: undefined },
  });
  const duration: Pick<Step, 'durationMs'> = spec.durationMs === undefined ? {} : { durationMs: spec.durationMs };
  const operations = state.startOperations(
    record,
    [
      {
        action: 'create_timeline',
        branchId,
        ...duration,
        work: () => state.compute.createRoot(branchId, contentOf(main)),
        onFinished: () => setState(main, 'ready', timestamp(state.now())),
      },
      { ...startStep(state, endpoint), ...duration },
    ],
    [{ id: branchId }],
  );
  return { project: record, record: main, endpoints: [endpoint], operations };
}
