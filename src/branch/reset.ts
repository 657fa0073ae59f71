import { type Context, projectOf } from '../context.ts';
import { ApiError } from '../http/errors.ts';
import type { Changed } from '../service/branch-changes.ts';
import { findBranchByName, getBranch, listChildren, nameAndId } from '../service/branches.ts';
import { RefusedError } from '../service/errors.ts';
import { type Reset, restoration } from '../service/restore.ts';
import type { Branch } from '../service/types.ts';
import { listSome } from '../text/format.ts';
import { show } from '../text/inert.ts';
import { statusIfAny, whyNotCopy } from './require.ts';
import { renewExpiry } from './settings.ts';
import { checkParent, type Sighting, sameBranch, sight } from './sighting.ts';
import { findParent, guard } from './target.ts';

/** Refuses, before anything is changed, a reset that must not or cannot be done. */
export async function checkReset(context: Context, seen: Sighting): Promise<Reset> {
  const { branch } = seen;
  guard(branch, 'reset');
  if (branch.init_source === 'schema-only') {
    throw new RefusedError(
      `Branch ${nameAndId(branch)} is a schema-only branch, and a reset would copy another branch's rows into it. Nothing was changed. To replace it, run \`command: create\` with \`branch_type: schema-only\` and \`if_exists: recreate\`. For a branch with rows, use another name and \`branch_type: default\`.`,
    );
  }
  const parent = await findParent(context);
  const sourceId = parent?.id ?? branch.parent_id;
  if (sourceId === undefined) {
    throw new RefusedError(
      `Branch ${nameAndId(branch)} has no parent to reset to: it is a root branch. Set \`parent_branch\`, or delete the branch and create it again.`,
    );
  }
  const refusal = await whyNotCopy(context, { sourceId, doing: 'reset' });
  if (refusal !== undefined) throw new RefusedError(refusal);
  // A 404 of a new branch's anonymization status is only believed once another read has found the branch.
  if (seen.window) {
    const now = await getBranch({ ...seen, branchId: branch.id });
    guard(seen.with(sameBranch(context, branch, now.branch)).branch, 'reset');
  }
  if (await statusIfAny(seen)) {
    throw new RefusedError(
      `Branch ${nameAndId(branch)} is anonymized, and a reset would bring back its parent's rows unmasked. Nothing was changed. To replace it, run \`command: create\` with \`masking_rules\` and \`if_exists: recreate\`.`,
    );
  }
  const { parent_timestamp: timestamp, parent_lsn: lsn, preserve_under_name: preserveUnderName } = context.inputs;
  return { sourceId, timestamp, lsn, preserveUnderName, beforeAttempt: checkParent(context, parent) };
}

/** Sends a reset after its check, for `command: reset` and `if_exists: reset`. With `wait`, the caller waits for its operations. */
export async function sendReset(context: Context, seen: Sighting, reset: Reset): Promise<Changed> {
  const { inputs, log } = context;
  const { branch } = seen;
  const source = inputs.parent_branch === undefined ? 'its parent' : `branch ${show(inputs.parent_branch)}`;
  const point = inputs.parent_timestamp ?? inputs.parent_lsn;
  const to = point ? `${source} at ${point}` : `the head of ${source}`;
  log.info(`Resetting branch ${nameAndId(branch)} to ${to}`);
  const restored = await seen
    .change(restoration(seen, reset))
    .catch((error: unknown) => throwBetterError(context, branch, error));
  context.progress({ action: 'reset', done: `Reset branch ${nameAndId(branch)} to ${to}` });
  context.started(restored.operations);
  return restored;
}

/** The branch after a reset, under the name that it had then, with the expiry that the inputs ask for. */
export async function finishReset(context: Context, seen: Sighting, restored: Changed): Promise<Sighting> {
  const { branch } = seen;
  // The response shows the branch as it was before its operations ran.
  const { branch: now, readAt } = context.inputs.wait
    ? await getBranch({ ...seen, branchId: branch.id })
    : { ...seen, ...restored };
  sameBranch(context, branch, now);
  // The response need not have the metadata.
  const after = sight(context, { ...seen, readAt, branch: { ...branch, name: now.name } }).with(now);
  return after.with(await renewExpiry(context, after));
}

/**
 * The service refuses to keep the old state under a name that is taken, and to reset a branch with children unless its old state
 * is kept: then the error names the input, and what is in the way.
 */
async function throwBetterError(context: Context, branch: Branch, error: unknown): Promise<never> {
  const refused = error instanceof ApiError && [400, 409, 412, 422].includes(error.status ?? 0);
  if (!refused) throw error;
  const { preserve_under_name: name } = context.inputs;
  if (name !== undefined) {
    const taken = await findBranchByName({ ...projectOf(context), name });
    // A restore whose response was lost may have kept the old state, although the branch does not show it.
    const changed = error.mayHaveActed
      ? `An earlier attempt to reset branch ${nameAndId(branch)} got no response, and may have reset it and created ${show(name)}. Check both branches in the service's console. To run the step again, set \`preserve_under_name\` to another name; this resets ${show(branch.name)} even if the earlier attempt already did.`
      : 'Nothing was changed. Choose another name.';
    throw taken
      ? new RefusedError(`\`preserve_under_name\`: branch ${nameAndId(taken.branch)} already exists. ${changed}`, {
          cause: error,
        })
      : error;
  }
  const { children } = await listChildren({ ...projectOf(context), branch });
  if (children.length === 0) throw error;
  const names = children.map((one) => show(one.name));
  throw new RefusedError(
    `Branch ${nameAndId(branch)} has ${names.length === 1 ? 'a child branch' : 'child branches'} (${listSome(names, 5)}), so its old state must be kept: set \`preserve_under_name\`. Nothing was changed.`,
    { cause: error },
  );
}
