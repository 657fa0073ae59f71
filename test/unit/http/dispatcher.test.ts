import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDispatcher } from '../../../src/http/dispatcher.ts';
import { selfSigned } from '../../../tools/service/certificate.ts';
import { type ForwardProxy, startProxy } from '../../support/proxy.ts';

const names = ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'no_proxy', 'NO_PROXY'];
beforeEach(() => {
  for (const name of names) vi.stubEnv(name, undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

describe('connections with a proxy in the environment', () => {
  let proxy: ForwardProxy;
  beforeEach(async () => {
    proxy = await startProxy({ connectStatus: 403 });
  });
  afterEach(() => proxy.close());

  const request = (dispatcher: Awaited<ReturnType<typeof createDispatcher>>, origin: string) =>
    dispatcher.request({ origin, path: '/', method: 'GET' });

  it.each(['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'])('go through it (%s)', async (name) => {
    vi.stubEnv(name, proxy.url);
    const dispatcher = await createDispatcher('https://api.local.test/v2', 5_000);
    await expect(request(dispatcher, 'https://api.local.test')).rejects.toThrow('Proxy response (403)');
    expect(proxy.refused).toEqual(['api.local.test:443']);
    await dispatcher.destroy();
  });

  it('go directly to loopback', async () => {
    vi.stubEnv('http_proxy', proxy.url);
    const server = createServer((_, response) => response.end('hello')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const dispatcher = await createDispatcher(origin, 5_000);
    const { body } = await request(dispatcher, origin);
    expect(await body.text()).toBe('hello');
    expect([proxy.hosts, proxy.refused]).toEqual([[], []]);
    await dispatcher.destroy();
    server.close();
  });

  it('end when they are destroyed, whether they go through it or not', async () => {
    vi.stubEnv('https_proxy', proxy.url);
    for (const origin of ['https://api.local.test', 'http://127.0.0.1:1']) {
      const dispatcher = await createDispatcher(origin, 5_000);
      await dispatcher.destroy();
      await expect(request(dispatcher, origin)).rejects.toThrow('destroyed');
    }
    expect(proxy.refused).toEqual([]);
  });
});

describe('certificates', () => {
  it.each(['directly', 'through a proxy'])('are verified even if the environment says not to: %s', async (way) => {
    const server = createTlsServer(selfSigned(), (_, response) => response.end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const proxy = await startProxy({ routes: { [`service.test:${port}`]: `127.0.0.1:${port}` } });
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    // Node.js warns about that.
    vi.spyOn(process, 'emitWarning').mockReturnValue();
    if (way !== 'directly') vi.stubEnv('https_proxy', proxy.url);
    const origin = `https://${way === 'directly' ? '127.0.0.1' : 'service.test'}:${port}`;
    const dispatcher = await createDispatcher(origin, 5_000);
    await expect(dispatcher.request({ origin, path: '/', method: 'GET' })).rejects.toThrow('self-signed certificate');
    await dispatcher.destroy();
    await proxy.close();
    server.close();
  });
});

it('names the variable of a proxy that is invalid, but does not show its value', async () => {
  vi.stubEnv('HTTPS_PROXY', 'http://user:hunter22@:port');
  const message = 'HTTPS_PROXY is invalid; expected the URL of a proxy, such as http://host:port';
  await expect(createDispatcher('https://api.local.test', 5_000)).rejects.toThrow(message);
  await expect(createDispatcher('https://api.local.test', 5_000)).rejects.toMatchObject({ cause: expect.any(Error) });
  vi.stubEnv('http_proxy', 'http://ok:1');
  await expect(createDispatcher('https://api.local.test', 5_000)).rejects.toThrow(`http_proxy or ${message}`);
  await expect(createDispatcher('https://api.local.test', 5_000)).rejects.toThrow(
    expect.objectContaining({ message: expect.not.stringContaining('hunter22') }),
  );
});
