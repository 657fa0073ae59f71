import { Problem } from './errors.ts';
import type { RecordedRequest } from './server.ts';

export interface Limits {
  /** Requests a minute for the account. */
  perMinute?: number;
  /** Requests a second for one route. */
  perSecond?: number;
  /** Whether the 429 says when to come back; default true. */
  retryAfter?: boolean;
}

/** Counts requests in sliding windows; time comes from the requests. */
export class RateLimit {
  readonly #limits: Limits;
  readonly #times = new Map<string, number[]>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Refuses a request that is one too many; it does not count then. */
  admit(request: RecordedRequest): void {
    const { perMinute = Number.POSITIVE_INFINITY, perSecond = Number.POSITIVE_INFINITY } = this.#limits;
    const route = `${request.method} ${request.template ?? request.path}`;
    const account = this.#window('', 60_000, request.at);
    const second = this.#window(route, 1_000, request.at);
    if (account.length >= perMinute) throw this.#refusal(account[0] ?? 0, 60_000, request.at);
    if (second.length >= perSecond) throw this.#refusal(second[0] ?? 0, 1_000, request.at);
    account.push(request.at);
    second.push(request.at);
  }

  #window(key: string, span: number, now: number): number[] {
    const kept = (this.#times.get(key) ?? []).filter((at) => at > now - span);
    this.#times.set(key, kept);
    return kept;
  }

  #refusal(oldest: number, span: number, now: number): Problem {
    const seconds = String(Math.max(1, Math.ceil((oldest + span - now) / 1_000)));
    const headers: Record<string, string> = this.#limits.retryAfter === false ? {} : { 'retry-after': seconds };
    return new Problem(429, 'rate limit exceeded', { headers });
  }
}
