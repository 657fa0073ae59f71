import { ShapeError } from '../http/shape.ts';
import { decode, isLoopback } from '../text/url.ts';

/**
 * Connection URIs are parsed and given parameters as text, so that nothing in them is encoded again or reordered: they are the
 * service's.
 */
interface UriParts {
  user: string;
  /** Secret. */
  password: string;
  host: string;
  port: string;
  database: string;
}

const defaultPort = '5432';
const form = /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?(\[[^\]]+\]|[^:/?#@]+)(?::(\d+))?(?:\/([^?#]*))?(?:\?([^#]*))?$/i;

/** The parts of a connection URI, decoded. Throws a `ShapeError` that does not show it. */
export function parseUri(uri: string): UriParts {
  const match = form.exec(uri);
  if (!match) throw new ShapeError('The service returned a connection URI that is not a PostgreSQL URI');
  const [, userinfo = '', host = '', port = defaultPort, database = ''] = match;
  const colon = userinfo.indexOf(':');
  return {
    user: decode(colon < 0 ? userinfo : userinfo.slice(0, colon)),
    password: colon < 0 ? '' : decode(userinfo.slice(colon + 1)),
    host,
    port,
    database: decode(database),
  };
}

/** The same URI at another host; port, user, database and parameters stay. */
export function withHost(uri: string, host: string): string {
  const { host: old } = parseUri(uri);
  const start = /^\w+:\/\/(?:[^/?#]*@)?/.exec(uri)?.[0] ?? '';
  return start + host + uri.slice(start.length + old.length);
}

/** The URI with parameters set (a string) or removed (undefined); all others are kept. */
export function withParameters(uri: string, parameters: Record<string, string | undefined>): string {
  const [address = '', query = ''] = split(uri);
  const kept = query.split('&').filter((part) => part !== '' && !(parameterOf(part)[0] in parameters));
  const set = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  const all = [...kept, ...set].join('&');
  return all === '' ? address : `${address}?${all}`;
}

/** The value of a parameter of the URI, or undefined. */
export function parameter(uri: string, name: string): string | undefined {
  return parameterValues(uri, name)[0];
}

/** The values of a parameter of the URI, decoded. Of several, libpq takes the last one, other clients the first. */
function parameterValues(uri: string, name: string): string[] {
  return parameters(uri).flatMap(([one, value]) => (one === name ? [value] : []));
}

/** The parameters of the URI. Clients decode the names too: `%68ost` is `host`. */
export function parameters(uri: string): [name: string, value: string][] {
  const [, query = ''] = split(uri);
  return query
    .split('&')
    .filter((part) => part !== '')
    .map(parameterOf);
}

function split(uri: string): [string, string] {
  const mark = uri.indexOf('?');
  return mark < 0 ? [uri, ''] : [uri.slice(0, mark), uri.slice(mark + 1)];
}

function parameterOf(part: string): [name: string, value: string] {
  const equals = part.indexOf('=');
  const name = equals < 0 ? part : part.slice(0, equals);
  // libpq 18 also trims the name.
  return [decode(name).trim(), equals < 0 ? '' : decode(part.slice(equals + 1))];
}

/** Each sslmode, from the least to the most strict; one that the service sets is never weakened. */
const strictness = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];

export type SslMode = 'require' | 'verify-ca' | 'verify-full' | 'omit';

/** The URI with at least this sslmode. `omit` removes it, and channel binding, which works over TLS only. */
export function withSsl(uri: string, ssl: SslMode): string {
  const present = parameterValues(uri, 'sslmode');
  if (ssl === 'omit') {
    const isSet = parameters(uri).some(([name]) => name === 'sslmode' || name === 'channel_binding');
    return isSet ? withParameters(uri, { sslmode: undefined, channel_binding: undefined }) : uri;
  }
  const [strictest] = [...present, ssl].sort((a, b) => strictness.indexOf(b) - strictness.indexOf(a));
  return present.length === 1 && present[0] === strictest ? uri : withParameters(uri, { sslmode: strictest });
}

/**
 * The URI for a connection of the action itself. `omit` is about what others are given: here, what the service says about TLS and channel
 * binding holds, for the password must not reach a server without it. On loopback, a server may do without TLS.
 */
export function ownUri(uri: string, ssl: SslMode): string {
  if (ssl !== 'omit') return withSsl(uri, ssl);
  return isLoopback(parseUri(uri).host) ? withParameters(uri, { sslmode: undefined }) : uri;
}

/**
 * The URI with what Prisma needs: time for a compute to start, and no prepared statements through a pooler in transaction mode. Source: Prisma's and the service's documentation on connecting the two.
 */
export function withPrisma(uri: string, { pooled }: { pooled: boolean }): string {
  const forPooler = { pool_timeout: '30', pgbouncer: 'true' };
  return withParameters(uri, { connect_timeout: '30', ...(pooled && forPooler) });
}

/**
 * libpq's parameters that the JVM's driver has under another name, and Prisma's, which it does not have. It ignores a name that it
 * does not know, and older versions do not know all of these. Source: the documentation of pgJDBC 42.7.
 */
const jdbcNames: Record<string, string | undefined> = {
  application_name: 'ApplicationName',
  channel_binding: 'channelBinding',
  connect_timeout: 'connectTimeout',
  gssencmode: 'gssEncMode',
  require_auth: 'requireAuth',
  sslnegotiation: 'sslNegotiation',
  pgbouncer: undefined,
  pool_timeout: undefined,
};

/**
 * The same connection for the JVM's driver, which has the credentials in parameters and reads `+` as a space. Through a pooler in
 * transaction mode, it must not name prepared statements: the next query may reach another server connection.
 */
export function jdbcUri(uri: string, options: { pooled: boolean }): string {
  const { user, password, host, port, database } = parseUri(uri);
  const own = parameters(uri).flatMap(([name, value]): [string, string][] => {
    const jdbcName = name in jdbcNames ? jdbcNames[name] : name;
    return jdbcName === undefined ? [] : [[jdbcName, value]];
  });
  const all: [string, string][] = [
    ['user', user],
    ['password', password],
    ...own,
    ...(options.pooled ? [['prepareThreshold', '0'] as [string, string]] : []),
  ];
  const query = all.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');
  return `jdbc:postgresql://${host}:${port}/${encodeURIComponent(database)}?${query}`;
}
