import { expect, it } from 'vitest';
import { mockApi } from '../../support/mock-api.ts';

it('holds back every other request while one has met the rate limit', async () => {
  const times: number[] = [];
  const mock = mockApi((_, nth) => {
    times.push(mock.clock.now() - start);
    return nth === 1 ? { status: 429, headers: { 'retry-after': '8' } } : { body: {} };
  });
  const start = mock.clock.now();
  const request = (path: string) => mock.api.request({ goal: 'x', method: 'GET', path, read: () => undefined });
  // asked for while the first one pauses, before any time has passed
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
