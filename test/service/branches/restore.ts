import type { Point } from '../compute.ts';
import { stamp } from '../generate.ts';
import { isFields, requiredText, text } from '../http/body.ts';
import { badRequest, notFound, unprocessable } from '../http/errors.ts';
import type { Answer, Call } from '../http/router.ts';
import { startStep, suspendStep } from '../objects/endpoint-record.ts';
import type { Lock, Step } from '../operations.ts';
import { type BranchRecord, childrenOf, endpointsOf, type ProjectRecord, type State } from '../state.ts';
import { checkedName, checkedPoint, claimName, claimRoom } from './create.ts';
import { branchRecord, changeState, contentOf, expiry } from './record.ts';
import { syncContent } from './sync-content.ts';

interface Restoring {
  state: State;
  project: ProjectRecord;
  record: BranchRecord;
  source: BranchRecord;
  point: Point;
  /** The branch that gets the old state. */
  backup: BranchRecord | undefined;
}

export async function restoreBranch({ state, params, body }: Call): Promise<Answer> {
  const project = state.project(params.project_id);
  const record = state.branch(project, params.branch_id, 'change');
  const { branch } = record;
  if (!isFields(body)) throw badRequest('request body has an error: "source_branch_id" is missing');
  const source = project.branches.get(requiredText(body, 'source_branch_id'));
  if (!source) throw notFound('source branch');
  const point = checkedPoint(state, text(body, 'source_lsn'), text(body, 'source_timestamp'));
  const keepAs = text(body, 'preserve_under_name') || undefined;
  const past = point.lsn !== undefined || point.timestamp !== undefined;
  if (past) await state.compute.checkPoint(source.branch.id, point);

  if (source === record && !past) throw unprocessable('restoring a branch from itself needs a timestamp or an LSN');
  if (branch.protected) throw unprocessable('a protected branch cannot be restored');
  if (keepAs === undefined && source === record)
    throw unprocessable('restoring a branch from itself needs preserve_under_name');
  if (keepAs === undefined && childrenOf(project, branch.id).length > 0) {
    throw unprocessable('restoring a branch with children needs preserve_under_name');
  }
  if (keepAs !== undefined) claimName(state, project, checkedName(keepAs));
  const locks: Lock[] = [{ id: branch.id }];
  if (source !== record) locks.push({ id: source.branch.id, shared: true });
  state.guard(project, locks);
  if (record.leaving || source.leaving) throw notFound('branch');
  if (keepAs !== undefined) claimRoom(state, project, branch.parent_id === undefined);

  const backup = keepAs === undefined ? undefined : preserve(state, project, record, keepAs);
  changeState(record, 'resetting', stamp(state.now()), 'ready');
  const operations = start({ state, project, record, source, point, backup }, locks);
  return { status: 200, body: { branch, operations } };
}

/** The branch that the old state goes to, and the children with it. */
function preserve(state: State, project: ProjectRecord, record: BranchRecord, name: string): BranchRecord {
  const parent = project.branches.get(record.branch.parent_id ?? '');
  const backup = branchRecord(state, project, { name, parent, ready: true, ...contentOf(record) });
  backup.unsettled = { reads: 0, changes: 0, lists: 0 };
  if (record.branch.parent_lsn !== undefined) backup.branch.parent_lsn = record.branch.parent_lsn;
  for (const child of childrenOf(project, record.branch.id)) child.branch.parent_id = backup.branch.id;
  project.branches.set(backup.branch.id, backup);
  return backup;
}

function start(restoring: Restoring, locks: Lock[]): ReturnType<State['run']> {
  const { state, project, record, source, point, backup } = restoring;
  const { branch } = record;
  const endpoints = endpointsOf(project, branch.id);
  const awake = endpoints.filter(({ endpoint }) => endpoint.current_state !== 'idle');
  const restore: Step = {
    action: 'create_timeline',
    branchId: branch.id,
    work: async () => {
      const keepAs = backup?.branch.id;
      branch.parent_lsn = await state.compute.restore(branch.id, { id: source.branch.id, point, keepAs });
      await syncContent(state, project, record, source);
    },
    after: () => {
      const now = state.now();
      // A branch that is restored to its own past comes from what it was.
      branch.parent_id = source === record && backup ? backup.branch.id : source.branch.id;
      branch.parent_timestamp = point.timestamp === undefined ? stamp(now) : stamp(Date.parse(point.timestamp));
      branch.last_reset_at = stamp(now);
      if (branch.ttl_interval_seconds !== undefined) {
        Object.assign(branch, expiry(stamp(now + branch.ttl_interval_seconds * 1_000), now));
      }
      changeState(record, 'ready', stamp(now));
    },
  };
  const steps = [
    ...awake.map((endpoint) => suspendStep(state, endpoint)),
    restore,
    ...awake.map((endpoint) => startStep(state, endpoint)),
  ];
  return state.run(project, steps, locks, () => changeState(record, 'ready', stamp(state.now())));
}
