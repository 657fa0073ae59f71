import type { Clock } from '../http/clock.ts';

/**
 * Spreads requests over time, so that a long run leaves room for others on the same account: the first ones go at once, the rest
 * at an even rate. The returned function resolves when the next request may be sent.
 */
export function createPace(options: {
  /** How many requests go at once. */
  burst: number;
  perSecond: number;
  clock: Clock;
  signal: AbortSignal;
}): () => Promise<void> {
  const { clock, signal } = options;
  const interval = 1_000 / options.perSecond;
  let next = Number.NEGATIVE_INFINITY;
  return async () => {
    const now = clock.now();
    next = Math.max(next, now - options.burst * interval) + interval;
    if (next > now) await clock.sleep(next - now, signal);
  };
}

/** Does `work` for each item, at most `limit` at a time. After an error it starts no more, and throws once those under way have ended. */
export async function forEachLimited<T>(items: T[], limit: number, work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  let failed = false;
  const worker = async () => {
    for (const item of queue) {
      if (failed) return;
      try {
        await work(item);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const results = await Promise.allSettled(Array.from({ length: Math.min(limit, items.length) }, worker));
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}
