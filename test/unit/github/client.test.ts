import { describe, expect, it } from 'vitest';
import { createGitHub } from '../../../src/github/client.ts';
import { GitHubError } from '../../../src/github/errors.ts';
import { gitRefExists, readPullRequest } from '../../../src/github/pulls.ts';
import { deadlineIn } from '../../../src/http/clock.ts';
import type { Fetch } from '../../../src/http/transport.ts';
import { FakeClock } from '../../../tools/clock.ts';

const api = 'https://api.github.test';
const purpose = { goal: 'read it', permission: 'pull-requests: read' };

type Reply = { status: number; body?: unknown; headers?: Record<string, string> } | Error | 'silence';

/** A client that gets these responses, the last one again and again. */
function github(...replies: Reply[]) {
  const clock = new FakeClock();
  const start = clock.now();
  const sent: string[] = [];
  const fetch: Fetch = async (url, { method }) => {
    const reply = replies[Math.min(sent.length, replies.length - 1)] ?? { status: 200, body: {} };
    sent.push(`${method} ${url.replace(api, '')}`);
    if (reply instanceof Error) throw reply;
    if (reply === 'silence') return new Promise(() => {});
    const { status, body, headers } = reply;
    const stream = body instanceof ReadableStream ? body : new Response(JSON.stringify(body)).body;
    return { status, headers: new Headers(headers), body: stream };
  };
  const controller = new AbortController();
  const deadline = deadlineIn(600_000, { signal: controller.signal, clock });
  const client = createGitHub({ token: 'ghs_token', api, fetch, deadline, clock, attemptMs: 3_600_000 });
  const read = (method: 'GET' | 'POST' = 'GET') =>
    client.request(purpose, method, '/x').catch((error: unknown) => {
      if (error instanceof GitHubError) return `${error.kind}: ${error.message}`;
      throw error;
    });
  return { client, read, sent, waitedMs: () => clock.now() - start, stop: (why: Error) => controller.abort(why) };
}

describe('a request', () => {
  it.each<[string, Reply, string]>([
    ['a redirect, which is not followed', { status: 301 }, 'other: Could not read it: GitHub responded with 301'],
    ['a status that does not exist', { status: 999 }, 'other: Could not read it: GitHub responded with 999'],
    ['no JSON', { status: 200, body: 'x' }, 'other: Could not read it: the response is not an object'],
    [
      'no such object',
      { status: 404, body: { message: 'Not Found' } },
      'missing: Could not read it: GitHub responded with 404, Not Found',
    ],
    [
      'a rejected token',
      { status: 401, body: { message: 'Bad credentials' } },
      'denied: Could not read it: GitHub responded with 401, Bad credentials. Check that `github_token`',
    ],
    [
      'a locked conversation',
      { status: 403, body: { message: 'Issue is locked' } },
      'denied: Could not read it: GitHub responded with 403, Issue is locked. If the token',
    ],
    [
      'a missing permission',
      { status: 403, body: { message: 'no' }, headers: { 'x-ratelimit-remaining': '999' } },
      'denied: Could not read it: GitHub responded with 403, no. If the token lacks a permission, set `permissions: { pull-requests: read }` on the job',
    ],
    ['GitHub failing', { status: 502 }, 'other: Could not read it: GitHub responded with 502'],
    [
      'no connection',
      Object.assign(new Error('x'), { code: 'ECONNREFUSED' }),
      'other: Could not read it: no response from GitHub: x (ECONNREFUSED)',
    ],
  ])('fails with a sentence for %s', async (_, reply, message) => {
    expect(await github(reply).read()).toContain(message);
  });

  it('ends a body without end', async () => {
    const chunk = new Uint8Array(1_000_000);
    const body = new ReadableStream({ pull: (controller) => controller.enqueue(chunk) });
    const { read, sent } = github({ status: 200, body });
    expect(await read()).toBe(
      "other: Could not read it: GitHub's response is larger than 32 MB. Run the step again later.",
    );
    expect(sent).toHaveLength(1);
  });

  it('ends with the step, even if GitHub says nothing', async () => {
    const { read, stop } = github('silence');
    const ended = read();
    stop(new Error('the time is over'));
    await expect(ended).rejects.toThrow('the time is over');
  });

  it('is sent four times at most, but a POST only once', async () => {
    const { read, sent, waitedMs } = github({ status: 503 });
    await read();
    expect([sent.length, waitedMs()]).toEqual([4, 3_500]);
    await read('POST');
    expect(sent).toHaveLength(5);
  });

  const reset = (date: string, seconds: number) => ({
    date,
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': String(Date.parse(date) / 1_000 + seconds),
  });
  it.each<[string, Reply, number]>([
    ['secondary, with Retry-After', { status: 403, headers: { 'retry-after': '7' } }, 7_000],
    ['secondary, without', { status: 403, body: { message: 'You have exceeded a secondary rate limit.' } }, 60_000],
    ['primary, by the clock of GitHub', { status: 403, headers: reset('Thu, 05 Mar 2020 05:06:07 GMT', 90) }, 90_000],
    ['primary, over', { status: 403, headers: reset('Thu, 05 Mar 2020 05:06:07 GMT', -5) }, 1_000],
    ['429', { status: 429 }, 60_000],
  ])('waits for a rate limit, also with a POST: %s', async (_, limit, ms) => {
    const { read, sent, waitedMs } = github(limit, { status: 200, body: { ok: true } });
    expect(await read('POST')).toEqual({ ok: true });
    expect([sent.length, waitedMs()]).toEqual([2, ms]);
  });

  it('fails at once if a rate limit outlasts the step', async () => {
    const { read, waitedMs } = github({ status: 429, headers: { 'retry-after': '3600' } });
    expect(await read()).toBe(
      'other: Could not read it: GitHub is rate-limiting requests for another 1h; gave up: the next attempt would exceed `timeout`. Run the step again later.',
    );
    expect(waitedMs()).toBe(0);
  });
});

describe('a list', () => {
  const page = (numbers: number[], next = false): Reply => ({
    status: 200,
    body: numbers.map((number) => ({ number })),
    headers: next ? { link: '<https://elsewhere.test/x?page=2>; rel="next"' } : {},
  });
  const all = async (...replies: Reply[]) => {
    const { client, sent } = github(...replies);
    const numbers = [];
    for await (const items of client.pages(purpose, '/x', { state: 'all' })) {
      numbers.push(...items.map(({ number }) => number));
    }
    return { numbers, sent };
  };

  it('is read to its last page, from the same host', async () => {
    const { numbers, sent } = await all(page([3, 2], true), page([1]));
    expect(numbers).toEqual([3, 2, 1]);
    expect(sent).toEqual([1, 2].map((number) => `GET /x?state=all&per_page=100&limit=100&page=${number}`));
  });

  it.each<[string, Reply]>([
    ['a conflict', { status: 409, body: { message: 'Git Repository is empty.' } }],
    ['no list', { status: 200, body: { message: 'x' } }],
  ])('never ends early because of %s', async (_, reply) => {
    await expect(all(page([3, 2], true), reply)).rejects.toThrow('Could not read it');
  });
});

it('a pull request whose state cannot be read counts as open', async () => {
  const { client } = github({ status: 200, body: { number: 7, state: 'strange' } });
  expect(await readPullRequest(client, 'octo/api', 7)).toMatchObject({ number: 7, open: true });
});

it.each([
  ['GitHub', { ref: 'a/b', label: 'octo:a/b' }],
  ['Gitea', { ref: 'a/b', label: 'a/b' }],
  ['Gitea, where it is gone', { ref: 'refs/pull/7/head', label: 'a/b' }],
])('a pull request names the git branch that it is from on %s', async (_, head) => {
  const { client } = github({ status: 200, body: { number: 7, state: 'closed', head } });
  expect(await readPullRequest(client, 'octo/api', 7)).toMatchObject({ headRef: 'a/b' });
});

it.each([
  ['GitHub', 'refs/heads/a/b', 'branches/a%2Fb'],
  ['GitHub', 'refs/tags/v1', 'git/ref/tags/v1'],
  ['Gitea', 'refs/heads/a/b', 'branches/a%2Fb'],
  ['Gitea', 'refs/tags/v1', 'tags/v1'],
])('%s is asked for %s at its own path', async (forge, ref, path) => {
  const { client, sent } = github({ status: 200, body: {} });
  expect(await gitRefExists({ ...client, isGitea: forge === 'Gitea' }, 'octo/api', ref)).toBe(true);
  expect(sent).toEqual([`GET /repos/octo/api/${path}`]);
});
