import { expect, it } from 'vitest';
import { mockApi, type Reply } from '../../support/mock-api.ts';
import { failure, get, ok, post } from '../../support/requests.ts';

const unknown: Reply = { status: 404 };
const notReady: Reply = { status: 422 };

it('retries a 404 to a request about what this step has created, and a 422 to a change of it', async () => {
  const { api, sent } = mockApi([unknown, ok, unknown, notReady, ok, unknown, ok]);
  api.created('br-1');
  await get(api, { path: '/branches/br-1' });
  await post(api, { body: { endpoint: { branch_id: 'br-1' } } });
  await get(api, { path: '/connection_uri', query: { branch_id: 'br-1', pooled: true } });
  expect(sent).toHaveLength(7);
});

it('retries no other response, and nothing about other objects', async () => {
  const { api, sent } = mockApi((_, nth) => (nth === 1 ? notReady : unknown));
  api.created('br-1');
  await failure(get(api, { path: '/branches/br-1' }));
  await failure(get(api, { path: '/branches/br-2' }));
  expect(sent).toHaveLength(2);
});

it('believes the service after ten seconds', async () => {
  const { api, clock } = mockApi([unknown]);
  api.created('br-1');
  const began = clock.now();
  await failure(get(api, { path: '/branches/br-1' }));
  expect(clock.now() - began).toBeGreaterThanOrEqual(10_000);
  expect(clock.now() - began).toBeLessThan(12_500);
});

it('believes a 404 where there may be none', async () => {
  const { api, sent } = mockApi([unknown]);
  api.created('br-1');
  await failure(get(api, { path: '/branches/br-1/auth', mayBeNone: true }));
  expect(sent).toHaveLength(1);
});
