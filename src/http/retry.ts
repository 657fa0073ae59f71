import { duration } from '../text/format.ts';
import { type Backoff, backoffMs, type Clock, type Deadline } from './clock.ts';
import { type Failure, StoppedError } from './errors.ts';
import { isIdempotent } from './request.ts';

export type Outcome<T> = { value: T } | { failure: Failure };

export interface Failed {
  failure: Failure;
  /** How many attempts there were, this one included. */
  attempts: number;
  /** Whether this attempt, or one before it, may have taken effect. */
  mayHaveActed: boolean;
}

interface Work<T> {
  /** What is being done, as a clause after "while": `trying to read branch "x"`. */
  doing: string;
  /** Whether an attempt may take effect unnoticed; a `StoppedError` then says so. */
  changes?: boolean;
  /** Called right before each attempt, after every delay. What it throws ends the work. */
  before?: (mayHaveActed: boolean, previous?: string) => Promise<void>;
  /** Rejects only with an error that ends the work, such as the deadline's reason. */
  attempt: (mayHaveActed: boolean) => Promise<Outcome<T>>;
  /** The delay before the next attempt in milliseconds, the result if it is done after all, or undefined to give up. */
  next: (failed: Failed) => Promise<number | { done: T } | undefined>;
  /** The error for a failure that is not retried; `why` says why, if it otherwise would have been. */
  toError: (failed: Failed, why?: string) => Error;
  deadline: Deadline;
  clock: Clock;
  /** Receives each failure that is retried, as one line. */
  onRetry?: (line: string) => void;
}

/**
 * Attempts something until it succeeds, fails for good, or the next attempt would be after the deadline: HTTP requests and connections to
 * Postgres alike.
 */
export async function retry<T>(work: Work<T>): Promise<T> {
  const { doing, changes = false, deadline, clock } = work;
  let mayHaveActed = false;
  let previous: string | undefined;
  for (let attempts = 1; ; attempts++) {
    let mayAct = false;
    let outcome: Outcome<T>;
    try {
      await work.before?.(mayHaveActed, previous);
      mayAct = changes && !deadline.signal.aborted;
      outcome = await work.attempt(mayHaveActed);
    } catch (error) {
      throw stoppedWhile(error, doing, { mayHaveActed: mayHaveActed || mayAct, previous });
    }
    if ('value' in outcome) return outcome.value;
    const { failure } = outcome;
    previous = failure.what;
    mayHaveActed ||= failure.mayHaveActed;
    const failed: Failed = { failure, attempts, mayHaveActed };
    const next = await work.next(failed);
    if (typeof next === 'object') return next.done;
    if (next === undefined) throw work.toError(failed);
    if (next >= deadline.remainingMs()) {
      throw work.toError(failed, `gave up: the next attempt would exceed ${deadline.limit}`);
    }
    work.onRetry?.(`${failure.what}; retrying in ${duration(next)}`);
    await clock.sleep(next, deadline.signal).catch((error: unknown) => {
      throw stoppedWhile(error, doing, { mayHaveActed, previous });
    });
  }
}

/** Says in a `StoppedError` what was going on; any other error stays as it is. */
export function stoppedWhile(error: unknown, ...during: Parameters<StoppedError['while']>): unknown {
  return error instanceof StoppedError ? error.while(...during) : error;
}

/** Attempts after which a failure that will most likely recur is given up. */
const mostLastingAttempts = 3;

const usualBackoff: Backoff = { first: 500, longest: 15_000 };
/** A lock (423), and the conflict with a branch that is being deleted (409), go away soon; so does a 404 about a new object. */
const shortBackoff: Backoff = { first: 250, longest: 4_000 };

/**
 * When one request is sent again after a failure: by itself, or because its `recover` has said `resend`. There is no fixed number of
 * attempts, only the step's deadline, except for failures that will most likely recur.
 */
export function requestSchedule(options: { method: string; isNew: (failed: Failed) => boolean; random: () => number }) {
  const { method, isNew, random } = options;
  let lasting = 0;
  /** Milliseconds: exponential with jitter, at least `Retry-After`. */
  const usualMs = ({ failure, attempts }: Failed): number | undefined => {
    if (failure.lasts && lasting >= mostLastingAttempts) return undefined;
    const isLock = failure.status === 423 || failure.status === 409;
    const delay = backoffMs(isLock ? shortBackoff : usualBackoff, attempts);
    const least = failure.retryAfterMs ?? 0;
    // Jitter above Retry-After too, so that runs that were told the same time do not all come back at once.
    return Math.max(delay * (0.5 + random() / 2), least > 0 ? least + random() * Math.min(1_000, least / 4) : 0);
  };
  return {
    delayMs(failed: Failed): number | undefined {
      const { lasts, again } = failed.failure;
      if (lasts) lasting++;
      if (isNew(failed)) return backoffMs(shortBackoff, failed.attempts);
      return again === 'all' || (again && isIdempotent(method)) ? usualMs(failed) : undefined;
    },
    resendMs: usualMs,
  };
}
