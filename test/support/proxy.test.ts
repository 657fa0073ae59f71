import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { EnvHttpProxyAgent, fetch } from 'undici';
import { afterEach, expect, it } from 'vitest';
import { selfSigned } from '../../tools/service/certificate.ts';
import { type ForwardProxy, type ProxyOptions, startProxy } from './proxy.ts';

const open: { close: () => unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push({ close: () => server.close().closeAllConnections() });
  return (server.address() as AddressInfo).port;
}

async function proxy(options?: ProxyOptions): Promise<ForwardProxy> {
  const started = await startProxy(options);
  open.unshift(started);
  return started;
}

function through({ url }: ForwardProxy, { noProxy = '', ca = '' } = {}) {
  const dispatcher = new EnvHttpProxyAgent({
    httpProxy: url,
    httpsProxy: url,
    noProxy,
    ...(ca && { requestTls: { ca }, connect: { ca } }),
  });
  open.unshift(dispatcher);
  return async (address: string, init: { method?: string; body?: string } = {}) => {
    const response = await fetch(address, { ...init, dispatcher });
    return `${response.status} ${await response.text()}`;
  };
}

const echo: RequestListener = async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { 'proxy-authorization': secret = 'none' } = request.headers;
  response.end(`${request.method} ${request.url} ${Buffer.concat(chunks)} ${secret}`);
};

it('forwards plain requests, and records their hosts', async () => {
  const port = await listening(createServer(echo));
  const one = await proxy();
  expect(await through(one)(`http://127.0.0.1:${port}/a?b=c`, { method: 'POST', body: 'x' })).toBe(
    '200 POST /a?b=c x none',
  );
  expect(one.hosts).toEqual([`127.0.0.1:${port}`]);
});

it('tunnels TLS, and can reach hosts that nobody else can', async () => {
  const tls = selfSigned();
  const port = await listening(createTlsServer(tls, echo));
  const one = await proxy({ routes: { 'localhost:443': `127.0.0.1:${port}` } });
  const get = through(one, { ca: tls.cert });
  expect(await get('https://localhost/x')).toBe('200 GET /x  none');
  expect(one.hosts).toEqual(['localhost:443']);
});

it('is not used for hosts in NO_PROXY', async () => {
  const port = await listening(createServer(echo));
  const one = await proxy();
  expect(await through(one, { noProxy: '127.0.0.1' })(`http://127.0.0.1:${port}/`)).toBe('200 GET /  none');
  expect(one.hosts).toEqual([]);
});

it('requires credentials, and does not forward them', async () => {
  const port = await listening(createServer(echo));
  const one = await proxy({ credentials: 'user:p@ss' });
  expect(await through(one)(`http://127.0.0.1:${port}/`)).toBe('200 GET /  none');
  const bare = { ...one, url: one.url.replace(/\/\/.*@/, '//') };
  await expect(through(bare)(`http://127.0.0.1:${port}/`)).rejects.toThrow('fetch failed');
  expect(one.refused).toEqual([`127.0.0.1:${port}`]);
});

it('fails for an unreachable host', async () => {
  const one = await proxy({ routes: { 'localhost:443': '127.0.0.1:1' } });
  await expect(through(one)('https://localhost/')).rejects.toThrow('fetch failed');
  expect(one.hosts).toEqual(['localhost:443']);
});
