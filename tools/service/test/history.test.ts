import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Service, startService } from '../index.ts';
import { type ClientResponse, call, ready } from './client.ts';

let service: Service;
let project: string;

beforeAll(async () => {
  service = await startService({
    operationMs: 0,
    seed: 'CREATE TABLE people (id int PRIMARY KEY, name text); INSERT INTO people SELECT n, n FROM generate_series(1, 100) n',
  });
  project = `/projects/${service.projectId}`;
});

afterAll(async () => {
  const { violations } = service;
  await service.stop();
  expect(violations).toEqual([]);
});

const count = async (branch: string): Promise<unknown> =>
  (await service.query(branch, 'SELECT count(*)::int AS n FROM people'))[0]?.n;

async function restore(branch: string, body: Record<string, unknown>): Promise<ClientResponse> {
  const response = await call(service, 'POST', `${project}/branches/${service.branch(branch)?.id}/restore`, { body });
  await service.idle();
  expect(service.operations().filter(({ status }) => status !== 'finished')).toEqual([]);
  return response;
}

/** The current time, with no commit within the same millisecond. */
async function currentTime(): Promise<string> {
  await sleep(5);
  const now = new Date().toISOString();
  await sleep(5);
  return now;
}

it('restores the head of the parent and keeps address, roles and passwords', async () => {
  const { body } = await ready(service, 'reset me');
  const uri = service.uri('reset me');
  await service.query('reset me', 'DROP TABLE people; CREATE TABLE other (n int)');
  await service.query('main', 'INSERT INTO people SELECT n, n FROM generate_series(101, 150) n');
  const { body: restored } = await restore('reset me', { source_branch_id: service.main.id });
  expect(restored.operations.map(({ action }: { action: string }) => action)).toEqual([
    'suspend_compute',
    'create_timeline',
    'start_compute',
  ]);
  expect(restored.branch.current_state).toBe('resetting');
  expect(await count('reset me')).toBe(150);
  expect(service.uri('reset me')).toBe(uri);
  expect(service.branch('reset me')).toMatchObject({ id: body.branch.id, current_state: 'ready' });
  expect(service.branch('reset me')?.last_reset_at).toBeDefined();
  await service.query('main', 'DELETE FROM people WHERE id > 100');
});

it('creates and restores branches at a past time or LSN, also from the branch itself', async () => {
  const lsnOf = async (branch: string): Promise<unknown> =>
    (await service.query(branch, 'SELECT pg_current_wal_flush_lsn()::text AS lsn', { role: 'cloud_admin' }))[0]?.lsn;
  const before = await currentTime();
  await service.query('main', 'SET synchronous_commit = on; DELETE FROM people WHERE id > 60');
  const between = await lsnOf('main');
  await service.query('main', 'SET synchronous_commit = on; DELETE FROM people WHERE id > 10');

  const then = await ready(service, 'then', { parent_timestamp: before });
  expect(then.status).toBe(201);
  expect(await count('then')).toBe(100);
  expect((await ready(service, 'in between', { parent_lsn: between })).status).toBe(201);
  expect(await count('in between')).toBe(60);
  expect((await ready(service, 'now')).status).toBe(201);
  expect(await count('now')).toBe(10);

  await service.query('then', 'CREATE TABLE mine (n int)');
  const later = await currentTime();
  await service.query('then', 'DROP TABLE mine; DELETE FROM people');
  const self = { source_branch_id: service.branch('then')?.id, source_timestamp: later };
  const refused = await restore('then', self);
  expect(refused.status).toBe(422);
  const back = await restore('then', { ...self, preserve_under_name: 'then, broken' });
  expect(back.status).toBe(200);
  const backup = service.branch('then, broken');
  expect([back.body.branch.parent_id, service.branch('then')?.parent_id]).toEqual([backup?.id, backup?.id]);
  expect(backup?.parent_id).toBe(service.main.id);
  expect(await count('then')).toBe(100);
  expect(await service.query('then', 'SELECT count(*)::int AS n FROM mine')).toEqual([{ n: 0 }]);
  expect(await count('then, broken')).toBe(0);

  expect((await restore('then', { source_branch_id: service.main.id, source_timestamp: before })).status).toBe(200);
  expect(await count('then')).toBe(100);
  const child = await ready(service, 'child of the past', { parent_id: service.branch('in between')?.id });
  expect(child.status).toBe(201);
  expect(await count('child of the past')).toBe(60);
});

it('rejects a time or LSN outside of the history', async () => {
  const create = (branch: Record<string, unknown>) => ready(service, 'never', branch);
  expect((await create({ parent_timestamp: '2020-01-01T00:00:00Z' })).status).toBe(422);
  expect((await create({ parent_lsn: 'FF/0' })).status).toBe(422);
  expect((await create({ parent_lsn: '0/1' })).status).toBe(422);
  expect((await create({ parent_lsn: 'everywhere' })).status).toBe(400);
  expect((await create({ parent_lsn: '0/1', parent_timestamp: '2020-01-01T00:00:00Z' })).status).toBe(400);
  expect(service.branch('never')).toBeUndefined();
});

it('creates a schema-only root branch with roles and passwords but no rows', async () => {
  await service.query(
    'main',
    'CREATE TABLE refs (id serial PRIMARY KEY, person int REFERENCES people); INSERT INTO refs (person) VALUES (1), (2)',
  );
  const { body, status } = await ready(service, 'bare', { init_source: 'schema-only' });
  expect(status).toBe(201);
  expect(body.branch).not.toHaveProperty('parent_id');
  expect(body.branch.init_source).toBe('schema-only');
  expect(await count('bare')).toBe(0);
  await service.query('bare', "INSERT INTO people VALUES (1, 'x')");
  expect(await service.query('bare', 'INSERT INTO refs (person) VALUES (1) RETURNING id')).toEqual([{ id: 1 }]);
  expect(new URL(service.uri('bare')).password).toBe(new URL(service.main.uri).password);
});
