import { otherPullRequest } from '../branch/owner.ts';
import { ensureEndpoint, waitUntilReady } from '../branch/ready.ts';
import { checkRows } from '../branch/rows.ts';
import { checkTarget } from '../branch/target.ts';
import { type Found, nameAndId } from '../service/branches.ts';
import { RefusedError } from '../service/errors.ts';
import { unfinishedOperations } from '../service/operations.ts';
import type { Branch, Operation } from '../service/types.ts';
import { namesBranch } from '../step/inputs.ts';
import { show } from '../text/inert.ts';
import { recordConnection } from './connection.ts';
import type { Outcome, Step } from './facts.ts';
import { brieflyMs, isPullRequestOpen } from './github.ts';
import { resetBranch, sourceOfReset } from './reset.ts';
import { applySettings, renewExpiry } from './settings.ts';

/**
 * `create` for a branch that exists: checks that it and its rows may be used, warns of what differs, resets it if requested, and applies the
 * inputs' settings. `running`: its unfinished operations, if they were just read.
 */
export async function reuse(
  step: Step,
  found: Found,
  { parent, running }: { parent: Branch | undefined; running?: Operation[] },
): Promise<Outcome> {
  const { inputs, log } = step;
  checkReusable(step, found.branch);
  step.record({ branch: found.branch });
  // Another run may have created it a moment ago.
  step.api.created(found.branch.id);
  log.info(`Reusing branch ${nameAndId(found.branch)}`);
  await warnOfOtherUser(step, found.branch);
  warnOfDifferences(step, found.branch, parent);
  const resets = inputs.if_exists === 'reset';
  const source = resets ? await sourceOfReset(step, found, parent) : undefined;

  const unfinished = running ?? (await unfinishedOperations(found));
  let branch = inputs.wait ? await waitUntilReady(step, found, unfinished) : found.branch;
  checkReusable(step, branch);
  step.record({ branch });
  if (source) branch = await resetBranch(step, found, source);
  const about = { ...found, branch };
  const { isDone, columns: masked } = await checkRows(step, about, { wait: inputs.wait, copied: resets });

  const endpoint = await ensureEndpoint(step, about);
  branch = await renewExpiry(step, about);
  branch = await applySettings(step, { ...about, branch }, endpoint);
  checkReusable(step, branch);
  step.record({ branch });
  const connection = isDone ? await recordConnection(step, about, { endpoint }) : undefined;
  const notReady = !inputs.wait && (resets || !isDone || (await unfinishedOperations(found)).length > 0);
  const until = branch.expires_at ? `, which expires at ${branch.expires_at}` : '';
  return {
    ...{ action: resets ? 'reset' : 'reused', branch, connection, masked, notReady },
    done: `Reused ${resets ? 'and reset ' : ''}branch ${nameAndId(branch)}${until}`,
  };
}

function checkReusable(step: Step, branch: Branch): void {
  if (branch.default) {
    throw new RefusedError(
      `Branch ${nameAndId(branch)} is the default branch, which \`create\` never returns. Use \`command: get\`, or set \`branch_name\` to another name.`,
    );
  }
  checkTarget(step, branch);
  if (step.inputs.if_exists === 'fail') {
    throw new RefusedError(
      `Branch ${nameAndId(branch)} already exists, and \`if_exists: fail\` requires a new one. Delete it, or choose another name.`,
    );
  }
}

/** With an explicit name, the branch of another pull request that is still open is used with a warning. */
async function warnOfOtherUser(step: Step, branch: Branch): Promise<void> {
  const other = namesBranch(step.inputs) ? otherPullRequest(step.event, branch) : undefined;
  if (other === undefined) return;
  if ((await isPullRequestOpen(step, other, brieflyMs)) === false) return;
  step.log.warning(
    `Branch ${nameAndId(branch)} belongs to pull request #${other}, according to its metadata. If that is open, both work on the same data, and the branch ends with it. For a branch of its own, remove \`branch_name\`, or make the pull request's number part of it`,
  );
}

/** An existing branch keeps its parent and its point in the parent's history; if the step asks for others, a warning says so. */
function warnOfDifferences({ inputs, log }: Step, branch: Branch, parent: Branch | undefined): void {
  // A schema-only branch is a root, so it has no parent to compare. A reset uses the requested parent anyway.
  const isRoot = branch.init_source === 'schema-only' && inputs.branch_type === 'schema-only';
  if (isRoot || inputs.if_exists === 'reset') return;
  const { parent_id: parentId = 'none', parent_timestamp: at, parent_lsn: lsn } = branch;
  const { parent_point: wanted } = inputs;
  const isOtherPoint = wanted?.timestamp
    ? Date.parse(wanted.timestamp) !== Date.parse(at ?? '')
    : wanted !== undefined && wanted.lsn !== lsn;
  if ((parent === undefined || parent.id === parentId) && !isOtherPoint) return;
  log.warning(
    `Branch ${show(branch.name)} already exists, but with another parent (${parentId}) or point in its history (${at ?? lsn ?? 'unknown'}). Using it as is. To replace it, set \`if_exists: recreate\`.`,
  );
}
