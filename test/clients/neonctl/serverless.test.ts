import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Service, startService } from '../../../tools/service/index.ts';

// A variable, so that the types can be checked without this folder's packages.
const driver = '@neondatabase/serverless';
const { Client, neon, neonConfig } = await import(driver);

let service: Service;
beforeAll(async () => {
  service = await startService({ operationMs: 5, seed: `CREATE TABLE t (id integer, at timestamptz, tags text[])` });
  // As `npm run service` prints it.
  Object.assign(neonConfig, {
    fetchEndpoint: `${service.origin}/sql`,
    wsProxy: `${new URL(service.origin).host}/v2`,
    useSecureWebSocket: false,
    pipelineConnect: false,
  });
});
afterAll(() => service.stop());

it('the serverless driver queries over HTTP', async () => {
  const sql = neon(service.main.uri);
  const at = new Date('2026-01-02T03:04:05Z');
  await sql`INSERT INTO t VALUES (${1}, ${at}, ${['a', 'b']})`;
  expect(await sql`SELECT * FROM t`).toEqual([{ id: 1, at, tags: ['a', 'b'] }]);
  const [inserted, counted] = await sql.transaction(
    [sql`INSERT INTO t VALUES (2, now(), NULL)`, sql`SELECT count(*) FROM t`],
    { isolationLevel: 'RepeatableRead' },
  );
  expect([inserted, counted]).toEqual([[], [{ count: '2' }]]);
  await expect(sql.transaction([sql`DELETE FROM t`], { readOnly: true })).rejects.toThrow('read-only transaction');
  await expect(sql`SELECT nothing`).rejects.toMatchObject({
    code: '42703',
    message: expect.stringContaining('nothing'),
  });
  await expect(neon(service.main.uri.replace(/@[^/]+/, '@example.com'))`SELECT 1`).rejects.toThrow('no endpoint');
});

it('the serverless driver queries over a WebSocket', async () => {
  const client = new Client({ connectionString: service.uri('main', { pooled: true }) });
  await client.connect();
  await client.query('BEGIN');
  await client.query("SET LOCAL application_name = 'over a WebSocket'");
  // more than fits into one frame with a short length
  const { rows } = await client.query(
    "SELECT current_setting('application_name') AS name, repeat('x', 100000) AS long",
  );
  expect(rows).toEqual([{ name: 'over a WebSocket', long: 'x'.repeat(100_000) }]);
  await client.query('COMMIT');
  for (const length of [300, 70_000]) {
    expect((await client.query('SELECT length($1) AS n', ['x'.repeat(length)])).rows).toEqual([{ n: length }]);
  }
  await client.end();
});
