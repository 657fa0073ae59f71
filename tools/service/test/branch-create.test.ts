import { describe, expect, it } from 'vitest';
import { call, ready } from './client.ts';
import { service, start } from './started.ts';

describe('creating a branch', () => {
  it('responds with the branch, its endpoint, two operations and a connection URI', async () => {
    const project = await start();
    const { status, body } = await call(service, 'POST', `${project}/branches`, {
      body: {
        branch: {
          name: 'preview/pr-1 #2',
          expires_at: new Date(Date.now() + 3_600_000).toISOString(),
        },
        endpoints: [{ type: 'read_write', suspend_timeout_seconds: 60, autoscaling_limit_max_cu: 1 }],
        annotation_value: { 'github-pr-number': '1' },
      },
    });
    expect(status).toBe(201);
    expect(body.branch).toMatchObject({ name: 'preview/pr-1 #2', parent_id: service.main.id });
    expect(body.branch.expires_at).toMatch(/:\d\dZ$/);
    expect(body.operations.map(({ action }: { action: string }) => action)).toEqual(['create_branch', 'start_compute']);
    expect(body.endpoints[0]).toMatchObject({ branch_id: body.branch.id, suspend_timeout_seconds: 60 });
    const [{ connection_uri: uri, connection_parameters: parameters }] = body.connection_uris;
    expect(uri).toBe(
      `postgresql://neondb_owner:${parameters.password}@${parameters.host}/neondb?sslmode=require&channel_binding=require`,
    );
    expect(parameters.host).toBe(`${body.endpoints[0].id}.local.test`);
    expect(parameters.pooler_host).toBe(`${body.endpoints[0].id}-pooler.local.test`);
    expect([...service.secrets]).toEqual(expect.arrayContaining([uri, parameters.password, service.apiKey]));

    await service.idle();
    expect(service.branch('preview/pr-1 #2')?.current_state).toBe('ready');
    expect(service.annotations('preview/pr-1 #2')).toEqual({ 'github-pr-number': '1' });
    const read = await call(service, 'GET', `${project}/branches/${body.branch.id}`);
    expect(read.body.annotation.value).toEqual({ 'github-pr-number': '1' });
  });

  it.each([
    ['a branch beyond the limit', { branchLimit: 1 }, {}, 422, 'BRANCHES_LIMIT_EXCEEDED'],
    [
      'a root branch beyond the limit',
      { rootBranchLimit: 1 },
      { init_source: 'schema-only' },
      422,
      'ROOT_BRANCHES_LIMIT_EXCEEDED',
    ],
    ['a parent that does not exist', {}, { parent_id: 'br-nowhere-0' }, 404, ''],
    ['an expiry too far ahead', {}, { expires_at: '2126-01-01T00:00:00Z' }, 422, ''],
    ['a timestamp in the future', {}, { parent_timestamp: '2126-01-01T00:00:00Z' }, 422, ''],
  ])('rejects %s', async (_, options, branch, status, code) => {
    const project = await start(options);
    const response = await call(service, 'POST', `${project}/branches`, { body: { branch } });
    expect([response.status, response.body.code]).toEqual([status, code]);
    expect(service.branches()).toHaveLength(1);
  });

  it('does not find a new branch within the propagation window', async () => {
    const project = await start({ propagation: { reads: 2, changes: 1, lists: 1 } });
    const { body } = await ready(service, 'fresh');
    const path = `${project}/branches/${body.branch.id}`;
    const names = async (): Promise<string[]> =>
      (await call(service, 'GET', `${project}/branches`)).body.branches.map(({ name }: { name: string }) => name);
    expect(await names()).toEqual(['main']);
    expect((await names()).sort()).toEqual(['fresh', 'main']);
    const reads = [await call(service, 'GET', path), await call(service, 'GET', `${path}/endpoints`)];
    expect(reads.map(({ status }) => status)).toEqual([404, 404]);
    expect((await call(service, 'GET', path)).status).toBe(200);
    const rename = { body: { branch: { name: 'renamed' } } };
    expect((await call(service, 'PATCH', path, rename)).status).toBe(422);
    expect((await call(service, 'PATCH', path, rename)).status).toBe(200);
  });
});
