import { randomUUID } from 'node:crypto';
import { duration } from '../text/format.ts';
import { parseJson } from '../text/json.ts';
import { networkFailure, redirectFailure, statusFailure, unreadableFailure } from './failures.ts';
import { type ApiResponse, isChange, type Method, type RequestSpec } from './request.ts';
import type { Outcome } from './retry.ts';
import { ShapeError } from './shape.ts';
import { exchange, type Fetch, type Received } from './transport.ts';

/** A request that may be attempted several times. */
export interface Attempt<T> {
  url: URL;
  method: Method;
  headers: Record<string, string>;
  body?: unknown;
  read: RequestSpec<T>['read'];
  fetch: Fetch;
  /** Milliseconds for the whole attempt, to the last byte of the response. */
  attemptMs: number;
  signal: AbortSignal;
  now: () => number;
  /** Receives the outcome, as one line. */
  onTrace?: (line: string) => void;
}

/** As much as is read of an error response, and of any other, in bytes. What is parsed from it takes up to 40 times as much memory. */
const mostBytes = { ofError: 1_000_000, ofSuccess: 32_000_000 };

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
    try {
      received = await exchange(request.fetch, url.href, {
        method,
        headers: { ...request.headers, 'content-type': 'application/json', 'x-request-id': randomUUID() },
        ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
        signal: AbortSignal.any([signal, limit]),
        mostBytes: (status) => (status >= 300 ? mostBytes.ofError : mostBytes.ofSuccess),
      });
      outcome = outcomeOf(request, received, { sentAt: started, mayHaveActed });
    } catch (error) {
      if (received) throw error;
      if (signal.aborted) throw signal.reason;
      outcome = { failure: networkFailure({ error, timedOut: limit.aborted, attemptMs, host: url.host }) };
    }
    if ('failure' in outcome) outcome.failure.mayHaveActed &&= isChange(method);
    const what = 'failure' in outcome ? outcome.failure.what : String(outcome.value.status);
    onTrace?.(`${what} (${duration(now() - started)})`);
    return outcome;
  };
}

/** What a response says: a value, or a failure. */
function outcomeOf<T>(
  { url, now, read }: Attempt<T>,
  { status, headers, text }: Received,
  { sentAt, mayHaveActed }: { sentAt: number; mayHaveActed: boolean },
): Outcome<ApiResponse<T>> {
  // Never followed, also within the service: the redirect of a deletion would delete something else.
  if (status >= 300 && status < 400 && status !== 304) {
    return { failure: redirectFailure({ status, location: headers.location, url }) };
  }
  const parsed = Date.parse(headers.date ?? '');
  const date = Number.isNaN(parsed) ? undefined : parsed;
  // `Retry-After` may be a date by the clock that wrote it; a runner's clock may be minutes off.
  if (status < 200 || status >= 300) return { failure: statusFailure({ status, text, headers, now: date ?? now() }) };
  try {
    if (text === undefined) throw new ShapeError(`larger than ${mostBytes.ofSuccess / 1_000_000} MB`);
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
