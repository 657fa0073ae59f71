import { isLoopback } from '../text/loopback.ts';
import { InvalidValue } from './invalid.ts';
import { hasKey, looksLikeKey } from './key.ts';

const defaultPath = '/api/v2';
/** `host[:port]`, with or without a path; a user name in front of it gets an error of its own. */
const bareHost = /^([^/?#]*@)?(\[[^\]]+\]|[^/:?#@[\]]+)(:\d+)?([/?#].*)?$/;

/**
 * The service's base URL, without a trailing slash, from a base URL, an origin or `host[:port]`. Plain `http` is accepted on
 * loopback only, where it is also the default.
 */
export function apiHost(raw: string): string {
  const expected = 'https://host, https://host/api/v2 or host[:port]; http:// is accepted only for loopback hosts';
  const bare = !/^[a-z][a-z0-9+.-]*:\/\//i.test(raw);
  // A URL parser skips slashes before the host: `http:///path` would have the host `path`.
  if (/[\s\\]/.test(raw) || (bare && !bareHost.test(raw))) throw new InvalidValue(expected);
  const [host = ''] = raw.split(/[/:]/);
  if (hasKey(host) || (looksLikeKey(host) && !host.includes('.'))) {
    throw new InvalidValue(expected, 'a value that looks like a key (not shown)');
  }
  const origin = bare ? `http://${raw}` : raw;
  if (!URL.canParse(origin)) throw new InvalidValue(expected);
  const secure = bare && !isLoopback(new URL(origin).hostname);
  const url = new URL(secure ? `https://${raw}` : origin);
  if (url.username || url.password) {
    throw new InvalidValue(expected, 'a URL with a user name or password (not shown)');
  }
  if (url.search || url.hash || !url.hostname) throw new InvalidValue(expected);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new InvalidValue(expected);
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw new InvalidValue('https://; http:// would send the key unencrypted and is accepted only for loopback hosts');
  }
  const path = url.pathname.replace(/\/+$/, '');
  return `${url.origin}${path === '' ? defaultPath : path}`;
}
