import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { duration } from '../text/format.ts';
import { show } from '../text/inert.ts';
import { parseJson } from '../text/json.ts';
import { type Headers, header, networkFailure, redirectFailure, statusFailure, unreadableFailure } from './failures.ts';
import { type ApiResponse, isChange, type Method, type RequestSpec } from './request.ts';
import type { Outcome } from './retry.ts';
import { ShapeError } from './shape.ts';

/** A request that may be attempted several times. */
export interface Attempt<T> {
  url: URL;
  method: Method;
  headers: Record<string, string>;
  body?: unknown;
  read: RequestSpec<T>['read'];
  dispatcher: Dispatcher;
  /** Milliseconds for the whole attempt, to the last byte of the response. */
  attemptMs: number;
  signal: AbortSignal;
  now: () => number;
  /** Receives the outcome, as one line. */
  onTrace?: (line: string) => void;
}

/**
 * Returns a function that attempts the request once: a response, or a failure that says whether the service may have acted. It rejects
 * with the signal's reason, or with an error of `read` that is not about the form of the response.
 */
export function createAttempt<T>(request: Attempt<T>) {
  const { url, signal, method, attemptMs, now, onTrace } = request;
  return async function attempt(_: number, mayHaveActed: boolean): Promise<Outcome<ApiResponse<T>>> {
    if (signal.aborted) throw signal.reason;
    const started = now();
    const limit = AbortSignal.timeout(attemptMs);
    let outcome: Outcome<ApiResponse<T>>;
    let received: Received | undefined;
    let sent = false;
    const dispatcher = request.dispatcher.compose((dispatch) => (options, handler) => {
      // Called once there is a connection, right before the request is written to it.
      const onStart = handler.onRequestStart;
      handler.onRequestStart = (...started) => {
        sent = true;
        onStart?.apply(handler, started);
      };
      return dispatch(options, handler);
    });
    try {
      const { statusCode, headers, body } = await dispatcher.request({
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method,
        headers: { ...request.headers, 'content-type': 'application/json', 'x-request-id': randomUUID() },
        body: request.body === undefined ? null : JSON.stringify(request.body),
        signal: AbortSignal.any([signal, limit]),
      });
      received = { status: statusCode, headers, text: await readText(body, { headers, isError: statusCode >= 300 }) };
      outcome = outcomeOf(request, received, { sentAt: started, mayHaveActed });
    } catch (error) {
      if (received) throw error;
      if (signal.aborted) throw signal.reason;
      outcome = { failure: networkFailure({ error, sent, timedOut: limit.aborted, attemptMs, host: url.host }) };
    }
    if ('failure' in outcome) outcome.failure.mayHaveActed &&= isChange(method);
    const what = 'failure' in outcome ? outcome.failure.what : String(outcome.value.status);
    onTrace?.(`${what} (${duration(now() - started)})`);
    return outcome;
  };
}

interface Received {
  status: number;
  headers: Headers;
  /** Or why it can't be read. */
  text: string | ShapeError;
}

/** What a response says: a value, or a failure. */
function outcomeOf<T>(
  { url, now, read }: Attempt<T>,
  { status, headers, text }: Received,
  { sentAt, mayHaveActed }: { sentAt: number; mayHaveActed: boolean },
): Outcome<ApiResponse<T>> {
  // Never followed, also within the service: the redirect of a deletion would delete something else.
  if (status >= 300 && status < 400 && status !== 304) {
    return { failure: redirectFailure({ status, location: header(headers, 'location'), url }) };
  }
  const parsed = Date.parse(header(headers, 'date') ?? '');
  const date = Number.isNaN(parsed) ? undefined : parsed;
  if (status >= 300) {
    // `Retry-After` may be a date by the clock that wrote it; a runner's clock may be minutes off.
    const readable = text instanceof ShapeError ? undefined : text;
    return { failure: statusFailure({ status, text: readable, headers, now: date ?? now() }) };
  }
  try {
    if (text instanceof ShapeError) throw text;
    return { value: { status, value: read(parse(text), status, mayHaveActed), date, sentAt } };
  } catch (error) {
    return { failure: unreadableFailure({ error, status }) };
  }
}

function parse(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return parseJson(text);
  } catch {
    throw new ShapeError('not JSON, or truncated');
  }
}

/** As much as is read of an error response, and of any other, in bytes. What is parsed from it takes up to 40 times as much memory. */
const mostBytes = { ofError: 1_000_000, ofSuccess: 32_000_000 };

/** The text of a response, or why it can't be read: it is too large or compressed. Rejects as the stream does. */
async function readText(
  body: Readable,
  { headers, isError }: { headers: Headers; isError: boolean },
): Promise<string | ShapeError> {
  const encoding = header(headers, 'content-encoding') ?? 'identity';
  const most = isError ? mostBytes.ofError : mostBytes.ofSuccess;
  const chunks: Buffer[] = [];
  let size = 0;
  // The stream fails when the rest of it is given up.
  body.on('error', () => {});
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > most) return new ShapeError(`larger than ${most / 1_000_000} MB`);
    chunks.push(chunk);
  }
  // The request has asked for none.
  if (size > 0 && encoding.trim().toLowerCase() !== 'identity') {
    return new ShapeError(`compressed (content encoding ${show(encoding, 40)})`);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
