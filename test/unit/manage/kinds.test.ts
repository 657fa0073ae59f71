import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aKind, type Kind, kindOf, kindOfPath, kinds, nearestKind, type Verb } from '../../../src/manage/kinds.ts';
import { requestOf } from '../../../src/manage/routes.ts';
import type { Json } from '../../../src/text/json.ts';
import { isSegment } from '../../../src/text/url.ts';
import { filesBelow, read } from '../../../tools/files.ts';

function kind(name: string): Kind {
  const found = kindOf(name);
  if (!found) throw new Error(`Unknown kind ${name}`);
  return found;
}

const owners = { projectId: 'p-1', branchId: 'br-1' };

describe('a kind', () => {
  it.each([
    ['api_keys', ['api_key', 'API keys', 'api-key', 'apiKeys', 'APIKEY', ' api  key ']],
    ['endpoints', ['endpoint', 'compute endpoint', 'compute-endpoints', 'compute_endpoint', 'Endpoints', 'compute']],
    ['branches', ['branch', 'Branches', 'BRANCH']],
    ['databases', ['database', 'databases']],
    ['roles', ['role', 'Roles']],
    ['projects', ['project', 'projects']],
    ['operations', ['operation', 'operations']],
    ['snapshots', ['snapshot', 'Snapshots']],
    ['auth', ['auth', 'auth integration', 'auth_integrations', 'Neon Auth']],
    ['data-api', ['data API', 'data_api', 'data-api', 'data APIs']],
    ['users', ['user', 'users']],
    ['clusters', ['cluster', 'Clusters']],
    ['instances', ['instance', 'instances']],
    ['teams', ['team', 'teams']],
    ['workspaces', ['workspace', 'work-spaces', 'Workspaces']],
  ])('%s is found by its name in any spelling', (segment, names) => {
    expect(names.map((name) => kindOf(name)?.segment)).toEqual(names.map(() => segment));
    expect(names.map((name) => kindOf(name)?.known)).toEqual(names.map(() => true));
  });

  it('shares no name with another kind', () => {
    const names = kinds.flatMap(({ one, many, segment, aliases = [] }) => [
      ...new Set([one, many, segment, ...aliases]),
    ]);
    const spellings = names.map((name) => name.toLowerCase().replaceAll(/[ _]/g, ''));
    const ofKind = spellings.map((name) => kindOf(name)?.one);
    expect(names.map((name) => kindOf(name)?.one)).toEqual(ofKind);
    expect(new Set(kinds.map(({ one }) => one)).size).toBe(kinds.length);
  });

  it.each([
    ['gadgets', 'gadgets'],
    ['VPC endpoints', 'vpc_endpoints'],
    ['access-token', 'access_token'],
  ])('%j is not in the table, so its path is its name', (name, segment) => {
    expect(kindOf(name)).toMatchObject({ segment, owner: 'account', wrap: undefined, known: false });
    expect(requestOf({ kind: kind(name), verb: 'list', owners: {} }).path).toBe(`/${segment}`);
    expect(requestOf({ kind: kind(name), verb: 'get', owners: {}, id: 'a/b' }).path).toBe(`/${segment}/a%2Fb`);
  });

  it.each(['', '..', 'a/b', 'a?b', 'röle', '1st', '%2e', 'x'.repeat(65)])('cannot be named %j', (name) => {
    expect(kindOf(name)).toBeUndefined();
  });

  it('is never recognized by its segment outside the table', () => {
    const others = filesBelow('src', /\.ts$/).filter((file) => file !== 'src/manage/kinds.ts');
    expect(others.filter((file) => /segment [=!]==/.test(read(file)))).toEqual([]);
  });

  it.each([
    ['rolle', 'role'],
    ['Brnaches', 'branch'],
    ['snapshoots', 'snapshot'],
    ['api_kyes', 'API key'],
    ['data_apy', 'Data API'],
    ['code', undefined],
    ['gadgets', undefined],
    ['vpc endpoints', undefined],
  ])('was probably meant by %j: %s', (name, one) => {
    expect(nearestKind(name)?.one).toBe(one);
  });

  it('has an article', () => {
    expect(['role', 'api key', 'operation', 'user'].map((name) => aKind(kind(name)))).toEqual([
      'a role',
      'an API key',
      'an operation',
      'a user',
    ]);
  });
});

/** The path of an object. */
function pathOfOne(name: string, id: string): string {
  return requestOf({ kind: kind(name), verb: 'get', owners, id }).path;
}

describe('a path', () => {
  it.each([
    ['project', '/projects', '/projects/x'],
    ['branch', '/projects/p-1/branches', '/projects/p-1/branches/x'],
    ['compute endpoint', '/projects/p-1/endpoints', '/projects/p-1/endpoints/x'],
    ['database', '/projects/p-1/branches/br-1/databases', '/projects/p-1/branches/br-1/databases/x'],
    ['role', '/projects/p-1/branches/br-1/roles', '/projects/p-1/branches/br-1/roles/x'],
    ['operation', '/projects/p-1/operations', '/projects/p-1/operations/x'],
    ['snapshot', '/projects/p-1/snapshots', '/projects/p-1/snapshots/x'],
    ['auth integration', '/projects/p-1/branches/br-1/auth', '/projects/p-1/branches/br-1/auth'],
    ['Data API', '/projects/p-1/branches/br-1/data-api', '/projects/p-1/branches/br-1/data-api/x'],
    ['API key', '/api_keys', '/api_keys/x'],
    ['user', '/users/me', '/users/me'],
    ['cluster', '/clusters', '/clusters'],
    ['instance', '/instances', '/instances/x'],
    ['team', '/teams', '/teams/x'],
    ['workspace', '/workspaces', '/workspaces/x'],
  ])('of all objects of the kind %s is %s, and of one %s', (name, collection, one) => {
    const list = requestOf({ kind: kind(name), verb: 'list', owners });
    expect(list).toEqual({ method: 'GET', path: collection, query: {}, body: undefined });
    expect(pathOfOne(name, 'x')).toBe(one);
  });

  it('of one cluster is the path of all clusters, with the ID in the query', () => {
    const get = (id?: string) => requestOf({ kind: kind('cluster'), verb: 'get', owners: {}, id });
    expect(get('c 1')).toMatchObject({ path: '/clusters', query: { id: 'c 1' } });
    expect(get()).toMatchObject({ path: '/clusters', query: {} });
    expect(pathOfOne('user', 'me')).toBe('/users/me');
  });

  it('of a new object is that of its kind, unless it is created by name or below a branch', () => {
    const create = (name: string, payload: Json, id?: string) =>
      requestOf({ kind: kind(name), verb: 'create', owners, id, payload });
    const role = { role: { name: 'app' } };
    expect(create('role', role)).toEqual({
      method: 'POST',
      path: '/projects/p-1/branches/br-1/roles',
      query: {},
      body: role,
    });
    expect(create('Data API', {}, 'neondb')).toMatchObject({
      path: '/projects/p-1/branches/br-1/data-api/neondb',
      body: {},
    });
    expect(create('snapshot', { snapshot: { name: 'a b', lsn: '0/1', other: 'x' } })).toEqual({
      method: 'POST',
      path: '/projects/p-1/branches/br-1/snapshot',
      query: { name: 'a b', lsn: '0/1' },
      body: undefined,
    });
    expect(requestOf({ kind: kind('snapshot'), verb: 'restore', owners, id: 'snap-1' }).path).toBe(
      '/projects/p-1/snapshots/snap-1/restore',
    );
  });

  it('of an API key is that of its organization, if there is one', () => {
    const of = (verb: Verb, payload: Json, projectId?: string) =>
      requestOf({ kind: kind('API key'), verb, owners: { projectId }, id: '7', payload });
    const org_id = 'org-1';
    expect(of('list', { org_id })).toMatchObject({ path: '/organizations/org-1/api_keys', body: undefined });
    expect(of('delete', { org_id })).toMatchObject({ path: '/organizations/org-1/api_keys/7', body: undefined });
    expect(() => of('list', { org_id: '..' })).toThrow(RangeError);
    const create = of('create', { org_id, key_name: 'ci' });
    expect(create).toMatchObject({ path: '/organizations/org-1/api_keys', body: { key_name: 'ci' } });
  });

  it("with an organization's key is limited to the project, if there is one", () => {
    const create = (payload: Json) =>
      requestOf({ kind: kind('API key'), verb: 'create', owners: { projectId: 'p' }, payload }).body;
    expect(create({ org_id: 'org-1', key_name: 'ci' })).toStrictEqual({ project_id: 'p', key_name: 'ci' });
    expect(create({ key_name: 'ci' })).toStrictEqual({ key_name: 'ci' });
  });

  it('always leads to the object, whatever characters its name has', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.constantFrom('role', 'database', 'team'), (id, name) => {
        if (!isSegment(id)) {
          expect(() => pathOfOne(name, id)).toThrow(RangeError);
          return;
        }
        const path = pathOfOne(name, id);
        const url = new URL(`https://host/api/v2${path}`);
        const parts = url.pathname.split('/');
        expect(url.search + url.hash).toBe('');
        expect(decodeURIComponent(parts.at(-1) ?? '')).toBe(id);
        expect(parts.slice(0, -1).join('/')).toBe(
          `/api/v2${requestOf({ kind: kind(name), verb: 'list', owners }).path}`,
        );
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(['.', '..', ''])('never contains the segment %j', (id) => {
    expect(() => pathOfOne('role', id)).toThrow(RangeError);
    expect(() => requestOf({ kind: kind('role'), verb: 'list', owners: { projectId: 'p', branchId: id } })).toThrow(
      RangeError,
    );
  });

  it.each([
    ['/projects/p-1/branches/br-1', 'branch'],
    ['/projects/p-1/branches/br-1/roles/app', 'role'],
    ['/teams/t', 'team'],
    ['/projects/p-1/branches/br-1/schema', undefined],
    ['/regions', undefined],
  ])('%s leads to an object of the kind %s', (path, one) => {
    expect(kindOfPath(path)?.one).toBe(one);
  });
});
