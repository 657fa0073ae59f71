import { type Backoff, backoffMs } from './backoff.ts';
import type { Failure } from './errors.ts';

/** Statuses with which the service says that it has not acted, whatever the method. */
const notActed = new Set([423, 429, 503]);

/** Network failures that happen before a byte of the request has left. */
const notSent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_PRX_CONN',
]);

/** Failures that will most likely recur: given up after a few attempts. */
export const lasting = { attempts: 3, errnos: new Set(['ENOTFOUND']) };

export function statusMayHaveActed(status: number): boolean {
  return status === 408 || (status >= 500 && !notActed.has(status));
}

export function errnoMayHaveActed(errno: string | undefined): boolean {
  return !(errno && (notSent.has(errno) || isCertificateFailure(errno) || isProxyRefusal(errno)));
}

export function isCertificateFailure(errno: string): boolean {
  return /CERT|UND_ERR_PRX_TLS|SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|^ERR_TLS|^ERR_SSL|^EPROTO$/.test(errno);
}

/** Whether the proxy has refused to open a tunnel (`PROXY_407`), so that nothing has reached the service. */
export function isProxyRefusal(errno: string): boolean {
  return /^PROXY_\d{3}$/.test(errno);
}

/** A proxy's rules and credentials do not change during a step; its own failures and rate limits may pass. */
const transientProxyRefusal = /^PROXY_(408|429|5\d\d)$/;

/**
 * Whether a failure is transient, so that the request may be sent again after a delay. A request that is not idempotent is only
 * resent if the service has certainly not acted. `attempt` counts failures of the same kind, from 1.
 */
export function isRetryable(options: { failure: Failure; idempotent: boolean; attempt: number }): boolean {
  const { failure, idempotent, attempt } = options;
  switch (failure.kind) {
    case 'redirect':
    case 'rate-limited':
      return false;
    case 'unreadable':
      return idempotent && attempt < lasting.attempts;
    case 'network': {
      const errno = failure.errno ?? '';
      if (isCertificateFailure(errno)) return false;
      if (isProxyRefusal(errno)) return transientProxyRefusal.test(errno);
      if (lasting.errnos.has(errno)) return attempt < lasting.attempts;
      return notSent.has(errno) || idempotent;
    }
    case 'status': {
      const status = failure.status ?? 0;
      return notActed.has(status) || (idempotent && statusMayHaveActed(status));
    }
  }
}

const usualBackoff: Backoff = { first: 500, longest: 15_000 };
/** A lock (423) goes away as soon as the other operation ends. */
const lockBackoff: Backoff = { first: 250, longest: 4_000 };

/** Milliseconds to wait after the `attempt`-th attempt, from 1: exponential with jitter, at least `Retry-After`. */
export function retryDelayMs(options: { failure: Failure; attempt: number; random: () => number }): number {
  const { failure, attempt, random } = options;
  const delay = backoffMs(failure.status === 423 ? lockBackoff : usualBackoff, attempt);
  const jittered = delay * (0.5 + random() / 2);
  const least = failure.retryAfterMs ?? 0;
  // Jitter above Retry-After too, so that runs that were told the same time do not all come back at once.
  return Math.max(jittered, least > 0 ? least + random() * Math.min(1_000, least / 4) : 0);
}

/** `Retry-After` in milliseconds: seconds or an HTTP date; undefined if it is neither. */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (!value) return undefined;
  if (/^\s*\d+(\.\d+)?\s*$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
