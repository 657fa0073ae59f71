import type { Context } from '../context.ts';
import { ApiError, UncertainError } from '../http/errors.ts';
import { ShapeError } from '../http/shape.ts';
import { hidePasswords } from '../secrets/passwords.ts';
import { type Operation, operation as readOperation } from '../service/types.ts';
import { asSentence } from '../text/format.ts';
import { isObject } from '../text/json.ts';
import { LookupError, type Response } from './requests.ts';

/** A request for the log, the summary and a dry run. */
export interface RequestDescription {
  method: string;
  /** With its query. */
  path: string;
  payload?: unknown;
}

export function recordRequest(context: Context, request: RequestDescription): void {
  const { method, path } = request;
  context.log.info(`Sending ${method} ${path}`);
  context.progress({ request: { method, path } });
}

/** Records a response for the outputs, whatever happens after it. */
export function recordResponse(context: Context, response: Response): void {
  // An empty body is not JSON, but `null` is.
  context.progress({ response: { status: response.status, body: JSON.stringify(response.value ?? null) } });
}

/** Records an error response. A response that cannot be read has nothing to record. */
export function recordFailure(context: Context, error: ApiError): void {
  if (error.status === undefined || error.failure.kind === 'unreadable') return;
  const { code = '', message = '', requestId } = error.failure;
  // An error may quote a connection URI with its password.
  const value = { ...(requestId ? { request_id: requestId } : {}), code, message: hidePasswords(message) };
  recordResponse(context, { status: error.status, value });
}

/**
 * Sends the request that the step is about, and records its failure. `explain` turns the failure into the error to throw, except
 * if nobody knows whether the request took effect.
 */
export async function sendAndRecord<T>(
  context: Context,
  options: { send: () => Promise<T>; explain: (error: ApiError) => Error | Promise<Error> },
): Promise<T> {
  try {
    return await options.send();
  } catch (error) {
    if (error instanceof LookupError) throw error.cause;
    const failure = error instanceof UncertainError ? error.cause : error;
    if (!(failure instanceof ApiError)) throw error;
    recordFailure(context, failure);
    throw failure === error ? await options.explain(failure) : error;
  }
}

/** The operations in a response. One that cannot be read cannot be waited for, so it is only a warning. */
export function operationsIn(context: Context, body: unknown): Operation[] {
  const listed = isObject(body) && Array.isArray(body.operations) ? body.operations : [];
  const found = new Map<string, Operation>();
  for (const one of listed) {
    try {
      const operation = readOperation(one, 'operations');
      found.set(operation.id, operation);
    } catch (error) {
      if (!(error instanceof ShapeError)) throw error;
      context.log.warning(
        `Could not read an operation in the response: ${asSentence(error.message)} The step doesn't wait for it.`,
      );
    }
  }
  return [...found.values()];
}

/** Describes the request and sends nothing. */
export function dryRun(context: Context, request: RequestDescription & { note?: string }): void {
  const { method, path, payload, note } = request;
  context.log.info(`Dry run: would send ${method} ${path}${note ? ` (${note})` : ''}`);
  if (payload !== undefined) context.log.info(`Payload: ${JSON.stringify(payload)}`);
  context.progress({
    request: { method, path, payload: JSON.stringify(payload, null, 2), note },
    operationIds: [],
    done: `Would send ${method} ${path} (dry run)`,
  });
}
