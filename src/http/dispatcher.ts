import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici';

/** Connections to a service, by way of the proxy that the environment names; NO_PROXY is respected. */
export function createDispatcher(attemptMs: number): Dispatcher {
  const options = {
    connect: { timeout: Math.min(10_000, attemptMs) },
    headersTimeout: attemptMs,
    bodyTimeout: attemptMs,
    keepAliveTimeout: 15_000,
  };
  const names = ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY'].filter((name) => process.env[name]);
  if (names.length === 0) return new Agent(options);
  try {
    return new EnvHttpProxyAgent(options);
  } catch (cause) {
    // Its value may hold a password, and is not shown.
    throw new Error(`${names.join(' or ')} in the environment is not the address of a proxy (http://host:port)`, {
      cause,
    });
  }
}
