import { duration, messageOf } from '../text/format.ts';
import { oneLine, show } from '../text/inert.ts';
import { isObject } from '../text/json.ts';
import type { Failure } from './errors.ts';
import { ShapeError } from './shape.ts';
import type { Received } from './transport.ts';

/** Statuses with which the service says that it has not acted, whatever the method. */
const notActed = new Set([423, 429, 503]);

/** A status that is not a success. `now` is the service's clock, in milliseconds since the epoch. */
export function statusFailure({ status, text, headers }: Received, now: number): Failure {
  const { code, message, requestId = headers['x-request-id'] } = errorBody(text);
  const head = code ? `${status} ${code}` : String(status);
  const mayHaveActed = status === 408 || (status >= 500 && !notActed.has(status));
  return {
    ...{ kind: 'status', status, code, message, mayHaveActed },
    what: message ? `${head}, ${message.replace(/(?<!\.)\.$/, '')}` : head,
    again: notActed.has(status) ? 'all' : mayHaveActed ? 'idempotent' : undefined,
    requestId: requestId && oneLine(requestId, 80),
    retryAfterMs: parseRetryAfter(headers['retry-after'], now),
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

/** `Retry-After` in milliseconds: seconds (the first ones, if it was sent twice) or an HTTP date; undefined if it is neither. */
export function parseRetryAfter(value = '', now: number): number | undefined {
  const [, seconds] = /^\s*(\d+(?:\.\d+)?)\s*(?:,|$)/.exec(value) ?? [];
  if (seconds !== undefined) return Number(seconds) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** A success whose body is not what was documented. Rethrows an error that is not the response's. */
export function unreadableFailure(status: number, error: unknown): Failure {
  // Every reader descends into a response as far as the stack has room.
  const isDeep = error instanceof RangeError;
  if (!isDeep && !(error instanceof ShapeError)) throw error;
  const what = `${status} with an unexpected body: ${isDeep ? 'nested too deeply' : error.message}`;
  return { kind: 'unreadable', status, what, mayHaveActed: true, again: 'idempotent', lasts: true };
}

/** A redirect, with its target as far as it can hold no secret. `url`: what was asked for. */
export function redirectFailure(status: number, location: string | undefined, url: URL): Failure {
  const target = location && URL.canParse(location, url.href) ? new URL(location, url) : undefined;
  const where = target
    ? `to ${show(`${target.protocol}//${target.host}${target.pathname}`)}`
    : 'without a valid location';
  const what = `${status}, a redirect ${where}, which is not followed`;
  return { kind: 'redirect', status, what, mayHaveActed: false };
}

/** What is known of a code of the system or of undici, in words. */
const errnos: Record<string, string | undefined> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'host name lookup failed',
  UND_ERR_CONNECT_TIMEOUT: 'connecting timed out',
  UND_ERR_PRX_CONN: 'connection to the proxy closed',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection closed',
  UND_ERR_SOCKET: 'connection closed',
  UND_ERR_HEADERS_TIMEOUT: 'response timed out',
  UND_ERR_BODY_TIMEOUT: 'response stopped halfway',
  ETIMEDOUT: 'connection timed out',
};
/** Failures to connect: no part of the request was sent. Whatever else happens to a connection, it may have been. */
const notSent = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|UND_ERR_PRX_CONN)$/;
/** A proxy's rules and credentials do not change during a step; its own failures and rate limits may pass. */
const transientRefusal = /^PROXY_(408|429|5\d\d)$/;

/** No complete response: within `timeoutMs`, if that is set. */
export function networkFailure(error: unknown, { host, timeoutMs }: { host: string; timeoutMs?: number }): Failure {
  const cause = causeOf(error);
  const refusal = /^Proxy response \((\d{3})\) !== 200/.exec(messageOf(cause))?.[1];
  const code = cause instanceof Error ? (cause as NodeJS.ErrnoException).code : undefined;
  const errno = refusal ? `PROXY_${refusal}` : typeof code === 'string' ? code : undefined;
  const mayHaveActed = timeoutMs !== undefined || !isUnsent(errno);
  const words = errno && describe(errno);
  return {
    ...{ kind: 'network', mayHaveActed, errno, cause: error },
    what: timeoutMs
      ? `no complete response from ${host} within ${duration(timeoutMs)}`
      : `no response from ${host}: ${words || oneLine(messageOf(cause))}`,
    again: mayHaveActed
      ? 'idempotent'
      : notSent.test(errno ?? '') || transientRefusal.test(errno ?? '')
        ? 'all'
        : undefined,
    lasts: errno === 'ENOTFOUND',
  };
}

/** The error at the bottom: `fetch` itself says only that it has failed. */
function causeOf(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return causeOf(error.errors[0]);
  return error instanceof Error && error.cause !== undefined ? causeOf(error.cause) : error;
}

function describe(errno: string): string | undefined {
  if (errno.startsWith('PROXY_')) return `the proxy responded to CONNECT with ${errno.slice(-3)}`;
  const tls = isCertificateFailure(errno) ? 'TLS certificate not accepted' : 'TLS handshake failed';
  const words = errnos[errno] ?? (isTlsFailure(errno) ? tls : undefined);
  return words && `${words} (${errno})`;
}

function isUnsent(errno = ''): boolean {
  return notSent.test(errno) || errno.startsWith('PROXY_') || isTlsFailure(errno);
}

/** Whether the certificate of the other side was not accepted. */
export function isCertificateFailure(errno: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO|^ERR_TLS|^UND_ERR_PRX_TLS$/.test(errno);
}

function isTlsFailure(errno: string): boolean {
  return isCertificateFailure(errno) || /^ERR_SSL|^EPROTO$/.test(errno);
}
