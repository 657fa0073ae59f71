import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { sweepExpired } from '../branches/update.ts';
import type { Fault } from '../faults.ts';
import { newOperationId, stamp } from '../generate.ts';
import type { State } from '../state.ts';
import { deliver, deliverFault, type Plain } from './deliver.ts';
import { Problem } from './errors.ts';
import type { RateLimit } from './rate-limit.ts';
import { type Found, find, type Route } from './router.ts';

/** A request as it came in; `status` and `answer` follow when it is answered. */
export interface RecordedRequest {
  method: string;
  /** Percent-encoded, below the base URL, without the query. */
  path: string;
  query: Record<string, string>;
  /** Parsed, where it is JSON; else the text, or undefined where there is none. */
  body: unknown;
  /** The value of `authorization` is replaced. */
  headers: Record<string, string>;
  requestId: string;
  /** Milliseconds since the epoch, by the real clock. */
  at: number;
  /** The HTTP status that was sent; 0 while there is none, and where a fault lets none be sent. */
  status: number;
  answer: unknown;
  /** What was scripted for it. */
  fault: Fault | undefined;
  /** The route's path in the published description; undefined for a path that has none. */
  template: string | undefined;
}

export interface Inspector {
  request(request: RecordedRequest): void;
  response(request: RecordedRequest, answer: Plain): void;
}

export interface ServerOptions {
  state: State;
  routes: Route[];
  basePath: string;
  requests: RecordedRequest[];
  rateLimit: RateLimit | undefined;
  inspector: Inspector | undefined;
  tls: { key: string; cert: string } | undefined;
  port: number;
}

export interface Listener {
  port: number;
  /** Closes every connection, and refuses new ones for so many milliseconds. */
  refuse(ms: number): Promise<void>;
  close(): Promise<void>;
}

async function readBody(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}

function parsed(raw: string): unknown {
  if (raw === '') return undefined;
  try {
    return JSON.parse(raw);
  } catch {
    return raw;
  }
}

function plainHeaders(message: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(message.headers)) {
    headers[name] = name === 'authorization' ? 'Bearer ***' : String(value);
  }
  return headers;
}

/** Whoever the request says it is from; a 401 where nobody knows that key. */
function authenticate(state: State, authorization: string | undefined): void {
  const token = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1];
  const known = token === undefined ? undefined : state.keys.get(token);
  if (!known) throw new Problem(401, 'supplied credentials do not pass authentication');
  known.lastUsedAt = stamp(state.now());
}

/** Lets the request take effect and says what there is to answer. */
async function act(
  { state, rateLimit }: ServerOptions,
  request: RecordedRequest,
  authorization: string | undefined,
  found: Found | { allowed: string[] } | undefined,
): Promise<Plain> {
  try {
    rateLimit?.admit(request);
    authenticate(state, authorization);
    sweepExpired(state);
    if (!found) throw new Problem(404, 'the local service has no such path');
    if ('allowed' in found) {
      if (found.allowed.length === 0) throw new Problem(404, 'the local service has no such path');
      throw new Problem(405, 'method not allowed', { headers: { allow: found.allowed.join(', ') } });
    }
    if (typeof request.body === 'string') throw new Problem(400, 'request body is not valid JSON');
    const call = { state, params: found.params, query: new URLSearchParams(request.query), body: request.body };
    const { status, body } = await found.route.handler(call);
    return { status, headers: {}, body };
  } catch (error) {
    if (error instanceof Problem) {
      const { status, code, message, headers } = error;
      return { status, headers, body: { request_id: request.requestId, code, message } };
    }
    console.error('local service:', error);
    return { status: 500, headers: {}, body: { request_id: request.requestId, code: '', message: String(error) } };
  }
}

async function handle(
  options: ServerOptions,
  message: IncomingMessage,
  response: ServerResponse,
  refuse: (ms: number) => Promise<void>,
): Promise<void> {
  const { state, requests, basePath, inspector } = options;
  const raw = await readBody(message);
  const url = new URL(message.url ?? '/', 'http://loopback');
  const below = url.pathname.startsWith(`${basePath}/`) ? url.pathname.slice(basePath.length) : undefined;
  const method = message.method ?? 'GET';
  const found = below === undefined ? undefined : find(options.routes, method, below);
  const request: RecordedRequest = {
    method,
    path: below ?? url.pathname,
    query: Object.fromEntries(url.searchParams),
    body: parsed(raw),
    headers: plainHeaders(message),
    requestId: message.headers['x-request-id']?.toString() ?? newOperationId(),
    at: Date.now(),
    status: 0,
    answer: undefined,
    fault: undefined,
    template: found && 'route' in found ? found.route.template : undefined,
  };
  requests.push(request);
  inspector?.request(request);
  // An answer is a photograph: what the service does afterwards must not show in it.
  const answer = async (): Promise<Plain> =>
    structuredClone(await act(options, request, message.headers.authorization, found));
  const fault = state.faults.forRequest(request);
  request.fault = fault;
  if (fault) {
    await deliverFault({ fault, request, response, answer, refuse });
  } else {
    const plain = await answer();
    inspector?.response(request, plain);
    deliver(request, response, plain);
  }
}

export async function listen(options: ServerOptions): Promise<Listener> {
  const onRequest = (message: IncomingMessage, response: ServerResponse): void => {
    // A client that goes away in the middle of its request is no fault of the service.
    handle(options, message, response, refuse).catch(() => response.destroy());
  };
  const server = options.tls ? https.createServer(options.tls, onRequest) : http.createServer(onRequest);
  server.keepAliveTimeout = 30_000;
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const open = (port: number): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => {
        server.off('error', reject);
        resolve();
      });
    });
  const shut = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.resetAndDestroy();
    });
  await open(options.port);
  const { port } = server.address() as AddressInfo;
  let closed = false;

  async function refuse(ms: number): Promise<void> {
    await shut();
    await sleep(ms);
    // Some other process may have the port for a moment, as the near end of a connection of its own.
    while (!closed && !server.listening) await open(port).catch(() => sleep(10));
    if (closed) await shut();
  }

  return {
    port,
    refuse,
    close: () => {
      closed = true;
      return shut();
    },
  };
}
