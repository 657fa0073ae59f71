import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { networkFailure, parseRetryAfter, statusFailure } from '../../../src/http/failures.ts';
import { requestSchedule } from '../../../src/http/retry.ts';

type Failure = ReturnType<typeof statusFailure>;
const status = (code: number, headers = {}) => statusFailure({ status: code, text: '', headers }, 0);
const network = (code: string) => networkFailure(Object.assign(new Error(code), { code }), { host: 'h' });
const proxy = (code: number) => networkFailure(new Error(`Proxy response (${code}) !== 200`), { host: 'h' });

/** The delays after this failure, as often as it may be retried up to `times`. */
function delays(failure: Failure, { method = 'GET', times = 1, random = 1 } = {}): number[] {
  const schedule = requestSchedule({ method, random: () => random, isNew: () => false });
  const all: number[] = [];
  for (let attempts = 1; attempts <= times; attempts++) {
    const delay = schedule.delayMs({ failure, attempts, mayHaveActed: false });
    if (delay === undefined) break;
    all.push(delay);
  }
  return all;
}
const isRetried = (failure: Failure, method: string) => delays(failure, { method }).length === 1;

describe('retries', () => {
  it('never resend a non-idempotent request that may have acted', () => {
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 599 }), (code) => {
        expect(isRetried(status(code), 'POST')).toBe([423, 429, 503].includes(code));
        for (const method of ['GET', 'DELETE'])
          expect(isRetried(status(code), method)).toBe(code >= 500 || [408, 423, 429].includes(code));
      }),
    );
  });

  it.each([
    ['ECONNREFUSED', true, true],
    ['UND_ERR_CONNECT_TIMEOUT', true, true],
    ['EAI_AGAIN', true, true],
    ['UND_ERR_PRX_CONN', true, true],
    ['EHOSTUNREACH', false, true],
    ['ECONNRESET', false, true],
    ['EPIPE', false, true],
    ['UND_ERR_SOCKET', false, true],
    ['UND_ERR_HEADERS_TIMEOUT', false, true],
    ['EODD', false, true],
    ['CERT_HAS_EXPIRED', false, false],
    ['ERR_TLS_CERT_ALTNAME_INVALID', false, false],
    ['SELF_SIGNED_CERT_IN_CHAIN', false, false],
    ['UND_ERR_PRX_TLS', false, false],
    ['EPROTO', false, false],
    ['ERR_SSL_NO_PROTOCOLS_AVAILABLE', false, false],
  ])('after %s: a POST %s, a GET %s', (errno, other, idempotent) => {
    expect(isRetried(network(errno), 'POST')).toBe(other);
    expect(isRetried(network(errno), 'GET')).toBe(idempotent);
  });

  it.each([
    [403, false],
    [407, false],
    [428, false],
    [500, true],
    [502, true],
  ])('after a proxy responded to CONNECT with %i: %s', (code, expected) => {
    for (const method of ['GET', 'POST']) expect(isRetried(proxy(code), method)).toBe(expected);
  });

  it('after an unknown host are two at most', () => {
    expect(delays(network('ENOTFOUND'), { method: 'POST', times: 9 })).toHaveLength(2);
  });
});

describe('the delay', () => {
  it('is half a second after the first attempt, or a quarter after a lock, and doubles up to a cap', () => {
    expect(delays(status(500), { times: 9 })).toEqual([
      500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000, 15_000,
    ]);
    expect(delays(status(423), { times: 6 })).toEqual([250, 500, 1_000, 2_000, 4_000, 4_000]);
    expect(delays(status(500), { times: 2, random: 0 })).toEqual([250, 500]);
  });

  it('is at least Retry-After, spread over a quarter of it, but over no more than a second', () => {
    const delayed = (seconds: number, random: number) =>
      delays(status(429, { 'retry-after': String(seconds) }), { random })[0];
    expect([delayed(2, 0), delayed(2, 1)]).toEqual([2_000, 2_500]);
    expect([delayed(60, 0), delayed(60, 1)]).toEqual([60_000, 61_000]);
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
    fc.assert(fc.property(fc.string(), (text) => (parseRetryAfter(text, now) ?? 0) >= 0));
    expect(parseRetryAfter(undefined, now)).toBeUndefined();
    expect(parseRetryAfter(' 1.5 ', now)).toBe(1_500);
    expect(parseRetryAfter('3, 60', now)).toBe(3_000);
  });
});
