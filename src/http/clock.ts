import { setTimeout as delay } from 'node:timers/promises';

/** Time as the rest of the code sees it, injected so that tests take milliseconds. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason once it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  // Monotonic: a deadline does not move if the machine's clock is set in the meantime.
  now: () => Math.round(performance.timeOrigin + performance.now()),
  async sleep(ms, signal) {
    try {
      await delay(ms, undefined, signal ? { signal } : {});
    } catch (error) {
      throw signal?.aborted ? signal.reason : error;
    }
  },
};
