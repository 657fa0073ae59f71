import { afterEach, describe, expect, it, vi } from 'vitest';
import { checkConnection } from '../../../src/lifecycle/connection.ts';
import { selfSigned } from '../../../tools/service/certificate.ts';
import { makeStep } from '../../support/lifecycle.ts';
import { accepted, type PostgresServer, refusal, startPostgresServer } from '../../support/postgres-server.ts';

const servers: PostgresServer[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** Checks connections to a server, with this query in the direct URI and in the pooled one. */
async function check(options: {
  server: Parameters<typeof startPostgresServer>[0];
  query?: string;
  pooledQuery?: string;
  /** Instead of 127.0.0.1. `0.0.0.0` is this machine as well, but not loopback. */
  host?: string;
  timeoutMs?: number;
  before?: (made: ReturnType<typeof makeStep>) => void;
}) {
  const { query = 'x=y', pooledQuery = query, host = '127.0.0.1', timeoutMs } = options;
  const server = await startPostgresServer(options.server);
  servers.push(server);
  const made = makeStep({ command: 'create', ...(timeoutMs === undefined ? {} : { timeoutMs }) });
  options.before?.(made);
  const uri = (parameters: string) =>
    `postgresql://an%40owner:npg_Secret%2F99@${server.host.replace('127.0.0.1', host)}/my%20db?${parameters}`;
  const error = await checkConnection(made.step, [uri(query), uri(pooledQuery)]).then(
    () => undefined,
    (thrown: Error) => thrown,
  );
  return { ...made, server, error, message: error?.message };
}

const tls = selfSigned();
const starting = refusal('57P03', 'the database system is starting up');

describe('check_connection', () => {
  it('logs in as the role in the URI, and queries the database', async () => {
    const { message, lines, server } = await check({ server: { tls } });
    expect(message).toBeUndefined();
    const [startup, query] = server.received;
    expect(startup).toContain('user\0an@owner\0database\0my db\0');
    expect(startup).toContain('application_name\0database-branch-action\0');
    expect(query).toContain('SELECT 1');
    expect(lines).toEqual([`${server.host} answered SELECT 1 after 0ms`]);
  });

  it('connects once if both URIs are the same, and twice if not', async () => {
    expect((await check({ server: { tls } })).server.visits()).toBe(1);
    const both = await check({ server: { tls }, pooledQuery: 'pgbouncer=true' });
    expect(both.server.visits()).toBe(2);
  });

  it('waits while the server starts', async () => {
    const { message, lines, server } = await check({
      server: { tls, login: (nth) => (nth <= 6 ? starting : accepted) },
    });
    expect(message).toBeUndefined();
    expect(lines).toHaveLength(7);
    expect(lines[0]).toMatch(/^Could not connect to 127\.0\.0\.1:\d+ yet: .*starting up/);
    expect(lines.at(-1)).toMatch(/answered SELECT 1 after /);
    expect(server.visits()).toBe(7);
  });

  it('waits while the server closes its connections', async () => {
    const { message, lines } = await check({ server: { tls, login: (nth) => (nth === 1 ? undefined : accepted) } });
    expect(message).toBeUndefined();
    expect(lines[0]).toMatch(/^Could not connect to \S+ yet: Connection terminated unexpectedly;/);
  });

  it.each(['28P01', '28000', '3D000', '42501', '08P01'])(
    'gives up after four rejected logins with SQLSTATE %s',
    async (code) => {
      const { message, error, server } = await check({ server: { tls, login: () => refusal(code, 'not for you') } });
      expect(message).toMatch(/^Could not connect to 127\.0\.0\.1:\d+ \(`check_connection`, 4 attempts\): not for you/);
      expect(message).toContain(`not for you (${code}). Check \`role\` and \`database\`, that the role may connect`);
      expect(error?.cause).toMatchObject({ code });
      expect(server.visits()).toBe(4);
    },
  );

  it('counts only rejected logins', async () => {
    const login = (nth: number) => (nth <= 5 ? starting : nth <= 8 ? refusal('28P01', 'no') : accepted);
    expect((await check({ server: { tls, login } })).message).toBeUndefined();
  });

  it('says at the deadline what came back last', async () => {
    const { message } = await check({ server: { tls, login: () => starting }, timeoutMs: 10_000 });
    expect(message).toContain('`check_connection`');
    expect(message).toContain('the database system is starting up');
  });

  it('stops if the step is cancelled while the server says nothing', async () => {
    const { message } = await check({
      server: { tls, login: () => Buffer.alloc(0) },
      before: ({ stop }) => setTimeout(() => stop('cancelled'), 50),
    });
    expect(message).toMatch(/^The step was cancelled while connecting to 127[\d.:]+ \(`check_connection`\)$/);
  });

  it('closes the connection then, and says what came back last', async () => {
    let cancel = () => {};
    const login = (nth: number) => {
      if (nth === 1) return starting;
      cancel();
      return Buffer.alloc(0);
    };
    const { message, server } = await check({
      server: { tls, login },
      before({ stop }) {
        cancel = () => stop('cancelled');
      },
    });
    expect(message).toMatch(/; the previous attempt failed: the database system is starting up \(57P03\)$/);
    await expect.poll(() => server.open(), { timeout: 60_000 }).toBe(0);
  });

  it('does not repeat the code of an error', async () => {
    const lines: string[] = [];
    await check({
      server: { tls },
      timeoutMs: 2_000,
      before: (made) => {
        servers.at(-1)?.close();
        made.step.log.info = (line) => void lines.push(line);
      },
    });
    expect(lines[0]).toMatch(/yet: connect ECONNREFUSED 127\.0\.0\.1:\d+;/);
  });

  it('leaves no connection behind', async () => {
    const { server } = await check({ server: { tls } });
    await expect.poll(() => server.open(), { timeout: 60_000 }).toBe(0);
  });

  it('does not connect after the step was cancelled', async () => {
    const { message, server } = await check({ server: { tls }, before: ({ stop }) => stop('cancelled') });
    expect(message).toMatch(/^The step was cancelled while connecting to 127.*`check_connection`/);
    expect(server.visits()).toBe(0);
  });

  it('ignores the PG* variables of the job, and leaves them as they are', async () => {
    const job = {
      PGOPTIONS: '-c search_path=x',
      PGCLIENTENCODING: 'latin1',
      PGHOST: 'elsewhere',
      PGSSLMODE: 'disable',
    };
    for (const [name, value] of Object.entries(job)) vi.stubEnv(name, value);
    const { message, server } = await check({ server: { tls } });
    expect(message).toBeUndefined();
    expect(server.received[0]).not.toMatch(/options|latin1/);
    expect(process.env).toMatchObject(job);
    vi.unstubAllEnvs();
  });

  describe('over TLS', () => {
    it.each(['sslmode=disable', 'sslmode=require', 'sslmode=verify-full', 'x=y'])(
      'fails at once if the certificate is unknown, before a password is sent (%s)',
      async (query) => {
        const { message, server } = await check({ server: { tls }, query, host: '0.0.0.0' });
        expect(message).toMatch(/1 attempt\): self-signed certificate.*DEPTH_ZERO_SELF_SIGNED_CERT/);
        expect(message).toContain('NODE_EXTRA_CA_CERTS');
        expect(server.received).toEqual([]);
      },
    );

    it('fails without TLS on the server', async () => {
      const { message, server } = await check({ server: {}, host: '0.0.0.0', timeoutMs: 5_000 });
      expect(message).toContain('The server does not support SSL connections');
      expect(server.received).toEqual([]);
    });

    it('trusts a server on loopback, which may have no TLS', async () => {
      const secure = await check({ server: { tls }, query: 'sslmode=verify-full' });
      expect([secure.message, secure.server.visits()]).toEqual([undefined, 1]);
      const plain = await check({ server: {}, query: 'sslmode=disable' });
      expect([plain.message, plain.server.visits()]).toEqual([undefined, 1]);
    });
  });
});
