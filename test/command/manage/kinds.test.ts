import { describe, expect, it } from 'vitest';
import { pullRequest } from '../../../tools/runner/events.ts';
import { type Played, scenario } from '../../support/scenario.ts';

/** Every kind, every verb, from the bundle. What stands here is written down anew, and not taken from the sources. */
const verbs = ['create', 'get', 'list', 'update', 'delete'] as const;
type Verb = (typeof verbs)[number];

interface Row {
  /** Names that the kind goes by, one after the other. */
  names: string[];
  /** What it belongs to. */
  owner: 'account' | 'project' | 'branch';
  /** `{p}` and `{b}` are its project and branch, `{id}` is the object. */
  path: string;
  one: string;
  /** `body` as it is given, and what is sent for it. */
  create?: { body: object; sent: object };
  update?: { body: object; sent: object };
  /** What is in a response about one, and what stands in its path. */
  wrap: string | undefined;
  key: 'id' | 'name';
  verbs: readonly Verb[];
  /** Operations that a create starts. */
  operations: number;
}

const byBranch = '/projects/{p}/branches/{b}';
const named = (wrap: string, name = 'made') => ({ body: { name }, sent: { [wrap]: { name } } });
const conventional = (one: string): Row => ({
  names: [one, `${one}s`, `${one[0]?.toUpperCase()}${one.slice(1)}`],
  owner: 'account',
  path: `/${one}s`,
  one: `/${one}s/{id}`,
  create: named(one),
  update: named(one, 'renamed'),
  wrap: one,
  key: 'id',
  verbs,
  operations: 0,
});

const table: Record<string, Row> = {
  project: {
    ...conventional('project'),
    create: {
      body: { project: { name: 'made', pg_version: 17 } },
      sent: { project: { name: 'made', pg_version: 17 } },
    },
    operations: 2,
  },
  branch: {
    ...conventional('branch'),
    names: ['branch', 'branches', 'Branches'],
    owner: 'project',
    path: '/projects/{p}/branches',
    one: byBranch.replace('{b}', '{id}'),
    create: {
      body: { name: 'made', endpoints: [{ type: 'read_write' }] },
      sent: { branch: { name: 'made' }, endpoints: [{ type: 'read_write' }] },
    },
    operations: 2,
  },
  'compute endpoint': {
    ...conventional('endpoint'),
    names: ['compute-endpoint', 'compute_endpoints', 'endpoint', 'Compute Endpoint'],
    owner: 'project',
    path: '/projects/{p}/endpoints',
    one: '/projects/{p}/endpoints/{id}',
    create: { body: { type: 'read_only' }, sent: { endpoint: { branch_id: '{b}', type: 'read_only' } } },
    update: { body: { suspend_timeout_seconds: 600 }, sent: { endpoint: { suspend_timeout_seconds: 600 } } },
    operations: 1,
  },
  database: {
    ...conventional('database'),
    owner: 'branch',
    path: `${byBranch}/databases`,
    one: `${byBranch}/databases/{id}`,
    create: {
      body: { name: 'made', owner_name: 'neondb_owner' },
      sent: { database: { name: 'made', owner_name: 'neondb_owner' } },
    },
    key: 'name',
    operations: 1,
  },
  role: {
    ...conventional('role'),
    owner: 'branch',
    path: `${byBranch}/roles`,
    one: `${byBranch}/roles/{id}`,
    key: 'name',
    verbs: ['create', 'get', 'list', 'delete'],
    operations: 1,
  },
  operation: {
    ...conventional('operation'),
    owner: 'project',
    path: '/projects/{p}/operations',
    one: '/projects/{p}/operations/{id}',
    verbs: ['get', 'list'],
  },
  'API key': {
    ...conventional('api_key'),
    names: ['api_key', 'API keys', 'api-key', 'apiKeys'],
    path: '/api_keys',
    one: '/api_keys/{id}',
    create: { body: { key_name: 'made' }, sent: { key_name: 'made' } },
    wrap: undefined,
    verbs: ['create', 'list', 'delete'],
  },
  user: { ...conventional('user'), one: '/users/me', wrap: undefined, verbs: ['get'] },
  cluster: { ...conventional('cluster'), one: '/clusters' },
  instance: conventional('instance'),
  team: conventional('team'),
  workspace: conventional('workspace'),
  // not in the table of kinds: as it is written, and what it is sent is not wrapped
  gadgets: {
    ...conventional('gadget'),
    names: ['gadgets', 'Gadgets'],
    create: { body: { name: 'made' }, sent: { name: 'made' } },
    update: { body: { name: 'renamed' }, sent: { name: 'renamed' } },
  },
};

const scene = scenario({ compute: 'none', operationMs: 5, kinds: ['gadgets'] });

describe.each(Object.entries(table))('%s', (_, row) => {
  let turn = 0;
  let object: Record<string, unknown> = {};
  const has = (verb: Verb) => row.verbs.includes(verb);
  const branchId = () => scene.service.branch('preview/kinds')?.id ?? '';

  /** The inputs that name the kind, each time in another spelling, and what it belongs to. */
  const inputs = (verb: Verb, more: Record<string, string> = {}): Record<string, string> => ({
    command: 'manage',
    resource: row.names[turn++ % row.names.length] ?? '',
    verb,
    ...(row.owner === 'account' && { project_id: '' }),
    ...((row.owner === 'branch' || row.wrap === 'endpoint') && { branch_id: branchId() }),
    ...more,
  });
  const fill = (text: string) =>
    text
      .replaceAll('{p}', scene.service.projectId)
      .replaceAll('{b}', branchId())
      .replaceAll('{id}', String(object[row.key]));
  /** All requests except polls. */
  const sent = (run: Played) =>
    run.requests
      .map(({ method, path, query }) => `${method} ${path}${query.id ? '?id' : ''}`)
      .filter((line) => row.wrap === 'operation' || !/\/operations(\/|$)/.test(line));
  /** Without the reads that a change may need first. */
  const changes = (run: Played) => sent(run).filter((line) => !line.startsWith('GET '));
  const response = (run: Played) => JSON.parse(run.outputs.response ?? '') as unknown;
  const inside = (run: Played) => {
    const body = response(run) as Record<string, unknown>;
    return (row.wrap === undefined ? body : body[row.wrap]) as Record<string, unknown>;
  };
  const id = () => ({ resource_id: String(object[row.key]) });
  const needsId = row.one.includes('{id}') || row.wrap === 'cluster';
  const byQuery = row.wrap === 'cluster' ? '?id' : '';

  it.skipIf(has('create'))('starts with an existing one', async () => {
    await scene.service.idle();
    object = { ...scene.service.operations()[0] };
    expect(object.id).toBeDefined();
  });

  it.runIf(has('create'))('create', async () => {
    if (!scene.service.branch('preview/kinds')) await scene.service.addBranch({ name: 'preview/kinds' });
    const run = await scene.succeeds({ inputs: inputs('create', { body: JSON.stringify(row.create?.body) }) });
    expect(sent(run)).toEqual([fill(`POST ${row.path}`)]);
    const { annotation_value, ...body } = { annotation_value: undefined, ...(run.requests[0]?.body as object) };
    expect(body).toEqual(JSON.parse(fill(JSON.stringify(row.create?.sent))));
    expect(annotation_value === undefined).toBe(row.wrap !== 'branch');
    object = inside(run);
    expect(run.outputs).toMatchObject({ command: 'manage', created: 'true', deleted: 'false' });
    expect(run.outputs.status).toMatch(/^20[01]$/);
    expect(JSON.parse(run.outputs.operation_ids ?? '')).toHaveLength(row.operations);
  });

  it.runIf(has('get'))('get', async () => {
    const run = await scene.succeeds({ inputs: inputs('get', needsId ? id() : {}) });
    expect(sent(run)).toEqual([fill(`GET ${row.one}${byQuery}`)]);
    if (needsId) expect(inside(run)[row.key]).toEqual(object[row.key]);
    expect(run.outputs).toMatchObject({ created: 'false', deleted: 'false', status: '200', operation_ids: '[]' });
  });

  it.runIf(has('list'))('list', async () => {
    const run = await scene.succeeds({ inputs: inputs('list') });
    // some lists have a cursor on their last page too
    expect([...new Set(sent(run))]).toEqual([fill(`GET ${row.path}`)]);
    const all = response(run) as Record<string, unknown>[];
    expect(all.filter((one) => one[row.key] === object[row.key])).toHaveLength(1);
    expect(run.outputs).toMatchObject({ created: 'false', deleted: 'false', status: '200', operation_ids: '[]' });
  });

  it.runIf(has('update'))('update', async () => {
    const run = await scene.succeeds({ inputs: inputs('update', { ...id(), body: JSON.stringify(row.update?.body) }) });
    expect(changes(run)).toEqual([fill(`PATCH ${row.one}${byQuery}`)]);
    expect(run.requests.find(({ method }) => method === 'PATCH')?.body).toEqual(row.update?.sent);
    expect(inside(run)).toMatchObject(row.update?.body ?? {});
    object = inside(run);
    expect(run.outputs).toMatchObject({ created: 'false', deleted: 'false', status: '200' });
  });

  it.runIf(has('delete'))('delete, and delete again', async () => {
    const run = await scene.succeeds({ inputs: inputs('delete', id()) });
    expect(changes(run)).toEqual([fill(`DELETE ${row.one}${byQuery}`)]);
    expect(run.outputs).toMatchObject({ created: 'false', deleted: 'true', status: '200' });
    const again = await scene.succeeds({ inputs: inputs('delete', id()) });
    expect(changes(again)[0]).toEqual(fill(`DELETE ${row.one}${byQuery}`));
    expect(again.outputs).toMatchObject({ deleted: 'false', operation_ids: '[]', response: 'null' });
    expect(again.outputs.status).toMatch(/^(204|404)$/);
  });
});

describe('a new branch', () => {
  const make = (inputs: Record<string, string>) => ({
    event: pullRequest({ number: 7 }),
    inputs: { command: 'manage', resource: 'branch', verb: 'create', ...inputs },
  });
  const record = {
    'github-commit-repo': 'octo-org/octo-repo',
    'github-pr-number': '7',
    'github-run-id': '1658821493',
    'github-run-attempt': '1',
  };
  const notes = (run: Played) => (run.requests[0]?.body as { annotation_value?: object } | undefined)?.annotation_value;

  it.each([
    ['without a body', {}],
    ['with a body', { body: '{"endpoints": [{"type": "read_write"}]}' }],
    ['with a wrapped body', { body: '{"branch": {"protected": false}}' }],
  ])('%s has the metadata that `create` records, so prune finds it', async (how, inputs) => {
    const branch_name = `recorded ${how}`;
    const run = await scene.succeeds(make({ branch_name, ...inputs }));
    const created = await scene.succeeds({ event: pullRequest({ number: 7 }), inputs: { branch_name: `${how} too` } });
    const createId = { 'database-branch-create-id': expect.stringMatching(/^[0-9a-f-]{36}$/) };
    expect(notes(run)).toEqual({ ...notes(created), ...createId });
    expect(notes(run)).toMatchObject(record);
  });

  it('keeps the annotations of its own body', async () => {
    const own = { 'github-pr-number': 'none', 'github-pr-title': '', team: 'shop' };
    for (const branch of [{ branch: { name: 'own 1' } }, { name: 'own 2' }]) {
      const run = await scene.succeeds(make({ body: JSON.stringify({ ...branch, annotation_value: own }) }));
      expect(notes(run)).toMatchObject({ ...record, ...own });
    }
    // The service accepts 50 at most.
    const many = Object.fromEntries(Array.from({ length: 48 }, (_, index) => [`key-${index}`, 'x']));
    const run = await scene.succeeds(make({ body: JSON.stringify({ name: 'own 3', annotation_value: many }) }));
    expect(Object.keys(notes(run) ?? {})).toHaveLength(50);
    expect(notes(run)).toMatchObject({ ...many, 'github-commit-repo': 'octo-org/octo-repo' });
  });

  it('shows its metadata in a dry run; an update or a raw request sends none', async () => {
    const dry = await scene.succeeds(make({ branch_name: 'dry', dry_run: 'true' }));
    expect(dry.stdout).toContain('"annotation_value":{"github-commit-repo":"octo-org/octo-repo"');
    await scene.service.addBranch({ name: 'changed' });
    const changed = await scene.succeeds(make({ verb: 'update', branch_name: 'changed', body: '{"name": "new"}' }));
    expect(changed.requests.at(-1)?.body).toEqual({ branch: { name: 'new' } });
    const body = { branch: { name: 'by path' } };
    const byPath = await scene.succeeds({
      event: pullRequest({ number: 7 }),
      inputs: {
        command: 'manage',
        method: 'POST',
        path: '/projects/{project_id}/branches',
        body: JSON.stringify(body),
      },
    });
    expect(byPath.requests[0]?.body).toEqual(body);
  });
});

describe('kinds that differ from all others', () => {
  const manage = (inputs: Record<string, string>) => scene.succeeds({ inputs: { command: 'manage', ...inputs } });
  /** The first request of the step. */
  const first = ({ requests: [request] }: Played) =>
    request && { route: `${request.method} ${request.path}`, query: request.query, body: request.body };
  const body = (run: Played) => JSON.parse(run.outputs.response ?? '');
  const on = async (name: string) => {
    const branch_id = (await scene.service.addBranch({ name, createdAt: Date.now() - 3_600_000 })).id;
    return { branch_id, path: `/projects/${scene.service.projectId}/branches/${branch_id}` };
  };

  it('snapshot: is created from a branch, updated, listed, restored and deleted', async () => {
    const { branch_id, path } = await on('to snapshot');
    const snapshot = { resource: 'snapshot' };
    const created = await manage({ ...snapshot, verb: 'create', branch_id, body: '{"name": "before"}' });
    expect(first(created)).toEqual({ route: `POST ${path}/snapshot`, query: { name: 'before' }, body: undefined });
    expect(created.outputs).toMatchObject({ created: 'true', status: '200' });
    const resource_id = body(created).snapshot.id;
    expect(created.annotations.notice).toEqual([`Created snapshot "before" (${resource_id})`]);
    const one = { ...snapshot, resource_id };
    expect(body(await manage({ ...one, verb: 'update', body: '{"name": "later"}' })).snapshot.name).toBe('later');
    expect(body(await manage({ resource: 'snapshots', verb: 'list' }))).toMatchObject([{ name: 'later' }]);
    const restored = await manage({ ...one, verb: 'restore', body: '{"name": "recovered"}' });
    expect(first(restored)?.route).toBe(`POST /projects/${scene.service.projectId}/snapshots/${resource_id}/restore`);
    const branch = scene.service.branch('recovered');
    expect(restored.annotations.notice).toEqual([
      `Restored snapshot ${resource_id} to branch "recovered" (${branch?.id})`,
    ]);
    expect(JSON.parse(restored.outputs.operation_ids ?? '')).toHaveLength(2);
    expect(branch?.current_state).toBe('ready');
    expect((await manage({ ...one, verb: 'delete' })).outputs).toMatchObject({ deleted: 'true', status: '202' });
    expect((await manage({ ...one, verb: 'delete' })).outputs).toMatchObject({ deleted: 'false', status: '404' });
  });

  it('snapshot: a restore replaces the branch that the step names, not the one that it was made of', async () => {
    const { branch_id: source } = await on('made a snapshot');
    const { branch_id } = await on('to be replaced');
    const { service } = scene;
    const made = await manage({ resource: 'snapshot', verb: 'create', branch_id: source });
    const restore = { resource: 'snapshot', verb: 'restore', resource_id: body(made).snapshot.id };
    const run = await manage({ ...restore, branch_name: 'to be replaced', body: '{"finalize_restore": true}' });
    expect(run.annotations.notice.join()).toMatch(
      new RegExp(`^Restored snapshot .*, which replaces branch ${branch_id}$`),
    );
    expect(service.branch('made a snapshot')?.id).toBe(source);
    expect(service.branch('to be replaced')?.id).not.toBe(branch_id);
  });

  it('compute endpoint: is not deleted if it is that of another branch than the step names', async () => {
    const { service } = scene;
    await service.addBranch({ name: 'beside', createdAt: Date.now() - 3_600_000 });
    const [endpoint] = service.endpoints('main');
    const given = { resource: 'endpoint', verb: 'delete', resource_id: endpoint?.id ?? '', branch_name: 'beside' };
    const run = await scene.fails({ inputs: { command: 'manage', ...given } });
    expect(run.message).toMatch(
      /^Compute endpoint ep-[\w-]+ belongs to branch br-[\w-]+, not to branch br-[\w-]+\. Nothing was changed\./,
    );
    expect(run.calls.filter((call) => call.startsWith('DELETE'))).toEqual([]);
    // Whether the endpoint is gone, nobody knows.
    const nowhere = await scene.fails({ inputs: { command: 'manage', ...given, branch_name: 'nowhere' } });
    expect(nowhere.message).toContain('"nowhere"');
    expect(nowhere.outputs.deleted).toBe('false');
  });

  it('branch: is not deleted by its name if it was renamed while the project was locked', async () => {
    const { service } = scene;
    const { id } = await service.addBranch({ name: 'tmp', createdAt: Date.now() - 3_600_000 });
    let nth = 0;
    const fault = service.faults.add({
      method: 'DELETE',
      path: new RegExp(id),
      times: 5,
      status: 423,
      when: () => {
        const branch = service.branch(id);
        if (++nth === 2 && branch) branch.name = 'production-copy';
        return true;
      },
    });
    const run = await scene.fails({
      inputs: { command: 'manage', resource: 'branch', verb: 'delete', branch_name: 'tmp' },
    });
    fault.remove();
    expect(run.message).toContain('was renamed to "production-copy" in the meantime, so it was not deleted.');
    expect(service.branch('production-copy')?.id).toBe(id);
  });

  it('snapshot: a dry run shows the whole request, and a restore whose response is lost is not retried', async () => {
    const { branch_id, path } = await on('to snapshot dryly');
    const given = { resource: 'snapshot', verb: 'create', branch_id };
    const dry = await manage({ ...given, body: '{"name": "a b"}', dry_run: 'true' });
    expect(dry.stdout).toContain(`would send POST ${path}/snapshot?name=a+b`);
    const made = await manage(given);
    const fault = scene.service.faults.add({ path: /restore$/, close: 'after' });
    const run = await scene.fails({
      inputs: { command: 'manage', resource: 'snapshot', verb: 'restore', resource_id: body(made).snapshot.id },
    });
    fault.remove();
    expect(run.message).toContain("check the project's branches");
    expect(run.calls.filter((call) => call.includes('restore'))).toHaveLength(1);
  });

  it.each([
    ['auth integration', 'auth', { body: '{"auth_provider": "better_auth"}' }, '/auth'],
    ['Data API', 'data_api', { resource_id: 'neondb' }, '/data-api/neondb'],
  ])('%s: is created once, read, and deleted', async (one, resource, given, rest) => {
    const { branch_id, path } = await on(`with ${resource}`);
    const { resource_id } = given as { resource_id?: string };
    const id = { resource, branch_id, ...(resource_id ? { resource_id } : {}) };
    const created = await manage({ ...id, ...given, verb: 'create' });
    expect(first(created)?.route).toBe(`POST ${path}${rest}`);
    expect(created.outputs).toMatchObject({ created: 'true', status: '201' });
    const again = await manage({ ...id, ...given, verb: 'create' });
    expect(again.outputs).toMatchObject({ created: 'false', status: '200' });
    expect(again.annotations.notice.join()).toMatch(new RegExp(`^Reused (the )?${one}`));
    const refused = await scene.fails({
      inputs: { command: 'manage', ...id, ...given, verb: 'create', if_exists: 'fail' },
    });
    expect(refused.message).toContain('already exists');
    expect(first(await manage({ ...id, verb: 'get' }))?.route).toBe(`GET ${path}${rest}`);
    expect((await manage({ ...id, verb: 'delete' })).outputs.deleted).toBe('true');
    expect((await manage({ ...id, verb: 'delete' })).outputs.deleted).toBe('false');
  });

  it('Data API: its settings can be changed', async () => {
    const { branch_id } = await on('with settings');
    const id = { resource: 'data-api', branch_id, resource_id: 'neondb' };
    await manage({ ...id, verb: 'create' });
    await manage({ ...id, verb: 'update', body: '{"settings": {"db_max_rows": 5}}' });
    expect(body(await manage({ ...id, verb: 'query' })).settings).toMatchObject({ db_max_rows: 5 });
  });

  it('API key: of an organization, for one project only', async () => {
    const org_id = 'org-quiet-harbor-12345678';
    const { projectId } = scene.service;
    const key = { resource: 'api_key', body: JSON.stringify({ org_id }) };
    const created = await manage({ ...key, verb: 'create', body: JSON.stringify({ key_name: 'ci', org_id }) });
    expect(first(created)).toMatchObject({
      route: `POST /organizations/${org_id}/api_keys`,
      body: { key_name: 'ci', project_id: projectId },
    });
    const { id, key: token } = body(created);
    expect(created.masks).toContain(token);
    const elsewhere = await scene.fails({
      inputs: { command: 'manage', resource: 'project', verb: 'list', api_key: token },
    });
    expect(elsewhere.message).toContain('404');
    await scene.succeeds({ inputs: { command: 'get', branch_name: 'main', api_key: token } });
    expect(body(await manage({ ...key, verb: 'list' }))).toMatchObject([{ id, project_id: projectId }]);
    const deleted = await manage({ ...key, verb: 'delete', resource_id: String(id) });
    expect(first(deleted)?.route).toBe(`DELETE /organizations/${org_id}/api_keys/${id}`);
    expect(first(deleted)?.body).toBeUndefined();
  });

  it('compute endpoint: creating a second read-write one returns the first', async () => {
    const { branch_id } = await on('with a compute');
    const [there] = scene.service.endpoints('with a compute');
    const given = { resource: 'endpoint', verb: 'create', branch_id, body: '{"type": "read_write"}' };
    const run = await manage(given);
    expect(run.outputs).toMatchObject({ created: 'false', status: '200' });
    expect(body(run).endpoint.id).toBe(there?.id);
    const refused = await scene.fails({ inputs: { command: 'manage', ...given, if_exists: 'fail' } });
    expect(refused.message).toContain('already exists');
    expect((await manage({ ...given, body: '{"type": "read_only"}' })).outputs.created).toBe('true');
  });
});
