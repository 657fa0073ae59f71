import type { Client } from './client.ts';
import { ApiError, UncertainError } from './errors.ts';
import type { ApiResponse } from './request.ts';

/** A response that cannot be read will most likely be so again. */
const mostUnreadable = 3;

export interface Verified<T> {
  value: T;
  /** `response`: the service said so. `lookup`: its response was lost, and a lookup showed that it had acted. */
  from: 'response' | 'lookup';
  /** Whether an earlier attempt may have acted before the one that got a response. */
  mayHaveActedBefore: boolean;
}

/**
 * Sends a request that must not take effect twice. If its response is lost, `lookUp` tells whether it took effect; only if it did
 * not is the request sent again. The request must not be idempotent by its method, or the client would resend it by itself.
 */
export async function resendAfterLookup<T>(options: {
  api: Client;
  send: () => Promise<ApiResponse<T>>;
  lookUp: (lost: ApiError) => Promise<T | undefined>;
}): Promise<Verified<T>> {
  const { api, send, lookUp } = options;
  let mayHaveActedBefore = false;
  for (let attempts = 1; ; attempts++) {
    try {
      const response = await send();
      mayHaveActedBefore ||= response.mayHaveActedBefore;
      return { value: response.value, from: 'response', mayHaveActedBefore };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (!error.failure.mayHaveActed) throw mayHaveActedBefore ? error.after(attempts) : error;
      mayHaveActedBefore = true;
      const found = await lookUp(error);
      if (found !== undefined) return { value: found, from: 'lookup', mayHaveActedBefore };
      if (error.failure.kind === 'unreadable' && attempts >= mostUnreadable) throw error;
      await api.delayAfter(error, attempts);
    }
  }
}

/** Sends a request that must not take effect twice and cannot be looked up: if its response is lost, the error says so. */
export async function failIfLost<T>(advice: string, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    throw error instanceof ApiError && error.failure.mayHaveActed ? new UncertainError(error, advice) : error;
  }
}
