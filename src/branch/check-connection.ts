import { Socket } from 'node:net';
import type { ClientConfig, Client as PostgresClient } from 'pg';
import type { Connection } from '../api/connection.ts';
import { parameter, parseUri } from '../api/uri.ts';
import type { Context } from '../context.ts';
import type { Client } from '../http/client.ts';
import { remainingMs } from '../http/deadline.ts';
import { StoppedError } from '../http/errors.ts';
import { decode } from '../secrets/fields.ts';
import { duration } from '../text/format.ts';
import { oneLine } from '../text/inert.ts';

/** Most milliseconds for one try to connect and ask. */
const longestAttemptMs = 10_000;
/** First pause and longest pause between two tries, in milliseconds. */
const pauses = { first: 250, longest: 5_000 };
/** A wrong password or a missing database may be a matter of moments on a new branch, but of no more: tries. */
const mostRefusals = 4;
/** Postgres' classes of errors for a refused login (28), a database that is not there (3D), and missing rights (42). */
const refusal = /^(28|3D|42)/;

/**
 * `check_connection`: goes on only once a real connection with each returned URI has answered. Whatever a server says while it
 * starts is tried again until the step's time is over; then the error says what it got.
 */
export async function checkConnection(context: Context, connection: Connection): Promise<void> {
  const { Client } = await import('pg');
  const uris = [...new Set([connection.uri, connection.pooledUri])];
  await Promise.all(
    uris.map(async (uri) => {
      const { host, port } = parseUri(uri);
      const where = `${host}:${port}`;
      const { tries, ms } = await untilAnswered({
        api: context.api,
        where,
        log: context.log.info,
        ask: (limits) => ask(Client, uri, limits),
      });
      context.log.info(`${where} answered SELECT 1 after ${duration(ms)} (${tries} ${tries === 1 ? 'try' : 'tries'})`);
    }),
  );
}

/** What ends one try to connect. */
interface Limits {
  signal: AbortSignal;
  /** Milliseconds. */
  attemptMs: number;
}

async function untilAnswered(options: {
  api: Client;
  where: string;
  log: (line: string) => void;
  ask: (limits: Limits) => Promise<void>;
}): Promise<{ tries: number; ms: number }> {
  const { api, where, log, ask } = options;
  const started = api.clock.now();
  let refusals = 0;
  for (let tries = 1, pause = pauses.first; ; tries++, pause = Math.min(pauses.longest, pause * 2)) {
    try {
      // Postgres' client takes 0 for no limit at all.
      const attemptMs = Math.max(1, Math.min(longestAttemptMs, remainingMs(api.signal, api.clock)));
      await stoppable(api.signal, () => ask({ signal: api.signal, attemptMs }));
      return { tries, ms: api.clock.now() - started };
    } catch (error) {
      if (error instanceof StoppedError) throw error.while(`connecting to ${where} (\`check_connection\`)`);
      const what = describe(error);
      if (refusal.test(codeOf(error))) refusals++;
      if (refusals >= mostRefusals || isLasting(error)) {
        throw new Error(`Could not connect to ${where} (\`check_connection\`, ${tries} tries): ${what}`, {
          cause: error,
        });
      }
      log(`${where} does not answer yet: ${what}; trying again in ${duration(pause)}`);
      try {
        await api.sleep(pause);
      } catch (stopped) {
        const last = `connecting to ${where} (\`check_connection\`), which last said: ${what}`;
        throw stopped instanceof StoppedError ? stopped.while(last) : stopped;
      }
    }
  }
}

async function ask(Postgres: typeof PostgresClient, uri: string, limits: Limits): Promise<void> {
  const ssl = parameter(uri, 'sslmode');
  try {
    await askOnce(Postgres, configOf(uri), limits);
  } catch (error) {
    // Without an sslmode libpq prefers TLS, and goes without it where the server has none.
    const without = ssl === undefined && /does not support SSL/i.test(describe(error));
    if (!without) throw error;
    await askOnce(Postgres, { ...configOf(uri), ssl: false }, limits);
  }
}

async function askOnce(Postgres: typeof PostgresClient, config: ClientConfig, limits: Limits): Promise<void> {
  const { signal, attemptMs } = limits;
  if (signal.aborted) throw signal.reason;
  const socket = new Socket();
  const client = new Postgres({
    ...config,
    stream: () => socket,
    connectionTimeoutMillis: attemptMs,
    query_timeout: attemptMs,
  });
  // An error after the answer is nobody's concern, and must not end the process.
  client.on('error', () => {});
  // A server that says nothing would keep the connection open, and with it the process, long after the step's end.
  const cut = () => socket.destroy();
  signal.addEventListener('abort', cut, { once: true });
  try {
    await client.connect();
    await client.query('SELECT 1');
  } finally {
    await Promise.race([client.end().catch(() => {}), new Promise((resolve) => setTimeout(resolve, 1_000).unref())]);
    signal.removeEventListener('abort', cut);
    socket.destroy();
  }
}

/** The URI as `pg` takes it, with libpq's meaning of `sslmode`: `require` encrypts and trusts, the others verify. */
function configOf(uri: string): ClientConfig {
  const parts = parseUri(uri);
  const mode = parameter(uri, 'sslmode');
  const verified =
    mode === 'verify-full' ? {} : mode === 'verify-ca' ? { checkServerIdentity: () => undefined } : undefined;
  return {
    host: parts.host.replace(/^\[|\]$/g, ''),
    port: Number(parts.port),
    user: decode(parts.user),
    password: decode(parts.password),
    database: decode(parts.database),
    ssl: mode === 'disable' ? false : (verified ?? { rejectUnauthorized: false }),
    enableChannelBinding: parameter(uri, 'channel_binding') === 'require',
    application_name: 'database-branch-action',
  };
}

/** The work's end, or the signal's, whichever comes first. */
async function stoppable<T>(signal: AbortSignal, begin: () => Promise<T>): Promise<T> {
  if (signal.aborted) throw signal.reason;
  const work = begin();
  let stop: () => void = () => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
    work.catch(() => {});
  }
}

function isLasting(error: unknown): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO|^ERR_TLS/.test(codeOf(error));
}

function codeOf(error: unknown): string {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' ? code : '';
}

function describe(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return describe(error.errors[0]);
  const message = error instanceof Error ? error.message : String(error);
  const code = codeOf(error);
  return oneLine(code === '' || message.includes(code) ? message : `${message} (${code})`);
}
