import { isLoopback } from '../text/url.ts';

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
