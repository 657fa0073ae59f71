import { Socket } from 'node:net';
import type { ClientConfig, Client as PostgresClient } from 'pg';
import type { Connection } from '../api/connection.ts';
import { parameter, parseUri } from '../api/uri.ts';
import type { Context } from '../context.ts';
import { backoffMs } from '../http/backoff.ts';
import type { Client } from '../http/client.ts';
import { type Outcome, retry } from '../http/retry.ts';
import { decode } from '../secrets/fields.ts';
import { count, duration } from '../text/format.ts';
import { oneLine } from '../text/inert.ts';
import { ChannelBindingError, requireChannelBinding } from './channel-binding.ts';

/** The longest time for one attempt to connect and query, in milliseconds. */
const longestAttemptMs = 10_000;
/** Delays between two attempts, in milliseconds. */
const connectBackoff = { first: 250, longest: 5_000 };
/** A wrong password or a missing database may be a matter of moments on a new branch, but no more: attempts. */
const mostRefusals = 4;
/** Postgres' classes of errors for a refused login (28), a database that does not exist (3D), and missing privileges (42). */
const refusal = /^(28|3D|42)/;

/**
 * `check_connection`: waits until a real connection with each returned URI has answered `SELECT 1`. Errors while the server starts
 * are retried until the step's timeout; then the error says what came back last.
 */
export async function checkConnection(context: Context, connection: Connection): Promise<void> {
  const { Client } = await import('pg');
  const uris = [...new Set([connection.uri, connection.pooledUri])];
  const { api, log } = context;
  await Promise.all(
    uris.map(async (uri) => {
      const { host, port } = parseUri(uri);
      const where = `${host}:${port}`;
      const started = api.clock.now();
      const query = (attemptMs: number) =>
        orAborted(api.deadline.signal, () => queryOnce(Client, uri, { signal: api.deadline.signal, attemptMs }));
      const attempts = await untilConnected({ api, where, onRetry: log.info, query });
      const ms = api.clock.now() - started;
      log.info(`${where} answered SELECT 1 after ${duration(ms)} (${count(attempts, 'attempt')})`);
    }),
  );
}

async function untilConnected(options: {
  api: Client;
  where: string;
  onRetry: (line: string) => void;
  query: (attemptMs: number) => Promise<void>;
}): Promise<number> {
  const { api, where, onRetry, query } = options;
  const { deadline, clock } = api;
  let refusals = 0;
  const attempt = async (attempts: number): Promise<Outcome<number>> => {
    try {
      // Postgres' client takes 0 for no limit at all.
      await query(Math.max(1, Math.min(longestAttemptMs, deadline.remainingMs())));
      return { value: attempts };
    } catch (error) {
      if (deadline.signal.aborted) throw deadline.signal.reason;
      const what = describe(error);
      return { failure: { kind: 'network', what, errno: codeOf(error), mayHaveActed: false, cause: error } };
    }
  };
  return retry({
    doing: `connecting to ${where} (\`check_connection\`)`,
    attempt,
    delayMs({ errno = '', cause }, attempts) {
      if (refusal.test(errno)) refusals++;
      const final = refusals >= mostRefusals || isCertificateError(errno) || cause instanceof ChannelBindingError;
      return final ? undefined : backoffMs(connectBackoff, attempts);
    },
    toError: ({ what, cause }, attempts, why) =>
      new Error(
        `Could not connect to ${where} (\`check_connection\`, ${count(attempts, 'attempt')}): ${[what, why].filter(Boolean).join('; ')}`,
        { cause },
      ),
    deadline,
    clock,
    onRetry: (line) => onRetry(`${where} is not accepting connections yet: ${line}`),
  });
}

/** What ends one attempt to connect. */
interface Limits {
  signal: AbortSignal;
  /** Milliseconds. */
  attemptMs: number;
}

async function queryOnce(Postgres: typeof PostgresClient, uri: string, limits: Limits): Promise<void> {
  try {
    await connectAndQuery(Postgres, configOf(uri), limits);
  } catch (error) {
    // Without an sslmode, libpq prefers TLS and does without it if the server has none.
    const noTls = /does not support SSL/i.test(describe(error));
    if (noTls && requiresBinding(uri)) throw new ChannelBindingError('the server does not support TLS');
    if (!noTls || parameter(uri, 'sslmode') !== undefined) throw error;
    await connectAndQuery(Postgres, { ...configOf(uri), ssl: false }, limits);
  }
}

async function connectAndQuery(Postgres: typeof PostgresClient, config: ClientConfig, limits: Limits): Promise<void> {
  const { signal, attemptMs } = limits;
  if (signal.aborted) throw signal.reason;
  const socket = new Socket();
  const client = new Postgres({
    ...config,
    stream: () => socket,
    connectionTimeoutMillis: attemptMs,
    query_timeout: attemptMs,
  });
  const checkBinding = config.enableChannelBinding ? requireChannelBinding(client) : () => {};
  // An error after the query has been answered does not matter, and must not end the process.
  client.on('error', () => {});
  // A silent server would keep the connection open, and with it the process, long after the step's end.
  const cut = () => socket.destroy();
  signal.addEventListener('abort', cut, { once: true });
  try {
    await client.connect();
    checkBinding();
    await client.query('SELECT 1');
  } finally {
    await Promise.race([client.end().catch(() => {}), new Promise((resolve) => setTimeout(resolve, 1_000).unref())]);
    signal.removeEventListener('abort', cut);
    socket.destroy();
  }
}

/** The URI as `pg` reads it, with libpq's meaning of `sslmode`: `require` encrypts and trusts, the others verify. */
function configOf(uri: string): ClientConfig {
  const parts = parseUri(uri);
  const mode = parameter(uri, 'sslmode');
  const verified =
    mode === 'verify-full' ? {} : mode === 'verify-ca' ? { checkServerIdentity: () => undefined } : undefined;
  if (mode === 'disable' && requiresBinding(uri)) throw new ChannelBindingError('also sslmode=disable');
  return {
    host: parts.host.replace(/^\[|\]$/g, ''),
    port: Number(parts.port),
    user: decode(parts.user),
    password: decode(parts.password),
    database: decode(parts.database),
    // Explicit either way: by default, NODE_TLS_REJECT_UNAUTHORIZED would decide.
    ssl: mode === 'disable' ? false : { ...verified, rejectUnauthorized: verified !== undefined },
    enableChannelBinding: requiresBinding(uri),
    application_name: 'database-branch-action',
  };
}

function requiresBinding(uri: string): boolean {
  return parameter(uri, 'channel_binding') === 'require';
}

/** The result of the work, or the signal's reason, whichever comes first. */
async function orAborted<T>(signal: AbortSignal, begin: () => Promise<T>): Promise<T> {
  if (signal.aborted) throw signal.reason;
  const work = begin();
  let stop: () => void = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
    work.catch(() => {});
  }
}

function isCertificateError(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO|^ERR_TLS/.test(code);
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
