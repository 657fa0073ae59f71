import { describe, expect, it } from 'vitest';
import { pullRequest } from '../../../tools/runner/events.ts';
import { type Played, scenario } from '../../support/scenario.ts';

/** The life of an object of each kind, from the bundle. What stands here is written down anew, and not taken from the sources. */
interface Life {
  /** `{p}` and `{b}` are its project and branch. */
  path: string;
  /** What `body` is, and what is sent. The object's ID is its `key`, or given by `resource_id`. */
  create: { body?: object; sent?: object; resource_id?: string };
  update?: { body: object; sent: object };
  key: string;
  /** What is in a response about one. */
  wrap?: string;
  verbs: string;
  /** How a create goes, if not to the path. */
  createdAt?: string;
}

const branch = '/projects/{p}/branches/{b}';
const unpublished = (one: string): Life => ({
  ...{ path: `/${one}s`, key: 'id', wrap: one, verbs: 'create get list update delete' },
  create: { body: { name: 'made' }, sent: { [one]: { name: 'made' } } },
  update: { body: { name: 'renamed' }, sent: { [one]: { name: 'renamed' } } },
});

const lives: Record<string, Life> = {
  project: {
    ...unpublished('project'),
    create: {
      body: { project: { name: 'made', pg_version: 17 } },
      sent: { project: { name: 'made', pg_version: 17 } },
    },
  },
  'compute endpoint': {
    ...{ path: '/projects/{p}/endpoints', key: 'id', wrap: 'endpoint', verbs: 'create get list update delete' },
    create: { body: { type: 'read_only' }, sent: { endpoint: { branch_id: '{b}', type: 'read_only' } } },
    update: { body: { suspend_timeout_seconds: 600 }, sent: { endpoint: { suspend_timeout_seconds: 600 } } },
  },
  databases: {
    ...{ path: `${branch}/databases`, key: 'name', wrap: 'database', verbs: 'create get list update delete' },
    create: {
      body: { name: 'made', owner_name: 'neondb_owner' },
      sent: { database: { name: 'made', owner_name: 'neondb_owner' } },
    },
    update: { body: { name: 'renamed' }, sent: { database: { name: 'renamed' } } },
  },
  role: {
    ...{ path: `${branch}/roles`, key: 'name', wrap: 'role', verbs: 'create get list delete' },
    create: { body: { name: 'made' }, sent: { role: { name: 'made' } } },
  },
  snapshot: {
    ...{ path: '/projects/{p}/snapshots', key: 'id', wrap: 'snapshot', verbs: 'create list update delete' },
    createdAt: `${branch}/snapshot?name=made`,
    create: { body: { name: 'made' } },
    update: { body: { name: 'later' }, sent: { snapshot: { name: 'later' } } },
  },
  auth: {
    ...{ path: `${branch}/auth`, key: '', verbs: 'create get delete' },
    create: { body: { auth_provider: 'better_auth' }, sent: { auth_provider: 'better_auth' } },
  },
  data_api: {
    ...{ path: `${branch}/data-api`, key: '', verbs: 'create get delete' },
    create: { sent: {}, resource_id: 'neondb' },
  },
  API_keys: {
    ...{ path: '/api_keys', key: 'id', verbs: 'create list delete' },
    create: { body: { key_name: 'made' }, sent: { key_name: 'made' } },
  },
  cluster: unpublished('cluster'),
  instance: unpublished('instance'),
  team: unpublished('team'),
  workspace: unpublished('workspace'),
};

const scene = scenario({ compute: 'none', operationMs: 5 });
const body = (run: Played) => JSON.parse(run.outputs.response ?? '');
/** What was sent to change something, or else to read it. */
const sent = ({ requests }: Played) =>
  requests
    .filter(({ path }) => !path.includes('/operations'))
    .map(({ method, path, query }) => {
      const asked = new URLSearchParams(query as Record<string, string>);
      for (const name of ['limit', 'cursor', 'id']) asked.delete(name);
      return `${method} ${path}${asked.size > 0 ? `?${asked}` : ''}`;
    });

it.each(Object.entries(lives))('%s: from its creation to its end', async (resource, life) => {
  const { id: branch_id } = await scene.service.addBranch({ name: `with ${resource}` });
  const fill = (text: string) => text.replaceAll('{p}', scene.service.projectId).replaceAll('{b}', branch_id);
  const at: Record<string, string> =
    life.path.includes('{b}') || life.createdAt || life.wrap === 'endpoint' ? { branch_id } : {};
  const manage = (verb: string, inputs: Record<string, string> = {}) =>
    scene.succeeds({ action: 'manage', inputs: { resource, verb, ...at, ...inputs } });
  const { resource_id } = life.create;
  const given: Record<string, string> = life.create.body ? { body: JSON.stringify(life.create.body) } : {};
  const made = await manage('create', { ...given, ...(resource_id && { resource_id }) });
  const path = fill(life.path) + (resource_id ? `/${resource_id}` : '');
  expect(sent(made).at(-1)).toBe(`POST ${life.createdAt ? fill(life.createdAt) : path}`);
  expect(made.requests.find(({ method }) => method === 'POST')?.body).toEqual(
    life.create.sent && JSON.parse(fill(JSON.stringify(life.create.sent))),
  );
  expect(made.outputs).toMatchObject({ created: 'true', deleted: 'false', status: expect.stringMatching(/^20[01]$/) });
  const object = life.wrap === undefined ? body(made) : body(made)[life.wrap];
  let id = { resource_id: resource_id ?? String(object[life.key]) };
  const one = () => (life.key && life.wrap !== 'cluster' ? `${path}/${id.resource_id}` : path);
  const its = () => (resource === 'auth' ? {} : id);
  if (life.verbs.includes('get')) expect(sent(await manage('get', its()))).toEqual([`GET ${one()}`]);
  if (life.verbs.includes('list')) {
    const listed = await manage('list');
    expect(new Set(sent(listed))).toEqual(new Set([`GET ${path}`]));
    const ids = (body(listed) as Record<string, unknown>[]).map((entry) => String(entry[life.key]));
    expect(ids.filter((one) => one === id.resource_id)).toHaveLength(1);
  }
  if (life.update) {
    const updated = await manage('update', { ...id, body: JSON.stringify(life.update.body) });
    expect(sent(updated)).toEqual([`PATCH ${one()}`]);
    expect(updated.requests[0]?.body).toEqual(life.update.sent);
    id = { resource_id: String(body(updated)[life.wrap ?? ''][life.key]) };
  }
  const deleted = await manage('delete', its());
  expect(sent(deleted)).toEqual([`DELETE ${one()}`]);
  expect(deleted.outputs).toMatchObject({ created: 'false', deleted: 'true' });
  const again = await manage('delete', its());
  expect(again.outputs).toMatchObject({ deleted: 'false', operation_ids: '[]', response: 'null' });
});

it.each(['operation', 'function', 'bucket', 'trigger', 'credential'])(
  '%ss of a branch are listed',
  async (resource) => {
    const inputs = { resource, verb: 'list', branch_id: scene.service.main.id };
    expect((await scene.succeeds({ action: 'manage', inputs })).outputs).toMatchObject({
      response: expect.stringMatching(/^\[/),
      status: '200',
    });
  },
);

it('the user who owns the key is read', async () => {
  const run = await scene.succeeds({ action: 'manage', inputs: { resource: 'user', verb: 'query', project_id: '' } });
  expect(sent(run)).toEqual(['GET /users/me']);
});

describe('a branch', () => {
  const make = (inputs: Record<string, string>) =>
    scene.succeeds({
      event: pullRequest({ number: 7 }),
      action: 'manage',
      inputs: { resource: 'branch', verb: 'create', ...inputs },
    });
  const metadata = ({ requests }: Played) => {
    const { body = {} } = requests.find(({ method }) => method === 'POST') ?? {};
    return (body as { annotation_value?: object }).annotation_value;
  };

  it('has the metadata that `create` records, so prune finds it, unless the body has its own', async () => {
    const run = await make({ branch_name: 'recorded', body: '{"endpoints": [{"type": "read_write"}]}' });
    const created = await scene.succeeds({ event: pullRequest({ number: 7 }), inputs: { branch_name: 'by create' } });
    const createId = { 'database-branch-create-id': expect.any(String) };
    expect(metadata(run)).toEqual({ ...metadata(created), ...createId });
    const own = { 'github-pr-number': 'none', team: 'shop' };
    expect(metadata(await make({ body: JSON.stringify({ name: 'own', annotation_value: own }) }))).toMatchObject(own);
  });

  it('comes from a snapshot, or is replaced with it', async () => {
    const source = await scene.service.addBranch({ name: 'source' });
    const replaced = await scene.service.addBranch({ name: 'replaced' });
    const manage = (inputs: Record<string, string>) =>
      scene.succeeds({ action: 'manage', inputs: { resource: 'snapshot', ...inputs } });
    const resource_id = body(await manage({ verb: 'create', branch_id: source.id })).snapshot.id;
    const restored = await manage({ verb: 'restore', resource_id, body: '{"name": "recovered"}' });
    expect(JSON.parse(restored.outputs.operation_ids ?? '')).toHaveLength(2);
    expect(scene.service.branch('recovered')?.current_state).toBe('ready');
    await manage({ verb: 'restore', resource_id, branch_name: 'replaced', body: '{"finalize_restore": true}' });
    expect(scene.service.branch('replaced')?.id).not.toBe(replaced.id);
    expect(scene.service.branch('source')?.id).toBe(source.id);
  });
});
