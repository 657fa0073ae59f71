import type { Client } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { deadlineIn, systemClock } from '../../../src/http/clock.ts';
import { StoppedError } from '../../../src/http/errors.ts';
import { connectWhenReady } from '../../../src/postgres/connect.ts';
import { type Relation, rowCounter } from '../../../src/rehearse/catalog.ts';
import { selfSigned } from '../../../tools/service/certificate.ts';
import { accepted, startPostgresServer } from '../../support/postgres-server.ts';

const reason = new StoppedError('timeout', 'Timed out after 10m (`timeout`)');

it.each(['require', 'disable'])('a query that the deadline cuts rejects with its reason (sslmode=%s)', async (mode) => {
  // Says nothing after the login.
  const login = (_: number, message: number) => (message === 1 ? accepted : Buffer.alloc(0));
  const server = await startPostgresServer({ ...(mode === 'require' ? { tls: selfSigned() } : {}), login });
  onTestFinished(() => server.close());
  const controller = new AbortController();
  const { client, close } = await connectWhenReady({
    uri: `postgresql://owner:secret@${server.host}/neondb?sslmode=${mode}`,
    ...{ feature: 'rehearse', clock: systemClock, onRetry() {} },
    deadline: deadlineIn(60_000, { signal: controller.signal, clock: systemClock }),
  });
  const query = client.query('SELECT $1', ['slow']);
  controller.abort(reason);
  await expect(query).rejects.toBe(reason);
  await close();
});

it('rows that may not be counted are unknown, but a lost connection is an error', async () => {
  const counting = (error: Error) =>
    rowCounter({ query: () => Promise.reject(error) } as unknown as Client)({ name: 'users' } as Relation);
  expect(
    await counting(Object.assign(new Error('query would be affected by row-level security'), { code: '42501' })),
  ).toBe(null);
  await expect(counting(reason)).rejects.toBe(reason);
});
