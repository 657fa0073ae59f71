import { describe, expect, it } from 'vitest';
import { choose, connectionFromResponse, fetchConnection, listChoices } from '../../../src/service/connection.ts';
import { RefusedError } from '../../../src/service/errors.ts';
import type { Branch, Endpoint } from '../../../src/service/types.ts';
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
};

describe('the choice of a database or role', () => {
  const database = (names: string[], wanted?: string) => choose({ kind: 'database', wanted, names, branch });
  const role = (names: string[], wanted?: string) => choose({ kind: 'role', wanted, names, branch });

  it('is the one given, else the only one, else the default name', () => {
    expect(database(['neondb', 'app', 'b'], 'app')).toBe('app');
    expect(database(['app'])).toBe('app');
    expect(database(['app', 'neondb'])).toBe('neondb');
    expect(role(['admin', 'neondb_owner', 'b'])).toBe('neondb_owner');
    expect(role(['neondb'])).toBe('neondb');
  });

  it('is not the default name of the other kind', () => {
    expect(() => role(['neondb', 'b'])).toThrow(RefusedError);
    expect(() => database(['neondb_owner', 'b'])).toThrow(RefusedError);
  });

  it('fails with a list of the options', () => {
    expect(() => database(['b', 'a b'])).toThrow(
      'Branch "preview/pr-7" has several databases. Set `database` to one of these: "b", "a b".',
    );
    expect(() => role([])).toThrow(
      'Branch "preview/pr-7" has no roles. Create a role first, for example with the action `manage`.',
    );
    expect(() => role(['app', 'b'], 'App')).toThrow(
      'Branch "preview/pr-7" has no role "App". Set `role` to one of these: "app", "b".',
    );
    // The name must match exactly.
    expect(() => database(['app_test'], 'app')).toThrow(RefusedError);
  });
});

describe('the connection URI in the response to a create', () => {
  const uri = `postgresql://app:p%2Fw%40rd@${host}:5433/neondb?sslmode=require&channel_binding=require`;
  const details = [{ uri, database: 'neondb', role: 'app', poolerHost: pooler }];
  const ask = (over: Partial<Parameters<typeof connectionFromResponse>[0]> = {}) =>
    connectionFromResponse({ details, endpoint, database: 'neondb', role: 'app', ...over });

  it('is used unchanged, and the pooled one differs only in the host', () => {
    expect(ask()).toEqual({
      endpointId: endpoint.id,
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

  it('is not used for another database or role', () => {
    expect(ask({ database: 'other' })).toBeUndefined();
    expect(ask({ role: 'other' })).toBeUndefined();
    expect(ask({ details: [] })).toBeUndefined();
  });

  it.each([
    ["it has another endpoint's host", { uri: uri.replace('rain-1', 'rain-2') }],
    [
      "it has another endpoint's host and pooler",
      { uri: uri.replace('rain-1', 'rain-2'), poolerHost: pooler.replace('rain-1', 'rain-2') },
    ],
    ["the pooler is another endpoint's", { poolerHost: 'ep-cool-rain-2-pooler.eu.local.test' }],
    ['the pooler differs in another label', { poolerHost: host.replace('.eu.', '.eu-pooler.') }],
    ['a parameter leads elsewhere', { uri: `${uri}&hostaddr=10.0.0.1` }],
    ['a parameter with an encoded name leads elsewhere', { uri: `${uri}&%68ost=10.0.0.1` }],
    ['the pooler is in another domain', { poolerHost: 'ep-cool-rain-1-pooler.evil.test' }],
    ['it has another database than stated', { uri: uri.replace('/neondb', '/other') }],
    ['it has another role than stated', { uri: uri.replace('//app:', '//root:') }],
  ])('is rejected if %s', (_, over) => {
    const lie = { ...details[0], ...over } as (typeof details)[0];
    expect(() => ask({ details: [lie] })).toThrow('a connection URI that does not lead to endpoint');
    expect(() => ask({ details: [lie] })).not.toThrow(/w%40rd|w@rd/);
  });

  it('is rejected but not shown if it is invalid', () => {
    const lie = [{ ...details[0], uri: 'http://app:hunter22@x' }] as typeof details;
    expect(() => ask({ details: lie })).toThrow('is not a PostgreSQL URI');
    expect(() => ask({ details: lie })).not.toThrow(/hunter22/);
  });

  it('fails with advice if it has no password', () => {
    const bare = [{ ...details[0], uri: uri.replace(':p%2Fw%40rd', '') }] as typeof details;
    expect(() => ask({ details: bare })).toThrow(/without a password for role "app"\. Reset the role's password/);
  });

  it('may be for an endpoint host with a port, as on loopback', () => {
    const local = { ...endpoint, host: '127.0.0.1:5433' };
    const here = [
      { uri: 'postgres://app:pw@127.0.0.1:5433/neondb', database: 'neondb', role: 'app', poolerHost: '127.0.0.1' },
    ];
    expect(ask({ endpoint: local, details: here })).toMatchObject({
      host: '127.0.0.1',
      pooledHost: '127.0.0.1',
      port: '5433',
    });
    const six = here.map((one) => ({ ...one, uri: 'postgres://app:pw@[::1]:5433/neondb', poolerHost: '[::1]' }));
    expect(ask({ endpoint: { ...endpoint, host: '[::1]:5433' }, details: six })).toMatchObject({ host: '[::1]' });
  });
});

describe('fetching the connection URI', () => {
  const responses =
    (direct: string, pooled: string) =>
    (request: { path: string }): Reply => ({
      body: { uri: request.path.includes('pooled=true') ? pooled : direct },
    });
  const direct = `postgresql://r%20x:pw-1234@${host}/d%26b?sslmode=require`;
  const ask = (mock: ReturnType<typeof mockApi>) =>
    fetchConnection({ api: mock.api, projectId: 'p-1', branch, endpoint, database: 'd&b', role: 'r x' });

  it('sends branch, endpoint, database and role, once direct and once pooled', async () => {
    const mock = mockApi(responses(direct, direct.replace(host, pooler)));
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
    ['direct', responses(direct.replace('rain-1', 'rain-2'), direct.replace(host, pooler))],
    ['pooled', responses(direct, direct.replace('rain-1', 'rain-2-pooler'))],
  ])("rejects another endpoint's %s URI", async (_, script) => {
    await expect(ask(mockApi(script))).rejects.toThrow('a connection URI that does not lead to endpoint');
  });

  const bare = direct.replace(':pw-1234', '');
  it.each([
    ['direct', responses(bare, direct.replace(host, pooler))],
    ['pooled', responses(direct, bare.replace(host, pooler))],
  ])('fails with advice if the %s URI has no password', async (_, script) => {
    await expect(ask(mockApi(script))).rejects.toThrow('without a password for role "r x"');
  });
});

it('lists databases and roles', async () => {
  const mock = mockApi(({ path }) => {
    const kind = path.split('/').at(-1) as string;
    return { body: { [kind]: [{ name: `${kind}-1` }, { name: `${kind}-2` }] } };
  });
  expect(await listChoices({ api: mock.api, projectId: 'p-1', branch })).toEqual({
    databases: ['databases-1', 'databases-2'],
    roles: ['roles-1', 'roles-2'],
  });
});
