import { ShapeError } from '../http/shape.ts';
import { decode } from '../secrets/fields.ts';

/**
 * Connection URIs are the service's: they are taken apart and given parameters as text, so that nothing that stands in one is
 * encoded anew or put in another order.
 */
export interface UriParts {
  /** As it stands in the URI, percent-encoded. */
  user: string;
  /** As it stands in the URI, percent-encoded. Secret. */
  password: string;
  host: string;
  port: string;
  /** As it stands in the URI, percent-encoded. */
  database: string;
}

const defaultPort = '5432';
const form = /^(postgres(?:ql)?:\/\/)(?:([^/?#]*)@)?(\[[^\]]+\]|[^:/?#@]+)(?::(\d+))?(?:\/([^?#]*))?(?:\?([^#]*))?$/i;

/** Takes a connection URI apart; throws a `ShapeError` that does not show it. */
export function parseUri(uri: string): UriParts {
  const match = form.exec(uri);
  if (!match) throw new ShapeError('the connection URI that the service handed out is no PostgreSQL URI');
  const [, , userinfo = '', host = '', port = defaultPort, database = ''] = match;
  const colon = userinfo.indexOf(':');
  return {
    user: colon < 0 ? userinfo : userinfo.slice(0, colon),
    password: colon < 0 ? '' : userinfo.slice(colon + 1),
    host,
    port,
    database,
  };
}

/** The same URI at another host; port, user, database and parameters stay. */
export function withHost(uri: string, host: string): string {
  parseUri(uri);
  return uri.replace(form, (whole, scheme: string, userinfo: string | undefined, old: string) => {
    const start = scheme.length + (userinfo === undefined ? 0 : userinfo.length + 1);
    return whole.slice(0, start) + host + whole.slice(start + old.length);
  });
}

/** The URI with parameters set (a text) or taken away (undefined); all others stay as they are. */
export function withParameters(uri: string, parameters: Record<string, string | undefined>): string {
  const [address = '', query = ''] = split(uri);
  const kept = query.split('&').filter((part) => part !== '' && !(parameterName(part) in parameters));
  const set = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  const all = [...kept, ...set];
  return all.length > 0 ? `${address}?${all.join('&')}` : address;
}

/** The value of a parameter of the URI, or undefined. */
export function parameter(uri: string, name: string): string | undefined {
  const [, query = ''] = split(uri);
  const part = query.split('&').find((one) => parameterName(one) === name);
  if (part === undefined) return undefined;
  const equals = part.indexOf('=');
  return equals < 0 ? '' : decode(part.slice(equals + 1));
}

function split(uri: string): [string, string] {
  const mark = uri.indexOf('?');
  return mark < 0 ? [uri, ''] : [uri.slice(0, mark), uri.slice(mark + 1)];
}

function parameterName(part: string): string {
  const equals = part.indexOf('=');
  return equals < 0 ? part : part.slice(0, equals);
}

/** How strict each sslmode is; a stricter one that the service asks for is never weakened. */
const strictness = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];

export type SslMode = 'require' | 'verify-ca' | 'verify-full' | 'omit';

/** The URI with the sslmode that is asked for, at least: `omit` takes the parameter away. */
export function withSsl(uri: string, ssl: SslMode): string {
  const present = parameter(uri, 'sslmode');
  if (ssl === 'omit') return present === undefined ? uri : withParameters(uri, { sslmode: undefined });
  const enough = present !== undefined && strictness.indexOf(present) >= strictness.indexOf(ssl);
  return enough ? uri : withParameters(uri, { sslmode: ssl });
}

/**
 * The URI with what Prisma needs: time for a compute that has to start first, and, through a pooler in transaction mode, no
 * prepared statements. Source: Prisma's and the service's documentation on connecting the two.
 */
export function withPrisma(uri: string, options: { pooled: boolean }): string {
  const { pooled } = options;
  return withParameters(uri, {
    connect_timeout: '30',
    ...(pooled ? { pool_timeout: '30', pgbouncer: 'true' } : {}),
  });
}
