import type { Clock } from './clock.ts';

const deadlines = new WeakMap<AbortSignal, number>();

/** Says when a signal will abort by itself, in milliseconds since the epoch, so that nobody starts a pause that outlives it. */
export function setDeadline(signal: AbortSignal, at: number): void {
  deadlines.set(signal, at);
}

export function remainingMs(signal: AbortSignal, clock: Clock): number {
  const at = deadlines.get(signal);
  return at === undefined ? Number.POSITIVE_INFINITY : Math.max(0, at - clock.now());
}
