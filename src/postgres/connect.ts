import { Socket } from 'node:net';
import type { Client as PostgresClient } from 'pg';
import { backoffMs, type Clock, type Deadline } from '../http/clock.ts';
import { describeError, isCertificateFailure } from '../http/failures.ts';
import { retry } from '../http/retry.ts';
import { count } from '../text/format.ts';
import { isLoopback } from '../text/url.ts';
import { parseUri } from './uri.ts';

/** The longest time for one attempt to connect and query, in milliseconds. */
const longestAttemptMs = 10_000;
const connectBackoff = { first: 250, longest: 5_000 };
/** A wrong password or a missing database may be a matter of moments on a new branch, but no more: attempts. */
const mostRefusals = 4;
/** Postgres' errors that are permanent: a parameter it does not know, a login, database or privilege that it refuses. */
const refusal = /^(08P01|22|28|3D|42)/;

/** Host and port of a connection URI: what may be shown of it. */
export function hostOf(uri: string): string {
  const { host, port } = parseUri(uri);
  return `${host}:${port}`;
}

export interface PostgresConnection {
  client: PostgresClient;
  /** Says goodbye and closes the socket; never rejects. */
  close(): Promise<void>;
}

/**
 * Connects over TLS, with a verified certificate, and retries until the server has answered `SELECT 1`. Errors while it starts are retried
 * until the deadline; then the error says what came back last. The deadline's signal also ends the connection.
 */
export async function connectWhenReady(options: {
  uri: string;
  /** The feature that needs the connection, for messages: `check_connection`. */
  feature: string;
  deadline: Deadline;
  clock: Clock;
  onRetry: (line: string) => void;
}): Promise<PostgresConnection> {
  const { uri, feature, deadline, clock, onRetry } = options;
  const { signal } = deadline;
  const where = hostOf(uri);
  let refusals = 0;
  return retry<PostgresConnection>({
    doing: `connecting to ${where} (\`${feature}\`)`,
    async attempt() {
      try {
        // Postgres' client takes 0 for no limit at all.
        const attemptMs = Math.max(1, Math.min(longestAttemptMs, deadline.remainingMs()));
        return { value: await connect(uri, { signal, attemptMs }) };
      } catch (cause) {
        if (signal.aborted) throw signal.reason;
        const errno = (cause as NodeJS.ErrnoException).code;
        return { failure: { kind: 'network', what: describeError(cause), errno, mayHaveActed: false, cause } };
      }
    },
    async next({ failure: { errno = '' }, attempts }) {
      if (refusal.test(errno)) refusals++;
      const isFinal = refusals >= mostRefusals || isCertificateFailure(errno);
      return isFinal ? undefined : backoffMs(connectBackoff, attempts);
    },
    toError({ failure: { what, errno = '', cause }, attempts }, why) {
      const problem = [what, why].filter(Boolean).join('; ').replace(/\.?$/, '.');
      const tried = `${where} (\`${feature}\`, ${count(attempts, 'attempt')})`;
      return new Error(`Could not connect to ${tried}: ${problem} ${nextStep(errno)}`, { cause });
    },
    deadline,
    clock,
    onRetry: (line) => onRetry(`Could not connect to ${where} yet: ${line}`),
  });
}

function nextStep(errno: string): string {
  if (isCertificateFailure(errno))
    return "If a private authority issued the server's certificate, set NODE_EXTRA_CA_CERTS to the path of the authority's certificate.";
  if (refusal.test(errno))
    return 'Check `role` and `database`, that the role may connect to this database, and that its password was not changed with SQL, which the service does not notice.';
  return "Check the branch in the service's console, and that the runner can reach this host and port: HTTP proxies do not forward Postgres connections.";
}

/** One attempt to connect, with a password that only ever leaves over verified TLS, except to a server on loopback. */
async function connect(
  uri: string,
  { signal, attemptMs }: { signal: AbortSignal; attemptMs: number },
): Promise<PostgresConnection> {
  const { host, port, user, password, database, parameters } = parseUri(uri);
  const local = isLoopback(host);
  const isPlain = local && parameters.some(([name, value]) => name === 'sslmode' && value === 'disable');
  const { Client } = await import('pg');
  if (signal.aborted) throw signal.reason;
  const socket = new Socket();
  const client = withoutPgVariables(
    () =>
      new Client({
        ...{ host: host.replace(/^\[|\]$/g, ''), port: Number(port), user, password, database },
        ssl: !isPlain && { rejectUnauthorized: !local },
        application_name: 'database-branch-action',
        stream: () => socket,
        connectionTimeoutMillis: attemptMs,
      }),
  );
  // An error between two queries must not end the process: the next query reports it.
  client.on('error', () => {});
  // A silent server would keep the connection open, and with it the process, long after the step's end.
  const cut = () => socket.destroy(signal.reason as Error);
  signal.addEventListener('abort', cut, { once: true });
  const close = async () => {
    const limit = new Promise((resolve) => setTimeout(resolve, 1_000).unref());
    if (!socket.destroyed) await Promise.race([client.end().catch(() => {}), limit]);
    signal.removeEventListener('abort', cut);
    socket.destroy();
  };
  try {
    await client.connect();
    // Not a setting of the client: later queries may take longer. The types don't know that one query may have it.
    await client.query({ text: 'SELECT 1', query_timeout: attemptMs } as { text: string });
    return { client, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Makes a client. For what it is not told, `pg` would take the job's `PG*` variables, which are for the job's own connections. */
function withoutPgVariables<T>(make: () => T): T {
  const variables = Object.entries(process.env).filter(([name]) => name.startsWith('PG'));
  for (const [name] of variables) delete process.env[name];
  const made = make();
  Object.assign(process.env, Object.fromEntries(variables));
  return made;
}
