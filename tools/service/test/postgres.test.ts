import { existsSync } from 'node:fs';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Service, startService } from '../index.ts';
import { call, ready } from './client.ts';

const PASSWORD = 'p%@/:?#\'"\\é';
let service: Service;
let project: string;
let passwords = 0;

beforeAll(async () => {
  service = await startService({
    operationMs: 0,
    password: () => `${PASSWORD}${++passwords}`,
    seed: 'CREATE TABLE people (id int PRIMARY KEY, name text); INSERT INTO people SELECT n, n FROM generate_series(1, 500) n',
  });
  project = `/projects/${service.projectId}`;
});

afterAll(async () => {
  const { violations } = service;
  await service.stop();
  expect(violations).toEqual([]);
});

/** Runs SQL on a new connection that verifies the certificate. */
async function query(uri: string, sql: string): Promise<Record<string, unknown>[]> {
  const url = new URL(uri);
  url.search = '';
  const ssl = { ca: service.certificate ?? '', servername: 'localhost' };
  const client = new pg.Client({ connectionString: url.href, ssl, enableChannelBinding: true });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('a branch', () => {
  it('has the rows of its parent, and its changes do not affect the parent', async () => {
    const { body } = await ready(service, 'own');
    const uri = body.connection_uris[0].connection_uri;
    expect(uri).toMatch(/@127(\.\d+){3}(:\d+)?\/neondb\?sslmode=require&channel_binding=require$/);
    expect(service.operations().every(({ status }) => status === 'finished')).toBe(true);
    expect(await query(uri, 'SELECT count(*)::int AS n FROM people')).toEqual([{ n: 500 }]);
    await query(uri, 'DELETE FROM people WHERE id > 100; ALTER TABLE people ADD COLUMN age int');
    expect(await query(uri, 'SELECT count(*)::int AS n FROM people')).toEqual([{ n: 100 }]);
    expect(await query(service.main.uri, 'SELECT count(*)::int AS n FROM people')).toEqual([{ n: 500 }]);
    const [session] = await query(
      uri,
      `SELECT current_user AS role, ssl, rolsuper AS super FROM pg_stat_ssl, pg_roles WHERE pid = pg_backend_pid() AND rolname = current_user`,
    );
    expect(session).toEqual({ role: 'neondb_owner', ssl: true, super: false });
  });

  it('has rows that the parent committed immediately before', async () => {
    await service.query('main', 'CREATE TABLE late (n int); INSERT INTO late SELECT generate_series(1, 20000)');
    const { body } = await ready(service, 'late');
    expect(await query(body.connection_uris[0].connection_uri, 'SELECT max(n) AS n FROM late')).toEqual([
      { n: 20_000 },
    ]);
    expect(body.branch.parent_lsn).toMatch(/^[0-9A-F]+\/[0-9A-F]+$/);
  });

  it('can be created while its parent is being written to', async () => {
    await service.query('main', 'CREATE TABLE pairs (a int, b int)');
    let writing = true;
    const writer = (async () => {
      for (let n = 0; writing; n++) await service.query('main', `INSERT INTO pairs VALUES (${n}, ${n})`);
    })();
    const { body } = await ready(service, 'busy parent');
    writing = false;
    await writer;
    const [row] = await query(
      body.connection_uris[0].connection_uri,
      'SELECT count(*)::int AS n, count(*) FILTER (WHERE a = b)::int AS same, max(a) + 1 AS next FROM pairs',
    );
    expect(row?.same).toBe(row?.n);
    expect(row?.next ?? 0).toBe(row?.n);
  });

  it('holds connections until it is ready, and refuses them after it is deleted', async () => {
    service.faults.operation({ action: 'create_branch', outcome: 'recovers', retryMs: 150, times: 1 });
    const created = await call(service, 'POST', `${project}/branches`, {
      body: { branch: { name: 'slow' }, endpoints: [{ type: 'read_write' }] },
    });
    const uri = created.body.connection_uris[0].connection_uri;
    expect(service.branch('slow')?.current_state).toBe('init');
    expect(await query(uri, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(service.branch('slow')?.current_state).toBe('ready');
    await service.idle();
    await call(service, 'DELETE', `${project}/branches/${created.body.branch.id}`);
    await service.idle();
    await expect(query(uri, 'SELECT 1')).rejects.toThrow();
  });

  it('is started by a connection if it is suspended', async () => {
    const { body } = await ready(service, 'sleeper');
    const uri = body.connection_uris[0].connection_uri;
    const endpoint = `${project}/endpoints/${body.endpoints[0].id}`;
    await call(service, 'POST', `${endpoint}/suspend`);
    await service.idle();
    expect((await call(service, 'GET', endpoint)).body.endpoint.current_state).toBe('idle');
    expect(await query(uri, 'SELECT count(*)::int AS n FROM people')).toEqual([{ n: 500 }]);
    expect((await call(service, 'GET', endpoint)).body.endpoint.current_state).toBe('active');
  });
});

it('is independent of other services and leaves nothing when it stops', async () => {
  const other = await startService({ operationMs: 0, seed: 'CREATE TABLE mine (n int)' });
  const folder = String((await other.query('main', 'SHOW data_directory', { role: 'cloud_admin' }))[0]?.data_directory);
  await expect(service.query('main', 'SELECT * FROM mine')).rejects.toThrow(/does not exist/);
  const pid = Number((await other.query('main', 'SELECT pg_backend_pid() AS pid'))[0]?.pid);
  expect(pid).toBeGreaterThan(0);
  expect(existsSync(folder)).toBe(true);
  await other.stop();
  await other.stop();
  expect(existsSync(folder.replace(/\/b\d+\/data$/, ''))).toBe(false);
  await expect(call(other, 'GET', '/users/me')).rejects.toThrow('fetch failed');
});
