import { stamp } from '../generate.ts';
import { notFound } from '../http/errors.ts';
import type { Answer, Call } from '../http/router.ts';
import { type BranchRecord, endpointsOf, type ProjectRecord, type State } from '../state.ts';
import { claimName, claimRoom } from './create.ts';
import { changeState } from './record.ts';

const WINDOW_MS = 7 * 86_400_000;
/** How many deleted branches keep their data: each takes as much room as a living one. */
const MOST_WITH_DATA = 5;
const MOST_WITHOUT = 10_000;

/** Puts a deleted branch aside: its data and its addresses stay for a while, and nobody gets in. */
export async function setAside(
  state: State,
  project: ProjectRecord,
  record: BranchRecord,
  method: 'user' | 'ttl',
): Promise<void> {
  const { branch } = record;
  const endpoints = endpointsOf(project, branch.id);
  for (const { endpoint } of endpoints) await state.compute.lockEndpoint(endpoint.id);
  await state.compute.halt(branch.id);
  const now = state.now();
  branch.recovery = {
    deleted_at: stamp(now),
    recoverable_until: stamp(now + WINDOW_MS),
    deletion_method: method,
  };
  project.deleted.set(branch.id, { record, endpoints });
  const most = state.settings.compute === 'none' ? MOST_WITHOUT : MOST_WITH_DATA;
  for (const [id, { endpoints: old }] of [...project.deleted].slice(0, Math.max(0, project.deleted.size - most))) {
    project.deleted.delete(id);
    for (const { endpoint } of old) await state.compute.closeEndpoint(endpoint.id);
    await state.compute.remove(id);
  }
}

/** Brings a deleted branch back with its endpoints, idle, and with the addresses they had. */
export async function recoverBranch({ state, params }: Call): Promise<Answer> {
  const project = state.project(params.project_id);
  const found = project.deleted.get(params.branch_id ?? '');
  const until = found?.record.branch.recovery?.recoverable_until;
  if (!found || until === undefined || until < stamp(state.now())) throw notFound('deleted branch');
  const { record, endpoints } = found;
  const { branch } = record;
  claimName(state, project, branch.name);
  claimRoom(state, project, branch.parent_id === undefined);
  project.deleted.delete(branch.id);
  delete branch.recovery;
  delete branch.expires_at;
  delete branch.ttl_interval_seconds;
  record.leaving = false;
  changeState(record, 'ready', stamp(state.now()));
  project.branches.set(branch.id, record);
  for (const one of endpoints) {
    project.endpoints.set(one.endpoint.id, one);
    await state.compute.suspendEndpoint(one.endpoint.id);
    one.endpoint.current_state = 'idle';
  }
  return { status: 200, body: { branch, endpoints: endpoints.map(({ endpoint }) => endpoint) } };
}
