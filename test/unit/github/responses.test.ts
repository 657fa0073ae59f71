import { describe, expect, it } from 'vitest';
import { denial, rateLimitMs } from '../../../src/github/responses.ts';

const now = Date.parse('2026-03-04T05:06:07Z');
const limit = (status: number, message: string, headers: Record<string, string> = {}, attempt = 1) =>
  rateLimitMs({ status, message, headers }, { now, attempt });

describe('rate limits of GitHub', () => {
  it.each([
    ['secondary, with the seconds', limit(403, 'secondary rate limit', { 'retry-after': '7' }), 7_000],
    ['secondary, without', limit(403, 'You have exceeded a secondary rate limit.'), 60_000],
    ['secondary, again', limit(403, 'You have exceeded a secondary rate limit.', {}, 3), 240_000],
    [
      'primary',
      limit(403, 'API rate limit exceeded', {
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': String(now / 1000 + 90),
      }),
      90_000,
    ],
    ['primary, past by this clock', limit(403, 'x', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' }), 1_000],
    ['429', limit(429, ''), 60_000],
    [
      'GraphQL',
      limit(200, 'API rate limit exceeded', {
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': String(now / 1000 + 5),
      }),
      5_000,
    ],
    [
      'no permission',
      limit(403, 'Resource not accessible by integration', { 'x-ratelimit-remaining': '999' }),
      undefined,
    ],
    ['not found', limit(404, 'Not Found'), undefined],
    ['a fault', limit(502, 'rate limit'), undefined],
  ])('%s', (_, ms, expected) => {
    expect(ms).toBe(expected);
  });
});

describe('what GitHub denies', () => {
  it('names the permission', () => {
    const text = denial({
      goal: 'read pull requests',
      permission: 'pull-requests: read',
      refusal: { status: 403, message: 'Resource not accessible by integration' },
    });
    expect(text).toBe(
      'Could not read pull requests: the token may not do that (403: Resource not accessible by integration). Give the job `permissions: pull-requests: read`, or `github_token` a token that has it.',
    );
  });
});
