import type { ServerResponse } from 'node:http';
import { setTimeout as sleep, setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Fault } from '../faults.ts';
import type { RecordedRequest } from './recorded-request.ts';
import { type ApiResponse, type EncodedResponse, encode, respond, send } from './respond.ts';

export interface FaultyResponse {
  fault: Fault;
  request: RecordedRequest;
  response: ServerResponse;
  /** Executes the request; to be called at most once. */
  execute: () => Promise<ApiResponse>;
  /** Closes all connections and refuses new ones for this many milliseconds. */
  refuse: (ms: number) => Promise<void>;
}

const htmlPage = (status: number): string =>
  `<html>\r\n<head><title>${status}</title></head>\r\n<body><center><h1>${status}</h1></center></body>\r\n</html>\r\n`;

/** Responds as the fault says. Whether the request takes effect depends on the fault too. */
export async function respondWithFault({ fault, request, response, execute, refuse }: FaultyResponse): Promise<void> {
  if ('close' in fault) {
    if (fault.close === 'before') return reset(response);
    const encoded = encode(request, await execute());
    if (fault.close === 'midway') {
      const { status, headers, payload } = encoded;
      response.writeHead(status, { ...headers, 'content-length': String(payload.length + 1) });
      response.write(payload.subarray(0, Math.ceil(payload.length / 2)));
      // Give the first half time to leave before the connection is reset.
      await sleep(5);
    }
    return reset(response);
  }
  if ('hang' in fault) {
    if (fault.hang === 'after') await execute();
    return;
  }
  if ('drip' in fault) return drip(request, response, encode(request, await execute()), fault.drip);
  if ('truncate' in fault) {
    const encoded = encode(request, await execute());
    const length = fault.truncate === 'half' ? Math.floor(encoded.payload.length / 2) : fault.truncate;
    return send(request, response, { ...encoded, payload: encoded.payload.subarray(0, length) });
  }
  if ('empty' in fault)
    return send(request, response, { ...encode(request, await execute()), payload: Buffer.alloc(0) });
  if ('html' in fault) {
    const headers = { 'content-type': 'text/html', server: 'nginx', ...fault.headers };
    return send(request, response, { status: fault.html, headers, payload: Buffer.from(htmlPage(fault.html)) });
  }
  if ('redirect' in fault) {
    const headers = { location: fault.redirect };
    return send(request, response, { status: fault.status ?? 302, headers, payload: Buffer.alloc(0) });
  }
  if ('refuse' in fault) return refuse(fault.refuse);
  if ('late' in fault) {
    await sleep(fault.late);
    return respond(request, response, await execute());
  }
  if ('delay' in fault) {
    const result = await execute();
    await sleep(fault.delay);
    return respond(request, response, result);
  }
  if ('transform' in fault) {
    const result = await execute();
    const body = fault.transform(result.body, request);
    return respond(request, response, { ...result, status: fault.status ?? result.status, body });
  }
  if (fault.acted) await execute();
  if (fault.text !== undefined) {
    const headers = { 'content-type': 'text/plain', ...fault.headers };
    return send(request, response, { status: fault.status, headers, payload: Buffer.from(fault.text) });
  }
  const body = fault.body ?? { request_id: request.requestId, code: '', message: `scripted ${fault.status}` };
  respond(request, response, { status: fault.status, headers: fault.headers ?? {}, body });
}

const reset = (response: ServerResponse): void => {
  response.socket?.resetAndDestroy();
};

/** In how many pieces a slow response comes. */
const pieces = 24;

async function drip(
  request: RecordedRequest,
  response: ServerResponse,
  { status, headers, payload }: EncodedResponse,
  intervalMs: number,
): Promise<void> {
  request.status = status;
  response.writeHead(status, { ...headers, 'content-length': String(payload.length) });
  response.socket?.setNoDelay(true);
  const size = Math.ceil(payload.length / pieces);
  for (let at = 0; at < payload.length; at += size) {
    if (response.destroyed) return;
    response.write(payload.subarray(at, at + size));
    await (intervalMs > 0 ? sleep(intervalMs) : yieldToEventLoop());
  }
  response.end();
}
