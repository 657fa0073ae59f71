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
