import type * as undici from 'undici';
// Only what is needed of undici: its index would also load fetch, WebSockets, caches and mocks, which doubles the time until the first
// request. It has types for the index alone.
// @ts-expect-error
import connectModule from 'undici/lib/api/api-connect.js';
// @ts-expect-error
import requestModule from 'undici/lib/api/api-request.js';
// @ts-expect-error
import errorsModule from 'undici/lib/core/errors.js';
// @ts-expect-error
import agentModule from 'undici/lib/dispatcher/agent.js';
// @ts-expect-error
import dispatcherModule from 'undici/lib/dispatcher/dispatcher.js';
// @ts-expect-error
import envHttpProxyAgentModule from 'undici/lib/dispatcher/env-http-proxy-agent.js';
import { isLoopback } from '../text/url.ts';

type Dispatcher = undici.Dispatcher;
export const Agent: typeof undici.Agent = agentModule;
export const Dispatcher: typeof undici.Dispatcher = dispatcherModule;
export const EnvHttpProxyAgent: typeof undici.EnvHttpProxyAgent = envHttpProxyAgentModule;
export const UndiciError: typeof undici.errors.UndiciError = errorsModule.UndiciError;

// As the index does: requests are sent with `request`, and proxies need `connect`.
Object.assign(dispatcherModule.prototype, { request: requestModule, connect: connectModule });

/**
 * Connections to a service, through the proxy that the environment names; NO_PROXY is respected, and loopback is never reached
 * through a proxy. Certificates are verified, whatever NODE_TLS_REJECT_UNAUTHORIZED says.
 */
export function createDispatcher(attemptMs: number): Dispatcher {
  const verified = { timeout: Math.min(10_000, attemptMs), rejectUnauthorized: true };
  const options = {
    connect: verified,
    headersTimeout: attemptMs,
    bodyTimeout: attemptMs,
    keepAliveTimeout: 15_000,
  };
  const direct = new Agent(options);
  const names = ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY'].filter((name) => process.env[name]);
  if (names.length === 0) return direct;
  try {
    return new ByHost(direct, new EnvHttpProxyAgent({ ...options, requestTls: verified, proxyTls: verified }));
  } catch (cause) {
    // Its value may hold a password, and is not shown.
    throw new Error(`${names.join(' or ')} is invalid; expected the URL of a proxy, such as http://host:port`, {
      cause,
    });
  }
}

/** Reaches loopback directly and everything else through the proxy. */
class ByHost extends Dispatcher {
  readonly #direct: Dispatcher;
  readonly #proxied: Dispatcher;

  constructor(direct: Dispatcher, proxied: Dispatcher) {
    super();
    this.#direct = direct;
    this.#proxied = proxied;
  }

  override dispatch(options: undici.Dispatcher.DispatchOptions, handler: undici.Dispatcher.DispatchHandler): boolean {
    const { hostname } = new URL(String(options.origin));
    return (isLoopback(hostname) ? this.#direct : this.#proxied).dispatch(options, handler);
  }

  override async destroy(): Promise<void> {
    await Promise.all([this.#direct.destroy(), this.#proxied.destroy()]);
  }
}
