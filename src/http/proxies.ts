import type * as undici from 'undici';
// @ts-expect-error undici has types for its index alone
import connectModule from 'undici/lib/api/api-connect.js';
// @ts-expect-error
import dispatcherModule from 'undici/lib/dispatcher/dispatcher.js';
// @ts-expect-error
import envHttpProxyAgentModule from 'undici/lib/dispatcher/env-http-proxy-agent.js';
import { isLoopback } from '../text/url.ts';

const Dispatcher: typeof undici.Dispatcher = dispatcherModule;
export const EnvHttpProxyAgent: typeof undici.EnvHttpProxyAgent = envHttpProxyAgentModule;

// As undici's index does: proxies are reached with it.
Object.assign(dispatcherModule.prototype, { connect: connectModule });

/** Reaches loopback directly and everything else through the proxy that the environment names. */
export class ByHost extends Dispatcher {
  readonly #direct: undici.Dispatcher;
  readonly #proxied: undici.Dispatcher;

  /** Throws if the URL of a proxy is invalid. */
  constructor(direct: undici.Dispatcher, options: undici.EnvHttpProxyAgent.Options) {
    super();
    this.#direct = direct;
    this.#proxied = new EnvHttpProxyAgent(options);
  }

  override dispatch(options: undici.Dispatcher.DispatchOptions, handler: undici.Dispatcher.DispatchHandler): boolean {
    const { hostname } = new URL(String(options.origin));
    return (isLoopback(hostname) ? this.#direct : this.#proxied).dispatch(options, handler);
  }

  override async destroy(): Promise<void> {
    await Promise.all([this.#direct.destroy(), this.#proxied.destroy()]);
  }
}
