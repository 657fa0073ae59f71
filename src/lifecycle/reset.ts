import { checkGuards, guarded } from '../branch/guard.ts';
import { ensureEndpoint, waitForOperations, waitUntilReady } from '../branch/ready.ts';
import { checkRows, checkSource } from '../branch/rows.ts';
import { checkTarget, findParent, requireTarget } from '../branch/target.ts';
import { anonymizedStatus } from '../service/anonymize.ts';
import { responseAbout } from '../service/branch-changes.ts';
import { type Found, getBranch, nameAndId } from '../service/branches.ts';
import { RefusedError } from '../service/errors.ts';
import { unfinishedOperations } from '../service/operations.ts';
import { branchPath } from '../service/project.ts';
import type { Branch, Operation } from '../service/types.ts';
import { show } from '../text/inert.ts';
import { recordConnection } from './connection.ts';
import type { Outcome, Step } from './facts.ts';
import { renewExpiry } from './settings.ts';

/**
 * Resets the branch to the head of its parent or of `parent_branch`, or to a point in the history of that branch. Its connection details stay
 * the same.
 */
export async function reset(step: Step): Promise<Outcome> {
  const { inputs } = step;
  const found = await requireTarget(step);
  step.record({ branch: found.branch });
  const source = await sourceOfReset(step, found, await findParent(step));
  let branch = await resetBranch(step, found, source);
  const about = { ...found, branch };
  const endpoint = await ensureEndpoint(step, about);
  branch = await renewExpiry(step, about);
  await checkRows(step, about, { wait: inputs.wait, copied: true });
  const connection = await recordConnection(step, about, { endpoint });
  return {
    ...{ action: 'reset', branch, connection },
    notReady: !inputs.wait,
    done: `Reset branch ${nameAndId(branch)} to ${source.text}`,
  };
}

/** Where the rows of a reset come from: a branch, and in words: `the head of its parent`. */
interface Source {
  id: string;
  text: string;
}

/** Refuses, before anything is changed, a reset that cannot be done, or would bring in rows that the branch must not have. */
export async function sourceOfReset(step: Step, found: Found, parent: Branch | undefined): Promise<Source> {
  const { inputs } = step;
  const { branch } = found;
  checkGuards(found, { doing: 'reset', keepsChildren: inputs.preserve_under_name !== undefined });
  const id = parent?.id ?? branch.parent_id;
  const refuse = (why: string, also = ''): never => {
    throw new RefusedError(
      `Branch ${nameAndId(branch)} ${why}. Nothing was changed. To replace it, use \`command: create\` with \`if_exists: recreate\`${also}.`,
    );
  };
  if (branch.init_source === 'schema-only')
    refuse('is a schema-only branch, and a reset would copy rows into it', ' and `branch_type: schema-only`');
  if (id === undefined) return refuse('has no parent to reset to, and `parent_branch` is not set');
  await checkSource(step, id, {});
  if (await anonymizedStatus(found))
    refuse("is anonymized, and a reset would bring back its parent's rows unmasked", ' and the same `masking_rules`');
  const source = inputs.parent_branch === undefined ? 'its parent' : `branch ${show(inputs.parent_branch)}`;
  const point = inputs.parent_point?.timestamp ?? inputs.parent_point?.lsn;
  return { id, text: point === undefined ? `the head of ${source}` : `${source} at ${point}` };
}

/** Resets the branch and, with `wait`, waits until it is ready. Returns it as it is then. */
export async function resetBranch(step: Step, found: Found, source: Source): Promise<Branch> {
  const { branch } = found;
  step.log.info(`Resetting branch ${nameAndId(branch)} to ${source.text}`);
  const operations = await sendReset(step, found, source);
  step.started(operations);
  if (!step.inputs.wait) return branch;
  await waitForOperations(step, operations);
  const { branch: now } = await getBranch(found);
  checkTarget(step, now);
  return waitUntilReady(step, { ...found, branch: now }, []);
}

/**
 * Sends the reset; the guards hold for the branch as it is then. If the response is lost, the branch shows whether it has happened, once its
 * operations have ended: by the point in its parent's history, or the time of its last reset.
 */
async function sendReset(step: Step, found: Found, source: Source): Promise<Operation[]> {
  const { parent_point: point, preserve_under_name: name } = step.inputs;
  const { api, branch } = found;
  let before = branch;
  const hasMoved = async () => {
    await waitForOperations(step, await unfinishedOperations(found));
    const { branch: now } = await getBranch(found);
    return (['last_reset_at', 'parent_lsn', 'parent_timestamp'] as const).some((key) => now[key] !== before[key]);
  };
  const check = (now: Branch) => {
    checkTarget(step, now);
    before = now;
  };
  const { value } = await api.request({
    goal: `reset branch ${show(branch.name)}`,
    method: 'POST',
    path: branchPath(found, '/restore'),
    body: {
      source_branch_id: source.id,
      source_timestamp: point?.timestamp,
      source_lsn: point?.lsn,
      preserve_under_name: name,
    },
    beforeAttempt: guarded(found, { doing: 'reset', keepsChildren: name !== undefined, check }),
    recover: async (error) => {
      const isLost = error.failure.mayHaveActed;
      // Sent again, the name for the old state is taken if the first one has acted after all.
      if (!isLost && !(error.status === 409 && error.mayHaveActed)) return undefined;
      if (await hasMoved()) return { done: { operations: [] as Operation[] } };
      return isLost ? 'resend' : undefined;
    },
    read: responseAbout(branch),
  });
  return value.operations;
}
