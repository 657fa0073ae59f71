import { duration } from '../text/format.ts';
import { type Backoff, backoffMs, type Clock, type Deadline } from './clock.ts';
import { errnos, isProxyRefusal, isTlsFailure, notActed, statusMayHaveActed } from './codes.ts';
import { type ApiError, type Failure, StoppedError, UncertainError } from './errors.ts';
import type { Method, Recover, Recovery, RetryWindow } from './request.ts';

/** What one attempt brought. */
export type Outcome<T> = { value: T } | { failure: Failure };

/** A failure, and what came before it. */
export interface Failed {
  failure: Failure;
  /** How many attempts there were, this one included. */
  attempts: number;
  /** Whether this attempt, or one before it, may have taken effect. */
  mayHaveActed: boolean;
}

/** Something that is attempted until it succeeds. */
interface Work<T> {
  /** What is being done, as a clause after "while": `trying to read branch "x"`. */
  doing: string;
  /** Whether an attempt may take effect unnoticed; a `StoppedError` then says so. */
  changes?: boolean;
  /** Called right before each attempt, after every delay. If it returns an outcome, no attempt is made. */
  before?: (mayHaveActed: boolean) => Promise<Outcome<T> | undefined>;
  /** `attempts` counts from 1. Rejects only with an error that ends the work, such as the deadline's reason. */
  attempt: (attempts: number, mayHaveActed: boolean) => Promise<Outcome<T>>;
  /** The delay before the next attempt in milliseconds, or undefined to give up. */
  delayMs: (failure: Failure, attempts: number) => number | undefined;
  /** Called before it gives up. */
  recover?: (failed: Failed) => Promise<Recovery<T>>;
  /** The delay if `recover` has said `resend`, or undefined to give up all the same. */
  resendMs?: (failure: Failure, attempts: number) => number | undefined;
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
  let lastFailure: Failure | undefined;
  for (let attempts = 1; ; attempts++) {
    let mayAct = false;
    let outcome: Outcome<T> | undefined;
    try {
      outcome = await work.before?.(mayHaveActed);
      if (outcome === undefined) {
        mayAct = changes && !deadline.signal.aborted;
        outcome = await work.attempt(attempts, mayHaveActed);
      }
    } catch (error) {
      throw stoppedWhile(error, doing, { mayHaveActed: mayHaveActed || mayAct, lastFailure });
    }
    if ('value' in outcome) return outcome.value;
    const failure: Failure = outcome.failure;
    lastFailure = failure;
    mayHaveActed ||= failure.mayHaveActed;
    const failed = { failure, attempts, mayHaveActed };
    let delayMs = work.delayMs(failure, attempts);
    let waitingFor: string | undefined;
    if (delayMs === undefined) {
      const recovery = await work.recover?.(failed);
      if (recovery === 'resend') delayMs = work.resendMs?.(failure, attempts);
      else if (recovery && 'done' in recovery) return recovery.done;
      else if (recovery) ({ after: delayMs, doing: waitingFor } = recovery);
    }
    if (delayMs === undefined) throw work.toError(failed);
    if (delayMs === 0) continue;
    // What it waits for is in the log already, and in the error at the deadline.
    if (waitingFor === undefined) {
      if (delayMs >= deadline.remainingMs()) {
        throw work.toError(failed, `gave up: the next attempt would exceed ${deadline.limit}`);
      }
      work.onRetry?.(`${failure.what}; retrying in ${duration(delayMs)}`);
    }
    await clock.sleep(delayMs, deadline.signal).catch((error: unknown) => {
      const isDescribed = waitingFor !== undefined;
      throw stoppedWhile(error, waitingFor ?? doing, { mayHaveActed, lastFailure: failure, isDescribed });
    });
  }
}

/** Says in a `StoppedError` what was going on; any other error stays as it is. */
export function stoppedWhile(error: unknown, ...during: Parameters<StoppedError['while']>): unknown {
  return error instanceof StoppedError ? error.while(...during) : error;
}

/** Attempts after which a failure that will most likely recur is given up. */
const mostLastingAttempts = 3;

/** Whether a request with this method is idempotent: sending it twice does no harm. */
export function isIdempotent(method: string): boolean {
  return method === 'GET' || method === 'DELETE';
}

/** A proxy's rules and credentials do not change during a step; its own failures and rate limits may pass. */
const transientProxyRefusal = /^PROXY_(408|429|5\d\d)$/;

/**
 * Whether a failure is transient, so that the request may be sent again after a delay. A request that is not idempotent is only
 * resent if the service has certainly not acted. `attempt` counts failures of the same kind, from 1.
 */
export function isRetryable(options: { failure: Failure; idempotent: boolean; attempt: number }): boolean {
  const { failure, idempotent, attempt } = options;
  switch (failure.kind) {
    case 'redirect':
    case 'not-sent':
    case 'rate-limited':
      return false;
    case 'unreadable':
      return idempotent && attempt < mostLastingAttempts;
    case 'network': {
      const errno = failure.errno ?? '';
      if (isTlsFailure(errno)) return false;
      if (isProxyRefusal(errno)) return transientProxyRefusal.test(errno);
      if (errno === 'ENOTFOUND') return attempt < mostLastingAttempts;
      return errnos[errno]?.notSent || idempotent;
    }
    case 'status': {
      const status = failure.status ?? 0;
      return notActed.has(status) || (idempotent && statusMayHaveActed(status));
    }
  }
}

const usualBackoff: Backoff = { first: 500, longest: 15_000 };
/** A lock (423) goes away as soon as the other operation ends. */
const lockBackoff: Backoff = { first: 250, longest: 4_000 };

/** Milliseconds to wait after the `attempt`-th attempt, from 1: exponential with jitter, at least `Retry-After`. */
export function retryDelayMs(options: { failure: Failure; attempt: number; random: () => number }): number {
  const { failure, attempt, random } = options;
  const delay = backoffMs(failure.status === 423 ? lockBackoff : usualBackoff, attempt);
  const jittered = delay * (0.5 + random() / 2);
  const least = failure.retryAfterMs ?? 0;
  // Jitter above Retry-After too, so that runs that were told the same time do not all come back at once.
  return Math.max(jittered, least > 0 ? least + random() * Math.min(1_000, least / 4) : 0);
}

/** Delays within a propagation window are short: it is a matter of moments. */
const windowBackoff: Backoff = { first: 200, longest: 2_000 };

/**
 * When one request is sent again. There is no fixed number of attempts, only the step's deadline, except for failures that will most
 * likely recur. Delays are in milliseconds; undefined: not at all.
 */
export function requestSchedule(options: {
  method: Method;
  window: RetryWindow | undefined;
  now: () => number;
  random: () => number;
}) {
  const { method, window, now, random } = options;
  const idempotent = isIdempotent(method);
  // Counted per kind: a permanent failure is one that keeps coming back, not one that follows other, transient ones.
  const alike = new Map<string, number>();
  return {
    /** By itself, after a failure. */
    delayMs(failure: Failure, attempts: number): number | undefined {
      const kind = failure.errno ?? failure.kind;
      const nth = (alike.get(kind) ?? 0) + 1;
      alike.set(kind, nth);
      if (window?.statuses.includes(failure.status ?? 0) && now() < window.until) {
        return backoffMs(windowBackoff, attempts);
      }
      if (!isRetryable({ failure, idempotent, attempt: nth })) return undefined;
      return retryDelayMs({ failure, attempt: attempts, random });
    },
    /** Because its `recover` has said so: `resend`. */
    resendMs(failure: Failure, attempts: number): number | undefined {
      const isLasting = failure.kind === 'unreadable' && (alike.get(failure.kind) ?? 0) >= mostLastingAttempts;
      return isLasting ? undefined : retryDelayMs({ failure, attempt: attempts, random });
    },
  };
}

/**
 * The policy for a request that must not take effect twice. If its response is lost, or the service refuses it with one of these
 * statuses, `lookUp` looks for its effect. If there is one, that is the result; else a request whose response was lost is sent again.
 */
export function lookUpEffect<T>(
  lookUp: (error: ApiError) => Promise<T | undefined>,
  { refusals = [] }: { refusals?: number[] } = {},
): Recover<T> {
  return async (error) => {
    const isLost = error.failure.mayHaveActed;
    if (!isLost && !refusals.includes(error.status ?? 0)) return undefined;
    const found = await lookUp(error);
    if (found !== undefined) return { done: found };
    return isLost ? 'resend' : undefined;
  };
}

/** The policy for one whose effect cannot be looked up: if its response is lost, the error says so, and how to find out. */
export function uncertainIfLost(advice: string): Recover<never> {
  return async (error) => {
    if (error.failure.mayHaveActed) throw new UncertainError(error, advice);
    return undefined;
  };
}
