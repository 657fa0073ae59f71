import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFetch, exchange, type Fetch } from '../../../src/http/transport.ts';
import { type ForwardProxy, startProxy } from '../../support/proxy.ts';

const names = ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'no_proxy', 'NO_PROXY'];
beforeEach(() => {
  for (const name of names) vi.stubEnv(name, undefined);
});
const open: (() => void)[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  for (const close of open.splice(0)) close();
});

/** The origin of a server with this handler. */
async function serve(handler: RequestListener): Promise<string> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const get = (fetch: Fetch, url: string, signal = new AbortController().signal) =>
  exchange(fetch, url, { method: 'GET', headers: {}, signal, mostBytes: () => 1_000 });

describe('with a proxy in the environment', () => {
  let proxy: ForwardProxy;
  beforeEach(async () => {
    proxy = await startProxy({ connectStatus: 403 });
  });
  afterEach(() => proxy.close());

  it.each(['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'])('requests go through it (%s)', async (name) => {
    vi.stubEnv(name, proxy.url);
    const url = 'https://api.local.test/v2';
    await expect(get(await createFetch(url), url)).rejects.toThrow('fetch failed');
    expect(proxy.refused).toEqual(['api.local.test:443']);
  });

  it('requests to loopback go directly', async () => {
    vi.stubEnv('http_proxy', proxy.url);
    const origin = await serve((_, response) => response.end('hello'));
    expect(await get(await createFetch(origin), origin)).toMatchObject({ status: 200, text: 'hello' });
    expect([proxy.hosts, proxy.refused]).toEqual([[], []]);
  });
});

it('says which variable has no valid proxy, without its value', async () => {
  vi.stubEnv('HTTPS_PROXY', 'http://user:s3cret@:::');
  await expect(createFetch('https://api.local.test')).rejects.toThrow(
    'HTTPS_PROXY is invalid; expected the URL of a proxy, such as http://host:port',
  );
});

describe('an exchange', () => {
  it('follows no redirect', async () => {
    const origin = await serve((request, response) => {
      if (request.url === '/') response.writeHead(307, { location: '/other' });
      response.end();
    });
    expect(await get(fetch, origin)).toMatchObject({ status: 307, headers: { location: '/other' } });
  });

  it('has no text if the body is larger than the limit, however it is compressed', async () => {
    const origin = await serve((request, response) => {
      const compressed = request.url === '/compressed';
      const body = Buffer.alloc(request.url === '/small' ? 1_000 : 1_001, 'x');
      if (compressed) response.setHeader('content-encoding', 'gzip');
      response.end(compressed ? gzipSync(body) : body);
    });
    expect((await get(fetch, `${origin}/small`)).text).toHaveLength(1_000);
    expect((await get(fetch, `${origin}/large`)).text).toBeUndefined();
    expect((await get(fetch, `${origin}/compressed`)).text).toBeUndefined();
  });

  it('ends with the signal even if the connection does not', async () => {
    const controller = new AbortController();
    const ended = get(() => new Promise(() => {}), 'https://api.local.test', controller.signal);
    controller.abort(new Error('the time is over'));
    await expect(ended).rejects.toThrow('the time is over');
  });

  it.each(['HTTP/1.1 000 OK\r\n\r\n', 'HTTP/1.1 2', 'nonsense'])('is an error if the response is %j', async (text) => {
    const server = createTcpServer((socket) => void socket.end(text)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    open.push(() => server.close());
    await expect(get(fetch, `http://127.0.0.1:${(server.address() as AddressInfo).port}/`)).rejects.toThrow();
  });
});
