import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { type Attempt, attemptRequest } from '../../../src/http/attempt.ts';
import { StoppedError } from '../../../src/http/errors.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

/** One try over a real connection to a server that does as the handler says. */
async function attempt(handler: Handler, over: Partial<Attempt<unknown>> = {}) {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const dispatcher = new Agent();
  open.push(() => {
    void dispatcher.destroy();
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const outcome = await attemptRequest({
    url: new URL(`http://127.0.0.1:${port}/api/v2/x`),
    method: 'POST',
    headers: {},
    body: { a: 1 },
    read: (body) => body,
    dispatcher,
    attemptMs: 5_000,
    signal: new AbortController().signal,
    now: Date.now,
    ...over,
  });
  return 'failure' in outcome ? outcome.failure : outcome.value;
}

const hang: Handler = () => {};
const half: Handler = (_, response) => {
  response.writeHead(200, { 'content-length': '100' });
  response.write('{"name": ');
};

describe('one try over a real connection', () => {
  it('has its answer', async () => {
    const answer = await attempt((request, response) => {
      response.setHeader('date', 'Wed, 04 Mar 2026 05:06:07 GMT');
      request.pipe(response);
    });
    expect(answer).toEqual({ status: 200, value: { a: 1 }, date: Date.parse('2026-03-04T05:06:07Z') });
  });

  it.each([
    ['without an answer', hang],
    ['with half an answer', half],
  ])('%s ends with its own time, and may have acted', async (_, handler) => {
    expect(await attempt(handler, { attemptMs: 50 })).toMatchObject({
      kind: 'network',
      what: expect.stringMatching(/^no complete response from 127\.0\.0\.1:\d+ within 50 ms$/),
      mayHaveActed: true,
    });
    expect(await attempt(handler, { attemptMs: 50, method: 'GET', body: undefined })).toMatchObject({
      mayHaveActed: false,
    });
  });

  it.each([
    ['without an answer', hang],
    ['with half an answer', half],
  ])('%s ends when the step does', async (_, handler) => {
    const controller = new AbortController();
    const reason = new StoppedError('cancelled', 'The step was cancelled');
    setTimeout(() => controller.abort(reason), 30);
    await expect(attempt(handler, { signal: controller.signal })).rejects.toBe(reason);
  });

  it.each([
    ['at once', (request: IncomingMessage) => void request.socket.destroy()],
    [
      'in the middle of the answer',
      (request: IncomingMessage, response: ServerResponse) => {
        half(request, response);
        setTimeout(() => request.socket.destroy(), 10);
      },
    ],
  ])('whose connection is closed %s may have acted', async (_, handler) => {
    expect(await attempt(handler)).toMatchObject({
      kind: 'network',
      what: expect.stringMatching(/^no response from 127\.0\.0\.1:\d+: connection (closed|reset) \(\w+\)$/),
      mayHaveActed: true,
    });
  });

  it('that nobody takes was never sent', async () => {
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

  it('is one request, with a type even where it has no body', async () => {
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
});
