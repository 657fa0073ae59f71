import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Attempt, createAttempt } from '../../../src/http/attempt.ts';
import { StoppedError } from '../../../src/http/errors.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const open: (() => void)[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const close of open.splice(0)) close();
});

/** One attempt over a real connection to a server with this handler. */
async function attempt(handler: Handler, over: Partial<Attempt<unknown>> = {}) {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const attemptOnce = createAttempt({
    url: new URL(`http://127.0.0.1:${port}/api/v2/x`),
    method: 'POST',
    headers: {},
    body: { a: 1 },
    read: (body) => body,
    fetch,
    attemptMs: 100_000,
    signal: new AbortController().signal,
    now: Date.now,
    ...over,
  });
  const outcome = await attemptOnce(1, false);
  return 'failure' in outcome ? outcome.failure : outcome.value;
}

const hang: Handler = () => {};
const half: Handler = (_, response) => {
  response.writeHead(200, { 'content-length': '100' });
  response.write('{"name": ');
};

describe('one attempt over a real connection', () => {
  it('returns the response', async () => {
    const outcome = await attempt((request, response) => {
      response.setHeader('date', 'Wed, 04 Mar 2026 05:06:07 GMT');
      request.pipe(response);
    });
    const date = Date.parse('2026-03-04T05:06:07Z');
    expect(outcome).toEqual({ status: 200, value: { a: 1 }, date, sentAt: expect.any(Number) });
  });

  it('says when the request was sent, however long the response takes', async () => {
    const before = Date.now();
    const outcome = await attempt((_, response) => {
      response.write('{"a":');
      setTimeout(() => response.end('1}'), 300);
    });
    expect(outcome).toMatchObject({ sentAt: expect.any(Number), value: { a: 1 } });
    expect('sentAt' in outcome && Date.now() - outcome.sentAt).toBeGreaterThanOrEqual(299);
    expect('sentAt' in outcome && outcome.sentAt).toBeGreaterThanOrEqual(before);
  });

  it.each([
    ['without a response', hang],
    ['with half a response', half],
  ])('times out %s, and may have acted', async (_, handler) => {
    // The time is over once the request has arrived, however long that takes.
    const outcome = (over: Partial<Attempt<unknown>> = {}) => {
      const limit = new AbortController();
      vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(limit.signal);
      const expiring: Handler = (...exchange) => {
        handler(...exchange);
        setTimeout(() => limit.abort(new DOMException('The time is over', 'TimeoutError')), 10);
      };
      return attempt(expiring, { attemptMs: 50, ...over });
    };
    expect(await outcome()).toMatchObject({
      kind: 'network',
      what: expect.stringMatching(/^no complete response from 127\.0\.0\.1:\d+ within 50ms$/),
      mayHaveActed: true,
    });
    expect(AbortSignal.timeout).toHaveBeenLastCalledWith(50);
    expect(await outcome({ method: 'GET', body: undefined })).toMatchObject({ mayHaveActed: false });
  });

  it('times out by itself', async () => {
    expect(await attempt(hang, { attemptMs: 50 })).toMatchObject({ timedOut: true });
  });

  it.each([
    ['without a response', hang],
    ['with half a response', half],
  ])('stops with the step: %s', async (_, handler) => {
    const controller = new AbortController();
    const reason = new StoppedError('cancelled', 'The step was cancelled');
    setTimeout(() => controller.abort(reason), 30);
    await expect(attempt(handler, { signal: controller.signal })).rejects.toBe(reason);
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
    expect(await attempt(handler)).toMatchObject({
      kind: 'network',
      what: expect.stringMatching(/^no response from 127\.0\.0\.1:\d+: connection (closed|reset) \(\w+\)$/),
      mayHaveActed: true,
    });
  });

  it('has not acted if it is a read, whatever the failure', async () => {
    const handlers: Handler[] = [
      (request) => void request.socket.destroy(),
      (_, response) => void response.writeHead(500).end(),
      (_, response) => void response.end('{"a":'),
    ];
    for (const handler of handlers) {
      expect(await attempt(handler)).toMatchObject({ mayHaveActed: true });
      const read = await attempt(handler, { method: 'GET', body: undefined });
      expect(read).toMatchObject({ mayHaveActed: false });
    }
  });

  it('was never sent if the connection is refused', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    expect(await attempt(hang, { url: new URL(`http://127.0.0.1:${port}/`) })).toMatchObject({
      what: `no response from 127.0.0.1:${port}: connection refused (ECONNREFUSED)`,
      errno: 'ECONNREFUSED',
      mayHaveActed: false,
    });
  });

  it('was never sent if the TLS handshake fails', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.push(() => server.close());
    const url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    expect(await attempt(hang, { url })).toMatchObject({
      what: expect.stringMatching(/: TLS handshake failed \(\w+\)$/),
      mayHaveActed: false,
    });
  });

  it('sends one request, with a content type even if there is no body', async () => {
    const seen: unknown[] = [];
    await attempt(
      (request, response) => {
        seen.push([request.method, request.headers['content-type'], request.headers['content-length']]);
        response.writeHead(204).end();
      },
      { method: 'DELETE', body: undefined },
    );
    expect(seen).toEqual([['DELETE', 'application/json', undefined]]);
  });

  it('reads at most 1 MB of an error response', async () => {
    let sent = 0;
    const endless: Handler = (_, response) => {
      response.writeHead(500, { 'content-type': 'application/json' });
      response.write('{"message": "');
      const more = () => {
        while (!response.destroyed && sent < 100_000_000 && response.write('x'.repeat(65_536))) sent += 65_536;
      };
      response.on('drain', more);
      more();
    };
    const started = process.threadCpuUsage().user;
    expect(await attempt(endless)).toMatchObject({ status: 500, what: '500', mayHaveActed: true });
    expect(sent).toBeLessThan(20_000_000);
    expect(process.threadCpuUsage().user - started).toBeLessThan(2_000_000);
    // A body of about that size is still read, and quickly.
    const large: Handler = (_, response) => {
      response.writeHead(422).end(JSON.stringify({ message: 'x '.repeat(400_000) }));
    };
    expect(await attempt(large)).toMatchObject({ message: expect.stringMatching(/^x x .*…$/) });
  });
});
