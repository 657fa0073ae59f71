import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createClient } from '../../../src/http/client.ts';
import { deadlineIn, systemClock } from '../../../src/http/clock.ts';
import { failure, get, post } from '../../support/requests.ts';

const open: (() => void)[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const close of open.splice(0)) close();
});

/** A client of a server with this handler, over a real connection. */
async function clientOf(handler: RequestListener, { protocol = 'http', ms = 60_000 } = {}) {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const baseUrl = `${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const deadline = deadlineIn(ms, { signal: new AbortController().signal, clock: systemClock });
  const api = createClient({ baseUrl, apiKey: 'napi_secretkey', deadline, attemptMs: 30_000, fetch });
  return { api, server };
}

const hang: RequestListener = () => {};
const half: RequestListener = (_, response) => {
  response.writeHead(200, { 'content-length': '100' });
  response.write('{"name": ');
};

describe('a change over a real connection', () => {
  it.each([
    ['without a response', hang],
    ['with half a response', half],
  ])('times out %s, and may have acted', async (_, handler) => {
    // The time is over once the request has arrived, however long that takes.
    const limit = new AbortController();
    vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(limit.signal);
    const { api } = await clientOf((...exchange) => {
      handler(...exchange);
      setTimeout(() => limit.abort(new DOMException('The time is over', 'TimeoutError')), 10);
    });
    const error = await failure(post(api));
    expect(error.message).toMatch(/: no complete response from 127\.0\.0\.1:\d+ within 30s$/);
    expect(error.mayHaveActed).toBe(true);
    expect(AbortSignal.timeout).toHaveBeenCalledWith(30_000);
  });

  it.each([
    ['at once', (request: IncomingMessage) => void request.socket.destroy()],
    [
      'in the middle of the response',
      (request: IncomingMessage, response: ServerResponse) => {
        half(request, response);
        setTimeout(() => request.socket.destroy(), 10);
      },
    ],
  ])('may have acted if the connection is closed %s', async (_, handler) => {
    const error = await failure(post((await clientOf(handler)).api));
    expect(error.message).toMatch(
      /no response from 127\.0\.0\.1:\d+: (other side closed \(UND_ERR_SOCKET\)|read ECONNRESET)$/,
    );
    expect(error.mayHaveActed).toBe(true);
  });

  it('was never sent if the connection is refused', async () => {
    const { api, server } = await clientOf(hang, { ms: 200 });
    server.close();
    const error = await failure(post(api));
    expect(error.message).toMatch(/: connect ECONNREFUSED .*; gave up: /);
    expect(error.mayHaveActed).toBe(false);
  });

  it('was never sent if the TLS handshake fails', async () => {
    const error = await failure(post((await clientOf(hang, { protocol: 'https' })).api));
    expect(error.message).toMatch(/: no response from .*SSL.*/);
    expect(error.mayHaveActed).toBe(false);
  });
});

it('a request without a body has a content type all the same', async () => {
  const seen: unknown[] = [];
  const { api } = await clientOf(({ method, headers }, response) => {
    seen.push([method, headers['content-type'], headers['content-length'], headers['accept-encoding']]);
    response.writeHead(204).end();
  });
  await get(api, { method: 'DELETE' });
  expect(seen).toEqual([['DELETE', 'application/json', undefined, 'identity']]);
});

it('reads at most 1 MB of an error response', async () => {
  let sent = 0;
  const { api } = await clientOf((_, response) => {
    response.writeHead(400, { 'content-type': 'application/json' });
    response.write('{"message": "');
    const more = () => {
      while (!response.destroyed && sent < 100_000_000 && response.write('x'.repeat(65_536))) sent += 65_536;
    };
    response.on('drain', more);
    more();
  });
  expect((await failure(get(api))).message).toBe('Could not read it: 400');
  expect(sent).toBeLessThan(20_000_000);
});

it('ends pending requests and delays when it is closed', async () => {
  const { api } = await clientOf((_, response) => {
    response.writeHead(503, { 'retry-after': '3600' }).end();
    setTimeout(() => api.close(), 20);
  });
  const waiting = expect(api.sleep(3_600_000, 'waiting')).rejects.toMatchObject({
    reason: 'cancelled',
    message: 'The connection to the service was closed while waiting',
  });
  await expect(get(api)).rejects.toThrow();
  await waiting;
});
