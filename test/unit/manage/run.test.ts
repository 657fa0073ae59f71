import { describe, expect, it } from 'vitest';
import { Account } from '../../support/account.ts';
import type { Reply } from '../../support/mock-api.ts';
import { run } from './given.ts';

const name = 'preview/pr-7';
const lost: Reply = { error: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) };
const missing: Reply = { status: 404, body: { code: '', message: 'not found' } };
const taken: Reply = { status: 409, body: { code: '', message: 'exists' } };
const made: Reply = { status: 201, body: { role: { name: 'app' }, operations: [] } };
const existing: Reply = { body: { role: { name: 'app', protected: false } } };

/** Plays a step on branch `preview/pr-7`. `replies`: by route, one after the other. */
function play(inputs: Record<string, string>, replies: Record<string, Reply[]> = {}) {
  const account = new Account();
  account.add({ id: 'br-7', name });
  for (const [route, all] of Object.entries(replies)) account.on(route, ...all);
  return run({ account, inputs });
}

const roles = '/branches/*/roles';
const role = (verb: string, more: Record<string, string> = {}) => ({
  resource: 'role',
  verb,
  branch_id: 'br-7',
  ...more,
});
const create = (more: Record<string, string> = {}) => role('create', { body: '{"name": "app"}', ...more });

describe('the branch', () => {
  it('is looked up by its exact name, or by that of the event', async () => {
    for (const by of [{ branch_name: name }, { branch_name: '' }]) {
      const { calls, facts } = await play({ resource: 'role', verb: 'list', ...by });
      expect(calls()).toEqual(['GET /branches', `GET ${roles}`]);
      expect(facts).toMatchObject({ done: 'Listed 1 role', response: { status: 200 } });
    }
  });

  it('must exist', async () => {
    const { message, calls } = await play({ resource: 'role', verb: 'list', branch_name: 'preview' });
    expect(message).toMatch(/^The project has no branch "preview"\. /);
    expect(calls()).toEqual(['GET /branches']);
  });

  it('counts as gone with everything on it', async () => {
    const { message, facts } = await play({ resource: 'role', verb: 'delete', resource_id: 'app', branch_name: 'x' });
    expect(message).toBeUndefined();
    expect(facts).toMatchObject({ deleted: false, done: expect.stringContaining('"x"') });
  });

  it('of another repository is not used under a name from the event', async () => {
    const account = new Account();
    account.add({ name }, { metadata: { 'github-commit-repo': 'octo/api', 'github-pr-number': '7' } });
    const inputs = { resource: 'role', verb: 'delete', resource_id: 'app' };
    const refused = await run({ account, inputs });
    expect(refused.message).toContain('belongs to pull request #7 of octo/api');
    expect(refused.calls()).toEqual(['GET /branches']);
  });
});

describe('a create', () => {
  it('looks up an object of that name, and is one POST if there is none', async () => {
    const { calls, bodies, facts } = await play(create(), { [`POST ${roles}`]: [made] });
    expect(calls()).toEqual([`GET ${roles}/app`, `POST ${roles}`]);
    expect(bodies(`POST ${roles}`)).toEqual([{ role: { name: 'app' } }]);
    expect(facts).toMatchObject({ created: true, done: 'Created role "app" on branch br-7' });
  });

  it('returns the existing object', async () => {
    const body = '{"name": "app", "protected": true}';
    const { calls, facts } = await play(create({ body }), { [`GET ${roles}/app`]: [existing] });
    expect(calls()).toEqual([`GET ${roles}/app`]);
    expect(facts).toMatchObject({
      created: false,
      response: { body: existing.body },
    });
  });

  it('returns what another run has created since', async () => {
    const replies = { [`POST ${roles}`]: [taken], [`GET ${roles}/app`]: [missing, existing] };
    const { facts, message } = await play(create(), replies);
    expect(message).toBeUndefined();
    expect(facts).toMatchObject({ created: false, response: { status: 200 } });
  });

  it('fails if the object exists and `if_exists` is fail', async () => {
    const { calls, message, facts } = await play(create({ if_exists: 'fail' }), { [`POST ${roles}`]: [taken] });
    expect(calls()).toEqual([`POST ${roles}`]);
    expect(message).toMatch(/^Could not create role "app": 409, exists\. .*`if_exists: reuse`\.$/);
    expect(facts.response).toMatchObject({ status: 409, body: { message: 'exists' } });
  });

  it('finds a branch by its exact name, and a bucket in the list', async () => {
    const branch = await play({ resource: 'branch', verb: 'create', branch_name: name });
    expect(branch.facts).toMatchObject({ done: `Reused branch "${name}"` });
    const buckets = { body: { buckets: [{ name: 'files-2' }, { name: 'files' }] } };
    const inputs = { resource: 'bucket', verb: 'create', branch_id: 'br-7', resource_id: 'files' };
    const bucket = await play(inputs, { 'GET /branches/*/buckets': [buckets] });
    expect(bucket.facts.response?.body).toEqual({ bucket: { name: 'files' } });
    expect(bucket.calls()).toEqual(['GET /branches/*/buckets']);
  });
});

describe('a POST or PATCH', () => {
  const database = {
    resource: 'database',
    verb: 'update',
    branch_id: 'br-7',
    resource_id: 'shop',
    body: '{"name": "b"}',
  };
  const start = { method: 'POST', path: '/projects/{project_id}/endpoints/ep-7/start' };
  const cases = [
    [create({ if_exists: 'fail' }), `POST ${roles}`, '`verb: get`'],
    [database, 'PATCH /branches/*/databases/shop', '`verb: get`'],
    [{ resource: 'api_key', verb: 'create', body: '{"key_name": "ci"}' }, 'POST /api_keys', '`verb: list`'],
    [start, 'POST /endpoints/*/start', '`method: GET`'],
  ] as [Record<string, string>, string, string][];

  it.each(cases.flatMap((one) => [lost, { status: 500 }, { text: '{"cut' }].map((reply) => [...one, reply] as const)))(
    '%j is not sent again after a lost response',
    async (inputs, route, look, reply) => {
      const { message, calls } = await play(inputs, { [route]: [reply, made] });
      expect(message).toContain('The request may have taken effect, so it was not retried.');
      expect(message).toContain(`check with ${look}`);
      expect(calls()).toEqual([route]);
    },
  );

  it.each([423, 429, 503])('is sent again after a %i, which means that nothing was done', async (status) => {
    const { facts, calls } = await play(create({ if_exists: 'fail' }), { [`POST ${roles}`]: [{ status }, made] });
    expect(facts.created).toBe(true);
    expect(calls()).toEqual([`POST ${roles}`, `POST ${roles}`]);
  });
});

describe('a delete', () => {
  const remove = role('delete', { resource_id: 'app' });
  const route = `DELETE ${roles}/app`;
  const ok: Reply = { body: { role: { name: 'app' }, operations: [] } };

  it.each<[string, Reply[], object]>([
    ['of what exists', [ok], { deleted: true, done: 'Deleted role "app" on branch br-7' }],
    ['of what is gone (404)', [missing], { deleted: false, done: expect.stringContaining('nothing to delete') }],
    ['of what is gone (204)', [{ status: 204 }], { deleted: false, response: { status: 204, body: undefined } }],
    ['is sent again after a lost response', [lost, ok], { deleted: true }],
    ['that took effect before its response was lost', [lost, missing], { deleted: true, response: { status: 404 } }],
  ])('%s', async (_, replies, expected) => {
    const { message, facts } = await play(remove, { [route]: replies });
    expect(message).toBeUndefined();
    expect(facts).toMatchObject(expected);
  });

  it('of a kind whose deletes have no response body', async () => {
    const bucket = { resource: 'bucket', verb: 'delete', branch_id: 'br-7', resource_id: 'files' };
    const { facts } = await play(bucket, { 'DELETE /branches/*/buckets/files': [{ status: 204 }] });
    expect(facts).toMatchObject({ deleted: true });
  });
});

describe('a list', () => {
  it('has the objects of all pages, whatever the name of the cursor', async () => {
    const page = (branch: string, pagination: object): Reply => ({ body: { branches: [{ id: branch }], pagination } });
    const replies = { 'GET /branches': [page('br-1', { next: 'a' }), page('br-2', { cursor: 'b' }), page('br-3', {})] };
    const { facts, sent } = await play({ resource: 'branch', verb: 'list' }, replies);
    expect(facts.response?.body).toEqual([{ id: 'br-1' }, { id: 'br-2' }, { id: 'br-3' }]);
    expect(sent.map(({ path }) => path.replace(/.*limit=1000/, ''))).toEqual(['', '&cursor=a', '&cursor=b']);
  });

  it('is limited to the branch that an input names', async () => {
    const endpoints = {
      body: {
        endpoints: [
          { id: 'ep-1', branch_id: 'br-1' },
          { id: 'ep-7', branch_id: 'br-7' },
        ],
      },
    };
    const list = { resource: 'endpoint', verb: 'list' };
    const all = await play(list, { 'GET /endpoints': [endpoints] });
    expect(all.facts.done).toBe('Listed 2 compute endpoints');
    const one = await play({ ...list, branch_name: name }, { 'GET /endpoints': [endpoints] });
    expect(one.facts.response?.body).toEqual([{ id: 'ep-7', branch_id: 'br-7' }]);
  });

  it('that is none is an error', async () => {
    const { message } = await play(role('list'), { [`GET ${roles}`]: Array(9).fill({ body: {} }) });
    expect(message).toContain('roles is not a list');
  });
});

describe('operations', () => {
  const prepared = (fields: object = {}) => {
    const account = new Account();
    const { id } = account.start('start_compute', 'br-main', { status: 'running', ...fields });
    return { account, id };
  };

  it('that a change starts are waited for, and are in `operation_ids`', async () => {
    for (const wait of ['true', 'false']) {
      const { account, id } = prepared();
      const reply = {
        status: 201,
        body: { role: { name: 'app' }, operations: [{ id, status: 'running' }] },
      };
      account.on(`POST ${roles}`, reply);
      const { facts, sent } = await run({ account, inputs: create({ branch_id: 'br-main', wait }) });
      expect(facts).toMatchObject({ created: true, operationIds: [id] });
      expect(sent.some(({ path }) => path.includes('/operations'))).toBe(wait === 'true');
    }
  });

  it('that deployments forget along with the branch have ended', async () => {
    const account = new Account();
    account.add({ name });
    account.on('DELETE /branches/*', {
      body: { branch: { id: 'br-1', name }, operations: [{ id: 'op-9', status: 'running' }] },
    });
    const { facts, message } = await run({
      account,
      inputs: { resource: 'branch', verb: 'delete', branch_name: name },
    });
    expect([message, facts.deleted]).toEqual([undefined, true]);
  });

  const get = async (more: Record<string, string>, fields: object = {}) => {
    const { account, id } = prepared(fields);
    const inputs = { resource: 'operation', verb: 'get', resource_id: id, ...more };
    const { facts, message } = await run({ account, inputs });
    return { facts, message, id, body: facts.response?.body as unknown };
  };

  it('are waited for by `get`, and returned as they ended', async () => {
    const { facts, id, body } = await get({});
    expect(facts).toMatchObject({
      operationIds: [],
      done: `Waited for operation start_compute (${id})`,
    });
    expect(body).toMatchObject({ operation: { status: 'finished' } });
    expect(await get({ wait: 'false' })).toMatchObject({ body: { operation: { status: 'running' } } });
  });

  it('are waited for by `get` while the service may retry them', async () => {
    const recent = { status: 'failed', retry_at: new Date(new Account().now() + 60_000).toISOString() };
    expect(await get({}, recent)).toMatchObject({
      message: expect.stringContaining('failed, and the service is not retrying it'),
    });
  });

  it('that have failed are no error of a `get`: it was read as it ended', async () => {
    expect(await get({}, { status: 'error' })).toMatchObject({
      message: undefined,
      facts: { done: expect.stringMatching(/^Read /) },
    });
  });
});

describe('a raw request', () => {
  const path = '/projects/{project_id}/branches/{branch_id}';

  it('is sent as it is written, without metadata', async () => {
    const body = '{"branch": {"name": "x"}}';
    const { facts, bodies } = await play({ method: 'POST', path: '/projects/{project_id}/branches', body });
    expect(bodies('POST /branches')).toEqual([{ branch: { name: 'x' } }]);
    expect(facts).toMatchObject({ created: true, done: expect.stringMatching(/returned 201$/) });
  });

  it('may delete a branch, or find it gone', async () => {
    expect((await play({ method: 'DELETE', path, branch_id: 'br-7' })).facts.deleted).toBe(true);
    const gone = await play({ method: 'DELETE', path, branch_id: 'br-7' }, { 'DELETE /branches/*': [{ status: 204 }] });
    expect(gone.facts).toMatchObject({ deleted: false });
  });

  it('to an unknown path fails', async () => {
    const { message } = await play({ method: 'DELETE', path: '/x' });
    expect(message).toMatch(/^Could not complete DELETE \/x: 404, .*Check `path`, which is relative to https:/);
  });
});

describe('a request that fails', () => {
  it('says what to check', async () => {
    const { message, facts } = await play(role('get', { resource_id: 'nope' }));
    expect(message).toMatch(
      /^Could not get role "nope": 404, not found.*Check the inputs that the request is made of: GET .*\.$/,
    );
    expect(facts.response).toMatchObject({ status: 404 });
  });
});

describe('a dry run', () => {
  it('says what would be sent, and sends nothing', async () => {
    const { facts, sent, lines } = await play({ ...create({ branch_id: '' }), branch_name: name, dry_run: 'true' });
    expect(sent).toEqual([]);
    const path = '/projects/shiny-wind-028834/branches/{branch_id}/roles';
    expect(facts.request).toMatchObject({ method: 'POST', path });
    expect(lines).toContain('Payload: {"role":{"name":"app"}}');
  });
});

describe('secrets', () => {
  it('in a response or in the body are masked', async () => {
    const reply = { status: 201, body: { role: { name: 'app', password: 'npg_fromService' } } };
    const body = '{"name": "app", "password": "npg_fromBody"}';
    const { masked } = await play(create({ body }), { [`POST ${roles}`]: [reply] });
    expect(masked).toEqual(expect.arrayContaining(['npg_fromService', 'npg_fromBody']));
  });
});
