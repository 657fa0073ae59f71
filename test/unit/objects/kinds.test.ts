import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  aKind,
  collectionRoute,
  isSegment,
  type Kind,
  kindOf,
  kinds,
  objectRoute,
} from '../../../src/objects/kinds.ts';

function kind(name: string): Kind {
  const found = kindOf(name);
  if (!found) throw new Error(`there is no kind ${name}`);
  return found;
}

const place = { projectId: 'p-1', branchId: 'br-1' };

describe('a kind', () => {
  it.each([
    ['api_keys', ['api_key', 'API keys', 'api-key', 'apiKeys', 'APIKEY', ' api  key ']],
    ['endpoints', ['endpoint', 'compute endpoint', 'compute-endpoints', 'compute_endpoint', 'Endpoints', 'compute']],
    ['branches', ['branch', 'Branches', 'BRANCH']],
    ['databases', ['database', 'databases']],
    ['roles', ['role', 'Roles']],
    ['projects', ['project', 'projects']],
    ['operations', ['operation', 'operations']],
    ['users', ['user', 'users']],
    ['clusters', ['cluster', 'Clusters']],
    ['instances', ['instance', 'instances']],
    ['teams', ['team', 'teams']],
    ['workspaces', ['workspace', 'work-spaces', 'Workspaces']],
  ])('%s goes by its name in any spelling', (segment, names) => {
    expect(names.map((name) => kindOf(name)?.segment)).toEqual(names.map(() => segment));
    expect(names.map((name) => kindOf(name)?.known)).toEqual(names.map(() => true));
  });

  it('goes by no other kind’s name', () => {
    const names = kinds.flatMap(({ one, many, segment, aliases = [] }) => [
      ...new Set([one, many, segment, ...aliases]),
    ]);
    const spellings = names.map((name) => name.toLowerCase().replaceAll(/[ _]/g, ''));
    const ofKind = spellings.map((name) => kindOf(name)?.one);
    expect(names.map((name) => kindOf(name)?.one)).toEqual(ofKind);
    expect(new Set(kinds.map(({ one }) => one)).size).toBe(kinds.length);
  });

  it.each([
    ['snapshots', 'snapshots'],
    ['VPC endpoints', 'vpc_endpoints'],
    ['access-token', 'access_token'],
  ])('%j is not in the table, and goes by the name it has', (name, segment) => {
    expect(kindOf(name)).toMatchObject({ segment, owner: 'account', wrap: undefined, known: false });
    expect(collectionRoute(kind(name), {}).path).toBe(`/${segment}`);
    expect(objectRoute(kind(name), {}, 'a/b').path).toBe(`/${segment}/a%2Fb`);
  });

  it.each(['', '..', 'a/b', 'a?b', 'röle', '1st', '%2e', 'x'.repeat(65)])('cannot be named %j', (name) => {
    expect(kindOf(name)).toBeUndefined();
  });

  it('stands in a sentence', () => {
    expect(['role', 'api key', 'operation', 'user'].map((name) => aKind(kind(name)))).toEqual([
      'a role',
      'an API key',
      'an operation',
      'a user',
    ]);
  });
});

describe('the path', () => {
  it.each([
    ['project', '/projects', '/projects/x'],
    ['branch', '/projects/p-1/branches', '/projects/p-1/branches/x'],
    ['compute endpoint', '/projects/p-1/endpoints', '/projects/p-1/endpoints/x'],
    ['database', '/projects/p-1/branches/br-1/databases', '/projects/p-1/branches/br-1/databases/x'],
    ['role', '/projects/p-1/branches/br-1/roles', '/projects/p-1/branches/br-1/roles/x'],
    ['operation', '/projects/p-1/operations', '/projects/p-1/operations/x'],
    ['API key', '/api_keys', '/api_keys/x'],
    ['user', '/users/me', '/users/me'],
    ['cluster', '/clusters', '/clusters'],
    ['instance', '/instances', '/instances/x'],
    ['team', '/teams', '/teams/x'],
    ['workspace', '/workspaces', '/workspaces/x'],
  ])('of a %s is %s, and %s of one', (name, collection, one) => {
    expect(collectionRoute(kind(name), place)).toEqual({ path: collection, query: {} });
    expect(objectRoute(kind(name), place, 'x').path).toBe(one);
  });

  it('of one cluster is that of all; the ID, if there is one, stands in the query', () => {
    expect(objectRoute(kind('cluster'), {}, 'c 1')).toEqual({ path: '/clusters', query: { id: 'c 1' } });
    expect(objectRoute(kind('cluster'), {}, undefined)).toEqual({ path: '/clusters', query: {} });
    expect(objectRoute(kind('user'), {}, 'me')).toEqual({ path: '/users/me', query: {} });
  });

  it('is never another one, whatever a name has in it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.constantFrom('role', 'database', 'team'), (id, name) => {
        if (!isSegment(id)) {
          expect(() => objectRoute(kind(name), place, id)).toThrow(RangeError);
          return;
        }
        const { path } = objectRoute(kind(name), place, id);
        const url = new URL(`https://host/api/v2${path}`);
        const parts = url.pathname.split('/');
        expect(url.search + url.hash).toBe('');
        expect(decodeURIComponent(parts.at(-1) ?? '')).toBe(id);
        expect(parts.slice(0, -1).join('/')).toBe(`/api/v2${collectionRoute(kind(name), place).path}`);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(['.', '..', ''])('has no %j in it', (id) => {
    expect(() => objectRoute(kind('role'), place, id)).toThrow(RangeError);
    expect(() => collectionRoute(kind('role'), { projectId: 'p', branchId: id })).toThrow(RangeError);
  });
});
