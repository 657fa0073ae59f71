import type { ServerResponse } from 'node:http';
import type { RecordedRequest } from './recorded-request.ts';

/** A response before it is encoded. */
export interface ApiResponse {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

export interface EncodedResponse {
  status: number;
  headers: Record<string, string>;
  payload: Buffer;
}

export function encode(request: RecordedRequest, { status, headers, body }: ApiResponse): EncodedResponse {
  const payload = body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body));
  return {
    status,
    headers: { 'content-type': 'application/json', 'x-request-id': request.requestId, ...headers },
    payload,
  };
}

export function send(
  request: RecordedRequest,
  response: ServerResponse,
  { status, headers, payload }: EncodedResponse,
): void {
  request.status = status;
  // A 204 response must not have a content-length.
  response.writeHead(status, status === 204 ? headers : { ...headers, 'content-length': String(payload.length) });
  response.end(payload);
}

export function respond(request: RecordedRequest, response: ServerResponse, result: ApiResponse): void {
  request.responseBody = result.body;
  send(request, response, encode(request, result));
}
