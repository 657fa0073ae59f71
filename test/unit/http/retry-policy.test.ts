import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Failure } from '../../../src/http/errors.ts';
import { isRetryable, parseRetryAfter, retryDelayMs } from '../../../src/http/retry-policy.ts';

const status = (code: number, over: Partial<Failure> = {}): Failure => ({
  kind: 'status',
  status: code,
  what: '',
  mayHaveActed: false,
  ...over,
});
const network = (errno: string): Failure => ({ kind: 'network', errno, what: '', mayHaveActed: false });

describe('what may be repeated', () => {
  it('is never repeated as safe where the service may have acted', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 599 }), fc.integer({ min: 1, max: 50 }), (code, attempt) => {
        const safe = isRetryable({ failure: status(code), idempotent: false, attempt });
        expect(safe).toBe([423, 429, 503].includes(code));
        // and whatever is safe is so for reads too
        if (safe) expect(isRetryable({ failure: status(code), idempotent: true, attempt })).toBe(true);
        // no answer below 500 is repeated but for the three of a busy service
        if (code < 500 && ![408, 423, 429].includes(code))
          expect(isRetryable({ failure: status(code), idempotent: true, attempt })).toBe(false);
      }),
    );
  });

  it.each([
    ['ECONNREFUSED', true, true],
    ['UND_ERR_CONNECT_TIMEOUT', true, true],
    ['EAI_AGAIN', true, true],
    ['ECONNRESET', false, true],
    ['EPIPE', false, true],
    ['UND_ERR_SOCKET', false, true],
    ['UND_ERR_HEADERS_TIMEOUT', false, true],
    ['', false, true],
    ['CERT_HAS_EXPIRED', false, false],
    ['ERR_TLS_CERT_ALTNAME_INVALID', false, false],
    ['SELF_SIGNED_CERT_IN_CHAIN', false, false],
    ['EPROTO', false, false],
    ['PROXY_403', false, false],
    ['PROXY_407', false, false],
    ['PROXY_502', true, true],
    ['PROXY_429', true, true],
    ['UND_ERR_PRX_CONN', true, true],
    ['UND_ERR_PRX_TLS', false, false],
  ])('%s: as safe %s, as any %s', (errno, safe, any) => {
    expect(isRetryable({ failure: network(errno), idempotent: false, attempt: 9 })).toBe(safe);
    expect(isRetryable({ failure: network(errno), idempotent: true, attempt: 9 })).toBe(any);
  });
});

describe('the pause', () => {
  const fractions = fc.double({ min: 0, max: 1, noNaN: true });

  it('is at least what Retry-After says, and not much more than it and the backoff', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200 }),
        fc.integer({ min: 0, max: 100_000 }),
        fractions,
        (attempt, ms, r) => {
          const pause = retryDelayMs({ failure: status(429, { retryAfterMs: ms }), attempt, random: () => r });
          expect(pause).toBeGreaterThanOrEqual(ms);
          expect(pause).toBeLessThanOrEqual(Math.max(15_000, ms + 1_000));
        },
      ),
    );
  });

  it('grows, with jitter between half and the whole, up to a cap that a lock has lower', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2_000 }), fractions, fc.constantFrom(423, 503, 500), (attempt, r, code) => {
        const at = (random: number) => retryDelayMs({ failure: status(code), attempt, random: () => random });
        expect(at(0)).toBe(at(1) / 2);
        expect(at(r)).toBeGreaterThanOrEqual(at(0));
        expect(at(1)).toBeLessThanOrEqual(code === 423 ? 4_000 : 15_000);
        expect(retryDelayMs({ failure: status(code), attempt: attempt + 1, random: () => 1 })).toBeGreaterThanOrEqual(
          at(1),
        );
      }),
    );
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-03-04T05:06:07Z');

  it('is a number of seconds or a date, and never negative', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e9 }), (seconds) => {
        expect(parseRetryAfter(String(seconds), now)).toBe(seconds * 1000);
        expect(parseRetryAfter(new Date(now + seconds * 1000).toUTCString(), now)).toBe(seconds * 1000);
        expect(parseRetryAfter(new Date(now - seconds * 1000).toUTCString(), now)).toBe(0);
      }),
    );
    fc.assert(
      fc.property(fc.string(), (text) => {
        const ms = parseRetryAfter(text, now);
        expect(ms === undefined || ms >= 0).toBe(true);
      }),
    );
    expect(parseRetryAfter(undefined, now)).toBeUndefined();
  });
});
