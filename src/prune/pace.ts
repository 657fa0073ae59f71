import type { Clock } from '../http/clock.ts';

/**
 * Spaces out requests so that a long run leaves room for others on the same account: the first ones go at once, the rest at an even
 * pace. The returned function resolves when the next one may go.
 */
export function createPace(options: {
  /** How many go at once. */
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

/** Does `work` for each item, at most `most` of them at a time. The first error ends it, once what is under way has ended. */
export async function eachOf<T>(items: T[], most: number, work: (item: T) => Promise<void>): Promise<void> {
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
  const ends = await Promise.allSettled(Array.from({ length: Math.min(most, items.length) }, worker));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
