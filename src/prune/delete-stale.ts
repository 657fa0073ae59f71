import type { Operation } from '../api/types.ts';
import { sendDelete } from '../branch/delete.ts';
import { type Context, projectOf } from '../context.ts';
import { ApiError, StoppedError } from '../http/errors.ts';
import type { Outcomes } from './outcomes.ts';
import type { StaleBranch } from './rules.ts';

/**
 * Deletes one branch and records the outcome. Returns the operations that the deletion started, or the rate limit that stopped it.
 * Throws only what ends the whole prune: the deadline, or a rejected key.
 */
export async function deleteStale(options: {
  context: Context;
  stale: StaleBranch;
  /** The service's clock when the branch was listed, in milliseconds since the epoch. */
  date: number;
  outcomes: Outcomes;
}): Promise<{ operations: Operation[]; rateLimit?: ApiError }> {
  const { context, stale, date, outcomes } = options;
  const { branch } = stale;
  try {
    const hard = context.inputs.hard_delete;
    const { deleted, operations } = await sendDelete({ project: projectOf(context), branch, date, hard });
    if (deleted) outcomes.deleted(stale);
    else outcomes.gone(stale);
    return { operations };
  } catch (error) {
    if (endsPrune(error)) {
      if (error.mayHaveActed) outcomes.failed(stale, error.message, true);
      throw error;
    }
    if (!(error instanceof Error)) throw error;
    outcomes.failed(stale, error.message, error instanceof ApiError && error.mayHaveActed);
    return { operations: [], ...(isRateLimit(error) ? { rateLimit: error } : {}) };
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
