import { type DeleteDone, sendDelete } from '../branch/delete.ts';
import { sight } from '../branch/sighting.ts';
import type { Context } from '../context.ts';
import { ApiError, StoppedError } from '../http/errors.ts';
import type { BeforeAttempt } from '../http/request.ts';
import type { Operation } from '../service/types.ts';
import type { Outcomes } from './outcomes.ts';
import type { Recheck } from './recheck.ts';
import type { StaleBranch } from './rules.ts';

/**
 * Deletes one branch and records the outcome. Returns the operations that the deletion started, or the rate limit that stopped it.
 * Throws only what ends the whole prune: the deadline, or a rejected key.
 */
export async function deleteStale(options: {
  context: Context;
  stale: StaleBranch;
  /** The service's clock when the branch was listed, in milliseconds since the epoch; undefined if unknown. */
  date: number | undefined;
  outcomes: Outcomes;
  recheck: Recheck;
}): Promise<{ operations: Operation[]; rateLimit?: ApiError }> {
  const { context, stale, date, outcomes, recheck } = options;
  const seen = sight(context, { branch: stale.branch, date });
  /** Whether an attempt that was sent before the last one may have deleted it. */
  let hasActed = false;
  const beforeAttempt: BeforeAttempt<DeleteDone> = async (mayHaveActed) => {
    hasActed = mayHaveActed;
    const keep = await recheck.whyKeep(stale);
    return keep && { done: { deleted: false, operations: [], kept: { why: keep.why, mayHaveActed } } };
  };
  try {
    const hard = context.inputs.hard_delete;
    const { deleted, operations, kept } = await sendDelete(seen, { hard, beforeAttempt });
    if (deleted) outcomes.deleted(stale);
    else if (!kept) outcomes.gone(stale);
    else if (!kept.mayHaveActed) outcomes.kept(stale, kept.why);
    else outcomes.failed(stale, `no response to the deletion, and it was not sent again because ${kept.why}`, true);
    return { operations };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const isUnsure = hasActed || ((error instanceof ApiError || error instanceof StoppedError) && error.mayHaveActed);
    if (isUnsure || !endsPrune(error)) outcomes.failed(stale, error.message, isUnsure);
    if (endsPrune(error)) throw error;
    return { operations: [], rateLimit: isRateLimit(error) ? error : undefined };
  } finally {
    recheck.done(stale);
  }
}

/** A key that is rejected for one branch is rejected for all others too. */
function endsPrune(error: unknown): error is StoppedError | ApiError {
  return error instanceof StoppedError || (error instanceof ApiError && error.status === 401);
}

/** Whether an error is a rate limit. The client waits for one that ends within the step's time, so this one does not. */
export function isRateLimit(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 429;
}
