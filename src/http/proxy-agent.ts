import type * as undici from 'undici';
// @ts-expect-error undici has types for its index alone
import connectModule from 'undici/lib/api/api-connect.js';
// @ts-expect-error
import dispatcherModule from 'undici/lib/dispatcher/dispatcher.js';
// @ts-expect-error
import envHttpProxyAgentModule from 'undici/lib/dispatcher/env-http-proxy-agent.js';

/** Reaches everything through the proxy that the environment names. Its constructor throws if the URL of a proxy is invalid. */
export const EnvHttpProxyAgent: typeof undici.EnvHttpProxyAgent = envHttpProxyAgentModule;

// As undici's index does: proxies are reached with it.
Object.assign(dispatcherModule.prototype, { connect: connectModule });
