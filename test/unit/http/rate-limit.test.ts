import { expect, it } from 'vitest';
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

it('fails other requests as it has failed the first one if it outlasts the step', async () => {
  const { api, sent, clock } = mockApi([{ status: 429, headers: { 'retry-after': '8' } }], { timeoutMs: 9_000 });
  const request = () => api.request({ goal: 'x', method: 'GET', path: '/a', read: () => undefined });
  await expect(request()).rejects.toThrow('gave up');
  await expect(request()).rejects.toThrow('gave up');
  expect({ sent: sent.length, pauses: clock.pauses }).toEqual({ sent: 2, pauses: [] });
});
