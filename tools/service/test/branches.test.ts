import { describe, expect, it } from 'vitest';
import { call, ready } from './client.ts';
import { service, start } from './started.ts';

describe('listing branches', () => {
  it('finds part of a name, limits the page size, and rejects an invalid cursor', async () => {
    const project = await start({ pageSize: 2 });
    await service.addBranches(['preview/pr-1', 'preview/pr-12', 'x'].map((name) => ({ name })));
    const found = await call(service, 'GET', `${project}/branches?search=pr-1&limit=50`);
    expect(found.body.branches.map(({ name }: { name: string }) => name).sort()).toEqual([
      'preview/pr-1',
      'preview/pr-12',
    ]);
    expect((await call(service, 'GET', `${project}/branches?search=pr-1&limit=1`)).body.pagination.next).toBeDefined();
    expect((await call(service, 'GET', `${project}/branches?cursor=nonsense`)).status).toBe(400);
    expect((await call(service, 'GET', `${project}/branches`)).body.branches).toHaveLength(2);
  });
});

describe('updating and deleting a branch', () => {
  it('sets, changes and removes an expiry, and deletes an expired branch', async () => {
    let now = Date.parse('2030-01-01T00:00:00Z');
    const project = await start({ now: () => now });
    const { body } = await ready(service, 'short');
    const path = `${project}/branches/${body.branch.id}`;
    const set = await call(service, 'PATCH', path, { body: { branch: { expires_at: '2030-01-01T01:00:00Z' } } });
    expect(set.body.branch).toMatchObject({ expires_at: '2030-01-01T01:00:00Z', ttl_interval_seconds: 3_600 });
    const cleared = await call(service, 'PATCH', path, { body: { branch: { expires_at: null } } });
    expect(cleared.body.branch).not.toHaveProperty('expires_at');
    await call(service, 'PATCH', path, { body: { branch: { expires_at: '2030-01-01T02:00:00+01:00' } } });
    now += 3_600_000;
    await call(service, 'GET', project);
    await service.idle();
    expect((await call(service, 'GET', path)).status).toBe(404);
  });

  it('deletes a branch when its operations have finished, then responds with 204', async () => {
    const project = await start({ operationMs: { delete_timeline: Number.POSITIVE_INFINITY } });
    const { body } = await ready(service, 'old');
    const path = `${project}/branches/${body.branch.id}`;
    const deleted = await call(service, 'DELETE', path);
    expect(deleted.body.operations.map(({ action }: { action: string }) => action)).toEqual([
      'suspend_compute',
      'delete_timeline',
    ]);
    expect((await call(service, 'GET', path)).body.branch.pending_state).toBe('storage_deleted');
    expect((await call(service, 'DELETE', path)).status).toBe(423);
    const again = { body: { branch: { name: 'old' } } };
    expect((await call(service, 'POST', `${project}/branches`, again)).status).toBe(423);
    service.release();
    await service.idle();
    expect((await call(service, 'GET', path)).status).toBe(404);
    expect((await call(service, 'DELETE', path)).status).toBe(204);
    expect((await call(service, 'POST', `${project}/branches`, again)).status).toBe(201);
  });
});
