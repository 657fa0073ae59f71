import { expect, it } from 'vitest';
import { ApiError } from '../../../src/http/errors.ts';
import { mockApi } from '../../support/mock-api.ts';

it('delays every other request while one is rate-limited', async () => {
  const times: number[] = [];
  const mock = mockApi((_, nth) => {
    times.push(mock.clock.now() - start);
    return nth === 1 ? { status: 429, headers: { 'retry-after': '8' } } : { body: {} };
  });
  const start = mock.clock.now();
  const request = (path: string) => mock.api.request({ goal: 'x', method: 'GET', path, read: () => undefined });
  // Requested while the first one waits, before any time has passed.
  const others: Promise<unknown>[] = [];
  mock.clock.onSleep = () => {
    mock.clock.onSleep = () => {};
    others.push(request('/b'), request('/c'));
  };
  await request('/a');
  await Promise.all(others);
  expect(times).toHaveLength(4);
  expect(times[0]).toBe(0);
  expect(Math.min(...times.slice(1))).toBeGreaterThanOrEqual(8_000);
});

it('fails other requests even if it ends exactly with the step', async () => {
  const { api, clock } = mockApi([{ status: 429, headers: { 'retry-after': '8' } }], { timeoutMs: 9_000 });
  const request = () => api.request({ goal: 'x', method: 'GET', path: '/a', read: () => undefined });
  await expect(request()).rejects.toThrow('gave up');
  await expect(request()).rejects.toMatchObject({ attempts: 0, message: expect.stringContaining('not sent') });
  expect(clock.pauses).toEqual([]);
});

it('fails every other request at once if the rate limit outlasts the step', async () => {
  const headers = { 'retry-after': '3600' };
  const mock = mockApi((_, nth) => (nth === 1 ? { status: 429, headers } : { body: {} }), { timeoutMs: 600_000 });
  const { api, clock, sent } = mock;
  const request = (path: string) =>
    api
      .request({ goal: `see ${path}`, method: 'POST', path, read: () => undefined })
      .catch((error: unknown) => error as ApiError);
  const first = await request('/a');
  const [second, third] = await Promise.all([request('/b'), request('/c')]);
  expect(first).toMatchObject({
    status: 429,
    message: expect.stringMatching(/^Could not see \/a: 429;/),
  });
  for (const [path, error] of [
    ['/b', second],
    ['/c', third],
  ] as const) {
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 429, mayHaveActed: false, failure: { mayHaveActed: false } });
    expect((error as ApiError).message).toMatch(
      new RegExp(
        `^Could not see ${path}: the request was not sent, because the service is rate-limiting requests \\(429\\) for another 1h( \\d+m)?, `,
      ),
    );
  }
  expect({ sent: sent.length, pauses: clock.pauses }).toEqual({ sent: 1, pauses: [] });
});
