import { recordConnection } from '../branch/connection-details.ts';
import { checkGuards } from '../branch/guard.ts';
import { ensureEndpoint, notReadyYet, waitForOperations, waitUntilReady } from '../branch/ready.ts';
import { checkRequired, checkSource } from '../branch/require.ts';
import { sendReset } from '../branch/reset.ts';
import { checkTarget, type Found, findParent, requireTarget } from '../branch/target.ts';
import { anonymizedStatus } from '../service/anonymize.ts';
import { getBranch, nameAndId } from '../service/branches.ts';
import { RefusedError } from '../service/errors.ts';
import type { Branch } from '../service/types.ts';
import { show } from '../text/inert.ts';
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
  const prepared = await prepareReset(step, found, await findParent(step));
  let branch = await resetBranch(step, found, prepared);
  const about = { ...found, branch };
  const endpoint = await ensureEndpoint(step, about);
  branch = await renewExpiry(step, about);
  await checkRequired(step, about);
  const connection = await recordConnection(step, about, { endpoint });
  return {
    ...{ action: 'reset', branch, connection },
    notReady: !inputs.wait,
    done: `Reset branch ${nameAndId(branch)} to ${prepared.to}${inputs.wait ? '' : notReadyYet}`,
  };
}

/** Where the rows of a reset come from. */
interface Prepared {
  sourceId: string;
  /** In words: `the head of its parent`. */
  to: string;
}

/** Refuses, before anything is changed, a reset that must not or cannot be done. */
export async function prepareReset(step: Step, found: Found, parent: Branch | undefined): Promise<Prepared> {
  const { inputs } = step;
  const { branch } = found;
  checkGuards(found, { doing: 'reset', keepsChildren: inputs.preserve_under_name !== undefined });
  if (branch.init_source === 'schema-only') {
    throw new RefusedError(
      `Branch ${nameAndId(branch)} is a schema-only branch, and a reset would copy another branch's rows into it. Nothing was changed. To replace it, use \`command: create\` with \`branch_type: schema-only\` and \`if_exists: recreate\`.`,
    );
  }
  const sourceId = parent?.id ?? branch.parent_id;
  if (sourceId === undefined) {
    throw new RefusedError(
      `Branch ${nameAndId(branch)} has no parent to reset to: it is a root branch. Set \`parent_branch\`, or delete the branch and create it again.`,
    );
  }
  await checkSource(step, { sourceId, doing: 'reset' });
  if (await anonymizedStatus(found)) {
    throw new RefusedError(
      `Branch ${nameAndId(branch)} is anonymized, and a reset would bring back its parent's rows unmasked. Nothing was changed. To replace it, use \`command: create\` with \`masking_rules\` and \`if_exists: recreate\`.`,
    );
  }
  const source = inputs.parent_branch === undefined ? 'its parent' : `branch ${show(inputs.parent_branch)}`;
  const point = inputs.parent_point?.timestamp ?? inputs.parent_point?.lsn;
  return { sourceId, to: point === undefined ? `the head of ${source}` : `${source} at ${point}` };
}

/** Resets the branch and, with `wait`, waits until it is ready. Returns it as it is then. */
export async function resetBranch(step: Step, found: Found, { sourceId, to }: Prepared): Promise<Branch> {
  const { inputs, log } = step;
  const { branch } = found;
  log.info(`Resetting branch ${nameAndId(branch)} to ${to}`);
  const operations = await sendReset(step, found, {
    sourceId,
    point: inputs.parent_point,
    preserveUnderName: inputs.preserve_under_name,
    check: (now) => checkTarget(step, now),
  });
  step.started(operations);
  if (!inputs.wait) return branch;
  await waitForOperations(step, operations);
  const { branch: now } = await getBranch({ ...found, branchId: branch.id });
  checkTarget(step, now);
  return waitUntilReady(step, { ...found, branch: now }, []);
}
