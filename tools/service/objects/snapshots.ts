import type { Branch, Snapshot } from '@neon/sdk/raw';
import { assertBelowLimit, assertNameFree, isHistorical, parsePoint, validateName } from '../branches/checks.ts';
import { contentOf, newBranchRecord, setState } from '../branches/record.ts';
import { newBranchId, newEndpointId, newSnapshotId } from '../generate.ts';
import { isJsonObject, optionalBoolean, optionalString, requiredObject } from '../http/body.ts';
import { badRequest, notFound } from '../http/errors.ts';
import type { Call, HandlerResponse } from '../http/router.ts';
import type { Step } from '../operations.ts';
import { type BranchRecord, endpointsOf, type ProjectRecord, type SnapshotRecord, type State } from '../state.ts';
import { timestamp } from '../time.ts';
import { addEndpoint, startStep } from './endpoint-record.ts';

function findSnapshot(project: ProjectRecord, id: string | undefined): SnapshotRecord {
  const record = project.snapshots.get(id ?? '');
  if (!record) throw notFound('snapshot');
  return record;
}

export function listSnapshots({ state, params }: Call): HandlerResponse {
  const snapshots = [...state.project(params.project_id).snapshots.values()].map(({ snapshot }) => snapshot);
  return { status: 200, body: { snapshots } };
}

export async function createSnapshot({ state, params, query }: Call): Promise<HandlerResponse> {
  const project = state.project(params.project_id);
  const record = state.branch(project, params.branch_id, 'change');
  const { branch } = record;
  const point = parsePoint(state, query.get('lsn') ?? undefined, query.get('timestamp') ?? undefined);
  if (isHistorical(point)) await state.compute.assertInHistory(branch.id, point);
  const expiry = query.get('expires_at');
  if (expiry !== null && Number.isNaN(Date.parse(expiry))) throw badRequest('"expires_at" is not a time');
  const locks = [{ id: branch.id, shared: true }];
  state.assertUnlocked(project, locks);
  const id = newSnapshotId();
  const at = timestamp(state.now());
  const snapshot: Snapshot = {
    id,
    name: query.get('name') ?? `${branch.name} at ${at}`,
    ...(point.lsn !== undefined && { lsn: point.lsn }),
    ...(point.timestamp !== undefined && { timestamp: point.timestamp }),
    source_branch_id: branch.id,
    created_at: at,
    ...(expiry !== null && { expires_at: timestamp(Date.parse(expiry)) }),
    manual: true,
  };
  project.snapshots.set(id, { snapshot, ...contentOf(record) });
  const step: Step = {
    action: 'create_branch',
    branchId: branch.id,
    work: async () => void (await state.compute.fork(id, branch.id, point)),
  };
  return { status: 200, body: { snapshot, operations: state.startOperations(project, [step], locks) } };
}

export function updateSnapshot({ state, params, body }: Call): HandlerResponse {
  const { snapshot } = findSnapshot(state.project(params.project_id), params.snapshot_id);
  const name = optionalString(requiredObject(body, 'snapshot'), 'name');
  if (name !== undefined) snapshot.name = name;
  return { status: 200, body: { snapshot } };
}

export function deleteSnapshot({ state, params }: Call): HandlerResponse {
  const project = state.project(params.project_id);
  const { id } = findSnapshot(project, params.snapshot_id).snapshot;
  state.assertUnlocked(project, [{ id }]);
  project.snapshots.delete(id);
  const step: Step = { action: 'delete_timeline', work: () => state.compute.remove(id) };
  return { status: 202, body: { operations: state.startOperations(project, [step], [{ id }]) } };
}

/** Creates a branch from a snapshot. With `finalize_restore`, it replaces another one. */
export async function restoreSnapshot({ state, params, body }: Call): Promise<HandlerResponse> {
  const project = state.project(params.project_id);
  const source = findSnapshot(project, params.snapshot_id);
  const { snapshot } = source;
  const fields = isJsonObject(body) ? body : {};
  const targetId = optionalString(fields, 'target_branch_id') ?? snapshot.source_branch_id;
  const finalize = optionalBoolean(fields, 'finalize_restore') ?? false;
  const target = state.branch(project, targetId, 'change');
  const id = newBranchId();
  const endpointId = newEndpointId();
  const address = finalize ? undefined : await state.compute.openEndpoint(endpointId, id);
  try {
    const name = validateName(optionalString(fields, 'name') ?? `${target.branch.name} (restored ${id.slice(-8)})`);
    assertNameFree(state, project, name);
    assertBelowLimit(state, project, true);
    const locks = [{ id }, { id: snapshot.id, shared: true }, ...(finalize ? [{ id: target.branch.id }] : [])];
    state.assertUnlocked(project, locks);
    const { roles, databases } = source;
    const record = newBranchRecord(state, project, { id, name, roles, databases });
    Object.assign(record.branch, { restored_from: snapshot.id, restore_status: 'restored' } satisfies Partial<Branch>);
    project.branches.set(id, record);
    const create: Step = {
      action: 'create_branch',
      branchId: id,
      work: async () => void (await state.compute.fork(id, snapshot.id, {})),
      onFinished: () => setState(record, 'ready', timestamp(state.now())),
    };
    const compute = { type: 'read_write' as const, minCu: undefined, maxCu: undefined, suspendTimeout: undefined };
    const endpoint = address && addEndpoint(state, project, { id: endpointId, branchId: id, compute, address });
    const last = endpoint ? startStep(state, endpoint) : replaceStep(state, project, record, target);
    const operations = state.startOperations(project, [create, last], locks);
    return {
      status: 200,
      body: { branch: record.branch, operations, ...(endpoint && { endpoints: [endpoint.endpoint] }) },
    };
  } catch (error) {
    await state.compute.closeEndpoint(endpointId);
    throw error;
  }
}

/** Moves the computes and the name of the branch that is replaced to the restored one. The replaced one is kept. */
function replaceStep(state: State, project: ProjectRecord, { branch }: BranchRecord, target: BranchRecord): Step {
  return {
    action: 'swap_binding_id',
    branchId: branch.id,
    work: async () => {
      for (const own of endpointsOf(project, branch.id)) {
        project.endpoints.delete(own.endpoint.id);
        await state.compute.closeEndpoint(own.endpoint.id);
      }
      for (const { endpoint } of endpointsOf(project, target.branch.id)) {
        await state.compute.moveEndpoint(endpoint.id, branch.id);
        endpoint.branch_id = branch.id;
        endpoint.current_state = 'idle';
      }
    },
    onFinished: () => {
      const { name: taken, default: isDefault, protected: isProtected } = target.branch;
      Object.assign(target.branch, { name: `${taken} (old)`, default: false, primary: false });
      Object.assign(branch, { name: taken, default: isDefault, primary: isDefault, protected: isProtected });
      Object.assign(branch, { restore_status: 'finalized', restored_as: target.branch.id } satisfies Partial<Branch>);
    },
  };
}
