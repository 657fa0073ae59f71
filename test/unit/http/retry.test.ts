import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCertificateFailure, isProxyRefusal, isTlsFailure, statusMayHaveActed } from '../../../src/http/codes.ts';
import type { Failure } from '../../../src/http/errors.ts';
import { parseRetryAfter } from '../../../src/http/failures.ts';
import { isRetryable, retryDelayMs } from '../../../src/http/retry.ts';

const status = (code: number, over: Partial<Failure> = {}): Failure => ({
  kind: 'status',
  status: code,
  what: '',
  mayHaveActed: false,
  ...over,
});
const network = (errno: string): Failure => ({ kind: 'network', errno, what: '', mayHaveActed: false });

describe('retries', () => {
  it('never resend a non-idempotent request that may have acted', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 599 }), fc.integer({ min: 1, max: 50 }), (code, attempt) => {
        const always = isRetryable({ failure: status(code), idempotent: false, attempt });
        expect(always).toBe([423, 429, 503].includes(code));
        // What is retried for non-idempotent requests is retried for idempotent ones too.
        if (always) expect(isRetryable({ failure: status(code), idempotent: true, attempt })).toBe(true);
        // Below 500, only three statuses are retried.
        if (code < 500 && ![408, 423, 429].includes(code))
          expect(isRetryable({ failure: status(code), idempotent: true, attempt })).toBe(false);
      }),
    );
  });

  it.each([
    ['ECONNREFUSED', true, true],
    ['UND_ERR_CONNECT_TIMEOUT', true, true],
    ['EAI_AGAIN', true, true],
    ['EHOSTUNREACH', true, true],
    ['ENETUNREACH', true, true],
    ['ECONNRESET', false, true],
    ['EPIPE', false, true],
    ['UND_ERR_SOCKET', false, true],
    ['UND_ERR_HEADERS_TIMEOUT', false, true],
    ['', false, true],
    ['CERT_HAS_EXPIRED', false, false],
    ['ERR_TLS_CERT_ALTNAME_INVALID', false, false],
    ['SELF_SIGNED_CERT_IN_CHAIN', false, false],
    ['EPROTO', false, false],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', false, false],
    ['UNABLE_TO_GET_ISSUER_CERT', false, false],
    ['ERR_SSL_NO_PROTOCOLS_AVAILABLE', false, false],
    ['ENOTFOUND', false, false],
    ['PROXY_403', false, false],
    ['PROXY_408', true, true],
    ['PROXY_428', false, false],
    ['PROXY_500', true, true],
    ['PROXY_407', false, false],
    ['PROXY_502', true, true],
    ['PROXY_429', true, true],
    ['UND_ERR_PRX_CONN', true, true],
    ['UND_ERR_PRX_TLS', false, false],
  ])('after %s: non-idempotent %s, idempotent %s', (errno, other, idempotent) => {
    expect(isRetryable({ failure: network(errno), idempotent: false, attempt: 9 })).toBe(other);
    expect(isRetryable({ failure: network(errno), idempotent: true, attempt: 9 })).toBe(idempotent);
  });

  it.each(['redirect', 'not-sent', 'rate-limited'] as const)('are not made after a permanent failure: %s', (kind) => {
    for (const idempotent of [true, false])
      expect(isRetryable({ failure: { ...status(429), kind }, idempotent, attempt: 1 })).toBe(false);
  });

  it.each([
    ['an unreadable response', { ...status(200), kind: 'unreadable' } as const, true],
    ['an unreadable response to a change', { ...status(200), kind: 'unreadable' } as const, false],
    ['an unknown host', network('ENOTFOUND'), false],
  ])('gives %s at most three attempts', (what, failure, idempotent) => {
    const retried = [1, 2, 3].filter((attempt) => isRetryable({ failure, idempotent, attempt }));
    expect(retried).toEqual(what.endsWith('change') ? [] : [1, 2]);
  });

  it.each([
    [408, true],
    [499, false],
    [500, true],
    [502, true],
    [503, false],
    [200, false],
  ])('after %i, a change may have been made: %s', (code, expected) => {
    expect(statusMayHaveActed(code)).toBe(expected);
  });

  it.each([
    ['CERT_HAS_EXPIRED', true],
    ['ERR_TLS_HANDSHAKE', true],
    ['EPROTO', true],
    ['EPROTOTYPE', false],
    ['NOT_EPROTO', false],
    ['NOT_ERR_TLS', false],
    ['NOT_ERR_SSL', false],
    ['EPROTONOSUPPORT', false],
    ['ECONNRESET', false],
  ])('a certificate or TLS is why the connection failed with %s: %s', (errno, expected) => {
    expect(isTlsFailure(errno)).toBe(expected);
  });

  it.each([
    ['CERT_HAS_EXPIRED', true],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', true],
    ['UNABLE_TO_GET_ISSUER_CERT', true],
    ['EPROTO', false],
    ['ERR_SSL_WRONG_VERSION_NUMBER', false],
  ])('a certificate is why the connection failed with %s: %s', (errno, expected) => {
    expect(isCertificateFailure(errno)).toBe(expected);
  });

  it.each([
    ['PROXY_407', true],
    ['PROXY_4071', false],
    ['MY_PROXY_407', false],
    ['PROXY_', false],
  ])('a proxy has refused the connection with %s: %s', (errno, expected) => {
    expect(isProxyRefusal(errno)).toBe(expected);
  });
});

describe('the delay', () => {
  const fractions = fc.double({ min: 0, max: 1, noNaN: true });

  it('is at least Retry-After, and little more than that or the backoff', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200 }),
        fc.integer({ min: 0, max: 100_000 }),
        fractions,
        (attempt, ms, r) => {
          const delay = retryDelayMs({ failure: status(429, { retryAfterMs: ms }), attempt, random: () => r });
          expect(delay).toBeGreaterThanOrEqual(ms);
          expect(delay).toBeLessThanOrEqual(Math.max(15_000, ms + 1_000));
        },
      ),
    );
  });

  it('grows up to a cap, which is lower for a lock, with jitter from half to all of it', () => {
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

  it('is half a second after the first attempt, or a quarter after a lock, and doubles', () => {
    const delays = (code: number) =>
      [1, 2, 3].map((attempt) => retryDelayMs({ failure: status(code), attempt, random: () => 1 }));
    expect(delays(500)).toEqual([500, 1_000, 2_000]);
    expect(delays(423)).toEqual([250, 500, 1_000]);
  });

  it('is spread over a quarter of Retry-After, but over no more than a second', () => {
    const delay = (retryAfterMs: number, r: number) =>
      retryDelayMs({ failure: status(429, { retryAfterMs }), attempt: 1, random: () => r });
    expect([delay(2_000, 0), delay(2_000, 1)]).toEqual([2_000, 2_500]);
    expect([delay(60_000, 0), delay(60_000, 1)]).toEqual([60_000, 61_000]);
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
    expect(parseRetryAfter('', now)).toBeUndefined();
    expect(parseRetryAfter(' 1.5 ', now)).toBe(1_500);
    expect(parseRetryAfter('12.25', now)).toBe(12_250);
  });
});
