import { createHash, randomBytes } from 'node:crypto';
import { isLoopback } from '../text/url.ts';

/** Variables that decide through which proxy the key goes and which certificates are trusted. */
const variables = [
  'HTTPS_PROXY',
  'HTTP_PROXY',
  'NO_PROXY',
  'ALL_PROXY',
  'NODE_EXTRA_CA_CERTS',
  'NODE_TLS_REJECT_UNAUTHORIZED',
  'NODE_USE_SYSTEM_CA',
  'NODE_USE_ENV_PROXY',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_OPTIONS',
];

/**
 * A fingerprint of the proxy and certificate variables, without their values: a URL of a proxy may hold a password. Safe to keep in
 * the state for the post step.
 */
export function fingerprintEnvironment(env: NodeJS.ProcessEnv): string {
  return fingerprintWith(randomBytes(16).toString('hex'), env);
}

/**
 * The names of the proxy and certificate variables that are not as they were when the fingerprint was taken, in any case. An
 * earlier step can set them for later ones, and so read the key. All of them if the fingerprint is unreadable.
 */
export function changedVariables(fingerprint: string, env: NodeJS.ProcessEnv): string[] {
  const [salt = '', ...before] = fingerprint.split('.');
  const [, ...now] = fingerprintWith(salt, env).split('.');
  return variables.filter((_, index) => before[index] !== now[index]);
}

function fingerprintWith(salt: string, env: NodeJS.ProcessEnv): string {
  const hash = (variable: string) => {
    const set = Object.entries(env).filter(([name, value]) => name.toUpperCase() === variable && value);
    const text = JSON.stringify([salt, set.sort()]);
    return createHash('sha256').update(text).digest('hex');
  };
  return [salt, ...variables.map(hash)].join('.');
}

/**
 * The proxy for requests to a URL, without its user name and password, and the variable that names it; undefined if there is none.
 * For messages only: undici decides which requests go through it.
 */
export function proxyOf(url: string, env: NodeJS.ProcessEnv): { name: string; host: string } | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname } = new URL(url);
  if (isLoopback(hostname)) return undefined;
  const exceptions = (env.no_proxy ?? env.NO_PROXY ?? '')
    .split(/[\s,]+/)
    .map((one) => one.replace(/^\*?\.|:\d+$/g, ''));
  if (exceptions.some((one) => one === '*' || hostname === one || (one !== '' && hostname.endsWith(`.${one}`)))) {
    return undefined;
  }
  const names =
    protocol === 'https:' ? ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'] : ['http_proxy', 'HTTP_PROXY'];
  const name = names.find((one) => env[one]);
  const value = name === undefined ? '' : (env[name] ?? '');
  return name !== undefined && URL.canParse(value) ? { name, host: new URL(value).host } : undefined;
}

/**
 * If the environment asks for connections without certificate checks, takes that out of it, and returns what to say about it. Call it with
 * the process's own environment, before any connection.
 */
export function dropUnsafeSettings(env: NodeJS.ProcessEnv): string | undefined {
  if (env.NODE_TLS_REJECT_UNAUTHORIZED !== '0') return undefined;
  delete env.NODE_TLS_REJECT_UNAUTHORIZED;
  return "NODE_TLS_REJECT_UNAUTHORIZED=0 is ignored: HTTPS certificates are always verified. For a private certificate authority, set NODE_EXTRA_CA_CERTS to the path of the authority's certificate.";
}
