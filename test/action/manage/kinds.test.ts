import { describe, expect, it } from 'vitest';
import { pullRequest } from '../../support/events.ts';
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
  /** What is in an answer about one, and what stands in its path. */
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
      .filter((line) => row.wrap === 'operation' || !line.includes('/operations/'));
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
    expect(sent(run)).toEqual([fill(`PATCH ${row.one}${byQuery}`)]);
    expect(run.requests[0]?.body).toEqual(row.update?.sent);
    expect(inside(run)).toMatchObject(row.update?.body ?? {});
    object = inside(run);
    expect(run.outputs).toMatchObject({ created: 'false', deleted: 'false', status: '200' });
  });

  it.runIf(has('delete'))('delete, and delete again', async () => {
    const run = await scene.succeeds({ inputs: inputs('delete', id()) });
    expect(sent(run)).toEqual([fill(`DELETE ${row.one}${byQuery}`)]);
    expect(run.outputs).toMatchObject({ created: 'false', deleted: 'true', status: '200' });
    const again = await scene.succeeds({ inputs: inputs('delete', id()) });
    expect(sent(again)[0]).toEqual(fill(`DELETE ${row.one}${byQuery}`));
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
