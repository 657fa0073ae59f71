import type { Failure } from './errors.ts';

/**
 * Which failures of a request may be followed by the same request again.
 * `safe`: only where the service has certainly not acted. `any`: also where it may have, because acting twice does no harm
 * (reads, deletes).
 */
export type Repeat = 'safe' | 'any';

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
]);

/** Faults that will most likely be there at the next try too: a few tries, then an honest error. */
const lasting = { tries: 3, errnos: new Set(['ENOTFOUND']) };

export function statusMayHaveActed(status: number): boolean {
  return status === 408 || (status >= 500 && !notActed.has(status));
}

export function errnoMayHaveActed(errno: string | undefined): boolean {
  return !(errno && (notSent.has(errno) || isCertificateFault(errno)));
}

export function isCertificateFault(errno: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|^ERR_TLS|^ERR_SSL|^EPROTO$/.test(errno);
}

/** Whether a failure passes by itself, so that the same request may be sent again after a pause. */
export function mayRepeat(options: { failure: Failure; repeat: Repeat; attempt: number }): boolean {
  const { failure, repeat, attempt } = options;
  switch (failure.kind) {
    case 'redirect':
      return false;
    case 'unreadable':
      return repeat === 'any' && attempt < lasting.tries;
    case 'network': {
      const errno = failure.errno ?? '';
      if (isCertificateFault(errno)) return false;
      if (lasting.errnos.has(errno)) return attempt < lasting.tries;
      return notSent.has(errno) || repeat === 'any';
    }
    case 'status': {
      const status = failure.status ?? 0;
      return notActed.has(status) || (repeat === 'any' && statusMayHaveActed(status));
    }
  }
}

/**
 * Milliseconds to wait after the `attempt`-th try (from 1): exponential with jitter, at least what `Retry-After` said.
 * A lock (423) goes away as soon as the other operation ends, so that its pauses stay short.
 */
export function pauseMs(options: { failure: Failure; attempt: number; random: () => number }): number {
  const { failure, attempt, random } = options;
  const [base, cap] = failure.status === 423 ? [250, 4_000] : [500, 15_000];
  const jittered = Math.min(cap, base * 2 ** Math.min(attempt - 1, 10)) * (0.5 + random() / 2);
  const least = failure.retryAfterMs ?? 0;
  // Some jitter above Retry-After too, so that runs that were told the same time do not all come back at once.
  return Math.max(jittered, least > 0 ? least + random() * Math.min(1_000, least / 4) : 0);
}

/** `Retry-After` in milliseconds: seconds or an HTTP date; undefined where it is neither. */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (!value) return undefined;
  if (/^\s*\d+(\.\d+)?\s*$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
