import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { type Service, type ServiceOptions, startService } from '../index.ts';
import { call, ready } from './client.ts';

let service: Service;

async function start(options: ServiceOptions = {}): Promise<string> {
  service = await startService({ compute: 'none', operationMs: 0, ...options });
  return `/projects/${service.projectId}`;
}

afterEach(async () => {
  const { violations } = service;
  await service.stop();
  expect(violations).toEqual([]);
});

it('rejects unknown API keys and does not record any', async () => {
  const project = await start();
  const refused = await call(service, 'GET', project, { key: 'wrong', headers: { 'x-request-id': 'my-id' } });
  expect(refused.status).toBe(401);
  expect(refused.body.request_id).toBe('my-id');
  expect((await call(service, 'GET', '/users/me')).body.email).toContain('@');
  expect(JSON.stringify(service.requests)).not.toContain(service.apiKey);
  expect(service.requests.map(({ status }) => status)).toEqual([401, 200]);
});

it('creates API keys, shows each once, and rejects it after it is revoked', async () => {
  const project = await start();
  const created = await call(service, 'POST', '/api_keys', { body: { key_name: 'job' } });
  const { key, id } = created.body;
  expect(service.secrets).toContain(key);
  expect((await call(service, 'GET', project, { key })).status).toBe(200);
  const listed = await call(service, 'GET', '/api_keys');
  expect(listed.body).toHaveLength(2);
  expect(listed.text).not.toContain(key);
  expect((await call(service, 'DELETE', `/api_keys/${id}`)).body.revoked).toBe(true);
  expect((await call(service, 'GET', project, { key })).status).toBe(401);
  expect((await call(service, 'DELETE', `/api_keys/${id}`)).status).toBe(404);
});

it('isolates projects', async () => {
  const first = await start();
  const created = await call(service, 'POST', '/projects', { body: { project: { name: 'two', pg_version: 17 } } });
  expect(created.status).toBe(201);
  const second = `/projects/${created.body.project.id}`;
  await service.idle();
  await call(service, 'POST', `${second}/branches`, { body: { branch: { name: 'only here' } } });
  expect((await call(service, 'GET', `${first}/branches`)).body.branches).toHaveLength(1);
  expect((await call(service, 'GET', `${second}/branches`)).body.branches).toHaveLength(2);
  expect((await call(service, 'GET', `${first}/branches/${created.body.branch.id}`)).status).toBe(404);
  const page = await call(service, 'GET', '/projects?limit=1');
  const rest = await call(service, 'GET', `/projects?limit=1&cursor=${page.body.pagination.cursor}`);
  expect(new Set([...page.body.projects, ...rest.body.projects].map(({ id }) => id)).size).toBe(2);
  const renamed = await call(service, 'PATCH', second, { body: { project: { name: 'three' } } });
  expect(renamed.body.project.name).toBe('three');
  await service.idle();
  expect((await call(service, 'DELETE', second)).status).toBe(200);
  expect((await call(service, 'GET', second)).status).toBe(404);
});

it('recovers a deleted project, except one that was deleted long before', async () => {
  let now = Date.now();
  await start({ now: () => now });
  const created = await call(service, 'POST', '/projects', { body: { project: { name: 'two' } } });
  const { id } = created.body.project;
  await service.idle();
  await call(service, 'DELETE', `/projects/${id}`);
  const [deleted] = (await call(service, 'GET', '/projects?recoverable=true')).body.projects;
  expect(deleted).toMatchObject({ id, recoverable_until: expect.any(String) });
  const recovered = await call(service, 'POST', `/projects/${id}/recover`);
  expect(recovered.body.branches).toMatchObject([{ id: created.body.branch.id }]);
  expect((await call(service, 'GET', `/projects/${id}/endpoints`)).body.endpoints).toMatchObject([
    { current_state: 'idle' },
  ]);
  await call(service, 'DELETE', `/projects/${id}`);
  now += 8 * 86_400_000;
  expect((await call(service, 'POST', `/projects/${id}/recover`)).status).toBe(404);
});

it('keeps credentials of a branch, and shows each once', async () => {
  const project = await start();
  const path = `${project}/branches/${service.main.id}/credentials`;
  const body = { scopes: ['storage:read'], principal_type: 'user', name: 'ci' };
  const created = await call(service, 'POST', path, { body });
  expect(service.secrets).toContain(created.body.api_token);
  const listed = await call(service, 'GET', path);
  expect(listed.body.credentials).toMatchObject([{ token_id: created.body.token_id, name: 'ci' }]);
  expect(listed.text).not.toContain(created.body.api_token);
  expect((await call(service, 'DELETE', `${path}/${created.body.token_id}`)).status).toBe(204);
  expect((await call(service, 'DELETE', `${path}/${created.body.token_id}`)).status).toBe(404);
});

it('has separate roles and databases for each branch', async () => {
  const project = await start();
  const { body } = await ready(service, 'b');
  const branch = `${project}/branches/${body.branch.id}`;
  const role = await call(service, 'POST', `${branch}/roles`, { body: { role: { name: 'reader' } } });
  expect(role.status).toBe(201);
  expect(role.body.operations[0].action).toBe('apply_config');
  await service.idle();
  expect((await call(service, 'POST', `${branch}/roles`, { body: { role: { name: 'reader' } } })).status).toBe(409);
  const revealed = await call(service, 'GET', `${branch}/roles/reader/reveal_password`);
  expect(revealed.body.password).toBe(role.body.role.password);
  const reset = await call(service, 'POST', `${branch}/roles/reader/reset_password`);
  expect(reset.body.role.password).not.toBe(revealed.body.password);
  await service.idle();
  const database = { name: 'app', owner_name: 'reader' };
  expect((await call(service, 'POST', `${branch}/databases`, { body: { database } })).status).toBe(201);
  await service.idle();
  expect((await call(service, 'POST', `${branch}/databases`, { body: { database } })).status).toBe(409);
  expect((await call(service, 'DELETE', `${branch}/roles/reader`)).status).toBe(422);
  const renamed = await call(service, 'PATCH', `${branch}/databases/app`, { body: { database: { name: 'app2' } } });
  expect(renamed.body.database).toMatchObject({ name: 'app2', owner_name: 'reader' });
  await service.idle();
  expect((await call(service, 'DELETE', `${branch}/databases/app2`)).status).toBe(200);
  await service.idle();
  expect((await call(service, 'DELETE', `${branch}/databases/app2`)).status).toBe(204);
  expect((await call(service, 'DELETE', `${branch}/roles/reader`)).status).toBe(200);
  const main = `${project}/branches/${service.main.id}`;
  expect((await call(service, 'GET', `${main}/roles`)).body.roles).toHaveLength(1);
  expect((await call(service, 'GET', `${main}/databases`)).body.databases).toHaveLength(1);
});

it('creates, suspends, starts, updates and deletes compute endpoints', async () => {
  const project = await start();
  const bare = await service.addBranch({ name: 'bare', endpoint: false });
  const endpoint = { branch_id: bare.id, type: 'read_write' };
  const created = await call(service, 'POST', `${project}/endpoints`, { body: { endpoint } });
  expect(created.status).toBe(201);
  await service.idle();
  expect((await call(service, 'POST', `${project}/endpoints`, { body: { endpoint } })).status).toBe(409);
  const path = `${project}/endpoints/${created.body.endpoint.id}`;
  const state = async (): Promise<string> => (await call(service, 'GET', path)).body.endpoint.current_state;
  for (const [verb, operations, after] of [
    ['suspend', 1, 'idle'],
    ['suspend', 0, 'idle'],
    ['start', 1, 'active'],
    ['restart', 2, 'active'],
  ] as const) {
    expect((await call(service, 'POST', `${path}/${verb}`)).body.operations).toHaveLength(operations);
    await service.idle();
    expect(await state()).toBe(after);
  }
  const patched = await call(service, 'PATCH', path, { body: { endpoint: { autoscaling_limit_max_cu: 4 } } });
  expect(patched.body.endpoint.autoscaling_limit_max_cu).toBe(4);
  await service.idle();
  expect((await call(service, 'DELETE', path)).status).toBe(200);
  await service.idle();
  expect((await call(service, 'DELETE', path)).status).toBe(204);
  expect((await call(service, 'GET', `${project}/branches/${bare.id}/endpoints`)).body.endpoints).toEqual([]);
});

it('responds with 404 for Auth and the Data API until they are enabled', async () => {
  const project = await start();
  const branch = `${project}/branches/${service.main.id}`;
  expect((await call(service, 'GET', `${branch}/auth`)).status).toBe(404);
  expect((await call(service, 'GET', `${branch}/data-api/neondb`)).status).toBe(404);
  service.enable('main', { auth: true, dataApi: true });
  expect((await call(service, 'GET', `${branch}/auth`)).body.base_url).toMatch(/^https:/);
  expect((await call(service, 'GET', `${branch}/data-api/neondb`)).body.url).toMatch(/^https:/);
});

it('uses the given password, percent-encoded in URIs', async () => {
  const password = 'p%@/:?#\'"\\é ';
  await start({ password });
  const { body } = await ready(service, 'hostile');
  const [{ connection_uri: uri, connection_parameters: parameters }] = body.connection_uris;
  expect(parameters.password).toBe(password);
  expect(decodeURIComponent(new URL(uri).password)).toBe(password);
  expect(service.secrets).toContain(password);
});

it('limits requests per minute, and per second for each route', async () => {
  // All requests at the same time.
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const project = await start({ rateLimit: { perMinute: 5, perSecond: 3 } });
  const statuses: number[] = [];
  for (let n = 0; n < 4; n++) statuses.push((await call(service, 'GET', project)).status);
  for (let n = 0; n < 3; n++) statuses.push((await call(service, 'GET', '/users/me')).status);
  expect(statuses).toEqual([200, 200, 200, 429, 200, 200, 429]);
  const refused = await call(service, 'GET', '/users/me');
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
});
