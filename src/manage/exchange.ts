import { isMetadata } from '../branch/metadata.ts';
import type { Context } from '../context.ts';
import { ApiError, UncertainError } from '../http/errors.ts';
import { ShapeError } from '../http/shape.ts';
import { withoutSecrets } from '../secrets/fields.ts';
import { stars, withStars } from '../secrets/matcher.ts';
import { isSecretName, wordsOf } from '../secrets/names.ts';
import { secretPlacesIn } from '../secrets/uris.ts';
import { type Operation, operation as readOperation } from '../service/types.ts';
import { asSentence } from '../text/format.ts';
import { isObject, numberText } from '../text/json.ts';
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
  const value = withoutSecrets({ ...(requestId ? { request_id: requestId } : {}), code, message });
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

/** Describes the request, without values that might be secret, and sends nothing. */
export function dryRun(context: Context, request: RequestDescription & { note?: string }): void {
  const { method, path, note } = request;
  const payload = request.payload === undefined ? undefined : harmlessOnly(request.payload, isMetadata);
  context.log.info(`Dry run: would send ${method} ${path}${note ? ` (${note})` : ''}`);
  if (payload !== undefined) context.log.info(`Payload: ${JSON.stringify(payload)}`);
  context.progress({
    request: { method, path, payload: JSON.stringify(payload, null, 2), note },
    operationIds: [],
    done: `Would send ${method} ${path} (dry run)`,
  });
}

/** Names of fields, of any kind of object, that hold a name, an ID, a choice or a time. */
const harmlessText =
  /(^|_)(names?|ids?|type|kind|label|slug|status|mode|level|provider|provisioner|runtime|environment|operation|frequency|source|region|function|method|scopes?|roles?|weekdays|lsn|timestamp|time|at|tags|schemas)$/;
/** Names of fields that hold a size, a limit, a version or a duration. */
const harmlessNumber =
  /(^|_)(ids?|port|size|count|limit|quota|version|seconds|bytes|cents|cu|hour|day|month|rows|lifetime|in|min|max|number)$/;
/** A shorter number gives nothing away. */
const longNumber = 4;
const apiKey = /\bnapi_\w+/g;

/**
 * A payload to show: its shape, and only values that are harmless by the name of their field; `***` for all others. `isPublic` says
 * which further fields are. `name`: the field that the payload itself is in.
 */
export function harmlessOnly(payload: unknown, isPublic: (name: string) => boolean = () => false, name = ''): unknown {
  if (Array.isArray(payload)) return payload.map((entry) => harmlessOnly(entry, isPublic, name));
  if (isObject(payload)) {
    return Object.fromEntries(
      Object.entries(payload).map(([field, value]) => [field, harmlessOnly(value, isPublic, field)]),
    );
  }
  const number = numberText(payload);
  if (typeof payload !== 'string' && number === undefined) return payload;
  if (isSecretName(name)) return stars;
  const words = wordsOf(name);
  if (typeof payload !== 'string') {
    return harmlessNumber.test(words) || (number ?? '').length < longNumber ? payload : stars;
  }
  if (payload === '') return payload;
  if (!harmlessText.test(words) && !isPublic(name)) return stars;
  return withStars(payload, secretPlacesIn(payload)).replace(apiKey, stars);
}
