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
  // Not that of node:timers/promises, which every step would have to load before its first request.
  sleep(ms, signal) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const stop = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', stop);
        resolve();
      }, ms);
      signal?.addEventListener('abort', stop, { once: true });
    });
  },
};
