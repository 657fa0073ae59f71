import { sendDelete } from '../branch/delete.ts';
import { checkUnchanged } from '../branch/unchanged.ts';
import { type Context, projectOf } from '../context.ts';
import { ApiError, StoppedError } from '../http/errors.ts';
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
  const { branch } = stale;
  /** Whether an earlier attempt may have deleted it. */
  let hasActed = false;
  const project = projectOf(context);
  const checkBranch = checkUnchanged({ project, branch, date, doing: 'deleted' });
  const beforeAttempt = async (mayHaveActed: boolean) => {
    hasActed ||= mayHaveActed;
    await checkBranch(mayHaveActed);
    const keep = await recheck.whyKeep(stale);
    if (keep) throw new KeptError(keep.why, mayHaveActed);
  };
  try {
    const hard = context.inputs.hard_delete;
    const { deleted, operations } = await sendDelete({
      project,
      branch,
      date,
      hard,
      beforeAttempt,
    });
    if (deleted) outcomes.deleted(stale);
    else outcomes.gone(stale);
    return { operations };
  } catch (error) {
    if (error instanceof KeptError && !error.mayHaveActed) {
      outcomes.kept(stale, error.message);
      return { operations: [] };
    }
    const mayHaveActed =
      hasActed || ((error instanceof ApiError || error instanceof StoppedError) && error.mayHaveActed);
    if (endsPrune(error)) {
      if (mayHaveActed) outcomes.failed(stale, error.message, true);
      throw error;
    }
    if (!(error instanceof Error)) throw error;
    outcomes.failed(stale, error.message, mayHaveActed);
    return { operations: [], ...(isRateLimit(error) ? { rateLimit: error } : {}) };
  } finally {
    recheck.done(stale);
  }
}

/** The branch must be kept after all. */
class KeptError extends Error {
  override readonly name = 'KeptError';
  /** Whether an attempt that was sent before that may have deleted it. */
  readonly mayHaveActed: boolean;

  constructor(why: string, mayHaveActed: boolean) {
    super(mayHaveActed ? `no response to the deletion, and it was not sent again because ${why}` : why);
    this.mayHaveActed = mayHaveActed;
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
