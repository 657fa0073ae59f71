import { duration } from '../text/format.ts';
import type { Clock } from './clock.ts';
import type { Deadline } from './deadline.ts';
import { type Failure, StoppedError } from './errors.ts';

/** What one attempt brought. */
export type Outcome<T> = { value: T } | { failure: Failure };

/** What follows a failure: a result after all, another attempt, or nothing. */
export type Next<T> = { value: T } | { delayMs: number } | 'now' | undefined;

/** What every retried piece of work shares. */
interface Work {
  /** What is being done, as a clause after "while": `trying to read branch "x"`. */
  doing: string;
  deadline: Deadline;
  clock: Clock;
  /** Receives each failure that is retried, as one line. */
  onRetry?: (line: string) => void;
  /** Whether what was attempted so far may have taken effect; a `StoppedError` says so. */
  mayHaveActed?: () => boolean;
}

/**
 * Attempts something until it succeeds, fails for good, or the next attempt would be after the deadline. The one loop that
 * retries: HTTP requests and connections to Postgres alike.
 */
export async function retry<T>(
  options: Work & {
    /** `attempts` counts from 1. Rejects only with an error that ends the work, such as the deadline's reason. */
    attempt: (attempts: number) => Promise<Outcome<T>>;
    /** The delay before the next attempt in milliseconds, or undefined to give up. */
    delayMs: (failure: Failure, attempts: number) => number | undefined;
    /** Called before it gives up: the result after all, the delay before another attempt, or undefined. */
    recover?: (failure: Failure, attempts: number) => Promise<Next<T>>;
    /** The error for a failure that is not retried; `why` says why, if it otherwise would have been. */
    toError: (failure: Failure, attempts: number, why?: string) => Error;
  },
): Promise<T> {
  let lastFailure: Failure | undefined;
  for (let attempts = 1; ; attempts++) {
    const outcome = await options.attempt(attempts).catch((error: unknown) => {
      throw stoppedWhile(error, options.doing, { mayHaveActed: options.mayHaveActed?.(), lastFailure });
    });
    if ('value' in outcome) return outcome.value;
    const { failure } = outcome;
    lastFailure = failure;
    let delayMs = options.delayMs(failure, attempts);
    if (delayMs === undefined) {
      const recovered = await options.recover?.(failure, attempts);
      if (recovered === undefined) throw options.toError(failure, attempts);
      if (recovered === 'now') continue;
      if ('value' in recovered) return recovered.value;
      delayMs = recovered.delayMs;
    }
    const toError = (why: string) => options.toError(failure, attempts, why);
    await delayRetry({ ...options, failure, delayMs, toError });
  }
}

/** The delay before a retry; throws the failure at once if the step's time would be over by then. */
async function delayRetry(
  options: Work & { failure: Failure; delayMs: number; toError: (why: string) => Error },
): Promise<void> {
  const { doing, failure, delayMs, deadline, clock } = options;
  if (delayMs >= deadline.remainingMs()) {
    throw options.toError('gave up: the next attempt would exceed `timeout`');
  }
  options.onRetry?.(`${failure.what}; retrying in ${duration(delayMs)}`);
  try {
    await clock.sleep(delayMs, deadline.signal);
  } catch (error) {
    throw stoppedWhile(error, doing, { mayHaveActed: options.mayHaveActed?.(), lastFailure: failure });
  }
}

/** Says in a `StoppedError` what was going on; any other error stays as it is. */
export function stoppedWhile(error: unknown, ...during: Parameters<StoppedError['while']>): unknown {
  return error instanceof StoppedError ? error.while(...during) : error;
}
