import { afterEach, describe, expect, it } from 'vitest';
import { type Service, startService } from '../index.ts';
import { call } from './client.ts';

let service: Service;
afterEach(async () => {
  const { violations } = service;
  await service.stop();
  expect(violations).toEqual([]);
});

describe('kinds that follow the REST convention', () => {
  it.each(['teams', 'workspaces'])('creates, lists, gets, updates and deletes %s', async (kind) => {
    service = await startService({ compute: 'none' });
    const singular = kind.slice(0, -1);
    const created = await call(service, 'POST', `/${kind}`, { body: { [singular]: { name: 'a', size: 1 } } });
    expect(created.status).toBe(201);
    const { id } = created.body[singular];
    expect((await call(service, 'POST', `/${kind}`, { body: { [singular]: { name: 'a' } } })).status).toBe(409);
    await call(service, 'POST', `/${kind}`, { body: { name: 'b' } });
    const page = await call(service, 'GET', `/${kind}?limit=1`);
    const rest = await call(service, 'GET', `/${kind}?limit=1&cursor=${page.body.pagination.cursor}`);
    expect([...page.body[kind], ...rest.body[kind]].map(({ name }) => name)).toEqual(['a', 'b']);
    expect(rest.body.pagination).toBeUndefined();
    const changed = await call(service, 'PATCH', `/${kind}/${id}`, { body: { [singular]: { size: 2 } } });
    expect(changed.body[singular]).toMatchObject({ id, name: 'a', size: 2 });
    expect((await call(service, 'GET', `/${kind}/${id}`)).body[singular].size).toBe(2);
    expect((await call(service, 'DELETE', `/${kind}/${id}`)).status).toBe(200);
    expect((await call(service, 'GET', `/${kind}/${id}`)).status).toBe(404);
  });

  it('takes the ID of a cluster from the query or the body, because there is only the collection path', async () => {
    service = await startService({ compute: 'none' });
    const created = await call(service, 'POST', '/clusters', { body: { cluster: { name: 'c' } } });
    const { id } = created.body.cluster;
    expect((await call(service, 'GET', '/clusters')).body.clusters).toHaveLength(1);
    expect((await call(service, 'GET', `/clusters?id=${id}`)).body.cluster.name).toBe('c');
    const inQuery = await call(service, 'PATCH', `/clusters?id=${id}`, { body: { cluster: { name: 'd' } } });
    expect(inQuery.body.cluster).toMatchObject({ id, name: 'd' });
    const inBody = await call(service, 'PATCH', '/clusters', { body: { cluster: { id, name: 'e' } } });
    expect(inBody.body.cluster.name).toBe('e');
    expect((await call(service, 'PATCH', '/clusters', { body: { cluster: { name: 'f' } } })).status).toBe(400);
    expect((await call(service, 'DELETE', '/clusters', { body: { id } })).status).toBe(200);
    expect((await call(service, 'DELETE', `/clusters?id=${id}`)).status).toBe(404);
  });
});
