import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aKind, type Kind } from '../../../src/manage/kind.ts';
import { kindOf, kindOfPath, kinds, nearestKind } from '../../../src/manage/kinds.ts';
import { collectionRoute, creationRoute, objectRoute, restoreRoute } from '../../../src/manage/routes.ts';
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
    expect(collectionRoute(kind(name), {}).path).toBe(`/${segment}`);
    expect(objectRoute(kind(name), {}, 'a/b').path).toBe(`/${segment}/a%2Fb`);
  });

  it.each(['', '..', 'a/b', 'a?b', 'röle', '1st', '%2e', 'x'.repeat(65)])('cannot be named %j', (name) => {
    expect(kindOf(name)).toBeUndefined();
  });

  it('is never recognized by its segment outside the table', () => {
    const others = filesBelow('src', /\.ts$/).filter((file) => file !== 'src/objects/kinds.ts');
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
    ['user', '/users', '/users/me'],
    ['cluster', '/clusters', '/clusters'],
    ['instance', '/instances', '/instances/x'],
    ['team', '/teams', '/teams/x'],
    ['workspace', '/workspaces', '/workspaces/x'],
  ])('of all objects of the kind %s is %s, and of one %s', (name, collection, one) => {
    expect(collectionRoute(kind(name), owners)).toEqual({ path: collection, query: {} });
    expect(objectRoute(kind(name), owners, 'x').path).toBe(one);
  });

  it('of one cluster is the path of all clusters, with the ID in the query', () => {
    expect(objectRoute(kind('cluster'), {}, 'c 1')).toEqual({ path: '/clusters', query: { id: 'c 1' } });
    expect(objectRoute(kind('cluster'), {}, undefined)).toEqual({ path: '/clusters', query: {} });
    expect(objectRoute(kind('user'), {}, 'me')).toEqual({ path: '/users/me', query: {} });
  });

  it('of a new object is that of its kind, unless it is created by name or below a branch', () => {
    const payload = { snapshot: { name: 'a b', lsn: '0/1', other: 'x' } };
    expect(creationRoute({ kind: kind('role'), owners, payload })).toEqual({
      path: '/projects/p-1/branches/br-1/roles',
      query: {},
      body: payload,
    });
    expect(creationRoute({ kind: kind('Data API'), owners, id: 'neondb', payload: {} })).toEqual({
      path: '/projects/p-1/branches/br-1/data-api/neondb',
      query: {},
      body: {},
    });
    expect(creationRoute({ kind: kind('snapshot'), owners, payload })).toEqual({
      path: '/projects/p-1/branches/br-1/snapshot',
      query: { name: 'a b', lsn: '0/1' },
    });
    expect(restoreRoute(kind('snapshot'), owners, 'snap-1').path).toBe('/projects/p-1/snapshots/snap-1/restore');
  });

  it('of an API key is that of its organization, if there is one', () => {
    expect(collectionRoute(kind('API key'), { ...owners, organizationId: 'org-1' }).path).toBe(
      '/organizations/org-1/api_keys',
    );
    expect(objectRoute(kind('API key'), { organizationId: 'org-1' }, '7').path).toBe('/organizations/org-1/api_keys/7');
    expect(() => collectionRoute(kind('API key'), { organizationId: '..' })).toThrow(RangeError);
  });

  it('always leads to the object, whatever characters its name has', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.constantFrom('role', 'database', 'team'), (id, name) => {
        if (!isSegment(id)) {
          expect(() => objectRoute(kind(name), owners, id)).toThrow(RangeError);
          return;
        }
        const { path } = objectRoute(kind(name), owners, id);
        const url = new URL(`https://host/api/v2${path}`);
        const parts = url.pathname.split('/');
        expect(url.search + url.hash).toBe('');
        expect(decodeURIComponent(parts.at(-1) ?? '')).toBe(id);
        expect(parts.slice(0, -1).join('/')).toBe(`/api/v2${collectionRoute(kind(name), owners).path}`);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(['.', '..', ''])('never contains the segment %j', (id) => {
    expect(() => objectRoute(kind('role'), owners, id)).toThrow(RangeError);
    expect(() => collectionRoute(kind('role'), { projectId: 'p', branchId: id })).toThrow(RangeError);
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
