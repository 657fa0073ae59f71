import { duration, messageOf } from '../text/format.ts';
import { oneLine, show } from '../text/inert.ts';
import { isObject } from '../text/json.ts';
import { errnoMayHaveActed, errnos, isProxyRefusal, isTlsFailure, statusMayHaveActed } from './codes.ts';
import type { Failure } from './errors.ts';
import { ShapeError } from './shape.ts';

/**
 * A status that is not a success. `text` is undefined if the body is too large or cannot be read; `now` is the service's clock, in
 * milliseconds since the epoch.
 */
export function statusFailure(options: {
  status: number;
  text: string | undefined;
  headers: Record<string, string>;
  now: number;
}): Failure {
  const { status, headers, now } = options;
  const { code, message, requestId = headers['x-request-id'] } = errorBody(options.text);
  const retryAfterMs = parseRetryAfter(headers['retry-after'], now);
  const head = code ? `${status} ${code}` : String(status);
  return {
    kind: 'status',
    status,
    what: message ? `${head}, ${message.replace(/(?<!\.)\.$/, '')}` : head,
    mayHaveActed: statusMayHaveActed(status),
    code,
    message,
    requestId: requestId && oneLine(requestId, 80),
    retryAfterMs,
    timedOut: status === 504 || status === 524 || undefined,
  };
}

/** The service's error body, or what a proxy in between said, as far as it can be read. */
function errorBody(text = ''): Pick<Failure, 'code' | 'message' | 'requestId'> {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    const title = /<title>([^<]*)<\/title>/i.exec(text)?.[1];
    return title ? { message: `an HTML page titled ${show(title)}` } : {};
  }
  const pick = (name: string) => {
    const value = isObject(body) ? body[name] : undefined;
    return typeof value === 'string' && value !== '' ? oneLine(value) : undefined;
  };
  return { code: pick('code'), message: pick('message'), requestId: pick('request_id') };
}

/** A success whose body is not what was documented. Rethrows an error that is not the response's. */
export function unreadableFailure(options: { error: unknown; status: number }): Failure {
  const { error, status } = options;
  // Every reader descends into a response as far as the stack has room.
  const isDeep = error instanceof RangeError;
  if (!isDeep && !(error instanceof ShapeError)) throw error;
  return {
    kind: 'unreadable',
    status,
    what: `${status} with an unexpected body: ${isDeep ? 'nested too deeply' : error.message}`,
    mayHaveActed: true,
  };
}

/** A redirect, with its target as far as it can hold no secret. `url`: what was asked for. */
export function redirectFailure(options: { status: number; location: string | undefined; url: URL }): Failure {
  const { status, location, url } = options;
  const target = location && URL.canParse(location, url.href) ? new URL(location, url) : undefined;
  const where = target
    ? `to ${show(`${target.protocol}//${target.host}${target.pathname}`)}`
    : 'without a valid location';
  return {
    kind: 'redirect',
    status,
    what: `${status}, a redirect ${where}, which is not followed`,
    mayHaveActed: false,
  };
}

/** No complete response within `attemptMs`, or none at all. */
export function networkFailure(options: {
  error: unknown;
  timedOut: boolean;
  attemptMs: number;
  host: string;
}): Failure {
  const { error, host } = options;
  const errno = proxyRefusal(error) ?? errnoOf(error);
  const why = describeErrno(errno) ?? oneLine(messageOf(causeOf(error)));
  return {
    kind: 'network',
    what: options.timedOut
      ? `no complete response from ${host} within ${duration(options.attemptMs)}`
      : `no response from ${host}: ${why}`,
    mayHaveActed: options.timedOut || errnoMayHaveActed(errno),
    cause: error,
    errno,
    timedOut: options.timedOut || errnos[errno ?? '']?.timedOut,
  };
}

/** `PROXY_407` if the proxy did not open a tunnel to the service (undici has no code for it), or undefined. */
function proxyRefusal(error: unknown): string | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const status = /^Proxy response \((\d{3})\) !== 200/.exec(at.message)?.[1];
    if (status !== undefined) return `PROXY_${status}`;
  }
  return undefined;
}

function errnoOf(error: unknown): string | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at instanceof AggregateError && at.errors.length > 0) return errnoOf(at.errors[0]);
    const code = (at as NodeJS.ErrnoException).code;
    if (typeof code === 'string') return code;
  }
  return undefined;
}

/** What `fetch` itself says is only that it has failed. */
function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? causeOf(error.cause) : error;
}

function describeErrno(errno: string | undefined): string | undefined {
  if (!errno) return undefined;
  if (isProxyRefusal(errno)) return `the proxy responded to CONNECT with ${errno.slice(-3)}`;
  const words = errnos[errno]?.what ?? describeTls(errno);
  return words && `${words} (${errno})`;
}

function describeTls(errno: string): string | undefined {
  if (errno === 'EPROTO' || errno.startsWith('ERR_SSL')) return 'TLS handshake failed';
  return isTlsFailure(errno) ? 'TLS certificate not accepted' : undefined;
}

/** `Retry-After` in milliseconds: seconds (the first ones, if it was sent twice) or an HTTP date; undefined if it is neither. */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (!value) return undefined;
  const [, seconds] = /^\s*(\d+(?:\.\d+)?)\s*(?:,|$)/.exec(value) ?? [];
  if (seconds !== undefined) return Number(seconds) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
