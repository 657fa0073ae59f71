import { setTimeout as delay } from 'node:timers/promises';

/** Time as the rest of the code sees it, so that a test can turn hours into nothing. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason once it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  // Goes on evenly where somebody sets the machine's clock meanwhile, so that no deadline moves.
  now: () => Math.round(performance.timeOrigin + performance.now()),
  async sleep(ms, signal) {
    try {
      await delay(ms, undefined, signal ? { signal } : {});
    } catch (error) {
      throw signal?.aborted ? signal.reason : error;
    }
  },
};
