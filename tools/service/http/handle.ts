import type { IncomingMessage, ServerResponse } from 'node:http';
import { deleteExpired } from '../branches/delete.ts';
import { newOperationId } from '../generate.ts';
import type { State } from '../state.ts';
import { timestamp } from '../time.ts';
import { ApiError } from './errors.ts';
import type { RecordedRequest } from './recorded-request.ts';
import { type ApiResponse, respond } from './respond.ts';
import { respondWithFault } from './respond-with-fault.ts';
import { findRoute, type Route, type RouteMatch } from './router.ts';

/** Is shown every request, and every response without a fault. */
export interface Inspector {
  request(request: RecordedRequest): void;
  response(request: RecordedRequest, response: ApiResponse): void;
}

export interface HandlerOptions {
  state: State;
  routes: Route[];
  basePath: string;
  /** Every request is added to this list. */
  requests: RecordedRequest[];
  inspector: Inspector | undefined;
}

async function readBody(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}

function parseBody(raw: string): unknown {
  if (raw === '') return undefined;
  try {
    return JSON.parse(raw);
  } catch {
    return raw;
  }
}

function maskedHeaders(message: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(message.headers)) {
    headers[name] = name === 'authorization' ? 'Bearer ***' : String(value);
  }
  return headers;
}

/** Throws unless the key is valid and, if it is limited to a project, the path is in that project. */
function authenticate(state: State, authorization: string | undefined, path: string): void {
  const token = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1];
  const key = token === undefined ? undefined : state.keys.get(token);
  if (!key) throw new ApiError(401, 'supplied credentials do not pass authentication');
  const { project } = key;
  if (project !== undefined && path !== `/projects/${project}` && !path.startsWith(`/projects/${project}/`)) {
    throw new ApiError(404, 'not found, or the API key is not allowed to access it');
  }
  key.lastUsedAt = timestamp(state.now());
}

async function execute(
  state: State,
  request: RecordedRequest,
  authorization: string | undefined,
  found: RouteMatch | { allowed: string[] } | undefined,
): Promise<ApiResponse> {
  try {
    authenticate(state, authorization, request.path);
    deleteExpired(state);
    if (!found) throw new ApiError(404, 'the local service has no such path');
    if ('allowed' in found) {
      if (found.allowed.length === 0) throw new ApiError(404, 'the local service has no such path');
      throw new ApiError(405, 'method not allowed', { headers: { allow: found.allowed.join(', ') } });
    }
    if (typeof request.body === 'string') throw new ApiError(400, 'request body is not valid JSON');
    const call = { state, params: found.params, query: new URLSearchParams(request.query), body: request.body };
    const { status, body } = await found.route.handler(call);
    return { status, headers: {}, body };
  } catch (error) {
    if (error instanceof ApiError) {
      const { status, code, message, headers } = error;
      return { status, headers, body: { request_id: request.requestId, code, message } };
    }
    console.error('local service:', error);
    return { status: 500, headers: {}, body: { request_id: request.requestId, code: '', message: String(error) } };
  }
}

/** Records the request, executes it and responds, or does what a scripted fault says instead. */
export async function handle(
  options: HandlerOptions,
  message: IncomingMessage,
  response: ServerResponse,
  refuse: (ms: number) => Promise<void>,
): Promise<void> {
  const { state, requests, basePath, inspector } = options;
  const raw = await readBody(message);
  const url = new URL(message.url ?? '/', 'http://loopback');
  const path = url.pathname.startsWith(`${basePath}/`) ? url.pathname.slice(basePath.length) : undefined;
  const method = message.method ?? 'GET';
  const found = path === undefined ? undefined : findRoute(options.routes, method, path);
  const request: RecordedRequest = {
    method,
    path: path ?? url.pathname,
    query: Object.fromEntries(url.searchParams),
    body: parseBody(raw),
    headers: maskedHeaders(message),
    requestId: message.headers['x-request-id']?.toString() ?? newOperationId(),
    at: Date.now(),
    status: 0,
    responseBody: undefined,
    fault: undefined,
    template: found && 'route' in found ? found.route.template : undefined,
  };
  requests.push(request);
  inspector?.request(request);
  // Responses refer to live objects, so they are copied: later changes must not show in a response that is still being sent.
  const executeRequest = async (): Promise<ApiResponse> =>
    structuredClone(await execute(state, request, message.headers.authorization, found));
  const fault = state.faults.forRequest(request);
  request.fault = fault;
  if (fault) {
    await respondWithFault({ fault, request, response, execute: executeRequest, refuse });
  } else {
    const result = await executeRequest();
    inspector?.response(request, result);
    respond(request, response, result);
  }
}
