import type { Clock } from '../http/clock.ts';

/** At most `count` requests in any `ms` milliseconds. */
export interface Limit {
  count: number;
  ms: number;
}

/** Keeps requests within limits, each as soon as they allow it. The returned function resolves when the next request may be sent. */
export function createPace(options: { limits: Limit[]; clock: Clock; signal: AbortSignal }): () => Promise<void> {
  const { limits, clock, signal } = options;
  /** When requests were or will be sent, in order. */
  const times: number[] = [];
  return async () => {
    const now = clock.now();
    const at = limits.reduce(
      (time, { count, ms }) => Math.max(time, (times.at(-count) ?? Number.NEGATIVE_INFINITY) + ms),
      now,
    );
    times.push(at);
    if (at > now) await clock.sleep(at - now, signal);
  };
}
