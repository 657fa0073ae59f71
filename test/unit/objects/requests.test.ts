import { describe, expect, it } from 'vitest';
import { MismatchError } from '../../../src/api/errors.ts';
import { UncertainError } from '../../../src/http/errors.ts';
import { createObject } from '../../../src/objects/create.ts';
import { type Kind, kindOf } from '../../../src/objects/kinds.ts';
import { deleteObject, getObject, updateObject } from '../../../src/objects/requests.ts';
import { mockApi, type Reply, type Sent } from '../../support/mock-api.ts';

function kind(name: string): Kind {
  const found = kindOf(name);
  if (!found) throw new Error(`there is no kind ${name}`);
  return found;
}

const place = { projectId: 'p', branchId: 'br-1' };
const lost: Reply = { error: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) };
const now = '2026-03-04T05:06:07Z';
const past = '2026-03-04T05:00:00Z';
const headers = { date: new Date(now).toUTCString() };
const role = (over: object = {}): Reply => ({
  status: 201,
  headers,
  body: { role: { name: 'app', branch_id: 'br-1', created_at: now, ...over }, operations: [] },
});
const missing: Reply = { status: 404, headers };
/** The branch of an object, which is old unless it is said to be new. */
const branch = (createdAt = '2026-01-01T00:00:00Z'): Reply => ({
  headers,
  body: { branch: { id: 'br-1', name: 'b', created_at: createdAt } },
});

/** Replies by request: `POST /roles` and so on, each in turn, the last one again and again. */
function service(replies: Record<string, Reply[]>, options: { timeoutMs?: number } = {}) {
  const counts = new Map<string, number>();
  const name = ({ method, path }: Sent) => `${method} ${path.replace('/api/v2', '').split('?')[0]}`;
  const mock = mockApi((request) => {
    const key = name(request).replace('/projects/p/branches/br-1', '').trim();
    const script = replies[key];
    if (!script) throw new Error(`nobody has said what to answer to ${key}`);
    const nth = counts.get(key) ?? 0;
    counts.set(key, nth + 1);
    return script[Math.min(nth, script.length - 1)] as Reply;
  }, options);
  return { ...mock, trail: () => mock.sent.map((one) => name(one).replace('/projects/p/branches/br-1', '').trim()) };
}

const where = (api: ReturnType<typeof service>['api'], name = 'role') => ({ api, kind: kind(name), place });
const payload = { role: { name: 'app' } };

describe('a create of what has a name of its own', () => {
  it('is one POST', async () => {
    const { api, trail, sent } = service({ 'POST /roles': [role()] });
    expect(await createObject({ ...where(api), payload })).toMatchObject({ made: true, lost: false });
    expect(trail()).toEqual(['POST /roles']);
    expect(sent[0]?.body).toEqual(payload);
  });

  it('is looked up where its answer is lost, and not sent again', async () => {
    const { api, trail } = service({ 'POST /roles': [lost], 'GET /roles/app': [role()] });
    expect(await createObject({ ...where(api), payload })).toMatchObject({ made: true, lost: true });
    expect(trail()).toEqual(['POST /roles', 'GET /roles/app']);
  });

  it('is not its own where what is found is older', async () => {
    const { api } = service({ 'POST /roles': [lost], 'GET /roles/app': [role({ created_at: past })] });
    expect(await createObject({ ...where(api), payload })).toMatchObject({ made: false, lost: true });
  });

  it('is sent again where nothing is found, and knows its own when it comes late', async () => {
    const { api, trail } = service({
      'POST /roles': [lost, { status: 409, headers }],
      'GET /roles/app': [missing, role()],
    });
    expect(await createObject({ ...where(api), payload })).toMatchObject({ made: true });
    expect(trail()).toEqual(['POST /roles', 'GET /roles/app', 'POST /roles', 'GET /roles/app']);
  });

  it('gives what is there where the name is taken', async () => {
    const { api } = service({ 'POST /roles': [{ status: 409 }], 'GET /roles/app': [role({ created_at: now })] });
    const creation = await createObject({ ...where(api), payload });
    expect(creation).toMatchObject({ made: false, reply: { status: 201 }, refusal: { status: 409 } });
  });

  it('is refused for another reason than its name', async () => {
    const { api } = service({
      'POST /roles': [{ status: 409, body: { message: 'busy' } }],
      'GET /roles/app': [missing],
    });
    await expect(createObject({ ...where(api), payload })).rejects.toThrow('Could not create role "app": POST');
  });

  it('of a branch is looked up by name, whole and exactly', async () => {
    const at = '/projects/p/branches';
    const listed = { branches: ['app-2', 'app'].map((name, index) => ({ id: `br-${index}`, name, created_at: past })) };
    const { api, trail } = service({
      [`POST ${at}`]: [{ status: 409 }],
      [`GET ${at}`]: [{ body: listed }],
      GET: [{ body: { branch: { id: 'br-1', name: 'app' } } }],
    });
    const found = await createObject({
      ...where(api, 'branch'),
      place: { projectId: 'p' },
      payload: { branch: { name: 'app' } },
    });
    expect(found).toMatchObject({ made: false, reply: { body: { branch: { id: 'br-1' } } } });
    expect(trail()).toEqual([`POST ${at}`, `GET ${at}`, 'GET']);
  });
});

describe('a create of what has none', () => {
  const make = (reply: Reply) => {
    const mock = service({ 'POST /api_keys': [reply, { body: { id: 2, key: 'twice' } }] });
    const created = createObject({ ...where(mock.api, 'API key'), place: {}, payload: { key_name: 'ci' } });
    return { ...mock, created };
  };

  it.each([
    ['lost', lost],
    ['a 500', { status: 500 }],
    ['cut off', { text: '{"id": 1' }],
    ['empty', {}],
  ] satisfies [string, Reply][])(
    'is not sent again where its answer is %s: that may have been it',
    async (_, reply) => {
      const { created, trail } = make(reply);
      await expect(created).rejects.toThrow(UncertainError);
      await expect(created).rejects.toThrow(/It may have taken effect all the same, .* look with `verb: list` before/);
      expect(trail()).toEqual(['POST /api_keys']);
    },
  );

  it.each([423, 429, 503])('is sent again after a %i, which says that nothing was done', async (status) => {
    const { created, trail } = make({ status });
    expect((await created).reply.body).toEqual({ id: 2, key: 'twice' });
    expect(trail()).toEqual(['POST /api_keys', 'POST /api_keys']);
  });
});

describe('an update', () => {
  it('is not sent again where its answer is lost', async () => {
    const { api, trail } = service({ 'PATCH /databases/shop': [lost] });
    const update = updateObject({ ...where(api, 'database'), id: 'shop', payload: { database: { name: 'b' } } });
    await expect(update).rejects.toThrow(/look with `verb: get`/);
    expect(trail()).toEqual(['PATCH /databases/shop']);
  });
});

describe('a delete', () => {
  const remove = (replies: Reply[], name = 'role', id = 'app') => {
    const mock = service({ [`DELETE /${kind(name).segment}/${id}`]: replies });
    return deleteObject({ ...where(mock.api, name), id });
  };

  it('says whether there was something', async () => {
    expect(await remove([role()])).toMatchObject({ deleted: true });
    expect(await remove([{ status: 204 }])).toMatchObject({ deleted: false });
    expect(await remove([missing])).toMatchObject({ deleted: false, unknown: { status: 404 } });
    expect(await remove([{ status: 204 }], 'team')).toMatchObject({ deleted: true });
  });

  it.each([[{ status: 204 }], [missing], [role()]] satisfies [Reply][])(
    'whose answer was lost has deleted it, whatever the next one says: %j',
    async (next) => {
      expect(await remove([lost, next])).toMatchObject({ deleted: true });
    },
  );
});

describe('an answer', () => {
  it.each([
    ['another name', role({ name: 'other' }), 'name "app"'],
    ['another branch', role({ branch_id: 'br-2' }), 'branch_id "br-1"'],
    ['another project', role({ project_id: 'q' }), 'project_id "p"'],
    ['a list of names', role({ name: ['app'] }), 'name "app", and the service answered with other JSON'],
    ['no name at all', role({ name: { is: 'app' } }), 'name "app", and the service answered with other JSON'],
  ] as const)('about %s is not taken', async (_, reply, what) => {
    const { api } = service({ 'GET /roles/app': [reply] });
    const read = getObject({ ...where(api), id: 'app' });
    await expect(read).rejects.toThrow(MismatchError);
    await expect(read).rejects.toThrow(what);
  });

  it('of another shape is not taken, where its shape is published', async () => {
    const { api } = service({ 'GET /roles/app': [{ body: { name: 'app' } }] });
    await expect(getObject({ ...where(api), id: 'app' })).rejects.toThrow('no object at role');
    const other = service({ 'GET /teams/t': [{ body: ['anything'] }] });
    expect(await getObject({ ...where(other.api, 'team'), id: 't' })).toMatchObject({ body: ['anything'] });
  });
});

describe('on a branch that was just made', () => {
  it('a change that is refused as «not ready yet» is sent again', async () => {
    const { api, trail } = service({
      'POST /roles': [{ status: 422, headers }, { status: 422, headers }, role()],
      GET: [branch(now)],
    });
    expect(await createObject({ ...where(api), payload })).toMatchObject({ made: true });
    expect(trail()).toEqual(['POST /roles', 'GET', 'POST /roles', 'POST /roles']);
  });

  it('a read that finds nothing is repeated for some seconds, and no longer', async () => {
    const { api, trail } = service({ 'GET /roles/app': [missing, missing, role()], GET: [branch(now)] });
    expect(await getObject({ ...where(api), id: 'app' })).toMatchObject({ status: 201 });
    expect(trail().filter((one) => one === 'GET /roles/app')).toHaveLength(3);
    const never = service({ 'GET /roles/app': [missing], GET: [branch(now)] });
    await expect(getObject({ ...where(never.api), id: 'app' })).rejects.toThrow('answered 404');
    expect(never.clock.now() - Date.parse(now)).toBeLessThan(10_000);
  });

  it('only: on an older one, a refusal is a refusal', async () => {
    const { api, trail } = service({ 'POST /roles': [{ status: 422, headers }], GET: [branch()] });
    await expect(createObject({ ...where(api), payload })).rejects.toThrow('answered 422');
    expect(trail()).toEqual(['POST /roles', 'GET']);
  });
});
