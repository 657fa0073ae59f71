import { afterEach, describe, expect, it } from 'vitest';
import { type Service, type ServiceOptions, startService } from '../../service/index.ts';
import { call, ready } from './client.ts';

let service: Service;

async function start(options: ServiceOptions = {}): Promise<string> {
  service = await startService({ compute: 'none', operationMs: 5, ...options });
  return `/projects/${service.projectId}`;
}

afterEach(async () => {
  const { violations } = service;
  await service.stop();
  expect(violations).toEqual([]);
});

describe('create', () => {
  it('answers the branch, its compute, two operations and where to connect', async () => {
    const project = await start();
    const { status, body } = await call(service, 'POST', `${project}/branches`, {
      body: {
        branch: {
          name: 'preview/pr-1 #2',
          expires_at: new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+/, ''),
        },
        endpoints: [{ type: 'read_write', suspend_timeout_seconds: 60, autoscaling_limit_max_cu: 1 }],
        annotation_value: { 'github-pr-number': '1' },
      },
    });
    expect(status).toBe(201);
    expect(body.branch).toMatchObject({ name: 'preview/pr-1 #2', parent_id: service.main.id, current_state: 'init' });
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

  it('refuses a taken name with 409, whatever the rest says', async () => {
    const project = await start();
    await ready(service, 'taken');
    const { status, body } = await call(service, 'POST', `${project}/branches`, {
      body: { branch: { name: 'taken' } },
    });
    expect(status).toBe(409);
    expect(body.code).toBe('BRANCH_ALREADY_EXISTS');
  });

  it('makes one branch when twenty ask for the same name at once', async () => {
    const project = await start();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        call(service, 'POST', `${project}/branches`, {
          body: { branch: { name: 'one' }, endpoints: [{ type: 'read_write' }] },
        }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
    expect(service.branches().filter(({ name }) => name === 'one')).toHaveLength(1);
    expect(service.endpoints()).toHaveLength(2);
  });

  it('carries no connection details where there is a choice, and none without a compute', async () => {
    const project = await start({ roles: ['second'] });
    const { body } = await ready(service, 'choice');
    expect(body.connection_uris).toBeUndefined();
    expect(body.roles).toHaveLength(2);
    const { id } = body.branch;
    const query = `branch_id=${id}&database_name=neondb&role_name=second`;
    const direct = await call(service, 'GET', `${project}/connection_uri?${query}`);
    const pooled = await call(service, 'GET', `${project}/connection_uri?${query}&pooled=true`);
    expect(pooled.body.uri).toBe(direct.body.uri.replace('.local.test', '-pooler.local.test'));
    expect((await call(service, 'GET', `${project}/connection_uri?${query}x`)).status).toBe(404);
  });

  it.each([
    ['no room', { branchLimit: 1 }, {}, 422, 'BRANCHES_LIMIT_EXCEEDED'],
    ['no room for roots', { rootBranchLimit: 1 }, { init_source: 'schema-only' }, 422, 'ROOT_BRANCHES_LIMIT_EXCEEDED'],
    ['a parent that is not there', {}, { parent_id: 'br-nowhere-0' }, 404, ''],
    ['an expiry with fractions', {}, { expires_at: '2126-01-01T00:00:00.5Z' }, 400, ''],
    ['an expiry too far ahead', {}, { expires_at: '2126-01-01T00:00:00Z' }, 422, ''],
    ['a point to come', {}, { parent_timestamp: '2126-01-01T00:00:00Z' }, 422, ''],
  ])('refuses %s', async (_, options, branch, status, code) => {
    const project = await start(options);
    const answer = await call(service, 'POST', `${project}/branches`, { body: { branch } });
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(service.branches()).toHaveLength(1);
  });

  it('refuses a compute that the plan does not allow with 412', async () => {
    const project = await start({ plan: { maxCu: 2, suspendTimeout: false } });
    for (const setting of [{ autoscaling_limit_max_cu: 4 }, { suspend_timeout_seconds: 60 }]) {
      const body = { branch: { name: 'big' }, endpoints: [{ type: 'read_write', ...setting }] };
      expect((await call(service, 'POST', `${project}/branches`, { body })).status).toBe(412);
    }
    expect(service.branches()).toHaveLength(1);
    expect(service.endpoints()).toHaveLength(1);
  });

  it('lets a new branch settle first when told so', async () => {
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
    const rename = { body: { branch: { name: 'settled' } } };
    expect((await call(service, 'PATCH', path, rename)).status).toBe(422);
    expect((await call(service, 'PATCH', path, rename)).status).toBe(200);
  });
});

describe('list', () => {
  it('reads 5,000 branches page by page, each once, while others come and go', async () => {
    const project = await start();
    await service.addBranches(
      Array.from({ length: 5_000 }, (_, n) => ({ name: `preview/pr-${n}`, annotations: { n: String(n) } })),
    );
    const seen = new Map<string, number>();
    let cursor = '';
    for (let page = 0; page < 60; page++) {
      const next = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const { body } = await call(service, 'GET', `${project}/branches?limit=100&sort_by=name&sort_order=asc${next}`);
      for (const { name, id } of body.branches) {
        seen.set(name, (seen.get(name) ?? 0) + 1);
        if (name !== 'main') expect(body.annotations[id].value.n).toBe(name.slice('preview/pr-'.length));
      }
      if (page === 10) {
        await service.removeBranch(body.branches[0].name);
        await service.addBranch({ name: 'preview/pr-0000' });
      }
      cursor = body.pagination.next ?? '';
      if (cursor === '') break;
    }
    expect(seen.size).toBe(5_001);
    expect(Math.max(...seen.values())).toBe(1);
  });

  it('finds any part of a name or an ID, and says no to a bad limit or cursor', async () => {
    const project = await start({ pageSize: 2 });
    await service.addBranches(['preview/pr-1', 'preview/pr-12', 'x'].map((name) => ({ name })));
    const found = await call(service, 'GET', `${project}/branches?search=pr-1&limit=50`);
    expect(found.body.branches.map(({ name }: { name: string }) => name).sort()).toEqual([
      'preview/pr-1',
      'preview/pr-12',
    ]);
    expect((await call(service, 'GET', `${project}/branches?search=pr-1&limit=1`)).body.pagination.next).toBeDefined();
    expect((await call(service, 'GET', `${project}/branches/count`)).body.count).toBe(4);
    expect((await call(service, 'GET', `${project}/branches?cursor=nonsense`)).status).toBe(400);
    expect((await call(service, 'GET', `${project}/branches`)).body.branches).toHaveLength(2);
  });
});

describe('change and delete', () => {
  it('sets, moves and takes away an expiry; and deletes what has expired', async () => {
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

  it('refuses an expiry on default, protected and parent branches', async () => {
    const project = await start();
    await service.addBranch({ name: 'kept', protected: true });
    await service.addBranch({ name: 'parent' });
    await service.addBranch({ name: 'child', parent: 'parent' });
    const expires_at = new Date(Date.now() + 60_000).toISOString().replace(/\.\d+/, '');
    for (const name of ['main', 'kept', 'parent']) {
      const path = `${project}/branches/${service.branch(name)?.id}`;
      expect((await call(service, 'PATCH', path, { body: { branch: { expires_at } } })).status).toBe(422);
    }
  });

  it('deletes when the operations have finished, and answers 204 or 404 for what is gone', async () => {
    // long enough for what is asked meanwhile, on a machine that has much else to do
    const project = await start({ operationMs: { delete_timeline: 1000 } });
    const { body } = await ready(service, 'gone soon');
    const path = `${project}/branches/${body.branch.id}`;
    const deleted = await call(service, 'DELETE', `${path}?hard_delete=true`);
    expect(deleted.body.operations.map(({ action }: { action: string }) => action)).toEqual([
      'suspend_compute',
      'delete_timeline',
    ]);
    expect((await call(service, 'GET', path)).status).toBe(200);
    expect((await call(service, 'DELETE', path)).status).toBe(423);
    const again = { body: { branch: { name: 'gone soon' } } };
    expect((await call(service, 'POST', `${project}/branches`, again)).status).toBe(423);
    await service.idle();
    expect((await call(service, 'GET', path)).status).toBe(404);
    expect((await call(service, 'DELETE', path)).status).toBe(204);
    expect((await call(service, 'POST', `${project}/branches`, again)).status).toBe(201);
  });

  it('answers 404 for what is gone where that is the deployment’s way', async () => {
    const project = await start({ missingDeleteStatus: 404 });
    expect((await call(service, 'DELETE', `${project}/branches/br-gone-1`)).status).toBe(404);
  });

  it('refuses to delete default, protected and parent branches', async () => {
    const project = await start();
    await service.addBranch({ name: 'kept', protected: true });
    await service.addBranch({ name: 'parent' });
    await service.addBranch({ name: 'child', parent: 'parent' });
    for (const name of ['main', 'kept', 'parent']) {
      expect((await call(service, 'DELETE', `${project}/branches/${service.branch(name)?.id}`)).status).toBe(422);
    }
    expect(service.branches()).toHaveLength(4);
  });
});
