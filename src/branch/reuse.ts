import type { Context } from '../context.ts';
import { mayHaveOtherRows, nameAndId } from '../service/branches.ts';
import { listChoices, type Names } from '../service/connection.ts';
import { BranchGoneError, RefusedError } from '../service/errors.ts';
import type { Branch } from '../service/types.ts';
import { asSentence } from '../text/format.ts';
import { show } from '../text/inert.ts';
import { readAhead, recordConnection } from './connection-details.ts';
import { checkMasking } from './masking.ts';
import { checkOwner, warnOfOtherOwner } from './owner.ts';
import { goneError, makeUsable, waitForOperations } from './ready.ts';
import { checkRequired } from './require.ts';
import { checkReset, finishReset, sendReset } from './reset.ts';
import { applySettings, checkCanExpire, expireReused } from './settings.ts';
import type { Sighting } from './sighting.ts';
import { findParent, guard } from './target.ts';

/**
 * Reuses a branch: waits until it is ready, resets it if requested, and records its connection details. Throws a `BranchGoneError` if it is
 * deleted in the meantime, unless it has been reset by then: starting over would reset it again if it still existed after all.
 */
export async function reuseBranch(context: Context, seen: Sighting, options: { createId: string }): Promise<void> {
  const { inputs, log } = context;
  const { createId } = options;
  const { branch } = seen;
  let isReset = false;
  try {
    checkReusable(context, branch);
    context.progress({ branch });
    if (inputs.if_exists === 'fail') {
      context.saveForPostStep({ name: branch.name, createId, create: 'refused' });
      throw new RefusedError(
        `Branch ${nameAndId(branch)} already exists, and \`if_exists: fail\` requires a new one. Delete it, choose another name, or set \`if_exists: reuse\`.`,
      );
    }
    context.saveForPostStep({ name: branch.name, createId, create: 'responded', id: branch.id, reused: true });
    log.info(`Reusing branch ${nameAndId(branch)}`);
    warnOfOtherOwner(context, branch);
    await warnOfDifferences(context, branch);
    if (inputs.ephemeral) {
      log.info(`\`ephemeral: true\` will not delete branch ${show(branch.name)}, because this step did not create it`);
    }

    // A reset checks where the rows will come from.
    const reset = inputs.if_exists === 'reset' ? await checkReset(context, seen) : undefined;
    if (!reset) await checkRequired(context, seen, { waits: true });
    const reading = seen.window || reset ? undefined : readAhead(context, seen, { masking: true });
    const usable = await makeUsable(context, seen, { wait: inputs.wait });
    // What was read before the branch was usable, or has failed for that reason, is read again.
    const ahead = usable.wasUsable ? reading : undefined;
    const { endpoint } = usable;
    let now = usable.seen;
    context.progress({ action: 'reused', branch: now.branch });

    // An anonymized branch is never reset: the check before the reset has already looked.
    let masked = true;
    let names: Names | undefined;
    if (reset) {
      // It may have been protected, or become the default branch, while it was made ready.
      guard(now.branch, 'reset');
      const restored = await sendReset(context, now, reset);
      isReset = true;
      if (inputs.wait) await waitForOperations(context, restored.operations);
      now = now.with((await finishReset(context, now, restored)).branch);
      context.progress({ branch: now.branch });
    } else {
      // Unmasked rows are a reason to refuse the branch, so they are looked for before anything is changed.
      [masked, names] = await Promise.all([
        checkMasking(context, now, { wait: inputs.wait, reading: ahead?.masking }),
        ahead?.names ?? listChoices(now),
      ]);
      if (masked) await checkRequired(context, now);
      // A renamed branch that is given an expiry would be deleted under its new name.
      now = now.with(await expireReused(context, now));
    }
    now = now.with(await applySettings(context, now, endpoint));
    context.progress({ branch: now.branch });
    if (masked) await recordConnection(context, now, { endpoint, names, likely: ahead?.likely });
    context.progress({ done: `Reused ${reset ? 'and reset ' : ''}branch ${nameAndId(now.branch)}` });
  } catch (error) {
    if (!isReset) throw (await goneError(seen, error)) ?? error;
    throw error instanceof BranchGoneError
      ? new RefusedError(`${asSentence(error.message)} Run the step again.`)
      : error;
  }
}

/** Before anything is changed, refuses an existing branch that must not be returned, or is not what the inputs request. */
function checkReusable(context: Context, branch: Branch): void {
  const { inputs } = context;
  if (branch.default) {
    throw new RefusedError(
      `Branch ${nameAndId(branch)} is the project's default branch, which \`create\` never returns. To use it, set \`command: get\`. To create a copy of it, set \`branch_name\` to another name.`,
    );
  }
  checkOwner(context, branch, inputs.if_exists === 'reset' ? 'change' : 'use');
  const hasRows = branch.init_source !== 'schema-only' || mayHaveOtherRows(branch);
  if (inputs.branch_type === 'schema-only' && hasRows && inputs.if_exists !== 'fail') {
    throw new RefusedError(
      `Branch ${nameAndId(branch)} exists and may contain rows, but \`branch_type: schema-only\` was requested. Nothing was changed. To replace it, set \`if_exists: recreate\`.`,
    );
  }
  checkCanExpire(context, branch);
}

/** An existing branch keeps its parent and its point in the parent's history; if the step asks for others, a warning says so. */
async function warnOfDifferences(context: Context, branch: Branch): Promise<void> {
  const { inputs, log } = context;
  // A schema-only branch is a root, so it has no parent to compare. A reset uses the requested parent anyway.
  if (branch.init_source === 'schema-only' || inputs.if_exists === 'reset') return;
  const wanted = await findParent(context);
  const differences = [
    ...(wanted && wanted.id !== branch.parent_id
      ? [`${given('parent', branch.parent_id)}, while \`parent_branch\` is ${nameAndId(wanted)}`]
      : []),
    ...(inputs.parent_timestamp !== undefined && !isSameTime(inputs.parent_timestamp, branch.parent_timestamp ?? '')
      ? [
          `${given('parent timestamp', branch.parent_timestamp)}, while \`parent_timestamp\` is ${inputs.parent_timestamp}`,
        ]
      : []),
    ...(inputs.parent_lsn !== undefined && inputs.parent_lsn !== branch.parent_lsn
      ? [`${given('parent LSN', branch.parent_lsn)}, while \`parent_lsn\` is ${inputs.parent_lsn}`]
      : []),
  ];
  if (differences.length === 0) return;
  log.warning(
    `Branch ${show(branch.name)} already exists, but differs from the inputs: ${differences.join('; ')}. Using it as is. To replace it, set \`if_exists: recreate\`; to fail whenever the branch already exists, set \`if_exists: fail\`.`,
  );
}

/** `its parent is br-…`, or `it has no parent`. */
function given(what: string, value: string | undefined): string {
  return value === undefined ? `it has no ${what}` : `its ${what} is ${value}`;
}

function isSameTime(one: string, other: string): boolean {
  return Date.parse(one) === Date.parse(other);
}
