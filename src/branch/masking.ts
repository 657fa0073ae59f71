import { type AnonymizedStatus, anonymizedStatus, failureOf, waitUntilAnonymized } from '../api/anonymize.ts';
import { type Settling, settlingOfChange } from '../api/branches.ts';
import { RefusedError } from '../api/errors.ts';
import { columnsMaskedOtherwise, maskingRulesOf } from '../api/masking-rules.ts';
import type { Branch } from '../api/types.ts';
import { type Context, projectOf } from '../context.ts';
import { ApiError } from '../http/errors.ts';
import { mayRepeat } from '../http/retry.ts';
import type { Json } from '../http/shape.ts';
import { show } from '../text/inert.ts';

/** Columns that a warning names one by one. */
const mostNamed = 10;

interface Options {
  context: Context;
  branch: Branch;
  settling: Settling | undefined;
}

/**
 * Whether no row of the branch waits for its masking, so that its addresses may be given out; with `wait` it waits until that is
 * so. Nothing but its status tells an anonymized branch from others. Where `masking_rules` are given, a branch that is there and
 * was never anonymized is refused: whoever asks for masked data must not get real data.
 */
export async function settleMasking(options: Options & { made: boolean }): Promise<boolean> {
  const { context, branch, made } = options;
  const { inputs, log } = context;
  const asked = inputs.masking_rules !== undefined;
  // What this run has made without rules is no anonymized branch.
  if (made && !asked) return true;
  const before = asked ? await statusOf(options) : await statusIfAny(options);
  if (before === undefined && !asked) return true;
  if (before !== undefined && asked && !made) await warnOfOtherRules(context, branch);
  const status = before && inputs.wait ? await waitForMasking({ ...options, known: before }) : before;
  if (status === undefined) {
    throw new RefusedError(
      `Branch ${show(branch.name)} (${branch.id}) ${made ? 'was made, but is' : 'exists, and is'} not an anonymized branch${asked ? ', though `masking_rules` are given' : ' any more'}. Its data is not masked, so that no address is given out. Delete it, and run the step again.`,
    );
  }
  const failure = failureOf({ branch, status });
  if (failure) throw failure;
  if (status.state === 'anonymized') return true;
  log.info(
    `Branch ${show(branch.name)} (${branch.id}) is not masked yet (${status.state}), so that no address is given out; \`command: wait\` waits for it, and gives them`,
  );
  return false;
}

/** Refuses an anonymized branch of which the rows are not masked, for a command that neither changes anything nor waits. */
export async function refuseUnmasked(options: Options): Promise<void> {
  const { branch } = options;
  const status = await statusIfAny(options);
  if (status === undefined || status.state === 'anonymized') return;
  const named = `branch ${show(branch.name)} (${branch.id})`;
  const state = `(state ${show(status.state)}${status.message === undefined ? '' : `: ${show(status.message)}`})`;
  const rule = 'no address is given out before its rows are masked';
  const wait = `\`command: wait\` with \`branch_id: ${branch.id}\` and \`operation_ids: '[]'\` waits for that, and gives them.`;
  throw new RefusedError(
    failureOf({ branch, status })
      ? `The masking of ${named} has failed ${state}, and ${rule}. Delete it, and create it anew with \`masking_rules\` that fit; or start its masking again: ${wait}`
      : `B${named.slice(1)} is being anonymized ${state}, and ${rule}. ${wait}`,
  );
}

/** Waits until the data of an anonymized branch is masked; any other branch has nothing to wait for. */
export function waitForMasking(options: {
  context: Context;
  branch: Branch;
  known?: AnonymizedStatus | undefined;
  settling?: Settling | undefined;
}) {
  const { context, branch, known, settling } = options;
  return waitUntilAnonymized({
    ...projectOf(context),
    branch,
    known,
    settling,
    onChange: (now) => context.log.info(`Masking branch ${show(branch.name)}: ${now.message ?? now.state}`),
  });
}

function statusOf({ context, branch, settling }: Options): Promise<AnonymizedStatus | undefined> {
  return anonymizedStatus({ ...projectOf(context), branch, settling });
}

/** The same where most likely there is none: a 404 is not asked again, however young the branch. */
function statusIfAny(options: Options): Promise<AnonymizedStatus | undefined> {
  return statusOf({ ...options, settling: settlingOfChange(options.settling, options.context.api.clock.now()) });
}

/** A branch that exists keeps the rules that it was made with; where these are not the ones asked for, the log says so. */
async function warnOfOtherRules(context: Context, branch: Branch): Promise<void> {
  const { inputs, log } = context;
  const exists = `Branch ${show(branch.name)} exists`;
  let there: Json[];
  try {
    there = await maskingRulesOf({ ...projectOf(context), branch });
  } catch (error) {
    // A failure that would be tried again were there time for it is the step's own.
    const passes = (one: ApiError) => mayRepeat({ failure: one.failure, repeat: 'any', attempt: one.attempts });
    if (!(error instanceof ApiError) || passes(error)) throw error;
    log.warning(
      `${exists}, and whether it is masked by the rules that were asked for is not known; it is used as it is. ${error.message}`,
    );
    return;
  }
  const columns = columnsMaskedOtherwise({ wanted: (inputs.masking_rules ?? []) as Json[], there });
  if (columns.length === 0) return;
  const more = columns.length > mostNamed ? ` and ${columns.length - mostNamed} more` : '';
  const named = `${columns.slice(0, mostNamed).join(', ')}${more}`;
  log.warning(
    `${exists} with other masking rules than were asked for, and masks otherwise, or not at all: ${named}; it is used as it is. \`if_exists: fail\` refuses such a branch.`,
  );
}
