import { isLoopback } from '../text/url.ts';

/** As much of `fetch` as is needed here: that of Node.js, or of undici. */
export type Fetch = (
  url: string,
  init: {
    method: string;
    headers: Record<string, string>;
    body?: string;
    redirect: 'manual';
    signal: AbortSignal;
  },
) => Promise<{
  status: number;
  headers: { get(name: string): string | null; forEach(each: (value: string, name: string) => void): void };
  body: AsyncIterable<Uint8Array> | null;
}>;

/**
 * How the API at this URL is reached: with Node.js's own `fetch`, or with undici's, which is loaded for it, if the environment names a
 * proxy. NO_PROXY is respected, and loopback is never reached through a proxy.
 */
export async function createFetch(url: string): Promise<Fetch> {
  const names = ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY'].filter((name) => process.env[name]);
  if (names.length === 0 || (URL.canParse(url) && isLoopback(new URL(url).hostname))) return fetch;
  const { EnvHttpProxyAgent, fetch: fetchThrough } = await import('undici');
  try {
    const dispatcher = new EnvHttpProxyAgent();
    return (input, init) => fetchThrough(input, { ...init, dispatcher });
  } catch (cause) {
    // Its value may hold a password, and is not shown.
    throw new Error(`${names.join(' or ')} is invalid; expected the URL of a proxy, such as http://host:port`, {
      cause,
    });
  }
}

export interface Received {
  status: number;
  /** By their names in lower case. */
  headers: Record<string, string>;
  /** Undefined if it is larger than the limit. */
  text: string | undefined;
}

/**
 * Sends one request and reads its response, up to a limit of bytes. Redirects are not followed. Rejects with the signal's reason once that
 * aborts, even if the connection does not react to it: a proxy may never respond to CONNECT.
 */
export async function exchange(
  fetch: Fetch,
  url: string,
  request: Omit<Parameters<Fetch>[1], 'redirect'> & { mostBytes: (status: number) => number },
): Promise<Received> {
  const { mostBytes, ...init } = request;
  const { signal } = init;
  const send = async (): Promise<Received> => {
    const response = await fetch(url, { ...init, redirect: 'manual' });
    const headers: Record<string, string> = {};
    response.headers.forEach((value, name) => {
      headers[name] = value;
    });
    return { status: response.status, headers, text: await readText(response.body, mostBytes(response.status)) };
  };
  const aborted = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([aborted, send()]);
}

async function readText(body: AsyncIterable<Uint8Array> | null, mostBytes: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > mostBytes) return undefined;
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
