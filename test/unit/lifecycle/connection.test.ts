import { describe, expect, it } from 'vitest';
import { Account } from '../../support/account.ts';
import { run } from '../../support/lifecycle.ts';
import { startPostgresServer } from '../../support/postgres-server.ts';

const name = 'preview/pr-7';

function account(fields: object = {}): Account {
  const made = new Account();
  made.add({ name, ...fields });
  return made;
}

const get = (inputs: Record<string, string> = {}, on = account()) => run({ command: 'get', account: on, inputs });

describe('the connection details of a branch', () => {
  it('are masked before anything else happens to them, with and without the parameters that were added', async () => {
    const { result, masked } = await get({ ssl: 'verify-full', prisma: 'true' });
    const { uri = '', pooledUri = '', password = '' } = result.connection ?? {};
    expect(uri).toMatch(/sslmode=verify-full/);
    expect(pooledUri).toMatch(/pgbouncer=true/);
    expect(uri).not.toMatch(/pgbouncer/);
    for (const address of [uri, pooledUri]) expect(address).toMatch(/connect_timeout/);
    const plain = (host: string) => `postgresql://neondb_owner:npg_Secret99@${host}.eu.db.test/neondb?sslmode=require`;
    expect(masked).toEqual(expect.arrayContaining([password, uri, pooledUri, plain('ep-1'), plain('ep-1-pooler')]));
  });

  it('are as the service gave them without inputs', async () => {
    const { result } = await get();
    expect(result.connection).toMatchObject({
      uri: 'postgresql://neondb_owner:npg_Secret99@ep-1.eu.db.test/neondb?sslmode=require',
      pooledUri: 'postgresql://neondb_owner:npg_Secret99@ep-1-pooler.eu.db.test/neondb?sslmode=require',
    });
  });

  it('are only returned if a connection works, with `check_connection`', async () => {
    // Nothing listens on port 1.
    const uri = 'postgresql://neondb_owner:npg_Secret99@127.0.0.1:1/neondb?sslmode=disable';
    const on = new Account().on('GET /connection_uri', () => ({ body: { uri } }));
    on.add({ name }, { endpoint: { host: '127.0.0.1' } });
    const { message, result } = await run({
      ...{ command: 'get', account: on, timeoutMs: 5_000 },
      inputs: { check_connection: 'true' },
    });
    expect(message).toMatch(/127\.0\.0\.1:1 \(`check_connection`/);
    expect(result.connection).toBeUndefined();
  });

  it('with `ssl: omit` are checked over TLS as the service says, so that no server gets the password in clear', async () => {
    const server = await startPostgresServer();
    // The same machine, but not by a loopback address.
    const host = server.host.replace('127.0.0.1', '0.0.0.0');
    const uri = `postgresql://neondb_owner:npg_Secret99@${host}/neondb?sslmode=require`;
    const on = new Account().on('GET /connection_uri', () => ({ body: { uri } }));
    on.add({ name }, { endpoint: { host: '0.0.0.0' } });
    const { message, result } = await run({
      ...{ command: 'get', account: on, timeoutMs: 5_000 },
      inputs: { check_connection: 'true', ssl: 'omit' },
    });
    server.close();
    expect(message).toContain('The server does not support SSL connections');
    expect(result.connection).toBeUndefined();
    expect(server.visits()).toBeGreaterThan(0);
    expect(server.received).toEqual([]);
  });

  it('are for the database and the role that the inputs choose', async () => {
    const on = account();
    on.databases = ['neondb', 'app'];
    on.roles = ['neondb_owner', 'reader'];
    const { result } = await get({ database: 'app', role: 'reader' }, on);
    expect(result.connection).toMatchObject({ database: 'app', role: 'reader' });
  });

  it('of a new branch come from the response to its create only if they are for the chosen ones', async () => {
    const on = new Account();
    on.databases = ['neondb', 'app'];
    const chosen = await run({ command: 'create', account: on, inputs: { database: 'app' } });
    expect(chosen.result.connection).toMatchObject({ database: 'app' });
    expect(chosen.calls().filter((call) => call === 'GET /connection_uri')).toHaveLength(2);
    const usual = await run({ command: 'create', account: new Account() });
    expect(usual.calls()).not.toContain('GET /connection_uri');
  });
});

describe.each([
  ['get_auth_url', 'GET /branches/*/auth', 'base_url', 'authUrl', 'Neon Auth'],
  ['get_data_api_url', 'GET /branches/*/data-api/*', 'url', 'dataApiUrl', 'the Data API'],
] as const)('%s', (input, route, field, output, title) => {
  it('returns the URL', async () => {
    const on = account().on(route, { body: { [field]: 'https://x.test/y' } });
    const { result, warnings } = await get({ [input]: 'true' }, on);
    expect(result[output]).toBe('https://x.test/y');
    expect(warnings).toEqual([]);
  });

  it('is not asked for otherwise', async () => {
    const { result, calls } = await get();
    expect(result[output]).toBeUndefined();
    expect(calls()).not.toContain(route);
  });

  it('fails on any other error', async () => {
    const on = account().on(route, () => ({ status: 403, body: { code: '', message: 'no' } }));
    expect((await get({ [input]: 'true' }, on)).message).toContain(
      `Could not read the URL of ${title} for branch "${name}"`,
    );
  });

  it('believes a 404 of a new branch within a second', async () => {
    const on = account({ created_at: '2026-03-04T05:06:05Z' });
    const { warnings, clock } = await get({ [input]: 'true' }, on);
    expect(warnings).toHaveLength(1);
    const waited = clock.now() - Date.parse('2026-03-04T05:06:07Z');
    expect(waited).toBeLessThan(1_000);
  });
});
