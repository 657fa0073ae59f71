import { notFound } from '../http/errors.ts';
import type { Call, HandlerResponse } from '../http/router.ts';
import { type BranchRecord, endpointsOf, type ProjectRecord, type State } from '../state.ts';
import { timestamp } from '../time.ts';
import { assertBelowLimit, assertNameFree } from './checks.ts';
import { setState } from './record.ts';

export const RECOVERY_WINDOW_MS = 7 * 86_400_000;
/** A deleted branch needs as much disk space as any other, so only the latest ones are kept. */
const MAX_DELETED_WITH_DATA = 5;
const MAX_DELETED_WITHOUT_DATA = 10_000;

/** Keeps the data and ports of a deleted branch for recovery, and refuses connections. */
export async function moveToDeleted(
  state: State,
  project: ProjectRecord,
  record: BranchRecord,
  method: 'user' | 'ttl',
): Promise<void> {
  const { branch } = record;
  const endpoints = endpointsOf(project, branch.id);
  for (const { endpoint } of endpoints) await state.compute.blockEndpoint(endpoint.id);
  await state.compute.stopBranch(branch.id);
  const now = state.now();
  branch.recovery = {
    deleted_at: timestamp(now),
    recoverable_until: timestamp(now + RECOVERY_WINDOW_MS),
    deletion_method: method,
  };
  project.deleted.set(branch.id, { record, endpoints });
  const max = state.settings.compute === 'none' ? MAX_DELETED_WITHOUT_DATA : MAX_DELETED_WITH_DATA;
  for (const [id, oldest] of [...project.deleted].slice(0, Math.max(0, project.deleted.size - max))) {
    project.deleted.delete(id);
    for (const { endpoint } of oldest.endpoints) await state.compute.closeEndpoint(endpoint.id);
    await state.compute.remove(id);
  }
}

/** Restores a deleted branch. Its endpoints keep their ports and are idle. */
export async function recoverBranch({ state, params }: Call): Promise<HandlerResponse> {
  const project = state.project(params.project_id);
  const found = project.deleted.get(params.branch_id ?? '');
  const until = found?.record.branch.recovery?.recoverable_until;
  if (!found || until === undefined || until < timestamp(state.now())) throw notFound('deleted branch');
  const { record: deleted, endpoints } = found;
  const { branch } = deleted;
  assertNameFree(state, project, branch.name);
  assertBelowLimit(state, project, branch.parent_id === undefined);
  project.deleted.delete(branch.id);
  delete branch.recovery;
  delete branch.expires_at;
  delete branch.ttl_interval_seconds;
  deleted.deleting = false;
  setState(deleted, 'ready', timestamp(state.now()));
  project.branches.set(branch.id, deleted);
  for (const record of endpoints) {
    const { endpoint } = record;
    project.endpoints.set(endpoint.id, record);
    await state.compute.suspendEndpoint(endpoint.id);
    endpoint.current_state = 'idle';
  }
  return { status: 200, body: { branch, endpoints: endpoints.map(({ endpoint }) => endpoint) } };
}
