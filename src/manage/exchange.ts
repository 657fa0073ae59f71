import { type Operation, operation as readOperation } from '../api/types.ts';
import type { Context } from '../context.ts';
import { ApiError } from '../http/errors.ts';
import { ShapeError } from '../http/shape.ts';
import { isObject } from '../objects/payload.ts';
import type { Reply } from '../objects/requests.ts';
import type { Result } from '../result.ts';
import { maskSecrets, withoutSecrets } from '../secrets/fields.ts';
import { oneLine } from '../text/inert.ts';

/** A request as it is told: in the log, the summary, and a dry run. */
export interface Told {
  method: string;
  /** With its query. */
  path: string;
  payload?: unknown;
}

/** Tells the request that is sent next. */
export function noteRequest(context: Context, request: Told): void {
  const { method, path } = request;
  context.log.info(`Sending ${method} ${path}`);
  context.progress({ request: { method, path } });
}

/** Keeps an answer for the outputs, whatever happens after it. */
export function noteReply(context: Context, reply: Reply): NonNullable<Result['response']> {
  // Nothing at all is not JSON, and `null` is.
  const response = { status: reply.status, body: JSON.stringify(reply.body ?? null) };
  context.progress({ response });
  return response;
}

/** The failure of the request itself, if that is what an error tells of: not of a look-up beside it, nor of waiting after it. */
export function failureOf(error: unknown, request: Told): ApiError | undefined {
  const cause = error instanceof ApiError ? error : error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof ApiError)) return undefined;
  const { method, path } = cause.request;
  return method === request.method && path === oneLine(routeOf(request.path)) ? cause : undefined;
}

/** A path without its query. */
export function routeOf(path: string): string {
  return path.split('?', 1)[0] ?? '';
}

/** Keeps what the service said in a refusal. An answer that cannot be read is none, and says nothing that could be kept. */
export function noteRefusal(context: Context, failure: ApiError): void {
  if (failure.status === undefined || failure.failure.kind === 'unreadable') return;
  const { code = '', message = '', requestId } = failure.failure;
  const body = { ...(requestId ? { request_id: requestId } : {}), code, message };
  // The client masks what is in a success; what the service says of a failure may quote an address with its password.
  maskSecrets(body, context.mask);
  noteReply(context, { status: failure.status, body });
}

/** The operations that an answer carries. One that cannot be read cannot be waited for either, and is worth a warning. */
export function operationsIn(context: Context, body: unknown): Operation[] {
  const listed = isObject(body) && Array.isArray(body.operations) ? body.operations : [];
  const found = new Map<string, Operation>();
  for (const one of listed) {
    try {
      const operation = readOperation(one, 'operations');
      found.set(operation.id, operation);
    } catch (error) {
      if (!(error instanceof ShapeError)) throw error;
      context.log.warning(`The answer has an operation that cannot be read, and is not waited for: ${error.message}`);
    }
  }
  return [...found.values()];
}

/** Says what would be sent, and sends nothing. */
export function rehearse(context: Context, request: Told & { note?: string }): Partial<Result> {
  const { method, path, note } = request;
  const payload = request.payload === undefined ? undefined : withoutSecrets(request.payload);
  context.log.info(`Dry run: nothing is sent. It would be ${method} ${path}${note ? ` (${note})` : ''}`);
  if (payload !== undefined) context.log.info(`with ${JSON.stringify(payload)}`);
  return {
    request: {
      method,
      path,
      ...(payload === undefined ? {} : { payload: JSON.stringify(payload, null, 2) }),
      ...(note ? { note } : {}),
    },
    operationIds: [],
    done: `Would send ${method} ${path} (dry run)`,
  };
}
