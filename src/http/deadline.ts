import type { Clock } from './clock.ts';

/** When everything must end: the step's timeout, or a cancelled job. */
export interface Deadline {
  /** Aborts every request and every delay; its reason is a `StoppedError`. */
  readonly signal: AbortSignal;
  /** Milliseconds until the signal aborts by itself; `Infinity` if it never does. */
  remainingMs(): number;
}

/** A deadline `ms` from now. The signal is the caller's to abort. */
export function deadlineIn(ms: number, options: { signal: AbortSignal; clock: Clock }): Deadline {
  const { signal, clock } = options;
  const at = clock.now() + ms;
  return { signal, remainingMs: () => Math.max(0, at - clock.now()) };
}

/** No deadline: only the signal ends the work. */
export function noDeadline(signal: AbortSignal): Deadline {
  return { signal, remainingMs: () => Number.POSITIVE_INFINITY };
}
