/** Statuses with which the service says that it has not acted, whatever the method. */
export const notActed = new Set([423, 429, 503]);

/** What is known of a code of the system or of undici. */
interface Errno {
  /** In words; without, the message of the error says more. */
  what?: string;
  /** A failure to connect: no part of the request was sent. */
  notSent?: true;
  /** The service has stopped responding on a connection. */
  timedOut?: true;
}

export const errnos: Record<string, Errno | undefined> = {
  ECONNREFUSED: { what: 'connection refused', notSent: true },
  ENOTFOUND: { what: 'host not found', notSent: true },
  EAI_AGAIN: { what: 'host name lookup failed', notSent: true },
  EHOSTUNREACH: { notSent: true },
  ENETUNREACH: { notSent: true },
  UND_ERR_CONNECT_TIMEOUT: { what: 'connecting timed out', notSent: true },
  UND_ERR_PRX_CONN: { what: 'connection to the proxy closed', notSent: true },
  ECONNRESET: { what: 'connection reset' },
  EPIPE: { what: 'connection closed' },
  UND_ERR_SOCKET: { what: 'connection closed' },
  UND_ERR_HEADERS_TIMEOUT: { what: 'response timed out', timedOut: true },
  UND_ERR_BODY_TIMEOUT: { what: 'response stopped halfway', timedOut: true },
  ETIMEDOUT: { what: 'connection timed out', timedOut: true },
};

export function statusMayHaveActed(status: number): boolean {
  return status === 408 || (status >= 500 && !notActed.has(status));
}

export function errnoMayHaveActed(errno = ''): boolean {
  return !(errnos[errno]?.notSent || isTlsFailure(errno) || isProxyRefusal(errno));
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
