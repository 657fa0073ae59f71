import { type ApiError, UncertainError } from './errors.ts';
import type { Recover } from './request.ts';

/** The first policy that knows what to do about a failure decides. */
export function firstOf<T>(...policies: (Recover<T> | undefined)[]): Recover<T> {
  return async (error) => {
    for (const policy of policies) {
      const recovery = await policy?.(error);
      if (recovery !== undefined) return recovery;
    }
    return undefined;
  };
}

/**
 * The policy for a request that must not take effect twice. If its response is lost, or the service refuses it with one of these
 * statuses, `lookUp` looks for its effect. If there is one, that is the result; else a request whose response was lost is sent again.
 */
export function lookUpEffect<T>(
  lookUp: (error: ApiError) => Promise<T | undefined>,
  { refusals = [] }: { refusals?: number[] } = {},
): Recover<T> {
  return async (error) => {
    const isLost = error.failure.mayHaveActed;
    if (!isLost && !refusals.includes(error.status ?? 0)) return undefined;
    const found = await lookUp(error);
    if (found !== undefined) return { done: found };
    return isLost ? 'resend' : undefined;
  };
}

/** The policy for one whose effect cannot be looked up: if its response is lost, the error says so, and how to find out. */
export function uncertainIfLost(advice: string): Recover<never> {
  return async (error) => {
    if (error.failure.mayHaveActed) throw new UncertainError(error, advice);
    return undefined;
  };
}
