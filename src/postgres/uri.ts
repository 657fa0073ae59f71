import { ShapeError } from '../text/json.ts';
import { decode } from '../text/url.ts';

/**
 * Connection URIs are parsed and given parameters as text, so that nothing in them is encoded again or reordered: they are the
 * service's. The parts are decoded.
 */
interface UriParts {
  user: string;
  password: string;
  host: string;
  port: string;
  database: string;
  parameters: [name: string, value: string][];
}

const defaultPort = '5432';
const form = /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?(\[[^\]]+\]|[^:/?#@]+)(?::(\d+))?(?:\/([^?#]*))?(?:\?([^#]*))?$/i;

/** The parts of a connection URI. Throws a `ShapeError` that does not show it. */
export function parseUri(uri: string): UriParts {
  const match = form.exec(uri);
  if (!match) throw new ShapeError('The service returned a connection URI that is not a PostgreSQL URI');
  const [, userinfo = '', host = '', port = defaultPort, database = '', query = ''] = match;
  const [user, password] = pair(userinfo, ':');
  const parameters = query
    .split('&')
    .filter(Boolean)
    .map((part) => pair(part, '='));
  return { user, password, host, port, database: decode(database), parameters };
}

function pair(text: string, separator: string): [string, string] {
  const [before = '', ...after] = text.split(separator);
  return [decode(before), decode(after.join(separator))];
}

/** The same URI at another host; port, user, database and parameters stay. */
export function withHost(uri: string, host: string): string {
  const { host: old } = parseUri(uri);
  const start = /^\w+:\/\/(?:[^/?#]*@)?/.exec(uri)?.[0] ?? '';
  return start + host + uri.slice(start.length + old.length);
}

/** The URI with parameters set (a string) or removed (undefined); all others are kept. */
export function withParameters(uri: string, set: Record<string, string | undefined>): string {
  const [address, query = ''] = uri.split(/\?(.*)/s) as [string, string?];
  const kept = query.split('&').filter((part) => part !== '' && !(pair(part, '=')[0] in set));
  for (const [name, value] of Object.entries(set)) {
    if (value !== undefined) kept.push(`${name}=${encodeURIComponent(value)}`);
  }
  return [address, ...(kept.length > 0 ? [kept.join('&')] : [])].join('?');
}

/** Each sslmode, from the least to the most strict; one that the service sets is never weakened. */
const strictness = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];

export type SslMode = 'require' | 'verify-ca' | 'verify-full' | 'omit';

/** The URI with at least this sslmode. `omit` removes it, and channel binding, which works over TLS only. */
export function withSsl(uri: string, ssl: SslMode): string {
  if (ssl === 'omit') return withParameters(uri, { sslmode: undefined, channel_binding: undefined });
  const present = parseUri(uri).parameters.flatMap(([name, value]) => (name === 'sslmode' ? [value] : []));
  const [strictest] = [...present, ssl].sort((a, b) => strictness.indexOf(b) - strictness.indexOf(a));
  return present.length === 1 && present[0] === strictest ? uri : withParameters(uri, { sslmode: strictest });
}

/**
 * The URI with what Prisma needs: time for a compute to start, and no prepared statements through a pooler in transaction mode. Source: Prisma's and the service's documentation on connecting the two.
 */
export function withPrisma(uri: string, { pooled }: { pooled: boolean }): string {
  const forPooler = { pool_timeout: '30', pgbouncer: 'true' };
  return withParameters(uri, { connect_timeout: '30', ...(pooled && forPooler) });
}

/**
 * The parameters of the service and of Prisma that the JVM's driver has under another name, or not at all. Source: the documentation
 * of pgJDBC 42.7.
 */
const jdbcNames: Record<string, string | undefined> = {
  channel_binding: 'channelBinding',
  connect_timeout: 'connectTimeout',
  pgbouncer: undefined,
  pool_timeout: undefined,
};

/**
 * The same connection for the JVM's driver, which has the credentials in parameters and reads `+` as a space. Through a pooler in
 * transaction mode, it must not name prepared statements: the next query may reach another server connection.
 */
export function jdbcUri(uri: string, { pooled }: { pooled: boolean }): string {
  const { user, password, host, port, database, parameters } = parseUri(uri);
  const all: Record<string, string> = { user, password };
  for (const [name, value] of parameters) {
    const jdbcName = name in jdbcNames ? jdbcNames[name] : name;
    if (jdbcName !== undefined) all[jdbcName] = value;
  }
  if (pooled) all.prepareThreshold = '0';
  const query = Object.entries(all).map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  return `jdbc:postgresql://${host}:${port}/${encodeURIComponent(database)}?${query.join('&')}`;
}
