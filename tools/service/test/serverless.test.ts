import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Service, startService } from '../index.ts';

/** What the package `@neondatabase/serverless` sends; test/clients has the package itself. */
let service: Service;
beforeAll(async () => {
  service = await startService({ operationMs: 0 });
});
afterAll(() => service.stop());

async function sql(body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${service.origin}/sql`, {
    method: 'POST',
    headers: { 'neon-connection-string': service.main.uri, ...headers },
    body: JSON.stringify(body),
  });
  // biome-ignore lint/suspicious/noExplicitAny: the body has the shape that the test expects
  return { status: response.status, body: (await response.json()) as any };
}

it('runs a query over HTTP', async () => {
  const { status, body } = await sql({ query: 'SELECT $1::int + 1 AS n, NULL AS no', params: ['41'] });
  expect(status).toBe(200);
  expect(body).toMatchObject({ command: 'SELECT', rowCount: 1, rows: [['42', null]], rowAsArray: true });
  expect(body.fields).toMatchObject([{ name: 'n', dataTypeID: 23 }, { name: 'no' }]);
});

it('runs several queries as one transaction', async () => {
  const queries = [{ query: 'SHOW transaction_isolation' }, { query: 'SHOW transaction_read_only' }];
  const modes = { 'neon-batch-isolation-level': 'RepeatableRead', 'neon-batch-read-only': 'true' };
  const { body } = await sql({ queries }, modes);
  expect(body.results.map(({ rows }: { rows: unknown }) => rows)).toEqual([[['repeatable read']], [['on']]]);
  await sql({ queries: [{ query: 'CREATE TABLE half (id integer)' }, { query: 'SELECT 1 / 0' }] });
  expect((await sql({ query: "SELECT to_regclass('half')" })).body.rows).toEqual([[null]]);
});

it('says what Postgres says about a query that fails', async () => {
  const { status, body } = await sql({ query: 'SELECT nothing' });
  expect({ status, ...body }).toMatchObject({ status: 400, code: '42703', severity: 'ERROR', position: '8' });
});

it('connects to its own endpoints only', async () => {
  const other = service.main.uri.replace(/@[^/]+/, '@192.0.2.1');
  expect((await sql({ query: 'SELECT 1' }, { 'neon-connection-string': other })).status).toBe(400);
  const socket = new WebSocket(`${service.origin.replace('http', 'ws')}/v2?address=192.0.2.1:5432`);
  const [event] = await once(socket, 'error');
  expect(event).toBeDefined();
});

it('connects a WebSocket to Postgres', async () => {
  const { hostname, port } = new URL(service.main.uri);
  const socket = new WebSocket(`${service.origin.replace('http', 'ws')}/v2?address=${hostname}:${port || 5432}`);
  socket.binaryType = 'arraybuffer';
  await once(socket, 'open');
  const startup = Buffer.from(`\0\0\0\0\0\x03\0\0user\0neondb_owner\0database\0neondb\0\0`, 'latin1');
  startup.writeUInt32BE(startup.length, 0);
  socket.send(startup);
  const [{ data }] = await once(socket, 'message');
  expect(Buffer.from(data).toString('latin1')).toMatch(/^R.*SCRAM-SHA-256/s);
  const closed = once(socket, 'close');
  socket.close();
  await closed;
});
