import type { ServerResponse } from 'node:http';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import type { Fault } from '../faults.ts';
import type { RecordedRequest } from './server.ts';

/** An answer before it becomes bytes. */
export interface Plain {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

interface Bytes {
  status: number;
  headers: Record<string, string>;
  payload: Buffer;
}

function encode(request: RecordedRequest, { status, headers, body }: Plain): Bytes {
  const payload = body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body));
  return {
    status,
    headers: { 'content-type': 'application/json', 'x-request-id': request.requestId, ...headers },
    payload,
  };
}

function send(request: RecordedRequest, response: ServerResponse, { status, headers, payload }: Bytes): void {
  request.status = status;
  // 204 has neither a body nor a length of one.
  response.writeHead(status, status === 204 ? headers : { ...headers, 'content-length': String(payload.length) });
  response.end(payload);
}

export function deliver(request: RecordedRequest, response: ServerResponse, plain: Plain): void {
  request.answer = plain.body;
  send(request, response, encode(request, plain));
}

export interface FaultyDelivery {
  fault: Fault;
  request: RecordedRequest;
  response: ServerResponse;
  /** Lets the request take effect, once. */
  answer: () => Promise<Plain>;
  /** Closes every connection, and refuses new ones for so many milliseconds. */
  refuse: (ms: number) => Promise<void>;
}

const page = (status: number): string =>
  `<html>\r\n<head><title>${status}</title></head>\r\n<body><center><h1>${status}</h1></center></body>\r\n</html>\r\n`;

/** Does to an answer what the fault says. */
export async function deliverFault({ fault, request, response, answer, refuse }: FaultyDelivery): Promise<void> {
  if ('close' in fault) {
    if (fault.close === 'before') return reset(response);
    const bytes = encode(request, await answer());
    if (fault.close === 'midway') {
      response.writeHead(bytes.status, { ...bytes.headers, 'content-length': String(bytes.payload.length + 1) });
      response.write(bytes.payload.subarray(0, Math.ceil(bytes.payload.length / 2)));
      // The first part has to be on its way before the connection goes.
      await sleep(5);
    }
    return reset(response);
  }
  if ('hang' in fault) {
    if (fault.hang === 'after') await answer();
    return;
  }
  if ('drip' in fault) return drip(request, response, encode(request, await answer()), fault.drip);
  if ('truncate' in fault) {
    const bytes = encode(request, await answer());
    const length = fault.truncate === 'half' ? Math.floor(bytes.payload.length / 2) : fault.truncate;
    return send(request, response, { ...bytes, payload: bytes.payload.subarray(0, length) });
  }
  if ('empty' in fault)
    return send(request, response, { ...encode(request, await answer()), payload: Buffer.alloc(0) });
  if ('html' in fault) {
    const headers = { 'content-type': 'text/html', server: 'nginx', ...fault.headers };
    return send(request, response, { status: fault.html, headers, payload: Buffer.from(page(fault.html)) });
  }
  if ('redirect' in fault) {
    const headers = { location: fault.redirect };
    return send(request, response, { status: fault.status ?? 302, headers, payload: Buffer.alloc(0) });
  }
  if ('refuse' in fault) return refuse(fault.refuse);
  if ('late' in fault) {
    await sleep(fault.late);
    return deliver(request, response, await answer());
  }
  if ('delay' in fault) {
    const plain = await answer();
    await sleep(fault.delay);
    return deliver(request, response, plain);
  }
  if ('transform' in fault) {
    const plain = await answer();
    const body = fault.transform(plain.body, request);
    return deliver(request, response, { ...plain, status: fault.status ?? plain.status, body });
  }
  if (fault.acted) await answer();
  if (fault.text !== undefined) {
    const headers = { 'content-type': 'text/plain', ...fault.headers };
    return send(request, response, { status: fault.status, headers, payload: Buffer.from(fault.text) });
  }
  const body = fault.body ?? { request_id: request.requestId, code: '', message: `scripted ${fault.status}` };
  deliver(request, response, { status: fault.status, headers: fault.headers ?? {}, body });
}

const reset = (response: ServerResponse): void => {
  response.socket?.resetAndDestroy();
};

async function drip(request: RecordedRequest, response: ServerResponse, bytes: Bytes, pause: number): Promise<void> {
  request.status = bytes.status;
  response.writeHead(bytes.status, { ...bytes.headers, 'content-length': String(bytes.payload.length) });
  response.socket?.setNoDelay(true);
  for (const byte of bytes.payload) {
    if (response.destroyed) return;
    response.write(Buffer.of(byte));
    // Without a pause it is still one byte at a time, each in a turn of its own.
    await (pause > 0 ? sleep(pause) : turn());
  }
  response.end();
}
