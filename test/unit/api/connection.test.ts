import { describe, expect, it } from 'vitest';
import { choose, connectionFromResponse, fetchConnection, listChoices } from '../../../src/api/connection.ts';
import { MismatchError, NotFoundError } from '../../../src/api/errors.ts';
import type { Branch, Endpoint } from '../../../src/api/types.ts';
import { mockApi, type Reply } from '../../support/mock-api.ts';

const branch: Branch = {
  id: 'br-1',
  name: 'preview/pr-7',
  default: false,
  protected: false,
  current_state: 'ready',
  created_at: '2026-03-04T05:06:07Z',
  metadata: {},
};
const host = 'ep-cool-rain-1.eu.local.test';
const pooler = 'ep-cool-rain-1-pooler.eu.local.test';
const endpoint: Endpoint = {
  id: 'ep-cool-rain-1',
  branch_id: 'br-1',
  host,
  type: 'read_write',
  current_state: 'active',
};

describe('choosing', () => {
  const database = (names: string[], wanted?: string) => choose({ kind: 'database', wanted, names, branch });
  const role = (names: string[], wanted?: string) => choose({ kind: 'role', wanted, names, branch });

  it('takes what is asked for, else the only one, else the conventional one', () => {
    expect(database(['neondb', 'app', 'b'], 'app')).toBe('app');
    expect(database(['app'])).toBe('app');
    expect(database(['app', 'neondb'])).toBe('neondb');
    expect(role(['admin', 'neondb_owner', 'b'])).toBe('neondb_owner');
    expect(role(['neondb'])).toBe('neondb');
  });

  it('of the wrong kind’s convention is no choice', () => {
    expect(() => role(['neondb', 'b'])).toThrow(NotFoundError);
    expect(() => database(['neondb_owner', 'b'])).toThrow(NotFoundError);
  });

  it('that cannot be made lists what there is', () => {
    expect(() => database(['b', 'a b'])).toThrow(
      'Branch "preview/pr-7" has several databases: "b", "a b". Set `database` to one of them.',
    );
    expect(() => role([])).toThrow('Branch "preview/pr-7" has no roles. Create one first.');
    expect(() => role(['app', 'b'], 'App')).toThrow(
      'Branch "preview/pr-7" has no role "App"; it has "app", "b". Set `role` to one of them.',
    );
    expect(() => database([], 'app')).toThrow('has no database "app"; it has none.');
    // a part of a name is not the name
    expect(() => database(['app_test'], 'app')).toThrow(NotFoundError);
  });
});

describe('the address in the answer to a create', () => {
  const uri = `postgresql://app:p%2Fw%40rd@${host}:5433/neondb?sslmode=require&channel_binding=require`;
  const details = [{ uri, database: 'neondb', role: 'app', poolerHost: pooler }];
  const ask = (over: Partial<Parameters<typeof connectionFromResponse>[0]> = {}) =>
    connectionFromResponse({ details, endpoint, database: 'neondb', role: 'app', ...over });

  it('is taken as it is, and the pooled one is the same at the pooler', () => {
    expect(ask()).toEqual({
      uri,
      pooledUri: uri.replace(host, pooler),
      host,
      pooledHost: pooler,
      port: '5433',
      database: 'neondb',
      role: 'app',
      password: 'p/w@rd',
    });
  });

  it('is not taken for another database or role', () => {
    expect(ask({ database: 'other' })).toBeUndefined();
    expect(ask({ role: 'other' })).toBeUndefined();
    expect(ask({ details: [] })).toBeUndefined();
  });

  it.each([
    ['another endpoint’s host', { uri: uri.replace('rain-1', 'rain-2') }],
    [
      'another endpoint’s host and pooler',
      { uri: uri.replace('rain-1', 'rain-2'), poolerHost: pooler.replace('rain-1', 'rain-2') },
    ],
    ['another endpoint’s pooler', { poolerHost: 'ep-cool-rain-2-pooler.eu.local.test' }],
    ['a pooler elsewhere', { poolerHost: 'ep-cool-rain-1-pooler.evil.test' }],
    ['another database than it says', { uri: uri.replace('/neondb', '/other') }],
    ['another role than it says', { uri: uri.replace('//app:', '//root:') }],
  ])('at %s is refused', (_, over) => {
    const lie = { ...details[0], ...over } as (typeof details)[0];
    expect(() => ask({ details: [lie] })).toThrow(MismatchError);
    expect(() => ask({ details: [lie] })).not.toThrow(/w%40rd|w@rd/);
  });

  it('that is no URI is refused without being shown', () => {
    const lie = [{ ...details[0], uri: 'http://app:hunter22@x' }] as typeof details;
    expect(() => ask({ details: lie })).toThrow('is not a PostgreSQL URI');
    expect(() => ask({ details: lie })).not.toThrow(/hunter22/);
  });

  it('without a password says what to do', () => {
    const bare = [{ ...details[0], uri: uri.replace(':p%2Fw%40rd', '') }] as typeof details;
    expect(() => ask({ details: bare })).toThrow(/without a password for role "app".*Reset the role's password/);
  });

  it('may have an endpoint’s host with a port, as on loopback', () => {
    const local = { ...endpoint, host: '127.0.0.1:5433' };
    const here = [
      { uri: 'postgres://app:pw@127.0.0.1:5433/neondb', database: 'neondb', role: 'app', poolerHost: '127.0.0.1' },
    ];
    expect(ask({ endpoint: local, details: here })).toMatchObject({
      host: '127.0.0.1',
      pooledHost: '127.0.0.1',
      port: '5433',
    });
  });
});

describe('asking for the address', () => {
  const answers =
    (direct: string, pooled: string) =>
    (request: { path: string }): Reply => ({
      body: { uri: request.path.includes('pooled=true') ? pooled : direct },
    });
  const direct = `postgresql://r%20x:pw-1234@${host}/d%26b?sslmode=require`;
  const ask = (mock: ReturnType<typeof mockApi>) =>
    fetchConnection({ api: mock.api, projectId: 'p-1', branch, endpoint, database: 'd&b', role: 'r x' });

  it('names branch, endpoint, database and role, direct and pooled', async () => {
    const mock = mockApi(answers(direct, direct.replace(host, pooler)));
    expect(await ask(mock)).toMatchObject({
      host,
      pooledHost: pooler,
      database: 'd&b',
      role: 'r x',
      password: 'pw-1234',
    });
    const queries = mock.sent.map((one) => Object.fromEntries(new URL(one.path, 'http://x').searchParams));
    const both = { branch_id: 'br-1', endpoint_id: endpoint.id, database_name: 'd&b', role_name: 'r x' };
    expect(queries).toEqual([
      { ...both, pooled: 'false' },
      { ...both, pooled: 'true' },
    ]);
    expect(mock.masked).toContain('pw-1234');
  });

  it.each([
    ['direct', answers(direct.replace('rain-1', 'rain-2'), direct.replace(host, pooler))],
    ['pooled', answers(direct, direct.replace('rain-1', 'rain-2-pooler'))],
  ])('refuses another endpoint’s %s address', async (_, script) => {
    await expect(ask(mockApi(script))).rejects.toThrow(MismatchError);
  });
});

it('names come from two lists at the same time', async () => {
  const mock = mockApi(({ path }) => {
    const kind = path.split('/').at(-1) as string;
    return { body: { [kind]: [{ name: `${kind}-1` }, { name: `${kind}-2` }] } };
  });
  expect(await listChoices({ api: mock.api, projectId: 'p-1', branch })).toEqual({
    databases: ['databases-1', 'databases-2'],
    roles: ['roles-1', 'roles-2'],
  });
});
