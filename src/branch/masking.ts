import { type Context, projectOf } from '../context.ts';
import { ApiError } from '../http/errors.ts';
import { isRetryable } from '../http/retry-policy.ts';
import type { Json } from '../http/shape.ts';
import {
  type AnonymizedStatus,
  anonymizedStatus,
  columnsMaskedDifferently,
  failureOf,
  maskingRulesOf,
  waitUntilAnonymized,
} from '../service/anonymize.ts';
import { nameAndId } from '../service/branches.ts';
import { RefusedError } from '../service/errors.ts';
import { changeWindow, type PropagationWindow } from '../service/propagation-window.ts';
import type { Branch } from '../service/types.ts';
import { listSome } from '../text/format.ts';
import { show } from '../text/inert.ts';

/** Columns that a warning names one by one. */
const mostNamed = 10;

interface Options {
  context: Context;
  branch: Branch;
  window: PropagationWindow | undefined;
}

/**
 * Whether no row of the branch is still to be masked, so that its connection details may be returned; with `wait` it waits until
 * that is so. Only its status tells an anonymized branch from others. If `masking_rules` are given, an existing branch that was
 * never anonymized is refused: a step that asks for masked data must not get real data.
 */
export async function checkMasking(
  options: Options & {
    created: boolean;
    /** The status, if it is already being read. */
    reading?: Promise<AnonymizedStatus | undefined> | undefined;
  },
): Promise<boolean> {
  const { context, branch, created } = options;
  const { inputs, log } = context;
  const wanted = inputs.masking_rules !== undefined;
  // A branch that this step has created without rules is not anonymized.
  if (created && !wanted) return true;
  const before = await (options.reading ?? (wanted ? statusOf(options) : statusIfAny(options)));
  if (before === undefined && !wanted) return true;
  if (before !== undefined && wanted && !created) await warnOfOtherRules(context, branch);
  const status = before && inputs.wait ? await waitForMasking({ ...options, known: before }) : before;
  if (status === undefined) throw notAnonymized(branch, created);
  const failure = failureOf({ branch, status });
  if (failure) throw failure;
  if (status.state === 'anonymized') return true;
  log.info(
    `Branch ${nameAndId(branch)} is not masked yet (${status.state}), so its connection details are withheld. To get them once its rows are masked, use \`command: wait\`.`,
  );
  return false;
}

function notAnonymized(branch: Branch, created: boolean): RefusedError {
  const what = created ? 'was created' : 'exists';
  return new RefusedError(
    `Branch ${nameAndId(branch)} ${what}, but is not anonymized, although \`masking_rules\` are set. Its data is not masked, so its connection details are withheld. To replace it, set \`if_exists: recreate\`.`,
  );
}

/** Refuses an anonymized branch whose rows are not masked, for a command that neither changes anything nor waits. */
export async function refuseUnmasked(options: Options): Promise<void> {
  const { branch } = options;
  const status = await statusIfAny(options);
  if (status === undefined || status.state === 'anonymized') return;
  const state = `(state ${show(status.state)}${status.message === undefined ? '' : `: ${show(status.message)}`})`;
  throw new RefusedError(
    failureOf({ branch, status })
      ? `Masking branch ${nameAndId(branch)} failed ${state}, so its connection details are withheld. Delete it and create it again with valid \`masking_rules\`, or restart masking in the service's console.`
      : `Branch ${nameAndId(branch)} is being anonymized ${state}, so its connection details are withheld. To get them once its rows are masked, use \`command: wait\` with \`branch_id: ${branch.id}\` and \`operation_ids: '[]'\`.`,
  );
}

/**
 * Waits until the data of an anonymized branch is masked; returns at once for any other branch. Throws if the branch has no status
 * any more, for that says nothing about its rows.
 */
export async function waitForMasking(options: {
  context: Context;
  branch: Branch;
  known?: AnonymizedStatus | undefined;
  window?: PropagationWindow | undefined;
}): Promise<AnonymizedStatus | undefined> {
  const { context, branch, known, window } = options;
  let hadStatus = known !== undefined;
  const status = await waitUntilAnonymized({
    ...projectOf(context),
    branch,
    known,
    window,
    onChange(now) {
      hadStatus = true;
      context.log.info(`Masking branch ${show(branch.name)}: ${now.message ?? now.state}`);
    },
  });
  if (status === undefined && hadStatus) {
    throw new RefusedError(
      `Branch ${nameAndId(branch)} was being anonymized, but has no masking state any more. Its data may not be masked, so its connection details are withheld. To replace it, use \`command: create\` with \`if_exists: recreate\`.`,
    );
  }
  return status;
}

function statusOf({ context, branch, window }: Options): Promise<AnonymizedStatus | undefined> {
  return anonymizedStatus({ ...projectOf(context), branch, window });
}

/** The same if there probably is none: a 404 is not retried, however new the branch, unless its metadata says that there is one. */
function statusIfAny(options: Options): Promise<AnonymizedStatus | undefined> {
  return statusOf({ ...options, window: changeWindow(options.window, options.context.api.clock) });
}

/** An existing branch keeps the rules that it was created with; if they are not the requested ones, a warning says so. */
async function warnOfOtherRules(context: Context, branch: Branch): Promise<void> {
  const { inputs, log } = context;
  let existing: Json[];
  try {
    existing = await maskingRulesOf({ ...projectOf(context), branch });
  } catch (error) {
    // An error that would have been retried with more time is the step's own.
    const transient = (one: ApiError) =>
      isRetryable({ failure: one.failure, idempotent: true, attempt: one.attempts }) ||
      one.failure.kind === 'rate-limited';
    if (!(error instanceof ApiError) || transient(error)) throw error;
    log.warning(
      `Branch ${show(branch.name)} already exists; using it as is, although it is unknown whether it was masked with the requested rules. ${error.message}.`,
    );
    return;
  }
  const columns = columnsMaskedDifferently({ wanted: (inputs.masking_rules ?? []) as Json[], existing });
  if (columns.length === 0) return;
  log.warning(
    `Branch ${show(branch.name)} already exists with masking rules other than the requested ones; these columns are masked differently or not at all: ${listSome(columns, mostNamed)}. Using it as is. To fail whenever the branch already exists, set \`if_exists: fail\`.`,
  );
}
