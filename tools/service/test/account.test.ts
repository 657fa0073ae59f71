import { afterEach, expect, it } from 'vitest';
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
