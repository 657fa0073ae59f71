import { Socket } from 'node:net';
import type { ClientConfig, Client as PostgresClient } from 'pg';
import { backoffMs, type Clock, type Deadline } from '../http/clock.ts';
import { isCertificateFailure } from '../http/codes.ts';
import { type Outcome, retry } from '../http/retry.ts';
import { parameter, parameterValues, parseUri } from '../service/uri.ts';
import { count, messageOf } from '../text/format.ts';
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

/** A connection that has answered a query. */
export interface PostgresConnection {
  client: PostgresClient;
  /** Says goodbye and closes the socket; never rejects. */
  close(): Promise<void>;
}

/** What ends an attempt to connect; the signal also ends the connection. */
interface Limits {
  signal: AbortSignal;
  /** Milliseconds. */
  attemptMs: number;
}

/**
 * Connects with a URI, as libpq would, and retries until the server has answered `SELECT 1`. Errors while it starts are retried until
 * the deadline; then the error says what came back last. The deadline's signal also ends the connection.
 */
export async function connectWhenReady(options: {
  uri: string;
  /** The feature that needs the connection, for messages: `check_connection`. */
  feature: string;
  deadline: Deadline;
  clock: Clock;
  onRetry: (line: string) => void;
}): Promise<PostgresConnection & { attempts: number }> {
  const { uri, feature, deadline, clock, onRetry } = options;
  const { signal } = deadline;
  const where = hostOf(uri);
  let refusals = 0;
  const attempt = async (attempts: number): Promise<Outcome<PostgresConnection & { attempts: number }>> => {
    try {
      // Postgres' client takes 0 for no limit at all.
      const attemptMs = Math.max(1, Math.min(longestAttemptMs, deadline.remainingMs()));
      const connection = await connect(uri, { signal, attemptMs });
      return { value: { ...connection, attempts } };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const what = describeError(error);
      return { failure: { kind: 'network', what, errno: codeOf(error), mayHaveActed: false, cause: error } };
    }
  };
  return retry({
    doing: `connecting to ${where} (\`${feature}\`)`,
    attempt,
    delayMs({ errno = '', cause }, attempts) {
      if (refusal.test(errno)) refusals++;
      const final = refusals >= mostRefusals || isCertificateFailure(errno) || cause instanceof ChannelBindingError;
      return final ? undefined : backoffMs(connectBackoff, attempts);
    },
    toError({ failure: { what, errno = '', cause }, attempts }, why) {
      const problem = [what, why].filter(Boolean).join('; ').replace(/\.?$/, '.');
      const tried = `${where} (\`${feature}\`, ${count(attempts, 'attempt')})`;
      return new Error(`Could not connect to ${tried}: ${problem} ${nextStep(errno, cause)}`, { cause });
    },
    deadline,
    clock,
    onRetry: (line) => onRetry(`Could not connect to ${where} yet: ${line}`),
  });
}

/** What to do about an error that is final. */
export function nextStep(errno: string, cause?: unknown): string {
  if (cause instanceof ChannelBindingError) return cause.next;
  if (isCertificateFailure(errno)) {
    return "If a private authority issued the server's certificate, set NODE_EXTRA_CA_CERTS to the path of the authority's certificate. If `ssl` is `verify-ca` or `verify-full`, you can also set it to `require`, unless the service's own connection URI asks for verification.";
  }
  if (errno === '28P01') {
    return "Check that `role` exists on this branch. If it does, its password may have been changed with SQL, which the service doesn't notice: reset it in the service's console.";
  }
  if (refusal.test(errno)) return 'Check `role` and `database`, and that the role may connect to this database.';
  // A server that responds with an error of Postgres can be reached. No such code begins with an E, as EPIPE does.
  if (/^(?!E)[0-9A-Z]{5}$/.test(errno)) return "Raise `timeout`, or check the branch in the service's console.";
  return 'Check that the runner can reach this host and port: HTTP proxies do not forward Postgres connections.';
}

/** Host and port of a connection URI: what may be shown of it. */
export function hostOf(uri: string): string {
  const { host, port } = parseUri(uri);
  return `${host}:${port}`;
}

/** One attempt to connect. The signal also ends the connection later. */
async function connect(uri: string, limits: Limits): Promise<PostgresConnection> {
  try {
    return await connectWith(configOf(uri), limits);
  } catch (error) {
    // Without an sslmode, libpq prefers TLS and does without it if the server has none.
    const noTls = /does not support SSL/i.test(describeError(error));
    if (noTls && requiresBinding(uri))
      throw new ChannelBindingError(
        'the server does not support TLS',
        'Check whether the connection goes through a proxy that does not support TLS.',
      );
    if (!noTls || parameter(uri, 'sslmode') !== undefined) throw error;
    return await connectWith({ ...configOf(uri), ssl: false }, limits);
  }
}

async function connectWith(config: ClientConfig, limits: Limits): Promise<PostgresConnection> {
  const { signal, attemptMs } = limits;
  const { Client } = await import('pg');
  if (signal.aborted) throw signal.reason;
  const socket = new Socket();
  const client = new Client({ ...config, stream: () => socket, connectionTimeoutMillis: attemptMs });
  const checkBinding = config.enableChannelBinding ? requireChannelBinding(client) : () => {};
  // An error between two queries must not end the process: the next query reports it.
  client.on('error', () => {});
  // A silent server would keep the connection open, and with it the process, long after the step's end.
  const cut = () => socket.destroy();
  signal.addEventListener('abort', cut, { once: true });
  const close = async () => {
    if (!socket.destroyed) {
      const limit = new Promise((resolve) => setTimeout(resolve, 1_000).unref());
      await Promise.race([client.end().catch(() => {}), limit]);
    }
    signal.removeEventListener('abort', cut);
    socket.destroy();
  };
  try {
    await client.connect();
    checkBinding();
    // Not a setting of the client: later queries may take longer. The types don't know that one query may have it.
    await client.query({ text: 'SELECT 1', query_timeout: attemptMs } as { text: string });
    return { client, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The URI as `pg` reads it, with libpq's meaning of `sslmode`: `require` encrypts and trusts, the others verify. */
function configOf(uri: string): ClientConfig {
  const parts = parseUri(uri);
  const mode = parameter(uri, 'sslmode');
  const verified =
    mode === 'verify-full' ? {} : mode === 'verify-ca' ? { checkServerIdentity: () => undefined } : undefined;
  if (mode === 'disable' && requiresBinding(uri))
    // With any other `ssl`, the action has raised the sslmode.
    throw new ChannelBindingError(
      'it also says sslmode=disable, and channel binding needs TLS',
      'Remove `ssl: omit`, so that the sslmode is at least `require`.',
    );
  return {
    host: parts.host.replace(/^\[|\]$/g, ''),
    port: Number(parts.port),
    user: parts.user,
    password: parts.password,
    database: parts.database,
    // Explicit either way: by default, NODE_TLS_REJECT_UNAUTHORIZED would decide.
    ssl: mode === 'disable' ? false : { ...verified, rejectUnauthorized: verified !== undefined },
    enableChannelBinding: requiresBinding(uri),
    application_name: 'database-branch-action',
  };
}

function requiresBinding(uri: string): boolean {
  return parameterValues(uri, 'channel_binding').includes('require');
}

function codeOf(error: unknown): string {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' ? code : '';
}

/** An error of the client or the server, on one line, with its code. */
export function describeError(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return describeError(error.errors[0]);
  // The hint is for people who start Node.js themselves.
  const message = messageOf(error).replace(
    /; if the root CA is installed locally, try running Node\.js with --use-system-ca/,
    '',
  );
  const code = codeOf(error);
  return oneLine(code === '' || message.includes(code) ? message : `${message} (${code})`);
}
