import { recordConnection } from '../branch/connection-details.ts';
import { checkMasking } from '../branch/masking.ts';
import { otherPullRequest } from '../branch/owner.ts';
import { ensureEndpoint, notReadyYet, waitUntilReady } from '../branch/ready.ts';
import { checkRequired, whyNotSchemaOnly } from '../branch/require.ts';
import { namesBranch } from '../branch/step.ts';
import { checkTarget, type Found } from '../branch/target.ts';
import { nameAndId } from '../service/branches.ts';
import { listChoices } from '../service/connection.ts';
import { RefusedError } from '../service/errors.ts';
import { unfinishedOperations } from '../service/operations.ts';
import type { Branch, Operation } from '../service/types.ts';
import { show } from '../text/inert.ts';
import type { Outcome, Step } from './facts.ts';
import { recordFeatures } from './features.ts';
import { isPullRequestOpen } from './github.ts';
import { prepareReset, resetBranch } from './reset.ts';
import { applySettings, renewExpiry } from './settings.ts';

/**
 * `create` for a branch that exists: checks that it may be used and is what the inputs ask for, warns of what differs, resets it if requested, waits
 * until it is ready, applies the inputs' settings, and records its connection details. Whatever refuses it comes before the first change.
 */
export async function reuse(
  step: Step,
  found: Found,
  { parent, running }: { parent: Branch | undefined; running?: Operation[] },
): Promise<Outcome> {
  const { inputs, log } = step;
  checkReusable(step, found.branch);
  step.record({ branch: found.branch });
  log.info(`Reusing branch ${nameAndId(found.branch)}`);
  await warnOfOtherUser(step, found.branch);
  warnOfDifferences(step, found.branch, parent);
  const resets = inputs.if_exists === 'reset';
  const reset = resets ? await prepareReset(step, found, parent) : undefined;

  const unfinished = running ?? (await unfinishedOperations({ ...found, branchId: found.branch.id }));
  let branch = inputs.wait ? await waitUntilReady(step, found, unfinished) : found.branch;
  checkTarget(step, branch);
  step.record({ branch });
  if (reset) branch = await resetBranch(step, found, reset);
  const about = { ...found, branch };
  const { isDone, columns: masked } = await checkMasking(step, about, { wait: inputs.wait });
  if (isDone) await checkRequired(step, about);

  const [endpoint, names] = await Promise.all([ensureEndpoint(step, about), listChoices(about)]);
  branch = await renewExpiry(step, about);
  branch = await applySettings(step, { ...about, branch }, endpoint);
  step.record({ branch });
  const connection = isDone ? await recordConnection(step, about, { endpoint, names }) : undefined;
  if (connection) await recordFeatures(step, about, connection);
  const notReady = !inputs.wait && (unfinished.length > 0 || resets || !isDone);
  return {
    ...{ action: resets ? 'reset' : 'reused', branch, connection, masked, notReady },
    done: `Reused ${resets ? 'and reset ' : ''}branch ${nameAndId(branch)}${notReady ? notReadyYet : ''}`,
  };
}

/** Refuses an existing branch that must not be returned, or is not what the inputs request. */
function checkReusable(step: Step, branch: Branch): void {
  const { inputs } = step;
  if (branch.default) {
    throw new RefusedError(
      `Branch ${nameAndId(branch)} is the project's default branch, which \`create\` never returns. To use it, set \`command: get\`. To create a copy of it, set \`branch_name\` to another name.`,
    );
  }
  checkTarget(step, branch);
  if (inputs.if_exists === 'fail') {
    throw new RefusedError(
      `Branch ${nameAndId(branch)} already exists, and \`if_exists: fail\` requires a new one. Delete it, choose another name, or set \`if_exists: reuse\`.`,
    );
  }
  const why = inputs.branch_type === 'schema-only' ? whyNotSchemaOnly(branch) : undefined;
  if (why !== undefined) {
    throw new RefusedError(
      `Branch ${nameAndId(branch)} exists and ${why}, but \`branch_type: schema-only\` was requested. Nothing was changed. To replace it, set \`if_exists: recreate\`.`,
    );
  }
}

/** With an explicit name, the branch of another pull request that is still open is used with a warning. */
async function warnOfOtherUser(step: Step, branch: Branch): Promise<void> {
  const other = namesBranch(step.inputs) ? otherPullRequest(step.event, branch) : undefined;
  if (other === undefined) return;
  const isOpen = await isPullRequestOpen(step, other);
  if (isOpen === false) return;
  step.log.warning(
    `Branch ${nameAndId(branch)} belongs to pull request #${other}, according to its metadata, so both work on the same data, and it ends with that pull request. For a branch of its own in each pull request, remove \`branch_name\`, or make the pull request's number part of it`,
  );
}

/** An existing branch keeps its parent and its point in the parent's history; if the step asks for others, a warning says so. */
function warnOfDifferences({ inputs, log }: Step, branch: Branch, parent: Branch | undefined): void {
  // A schema-only branch is a root, so it has no parent to compare. A reset uses the requested parent anyway.
  if (branch.init_source === 'schema-only' || inputs.if_exists === 'reset') return;
  const { timestamp, lsn } = inputs.parent_point ?? {};
  const differences = [
    parent && parent.id !== branch.parent_id && `its parent is ${branch.parent_id ?? 'none'}, not ${nameAndId(parent)}`,
    timestamp !== undefined &&
      Date.parse(timestamp) !== Date.parse(branch.parent_timestamp ?? '') &&
      `its point in the parent's history is ${branch.parent_timestamp ?? 'unknown'}, not ${timestamp}`,
    lsn !== undefined &&
      lsn !== branch.parent_lsn &&
      `its point in the parent's history is ${branch.parent_lsn ?? 'unknown'}, not ${lsn}`,
  ].filter((one) => typeof one === 'string');
  if (differences.length === 0) return;
  log.warning(
    `Branch ${show(branch.name)} already exists, but differs from the inputs: ${differences.join('; ')}. Using it as is. To replace it, set \`if_exists: recreate\`.`,
  );
}
