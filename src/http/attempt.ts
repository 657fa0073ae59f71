import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { show } from '../text/inert.ts';
import type { Failure } from './errors.ts';
import { type Headers, header, networkFailure, redirectFailure, statusFailure, unreadableFailure } from './failures.ts';
import type { ApiResponse, Method } from './request.ts';
import type { Outcome } from './retry.ts';
import { ShapeError } from './shape.ts';

export interface Attempt<T> {
  url: URL;
  method: Method;
  headers: Record<string, string>;
  body?: unknown;
  read: (body: unknown, status: number) => T;
  dispatcher: Dispatcher;
  /** Milliseconds for the whole attempt, to the last byte of the response. */
  attemptMs: number;
  signal: AbortSignal;
  now: () => number;
}

/**
 * One attempt of a request: a response, or a failure that says whether the service may have acted.
 * Rejects only with the signal's reason.
 */
export async function attemptRequest<T>(
  attempt: Attempt<T>,
): Promise<Outcome<Omit<ApiResponse<T>, 'mayHaveActedBefore'>>> {
  const { url, signal, method, now } = attempt;
  if (signal.aborted) throw signal.reason;
  const received = await receive(attempt, AbortSignal.timeout(attempt.attemptMs));
  if ('failure' in received) return received;
  const { status, headers, text } = received;
  // Never followed, also within the service: the redirect of a deletion would delete something else.
  if (status >= 300 && status < 400 && status !== 304) {
    return { failure: redirectFailure({ status, location: header(headers, 'location'), url }) };
  }
  const parsed = Date.parse(header(headers, 'date') ?? '');
  const date = Number.isNaN(parsed) ? undefined : parsed;
  if (status >= 300) {
    // `Retry-After` may be a date by the clock that wrote it; a runner's clock may be minutes off.
    const readable = text instanceof ShapeError ? undefined : text;
    return { failure: statusFailure({ status, text: readable, headers, now: date ?? now(), method }) };
  }
  try {
    if (text instanceof ShapeError) throw text;
    return { value: { status, value: attempt.read(parse(text), status), date } };
  } catch (error) {
    return { failure: unreadableFailure({ error, status, method }) };
  }
}

/** A response, whose text may be unreadable, or the failure to get one. */
async function receive(
  attempt: Attempt<unknown>,
  limit: AbortSignal,
): Promise<{ status: number; headers: Headers; text: string | ShapeError } | { failure: Failure }> {
  const { url, signal, method, attemptMs } = attempt;
  try {
    const { statusCode, headers, body } = await attempt.dispatcher.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method,
      headers: { ...attempt.headers, 'content-type': 'application/json' },
      body: attempt.body === undefined ? null : JSON.stringify(attempt.body),
      signal: AbortSignal.any([signal, limit]),
    });
    const encoding = header(headers, 'content-encoding');
    const text = await readText(body, { encoding, isError: statusCode >= 300 }).catch((error: unknown) => {
      if (error instanceof ShapeError) return error;
      throw error;
    });
    return { status: statusCode, headers, text };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    return { failure: networkFailure({ error, timedOut: limit.aborted, attemptMs, host: url.host, method }) };
  }
}

function parse(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new ShapeError('not JSON, or truncated');
  }
}

/** As much as is read of an error response, and of any other, in bytes. What is parsed from it takes up to 40 times as much memory. */
const mostBytes = { ofError: 1_000_000, ofSuccess: 32_000_000 };

/** The text of a response. Throws a `ShapeError` if it is too large or compressed; rejects as the stream does. */
async function readText(
  body: Readable,
  { encoding = 'identity', isError }: { encoding?: string; isError: boolean },
): Promise<string> {
  const most = isError ? mostBytes.ofError : mostBytes.ofSuccess;
  const chunks: Buffer[] = [];
  let size = 0;
  // The stream fails when the rest of it is given up.
  body.on('error', () => {});
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > most) throw new ShapeError(`larger than ${most / 1_000_000} MB`);
    chunks.push(chunk);
  }
  // The request has asked for none.
  if (size > 0 && encoding.trim().toLowerCase() !== 'identity') {
    throw new ShapeError(`content encoding ${show(encoding, 40)}`);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
