import type { Point } from '../compute.ts';
import { isJsonObject, optionalString, requiredString } from '../http/body.ts';
import { badRequest, notFound, unprocessable } from '../http/errors.ts';
import type { Call, HandlerResponse } from '../http/router.ts';
import { startStep, suspendStep } from '../objects/endpoint-record.ts';
import type { Lock, Step } from '../operations.ts';
import { type BranchRecord, childrenOf, endpointsOf, type ProjectRecord, type State } from '../state.ts';
import { timestamp } from '../time.ts';
import { assertBelowLimit, assertNameFree, isHistorical, parsePoint, validateName } from './checks.ts';
import { expiryFields } from './expiry.ts';
import { contentOf, newBranchRecord, setState } from './record.ts';
import { syncContent } from './sync-content.ts';

interface RestoreJob {
  state: State;
  project: ProjectRecord;
  record: BranchRecord;
  source: BranchRecord;
  point: Point;
  /** The new branch that keeps the old state. */
  backup: BranchRecord | undefined;
}

export async function restoreBranch({ state, params, body }: Call): Promise<HandlerResponse> {
  const project = state.project(params.project_id);
  const record = state.branch(project, params.branch_id, 'change');
  const { branch } = record;
  if (!isJsonObject(body)) throw badRequest('request body has an error: "source_branch_id" is missing');
  const source = project.branches.get(requiredString(body, 'source_branch_id'));
  if (!source) throw notFound('source branch');
  const point = parsePoint(state, optionalString(body, 'source_lsn'), optionalString(body, 'source_timestamp'));
  const backupName = optionalString(body, 'preserve_under_name') || undefined;
  const historical = isHistorical(point);
  if (historical) await state.compute.assertInHistory(source.branch.id, point);

  if (source === record && !historical)
    throw unprocessable('restoring a branch from itself needs a timestamp or an LSN');
  if (branch.protected) throw unprocessable('a protected branch cannot be restored');
  if (backupName === undefined && source === record)
    throw unprocessable('restoring a branch from itself needs preserve_under_name');
  if (backupName === undefined && childrenOf(project, branch.id).length > 0) {
    throw unprocessable('restoring a branch with children needs preserve_under_name');
  }
  if (backupName !== undefined) assertNameFree(state, project, validateName(backupName));
  const locks: Lock[] = [{ id: branch.id }];
  if (source !== record) locks.push({ id: source.branch.id, shared: true });
  state.assertUnlocked(project, locks);
  if (record.deleting || source.deleting) throw notFound('branch');
  if (backupName !== undefined) assertBelowLimit(state, project, branch.parent_id === undefined);

  const backup = backupName === undefined ? undefined : createBackup(state, project, record, backupName);
  // After a restore from itself, the parent is the backup of its old state.
  if (backup && source === record) branch.parent_id = backup.branch.id;
  setState(record, 'resetting', timestamp(state.now()), 'ready');
  const operations = startRestore({ state, project, record, source, point, backup }, locks);
  return { status: 200, body: { branch, operations } };
}

/** Adds the branch that keeps the old state, and moves the children to it. */
function createBackup(state: State, project: ProjectRecord, record: BranchRecord, name: string): BranchRecord {
  const parent = project.branches.get(record.branch.parent_id ?? '');
  const backup = newBranchRecord(state, project, { name, parent, ready: true, ...contentOf(record) });
  backup.propagation = { reads: 0, changes: 0, lists: 0 };
  if (record.branch.parent_lsn !== undefined) backup.branch.parent_lsn = record.branch.parent_lsn;
  for (const child of childrenOf(project, record.branch.id)) child.branch.parent_id = backup.branch.id;
  project.branches.set(backup.branch.id, backup);
  return backup;
}

function startRestore(job: RestoreJob, locks: Lock[]): ReturnType<State['startOperations']> {
  const { state, project, record, source, point, backup } = job;
  const { branch } = record;
  const endpoints = endpointsOf(project, branch.id);
  const awake = endpoints.filter(({ endpoint }) => endpoint.current_state !== 'idle');
  const restore: Step = {
    action: 'create_timeline',
    branchId: branch.id,
    work: async () => {
      branch.parent_lsn = await state.compute.restore(branch.id, {
        id: source.branch.id,
        point,
        backupId: backup?.branch.id,
      });
      await syncContent(state, project, record, source);
    },
    onFinished: () => {
      const now = state.now();
      if (source !== record) branch.parent_id = source.branch.id;
      branch.parent_timestamp = point.timestamp === undefined ? timestamp(now) : timestamp(Date.parse(point.timestamp));
      branch.last_reset_at = timestamp(now);
      if (branch.ttl_interval_seconds !== undefined) {
        Object.assign(branch, expiryFields(timestamp(now + branch.ttl_interval_seconds * 1_000), now));
      }
      setState(record, 'ready', timestamp(now));
    },
  };
  const steps = [
    ...awake.map((endpoint) => suspendStep(state, endpoint)),
    restore,
    ...awake.map((endpoint) => startStep(state, endpoint)),
  ];
  return state.startOperations(project, steps, locks, () => setState(record, 'ready', timestamp(state.now())));
}
