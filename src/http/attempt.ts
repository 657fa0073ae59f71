import { type Dispatcher, errors, request as undiciRequest } from 'undici';
import { duration } from '../text/format.ts';
import { oneLine, show } from '../text/inert.ts';
import { type Failure, StoppedError } from './errors.ts';
import type { Answer } from './request.ts';
import { errnoMayHaveActed, isCertificateFault, parseRetryAfter, statusMayHaveActed } from './retry.ts';
import { ShapeError } from './shape.ts';

export interface Attempt<T> {
  url: URL;
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  headers: Record<string, string>;
  body?: unknown;
  read: (body: unknown, status: number) => T;
  dispatcher: Dispatcher;
  /** Milliseconds for the whole try, to the last byte of the answer. */
  attemptMs: number;
  signal: AbortSignal;
  now: () => number;
}

/** Redirects within the service that one try follows. */
const mostRedirects = 3;
export const changing = (method: string) => method !== 'GET';

/**
 * One try of a request: an answer, or a failure that says whether the service may have acted.
 * Rejects only with the signal's reason.
 */
export async function send<T>(attempt: Attempt<T>): Promise<Omit<Answer<T>, 'mayHaveActedBefore'> | Failure> {
  const { signal, method, now } = attempt;
  if (signal.aborted) throw signal.reason;
  const limit = AbortSignal.timeout(attempt.attemptMs);
  let url = attempt.url;
  for (let redirects = 0; ; redirects++) {
    let status: number;
    let headers: Record<string, string | string[] | undefined>;
    let text: string;
    try {
      const response = await undiciRequest(url, {
        method,
        headers: {
          ...attempt.headers,
          'content-type': 'application/json',
        },
        body: attempt.body === undefined ? null : JSON.stringify(attempt.body),
        dispatcher: attempt.dispatcher,
        signal: AbortSignal.any([signal, limit]),
      });
      status = response.statusCode;
      headers = response.headers;
      text = await response.body.text();
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      return networkFailure({ error, timedOut: limit.aborted, attemptMs: attempt.attemptMs, url, method });
    }

    if (status >= 300 && status < 400 && status !== 304) {
      const target = redirectTarget({ url, location: first(headers.location), status, method, redirects });
      if (target instanceof URL) {
        url = target;
        continue;
      }
      return target;
    }
    const date = Date.parse(first(headers.date) ?? '');
    if (status >= 200 && status < 300) {
      try {
        return { status, value: attempt.read(parse(text), status), date: Number.isNaN(date) ? undefined : date };
      } catch (error) {
        const why = unreadable(error);
        if (why === undefined) throw error;
        return {
          kind: 'unreadable',
          status,
          what: `answered ${status} with a body that cannot be read: ${why}`,
          mayHaveActed: changing(method),
        };
      }
    }
    // A date to come is meant by the clock that wrote it; a runner's clock may be minutes off.
    return statusFailure({ status, text, headers, now: Number.isNaN(date) ? now() : date, method });
  }
}

/** Why an answer cannot be read; undefined for a fault that is not the answer's. */
function unreadable(error: unknown): string | undefined {
  if (error instanceof ShapeError) return error.message;
  // All readers go down into an answer, as far as the stack has room.
  return error instanceof RangeError ? 'it is nested too deep' : undefined;
}

function parse(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new ShapeError('it is no JSON, or only the beginning of it');
  }
}

function statusFailure(options: {
  status: number;
  text: string;
  headers: Record<string, string | string[] | undefined>;
  now: number;
  method: string;
}): Failure {
  const { status, headers } = options;
  const body = errorBody(options.text);
  const requestId = body.requestId ?? first(headers['x-request-id']);
  const retryAfterMs = parseRetryAfter(first(headers['retry-after']), options.now);
  const what = [`answered ${status}`, body.code].filter(Boolean).join(' ');
  return {
    kind: 'status',
    status,
    what: body.message ? `${what}: ${body.message}` : what,
    mayHaveActed: changing(options.method) && statusMayHaveActed(status),
    ...(body.code ? { code: body.code } : {}),
    ...(body.message ? { message: body.message } : {}),
    ...(requestId ? { requestId: oneLine(requestId, 80) } : {}),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** The service's error body, or what a proxy in between said, as far as it can be read. */
function errorBody(text: string): { code?: string; message?: string; requestId?: string } {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    const title = /<title>([^<]*)<\/title>/i.exec(text)?.[1];
    return title ? { message: `a page titled ${show(title)}` } : {};
  }
  const pick = (name: string) => {
    const value = typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[name] : undefined;
    return typeof value === 'string' && value !== '' ? oneLine(value) : undefined;
  };
  const [code, message, requestId] = [pick('code'), pick('message'), pick('request_id')];
  return { ...(code ? { code } : {}), ...(message ? { message } : {}), ...(requestId ? { requestId } : {}) };
}

function networkFailure(options: {
  error: unknown;
  timedOut: boolean;
  attemptMs: number;
  url: URL;
  method: string;
}): Failure {
  const { error, url } = options;
  if (error instanceof StoppedError) throw error;
  const errno = errnoOf(error);
  const host = url.host;
  const connecting = errno !== undefined && !errnoMayHaveActed(errno);
  const what = options.timedOut
    ? `got no whole answer from ${host} within ${duration(options.attemptMs)}`
    : `got no answer from ${host}: ${describeErrno(errno) ?? oneLine(error instanceof Error ? error.message : String(error))}`;
  return {
    kind: 'network',
    what,
    mayHaveActed: changing(options.method) && !connecting,
    cause: error,
    ...(errno ? { errno } : {}),
  };
}

function errnoOf(error: unknown): string | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at instanceof AggregateError && at.errors.length > 0) return errnoOf(at.errors[0]);
    const code = (at as NodeJS.ErrnoException).code;
    if (typeof code === 'string') return code;
    if (at instanceof errors.UndiciError) return at.code;
  }
  return undefined;
}

function describeErrno(errno: string | undefined): string | undefined {
  if (!errno) return undefined;
  const words: Record<string, string> = {
    ECONNREFUSED: 'the connection was refused',
    ENOTFOUND: 'there is no host of this name',
    EAI_AGAIN: 'the name could not be looked up',
    ECONNRESET: 'the connection was reset',
    EPIPE: 'the connection was closed',
    UND_ERR_SOCKET: 'the connection was closed',
    UND_ERR_CONNECT_TIMEOUT: 'connecting took too long',
    UND_ERR_HEADERS_TIMEOUT: 'the answer took too long',
    UND_ERR_BODY_TIMEOUT: 'the answer stopped in the middle',
    ETIMEDOUT: 'the connection timed out',
  };
  const word = words[errno] ?? (isCertificateFault(errno) ? 'its TLS certificate was not accepted' : undefined);
  return word ? `${word} (${errno})` : undefined;
}

function redirectTarget(options: {
  url: URL;
  location: string | undefined;
  status: number;
  method: string;
  redirects: number;
}): URL | Failure {
  const { url, location, status, method, redirects } = options;
  const refuse = (why: string): Failure => ({
    kind: 'redirect',
    status,
    what: `answered ${status}, a redirect ${why}`,
    mayHaveActed: false,
  });
  if (!location || !URL.canParse(location, url.href)) return refuse('to nowhere');
  const target = new URL(location, url);
  if (target.origin !== url.origin) return refuse(`to another origin (${show(target.origin)}), which is not followed`);
  // 301, 302 and 303 turn a change into a read: following one would report a change that never happened.
  if (changing(method) && status !== 307 && status !== 308) return refuse('of a change, which is not followed');
  return redirects < mostRedirects ? target : refuse('again and again');
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
