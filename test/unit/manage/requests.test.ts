import { describe, expect, it } from 'vitest';
import { UncertainError } from '../../../src/http/errors.ts';
import { createObject, getObject, LookupError, updateObject } from '../../../src/manage/requests.ts';
import type { Reply } from '../../support/mock-api.ts';
import { branch, collection, headers, lost, missing, now, past, payload, role, service } from './service.ts';

describe('a create of what a branch has once', () => {
  const auth = (over: object = {}): Reply => ({
    headers,
    body: { auth_provider: 'better_auth', created_at: now, ...over },
  });
  const options = (api: ReturnType<typeof service>['api']) => ({
    ...collection(api, 'auth'),
    payload: { auth_provider: 'better_auth' },
  });
  const taken: Reply = { status: 409, headers, body: { code: '', message: 'exists' } };

  it('is looked up if its response was lost, and is not sent again if it took effect', async () => {
    const { api, trail } = service({ 'POST /auth': [lost], 'GET /auth': [auth()] });
    expect(await createObject(options(api))).toMatchObject({ created: true, lost: true });
    expect(trail()).toEqual(['POST /auth', 'GET /auth']);
  });

  it('is sent again if the lookup shows that it did not', async () => {
    const { api, trail } = service({ 'POST /auth': [lost, auth()], 'GET /auth': [missing], GET: [branch()] });
    expect(await createObject(options(api))).toMatchObject({ created: true, lost: false });
    expect(trail().filter((one) => one.endsWith('/auth'))).toEqual(['POST /auth', 'GET /auth', 'POST /auth']);
  });

  it('returns the existing one on a conflict', async () => {
    const { api } = service({ 'POST /auth': [taken], 'GET /auth': [auth({ created_at: past })] });
    expect(await createObject(options(api))).toMatchObject({ created: false, response: { status: 200 } });
  });

  it('finds the read-write endpoint of the same branch, and no other', async () => {
    const endpoint = (id: string, type: string, branch_id = 'br-1') => ({
      id,
      type,
      branch_id,
      project_id: 'p',
      created_at: past,
    });
    const all = [endpoint('ep-1', 'read_write', 'br-2'), endpoint('ep-2', 'read_only'), endpoint('ep-3', 'read_write')];
    const { api, trail } = service({
      'POST /projects/p/endpoints': [taken],
      'GET /projects/p/endpoints': [{ headers, body: { endpoints: all } }],
      'GET /projects/p/endpoints/ep-3': [{ headers, body: { endpoint: all[2] } }],
    });
    const payload = { endpoint: { type: 'read_write', branch_id: 'br-1' } };
    const made = await createObject({ ...collection(api, 'endpoint'), payload });
    expect(made).toMatchObject({ created: false, response: { value: { endpoint: { id: 'ep-3' } } } });
    expect(trail()).toHaveLength(3);
  });
});

describe('a create with a unique name', () => {
  it('is one POST', async () => {
    const { api, trail, sent } = service({ 'POST /roles': [role()] });
    expect(await createObject({ ...collection(api), payload })).toMatchObject({ created: true, lost: false });
    expect(trail()).toEqual(['POST /roles']);
    expect(sent[0]?.body).toEqual(payload);
  });

  it('is looked up if its response is lost, and not resent', async () => {
    const { api, trail } = service({ 'POST /roles': [lost], 'GET /roles/app': [role()] });
    expect(await createObject({ ...collection(api), payload })).toMatchObject({ created: true, lost: true });
    expect(trail()).toEqual(['POST /roles', 'GET /roles/app']);
  });

  it('does not claim an older object that a lookup finds', async () => {
    const { api } = service({ 'POST /roles': [lost], 'GET /roles/app': [role({ created_at: past })] });
    expect(await createObject({ ...collection(api), payload })).toMatchObject({ created: false, lost: true });
  });

  it('is resent if nothing is found, and recognizes its own object if that appears late', async () => {
    const { api, trail } = service({
      'POST /roles': [lost, { status: 409, headers }],
      'GET /roles/app': [missing, role()],
    });
    expect(await createObject({ ...collection(api), payload })).toMatchObject({ created: true });
    expect(trail()).toEqual(['POST /roles', 'GET /roles/app', 'POST /roles', 'GET /roles/app']);
  });

  it('returns the existing object if the name is taken', async () => {
    const { api } = service({ 'POST /roles': [{ status: 409 }], 'GET /roles/app': [role({ created_at: now })] });
    const creation = await createObject({ ...collection(api), payload });
    expect(creation).toMatchObject({ created: false, response: { status: 201 }, refusal: { status: 409 } });
  });

  it('fails on a conflict that is not about its name', async () => {
    const { api } = service({
      'POST /roles': [{ status: 409, body: { message: 'busy' } }],
      'GET /roles/app': [missing],
    });
    await expect(createObject({ ...collection(api), payload })).rejects.toThrow(
      'Could not create role "app": 409, busy',
    );
  });

  it('tells a failed lookup from a failed create', async () => {
    const { api } = service({ 'POST /roles': [lost], 'GET /roles/app': [{ status: 403 }] });
    const created = createObject({ ...collection(api), payload });
    await expect(created).rejects.toThrow(LookupError);
    await expect(created).rejects.toMatchObject({ cause: { status: 403 } });
  });

  it('of a branch is looked up by its exact name', async () => {
    const at = '/projects/p/branches';
    const flags = { created_at: past, default: false, protected: false };
    const branches = ['app-2', 'app'].map((name, index) => ({ id: `br-${index}`, name, ...flags }));
    const listed = { branches, annotations: { 'br-1': { value: { note: 'x' } } } };
    const { api, trail } = service({
      [`POST ${at}`]: [{ status: 409 }],
      [`GET ${at}`]: [{ body: listed }],
      GET: [{ body: { branch: { id: 'br-1', name: 'app' } } }],
    });
    const found = await createObject({
      ...collection(api, 'branch'),
      owners: { projectId: 'p' },
      payload: { branch: { name: 'app' } },
    });
    expect(found).toMatchObject({ created: false, response: { value: { branch: { id: 'br-1' } } } });
    expect(trail()).toEqual([`POST ${at}`, `GET ${at}`, 'GET']);
  });
});

describe('a create without a unique name', () => {
  const create = (reply: Reply) => {
    const mock = service({ 'POST /api_keys': [reply, { body: { id: 2, key: 'twice' } }] });
    const created = createObject({ ...collection(mock.api, 'API key'), owners: {}, payload: { key_name: 'ci' } });
    return { ...mock, created };
  };

  it.each([
    ['lost', lost],
    ['a 500', { status: 500 }],
    ['cut off', { text: '{"id": 1' }],
    ['empty', {}],
  ] satisfies [string, Reply][])(
    'is not resent if its response is %s, because it may have taken effect',
    async (_, reply) => {
      const { created, trail } = create(reply);
      await expect(created).rejects.toThrow(UncertainError);
      await expect(created).rejects.toThrow(
        /The request may have taken effect, so it was not retried\. Before you run the step again, check with `verb: list`\./,
      );
      expect(trail()).toEqual(['POST /api_keys']);
    },
  );

  it.each([423, 429, 503])('is retried after a %i, which means that nothing was done', async (status) => {
    const { created, trail } = create({ status });
    expect((await created).response.value).toEqual({ id: 2, key: 'twice' });
    expect(trail()).toEqual(['POST /api_keys', 'POST /api_keys']);
  });
});

describe('an update', () => {
  it('is not resent if its response is lost', async () => {
    const { api, trail } = service({ 'PATCH /databases/shop': [lost] });
    const update = updateObject({ ...collection(api, 'database'), id: 'shop', payload: { database: { name: 'b' } } });
    await expect(update).rejects.toThrow(/check with `verb: get`/);
    expect(trail()).toEqual(['PATCH /databases/shop']);
  });
});

describe('a response', () => {
  it.each([
    ['another name', role({ name: 'other' }), 'name "other" instead of "app"'],
    ['another branch', role({ branch_id: 'br-2' }), 'branch_id "br-2" instead of "br-1"'],
    ['another project', role({ project_id: 'q' }), 'project_id "q" instead of "p"'],
    ['a list of names', role({ name: ['app'] }), 'a malformed name instead of "app"'],
    ['no name at all', role({ name: { is: 'app' } }), 'a malformed name instead of "app"'],
  ] as const)('about %s is rejected', async (_, reply, what) => {
    const { api } = service({ 'GET /roles/app': [reply] });
    const read = getObject({ ...collection(api), id: 'app' });
    await expect(read).rejects.toThrow('The service returned');
    await expect(read).rejects.toThrow(what);
  });

  it('of another shape is rejected if the shape is published', async () => {
    const { api } = service({ 'GET /roles/app': [{ body: { name: 'app' } }] });
    await expect(getObject({ ...collection(api), id: 'app' })).rejects.toThrow('role is not an object');
    const other = service({ 'GET /teams/t': [{ body: ['anything'] }] });
    expect(await getObject({ ...collection(other.api, 'team'), id: 't' })).toMatchObject({ value: ['anything'] });
  });
});

describe('on a new branch', () => {
  it('a change that fails because the branch is not ready is retried', async () => {
    const { api, trail } = service({
      'POST /roles': [{ status: 422, headers }, { status: 422, headers }, role()],
      GET: [branch(now)],
    });
    expect(await createObject({ ...collection(api), payload })).toMatchObject({ created: true });
    expect(trail()).toEqual(['POST /roles', 'GET', 'POST /roles', 'POST /roles']);
  });

  it('a read that finds nothing is retried until the propagation window closes', async () => {
    const { api, trail } = service({ 'GET /roles/app': [missing, missing, role()], GET: [branch(now)] });
    expect(await getObject({ ...collection(api), id: 'app' })).toMatchObject({ status: 201 });
    expect(trail().filter((one) => one === 'GET /roles/app')).toHaveLength(3);
    const never = service({ 'GET /roles/app': [missing], GET: [branch(now)] });
    await expect(getObject({ ...collection(never.api), id: 'app' })).rejects.toThrow('Could not read role "app": 404');
    expect(never.clock.now() - Date.parse(now)).toBeLessThan(10_000);
  });

  it('only: on an older one, a failure is final', async () => {
    const { api, trail } = service({ 'POST /roles': [{ status: 422, headers }], GET: [branch()] });
    await expect(createObject({ ...collection(api), payload })).rejects.toThrow('Could not create role "app": 422');
    expect(trail()).toEqual(['POST /roles', 'GET']);
  });
});
