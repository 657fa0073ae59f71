import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Service, startService } from '../index.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ operationMs: 5 });
});
afterAll(() => service.stop());

/** A client that sends these startup parameters too, as postgres.js and asyncpg do with a URI's query. */
class Client extends pg.Client {
  extra: Record<string, string> = {};
  getStartupConf(): object {
    const inherited = pg.Client.prototype as unknown as { getStartupConf(): object };
    return { ...inherited.getStartupConf.call(this), ...this.extra };
  }
}

async function connected(config: pg.ClientConfig, extra: Record<string, string> = {}): Promise<Client> {
  const url = new URL(service.main.uri);
  url.search = '';
  const client = new Client({ connectionString: url.href, ...config });
  client.extra = extra;
  await client.connect();
  return client;
}

const tls = () => ({ ssl: { ca: service.certificate, rejectUnauthorized: true } });

describe('a connection through the proxy', () => {
  it.each([
    ['with TLS', () => tls()],
    ['with TLS and channel binding', () => ({ ...tls(), enableChannelBinding: true })],
    ['with TLS at once', () => ({ ...tls(), sslnegotiation: 'direct' })],
  ])('%s keeps known startup parameters and loses unknown ones', async (_, config) => {
    const client = await connected(config() as pg.ClientConfig, {
      channel_binding: 'require',
      connection_limit: '5',
      application_name: 'a b',
      TimeZone: 'Asia/Tokyo',
    });
    const { rows } = await client.query(
      "SELECT current_setting('application_name') AS name, current_setting('TimeZone') AS zone, (SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()) AS ssl",
    );
    await client.end();
    expect(rows).toEqual([{ name: 'a b', zone: 'Asia/Tokyo', ssl: true }]);
  });

  it('can cancel a query', async () => {
    const client = await connected(tls());
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
    const other = await connected(tls());
    const slow = client.query('SELECT pg_sleep(3600)').catch((error: Error) => error.message);
    const running =
      "SELECT FROM pg_stat_activity WHERE pid = $1 AND state = 'active' AND query LIKE 'SELECT pg_sleep%'";
    while ((await other.query(running, [rows[0].pid])).rows.length === 0) await sleep(10);
    await other.query('SELECT pg_cancel_backend($1)', [rows[0].pid]);
    expect(await slow).toContain('canceling statement');
    await Promise.all([client.end(), other.end()]);
  });

  it('carries more than one buffer in both directions', async () => {
    const client = await connected(tls());
    const { rows } = await client.query('SELECT $1::text AS text', ['x'.repeat(3_000_000)]);
    await client.end();
    expect(rows[0].text).toHaveLength(3_000_000);
  });

  it('that is no connection to Postgres is closed', async () => {
    const { host, port } = new URL(service.main.uri);
    const response = await fetch(`http://${host}${port === '' ? ':5432' : ''}/`).catch((error: Error) => error);
    expect(response).toBeInstanceOf(Error);
  });
});
