/** Statuses with which the service says that it has not acted, whatever the method. */
export const notActed = new Set([423, 429, 503]);

/** Failures to connect: no part of the request was sent, unless there was a connection (`sent`). */
export const notSent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_PRX_CONN',
]);

export function statusMayHaveActed(status: number): boolean {
  return status === 408 || (status >= 500 && !notActed.has(status));
}

export function errnoMayHaveActed(errno: string | undefined): boolean {
  return !(errno && (notSent.has(errno) || isTlsFailure(errno) || isProxyRefusal(errno)));
}

/** Whether the certificate of the other side was not accepted. */
export function isCertificateFailure(errno: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO|^ERR_TLS/.test(errno);
}

/** Whether TLS failed; if there was no connection yet, for its certificate or its handshake. */
export function isTlsFailure(errno: string): boolean {
  return isCertificateFailure(errno) || /^UND_ERR_PRX_TLS$|^ERR_SSL|^EPROTO$/.test(errno);
}

/** Whether the proxy has refused to open a tunnel (`PROXY_407`), so that nothing has reached the service. */
export function isProxyRefusal(errno: string): boolean {
  return /^PROXY_\d{3}$/.test(errno);
}

/** `Retry-After` in milliseconds: seconds or an HTTP date; undefined if it is neither. */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (!value) return undefined;
  if (/^\s*\d+(\.\d+)?\s*$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
