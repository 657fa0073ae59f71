import { setTimeout as delay } from 'node:timers/promises';

/** Time as the rest of the code sees it, injected so that tests take milliseconds. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason once it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

const origin = Date.now() - process.uptime() * 1_000;

export const systemClock: Clock = {
  // Monotonic: a deadline does not move if the machine's clock is set in the meantime. `performance` would do, too, but loads slowly.
  now: () => Math.round(origin + process.uptime() * 1_000),
  async sleep(ms, signal) {
    await delay(ms, undefined, { signal }).catch(() => signal?.throwIfAborted());
  },
};

/** When everything must end: the step's timeout, or a cancelled job. */
export interface Deadline {
  /** Aborts every request and every delay; its reason is a `StoppedError`. */
  readonly signal: AbortSignal;
  /** Milliseconds until the signal aborts by itself. */
  remainingMs(): number;
  /** What sets this time, as messages name it: the input `timeout`. */
  readonly limit: string;
}

/** A deadline `ms` from now. The signal is the caller's to abort. */
export function deadlineIn(ms: number, options: { signal: AbortSignal; clock: Clock; limit?: string }): Deadline {
  const { signal, clock, limit = '`timeout`' } = options;
  const at = clock.now() + ms;
  return { signal, limit, remainingMs: () => Math.max(0, at - clock.now()) };
}

/** How long one attempt of a request may take in a step of `timeoutMs`: a quarter of it, between 1 s and 30 s. */
export function attemptMsIn(timeoutMs: number): number {
  return Math.max(1_000, Math.min(30_000, timeoutMs / 4));
}

/** How delays double from one attempt or poll to the next. In milliseconds. */
export interface Backoff {
  first: number;
  longest: number;
}

/** The delay after the `attempt`-th attempt, counted from 1. */
export function backoffMs({ first, longest }: Backoff, attempt: number): number {
  return Math.min(longest, first * 2 ** (attempt - 1));
}

export function* backoff(settings: Backoff): Generator<number, never> {
  for (let attempt = 1; ; attempt++) yield backoffMs(settings, attempt);
}
