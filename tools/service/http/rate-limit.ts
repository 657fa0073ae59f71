import { ApiError } from './errors.ts';
import type { RecordedRequest } from './recorded-request.ts';

export interface RateLimits {
  /** Requests per minute for the account. */
  perMinute?: number;
  /** Requests per second for each route. */
  perSecond?: number;
  /** Whether the 429 has a `retry-after` header; default true. */
  retryAfter?: boolean;
}

/** Counts requests in sliding windows, by the time recorded in each request. */
export class RateLimiter {
  readonly #limits: RateLimits;
  readonly #times = new Map<string, number[]>();

  constructor(limits: RateLimits) {
    this.#limits = limits;
  }

  /** Throws a 429 if the request exceeds a limit. Rejected requests don't count. */
  check(request: RecordedRequest): void {
    const { perMinute = Number.POSITIVE_INFINITY, perSecond = Number.POSITIVE_INFINITY } = this.#limits;
    const route = `${request.method} ${request.template ?? request.path}`;
    const account = this.#window('', 60_000, request.at);
    const second = this.#window(route, 1_000, request.at);
    if (account.length >= perMinute) throw this.#tooManyRequests(account[0] ?? 0, 60_000, request.at);
    if (second.length >= perSecond) throw this.#tooManyRequests(second[0] ?? 0, 1_000, request.at);
    account.push(request.at);
    second.push(request.at);
  }

  #window(key: string, windowMs: number, now: number): number[] {
    const kept = (this.#times.get(key) ?? []).filter((at) => at > now - windowMs);
    this.#times.set(key, kept);
    return kept;
  }

  #tooManyRequests(oldest: number, windowMs: number, now: number): ApiError {
    const seconds = String(Math.max(1, Math.ceil((oldest + windowMs - now) / 1_000)));
    const headers: Record<string, string> = this.#limits.retryAfter === false ? {} : { 'retry-after': seconds };
    return new ApiError(429, 'rate limit exceeded', { headers });
  }
}
