import type * as undici from 'undici';
// Only what is needed of undici: its index would also load fetch, WebSockets, caches and mocks, which doubles the time until the first
// request. It has types for the index alone.
// @ts-expect-error
import requestModule from 'undici/lib/api/api-request.js';
// @ts-expect-error
import agentModule from 'undici/lib/dispatcher/agent.js';
// @ts-expect-error
import dispatcherModule from 'undici/lib/dispatcher/dispatcher.js';
import { isLoopback } from '../text/url.ts';

type Dispatcher = undici.Dispatcher;
export const Agent: typeof undici.Agent = agentModule;
export const Dispatcher: typeof undici.Dispatcher = dispatcherModule;

// As the index does.
Object.assign(dispatcherModule.prototype, { request: requestModule });

/**
 * Connections to the API at this URL, through the proxy that the environment names; NO_PROXY is respected, and loopback is never
 * reached through a proxy. Certificates are verified, whatever NODE_TLS_REJECT_UNAUTHORIZED says. What reaches a proxy is loaded only if
 * there is one.
 */
export async function createDispatcher(url: string, attemptMs: number): Promise<Dispatcher> {
  const verified = { timeout: Math.min(10_000, attemptMs), rejectUnauthorized: true };
  const options = {
    connect: verified,
    headersTimeout: attemptMs,
    bodyTimeout: attemptMs,
    keepAliveTimeout: 15_000,
  };
  const names = ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY'].filter((name) => process.env[name]);
  const isLocal = URL.canParse(url) && isLoopback(new URL(url).hostname);
  if (names.length === 0 || isLocal) return new Agent(options);
  const { EnvHttpProxyAgent } = await import('./proxy-agent.ts');
  try {
    return new EnvHttpProxyAgent({ ...options, requestTls: verified, proxyTls: verified });
  } catch (cause) {
    // Its value may hold a password, and is not shown.
    throw new Error(`${names.join(' or ')} is invalid; expected the URL of a proxy, such as http://host:port`, {
      cause,
    });
  }
}
