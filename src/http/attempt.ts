import { type Dispatcher, request as undiciRequest } from 'undici';
import type { Failure } from './errors.ts';
import { networkFailure, redirectFailure, statusFailure, unreadableFailure } from './failures.ts';
import { type ApiResponse, isChange, type Method } from './request.ts';
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

type Headers = Record<string, string | string[] | undefined>;

/** Redirects within the service that one attempt follows. */
const mostRedirects = 3;

/**
 * One attempt of a request: a response, or a failure that says whether the service may have acted.
 * Rejects only with the signal's reason.
 */
export async function attemptRequest<T>(
  attempt: Attempt<T>,
): Promise<Outcome<Omit<ApiResponse<T>, 'mayHaveActedBefore'>>> {
  const { signal, method, now } = attempt;
  if (signal.aborted) throw signal.reason;
  const limit = AbortSignal.timeout(attempt.attemptMs);
  let url = attempt.url;
  for (let redirects = 0; ; redirects++) {
    const received = await receive(attempt, { url, limit });
    if ('failure' in received) return received;
    const { status, headers, text } = received;
    if (status >= 300 && status < 400 && status !== 304) {
      const target = redirectTarget({ url, location: first(headers.location), status, method, redirects });
      if (!(target instanceof URL)) return { failure: target };
      url = target;
      continue;
    }
    const parsed = Date.parse(first(headers.date) ?? '');
    const date = Number.isNaN(parsed) ? undefined : parsed;
    if (status < 200 || status >= 300) {
      // `Retry-After` may be a date by the clock that wrote it; a runner's clock may be minutes off.
      return { failure: statusFailure({ status, text, headers, now: date ?? now(), method }) };
    }
    try {
      return { value: { status, value: attempt.read(parse(text), status), date } };
    } catch (error) {
      return { failure: unreadableFailure({ error, status, method }) };
    }
  }
}

async function receive(
  attempt: Attempt<unknown>,
  { url, limit }: { url: URL; limit: AbortSignal },
): Promise<{ status: number; headers: Headers; text: string } | { failure: Failure }> {
  const { signal, method, attemptMs } = attempt;
  try {
    const response = await undiciRequest(url, {
      method,
      headers: { ...attempt.headers, 'content-type': 'application/json' },
      body: attempt.body === undefined ? null : JSON.stringify(attempt.body),
      dispatcher: attempt.dispatcher,
      signal: AbortSignal.any([signal, limit]),
    });
    return { status: response.statusCode, headers: response.headers, text: await response.body.text() };
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

function redirectTarget(options: {
  url: URL;
  location: string | undefined;
  status: number;
  method: Method;
  redirects: number;
}): URL | Failure {
  const { url, location, status, method, redirects } = options;
  if (!location || !URL.canParse(location, url.href)) return redirectFailure(status, 'without a valid location');
  const target = new URL(location, url);
  if (target.origin !== url.origin) {
    return redirectFailure(status, `to another origin (${JSON.stringify(target.origin)}), which is not followed`);
  }
  // 301, 302 and 303 turn a change into a read: following one would report a change that never happened.
  if (isChange(method) && status !== 307 && status !== 308) {
    return redirectFailure(status, 'in response to a change, which is not followed');
  }
  return redirects < mostRedirects ? target : redirectFailure(status, 'after too many others');
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
