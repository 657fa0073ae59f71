import { describe, expect, it } from 'vitest';
import { denial, rateLimitMs } from '../../../src/github/errors.ts';

const now = Date.parse('2026-03-04T05:06:07Z');
const limit = (status: number, message: string, headers: Record<string, string> = {}, attempt = 1) =>
  rateLimitMs({ status, message, headers }, { now, attempt });

describe('rate limits of GitHub', () => {
  it.each([
    ['secondary, with Retry-After', limit(403, 'secondary rate limit', { 'retry-after': '7' }), 7_000],
    ['secondary, without Retry-After', limit(403, 'You have exceeded a secondary rate limit.'), 60_000],
    ['secondary, third attempt', limit(403, 'You have exceeded a secondary rate limit.', {}, 3), 240_000],
    [
      'primary',
      limit(403, 'API rate limit exceeded', {
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': String(now / 1000 + 90),
      }),
      90_000,
    ],
    [
      'primary, over by the clock of the runner',
      limit(403, 'x', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' }),
      1_000,
    ],
    ['429', limit(429, ''), 60_000],
    [
      'GraphQL',
      rateLimitMs(
        {
          status: 200,
          message: 'API rate limit exceeded',
          headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now / 1000 + 5) },
          rateLimited: true,
        },
        { now, attempt: 1 },
      ),
      5_000,
    ],
    ['GraphQL, another error', limit(200, 'rate limit'), undefined],
    [
      'no permission',
      limit(403, 'Resource not accessible by integration', { 'x-ratelimit-remaining': '999' }),
      undefined,
    ],
    ['not found', limit(404, 'Not Found'), undefined],
    ['a server error', limit(502, 'rate limit'), undefined],
  ])('%s', (_, ms, expected) => {
    expect(ms).toBe(expected);
  });
});

describe('a denied request', () => {
  const denied = (status: number, message: string) =>
    denial({ status, message }, { permission: 'pull-requests: read' });

  it('names the permission as YAML', () => {
    expect(denied(403, 'Resource not accessible by integration')).toBe(
      'the token lacks a permission (403, Resource not accessible by integration). Set `permissions: { pull-requests: read }` on the job, together with the other permissions that the job needs, or set `github_token` to a token with the same permissions.',
    );
  });

  it('says so if the token itself is rejected, or the conversation is locked', () => {
    expect(denied(401, 'Bad credentials')).toMatch(/^GitHub rejected the token \(401, Bad credentials\)\. Check/);
    expect(denied(403, 'Issue is locked')).toBe('the conversation is locked (403, Issue is locked)');
  });
});
