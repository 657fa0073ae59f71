import type { Context } from '../context.ts';
import { ApiError } from '../http/errors.ts';
import {
  type AnonymizedStatus,
  anonymizedStatus,
  columnsMaskedDifferently,
  failureOf,
  maskingRulesOf,
  waitUntilAnonymized,
} from '../service/anonymize.ts';
import { mayHaveOtherRows, nameAndId } from '../service/branches.ts';
import { MaskingError, RefusedError } from '../service/errors.ts';
import { asSentence, listSome, messageOf } from '../text/format.ts';
import { show } from '../text/inert.ts';
import type { Json } from '../text/json.ts';
import { deleteBranch } from './delete.ts';
import { notYetMasked, statusIfAny } from './require.ts';
import type { Sighting } from './sighting.ts';

/** Columns that a warning names one by one. */
const mostNamed = 10;
/** What to do about a branch that the next run creates anew: a rehearsal's, or one that is deleted. */
const runAgain = 'Run the step again.';

/**
 * Whether no row of the branch is still to be masked, so that its connection details may be returned; with `wait` it waits until
 * that is so. Only its status tells an anonymized branch from others. If `masking_rules` are given, an existing branch that was
 * never anonymized is refused: a step that asks for masked data must not get real data.
 */
export async function checkMasking(
  context: Context,
  seen: Sighting,
  {
    wait,
    reading,
  }: {
    wait: boolean;
    /** The status, if it is already being read. */
    reading?: Promise<AnonymizedStatus | undefined>;
  },
): Promise<boolean> {
  const { inputs, log } = context;
  const { branch, created } = seen;
  const wanted = inputs.masking_rules !== undefined;
  // A branch that this step has created without rules is not anonymized.
  if (created && !wanted) return true;
  const before = await (reading ?? (wanted ? anonymizedStatus(seen) : statusIfAny(seen)));
  if (before === undefined && !wanted) return true;
  if (before !== undefined && wanted && !created) await warnOfOtherRules(context, seen);
  const status = before && wait ? await waitForMasking(context, seen, { known: before }) : before;
  const replace = nextIfUnmasked(context, seen) ?? ' To replace it, set `if_exists: recreate`.';
  if (status === undefined) {
    throw new RefusedError(
      `Branch ${nameAndId(branch)} ${created ? 'was created' : 'already exists'} and is not anonymized, but \`masking_rules\` is set. Its data is not masked, so its connection details are withheld.${replace}`,
    );
  }
  const failure = failureOf({ branch, status });
  if (failure) throw failure;
  if (status.state === 'anonymized') {
    if (!wanted || !mayHaveOtherRows(branch, status.startedAt)) return true;
    throw new RefusedError(
      `Branch ${nameAndId(branch)} already exists, but was reset or restored, perhaps after its rows were masked. It may hold unmasked rows, and \`masking_rules\` is set, so its connection details are withheld.${replace}`,
    );
  }
  log.info(
    `Branch ${nameAndId(branch)} is not masked yet (state ${show(status.state)}), so its connection details are withheld. To get them once its rows are masked, use \`command: wait\` with \`branch_id: ${branch.id}\` and this step's output \`operation_ids\`.`,
  );
  return false;
}

/**
 * The same for a branch that this step has created. With `require: masked`, it deletes the branch if the check fails for whatever reason:
 * nobody knows then whether its rows are masked.
 */
export async function maskedOrDiscarded(
  context: Context,
  seen: Sighting,
  options: { wait: boolean },
): Promise<boolean> {
  try {
    return await checkMasking(context, seen, options);
  } catch (error) {
    if (!isDiscarded(context, seen) || context.api.deadline.signal.aborted) throw error;
    throw await discard(context, seen, error);
  }
}

/** Whether the branch is deleted if its rows are not masked. */
function isDiscarded({ inputs }: Context, { created }: Sighting): boolean {
  return created && inputs.require === 'masked';
}

/** Deletes a branch whose rows are not known to be masked. Returns the error to throw. */
async function discard(context: Context, seen: Sighting, cause: unknown): Promise<Error> {
  const isFinal = cause instanceof ApiError && !cause.isTransient;
  const advice = cause instanceof MaskingError ? ' Fix `masking_rules`.' : isFinal ? '' : ` ${runAgain}`;
  let next: string;
  try {
    const { action, done } = await deleteBranch(context, seen, { hard: true, wait: true });
    next =
      action === 'deleted'
        ? `${done}, because \`require: masked\` is set.`
        : 'The branch was already gone when `require: masked` was about to delete it.';
  } catch (error) {
    const why = error instanceof ApiError ? error.reason : messageOf(error);
    next = `Because \`require: masked\` is set, the action tried to delete the branch, but could not: ${asSentence(why)} Delete it manually.`;
  }
  // Not an error of masking: the branch is gone because of it, not the other way around.
  return new RefusedError(`${asSentence(messageOf(cause))} ${next}${advice}`, { cause });
}

/** What to do about an unmasked branch, after a space, if it is not to be replaced; what is to be discarded is gone by then. */
function nextIfUnmasked(context: Context, seen: Sighting): string | undefined {
  if (isDiscarded(context, seen)) return '';
  return context.command === 'rehearse' ? ` ${runAgain}` : undefined;
}

/** Refuses an anonymized branch whose rows are not masked, for a command that neither changes anything nor waits. */
export async function refuseUnmasked(seen: Sighting): Promise<void> {
  const { branch } = seen;
  const status = await statusIfAny(seen);
  if (status === undefined || status.state === 'anonymized') return;
  throw notYetMasked({
    ...{ branch, status, so: 'its connection details are withheld' },
    to: 'To get them once',
  });
}

/** Waits until the data of an anonymized branch is masked; returns at once for any other branch. `known` is its status if it was just read. */
export function waitForMasking(
  context: Context,
  seen: Sighting,
  { known }: { known?: AnonymizedStatus } = {},
): Promise<AnonymizedStatus | undefined> {
  return waitUntilAnonymized({
    ...seen,
    // A branch whose status is known has one, however new it is; for any other, its absence is soon believed.
    window: known ? seen.window : seen.shortWindow,
    known,
    next: nextIfUnmasked(context, seen),
    onChange: (now) => context.log.info(`Masking branch ${show(seen.branch.name)}: ${now.message ?? now.state}`),
  });
}

/** An existing branch keeps the rules that it was created with; if they are not the requested ones, a warning says so. */
async function warnOfOtherRules({ inputs, log }: Context, seen: Sighting): Promise<void> {
  const { branch } = seen;
  let existing: Json[];
  try {
    existing = await maskingRulesOf(seen);
  } catch (error) {
    // An error that would have been retried with more time is the step's own.
    if (!(error instanceof ApiError) || error.isTransient) throw error;
    log.warning(
      `Branch ${show(branch.name)} already exists; using it as is, but it is unknown whether it was masked with the requested rules. ${asSentence(error.message)} To be sure, set \`if_exists: recreate\`, which replaces the branch.`,
    );
    return;
  }
  const columns = columnsMaskedDifferently({ wanted: (inputs.masking_rules ?? []) as Json[], existing });
  if (columns.length === 0) return;
  log.warning(
    `Branch ${show(branch.name)} already exists with masking rules other than the requested ones; these columns are masked differently or not at all: ${listSome(columns, mostNamed)}. Using it as is. To replace it, set \`if_exists: recreate\`; to fail whenever the branch already exists, set \`if_exists: fail\`.`,
  );
}
