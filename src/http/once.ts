import type { Client } from './client.ts';
import { ApiError } from './errors.ts';
import type { Answer } from './request.ts';

/** An answer that cannot be read will most likely be so again. */
const mostUnreadable = 3;

export interface Certain<T> {
  value: T;
  /** `answer`: the service said so. `look`: its answer was lost, and a look-up showed that it had acted. */
  from: 'answer' | 'look';
  /** Whether an earlier try may have acted before the one that was answered. */
  mayHaveActedBefore: boolean;
}

/**
 * Sends a request that must not act twice. Where its answer is lost, `look` tells whether it has acted; only where it has not
 * is the request sent again. `act` must be a request with `repeat: 'safe'`.
 */
export async function once<T>(options: {
  api: Client;
  act: () => Promise<Answer<T>>;
  look: () => Promise<T | undefined>;
}): Promise<Certain<T>> {
  const { api, act, look } = options;
  let mayHaveActedBefore = false;
  for (let tries = 1; ; tries++) {
    try {
      const answer = await act();
      return {
        value: answer.value,
        from: 'answer',
        mayHaveActedBefore: mayHaveActedBefore || answer.mayHaveActedBefore,
      };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (!error.failure.mayHaveActed) throw mayHaveActedBefore ? error.after(tries) : error;
      mayHaveActedBefore = true;
      const found = await look();
      if (found !== undefined) return { value: found, from: 'look', mayHaveActedBefore };
      if (error.failure.kind === 'unreadable' && tries >= mostUnreadable) throw error;
      await api.pauseAfter(error, tries);
    }
  }
}
