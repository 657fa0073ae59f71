import { duration, messageOf } from '../text/format.ts';
import { oneLine, show } from '../text/inert.ts';
import { isObject, ShapeError } from '../text/json.ts';
import type { Failure } from './errors.ts';

import type { Received } from './transport.ts';

/** Statuses with which the service says that it has not acted, whatever the method. */
const notActed = new Set([423, 429, 503]);

/** A status that is not a success. `now` is the service's clock, in milliseconds since the epoch. */
export function statusFailure({ status, text, headers }: Received, now: number): Failure {
  // Never followed, also within the service: the redirect of a deletion would delete something else.
  if (status >= 300 && status < 400) {
    const what = `${status}, a redirect to ${show((headers.location ?? '').replace(/[?#].*/s, ''))}, which is not followed`;
    return { kind: 'redirect', status, what, mayHaveActed: false };
  }
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

function errorBody(text = ''): Pick<Failure, 'code' | 'message' | 'requestId'> {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return {};
  }
  const pick = (name: string) => {
    const value = isObject(body) ? body[name] : undefined;
    return typeof value === 'string' && value !== '' ? oneLine(value) : undefined;
  };
  return { code: pick('code'), message: pick('message'), requestId: pick('request_id') };
}

/** `Retry-After` in milliseconds, from a number of seconds or an HTTP date; undefined if it is neither. */
export function parseRetryAfter(value = '', now: number): number | undefined {
  const seconds = Number.parseFloat(value);
  if (seconds >= 0) return seconds * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** A success whose body is not what was documented. Rethrows an error that is not the response's. */
export function unreadableFailure(status: number, error: unknown): Failure {
  if (!(error instanceof ShapeError)) throw error;
  const what = `${status} with an unexpected body: ${error.message}`;
  return { kind: 'unreadable', status, what, mayHaveActed: true, again: 'idempotent', lasts: true };
}

/** Failures to connect: no part of the request was sent. After any other failure of a connection, it may have been. */
const notSent = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|UND_ERR_PRX_CONN)$/;

/** No complete response: within `timeoutMs`, if that is set. */
export function networkFailure(error: unknown, { host, timeoutMs }: { host: string; timeoutMs?: number }): Failure {
  const failure = { kind: 'network', errno: codeOf(error), cause: error } as const;
  if (timeoutMs !== undefined) {
    const what = `no complete response from ${host} within ${duration(timeoutMs)}`;
    return { ...failure, what, mayHaveActed: true, again: 'idempotent' };
  }
  const what = `no response from ${host}: ${describeError(error)}`;
  const { errno = '' } = failure;
  const [, byProxy = ''] = /^Proxy response \((\d)/.exec(messageOf(rootOf(error))) ?? [];
  // A proxy's rules and credentials do not change during a step, nor does a certificate.
  const isPermanent = byProxy === '4' || isTlsFailure(errno);
  const mayHaveActed = !isPermanent && byProxy === '' && !notSent.test(errno);
  const again = isPermanent ? undefined : mayHaveActed ? 'idempotent' : 'all';
  return { ...failure, what, mayHaveActed, again, lasts: errno === 'ENOTFOUND' };
}

/** An error of a connection, on one line, with its code. */
export function describeError(error: unknown): string {
  const message = messageOf(rootOf(error));
  const code = codeOf(error);
  return oneLine(!code || message.includes(code) ? message : `${message} (${code})`);
}

/** The error at the bottom: `fetch` itself says only that it has failed. */
function rootOf(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return rootOf(error.errors[0]);
  return error instanceof Error && error.cause !== undefined ? rootOf(error.cause) : error;
}

/** The code of the system or of undici; undefined if there is none. */
function codeOf(error: unknown): string | undefined {
  const { code } = Object(rootOf(error)) as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

export function isCertificateFailure(errno: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO|^ERR_TLS|^UND_ERR_PRX_TLS$/.test(errno);
}

function isTlsFailure(errno: string): boolean {
  return isCertificateFailure(errno) || /^ERR_SSL|^EPROTO$/.test(errno);
}
