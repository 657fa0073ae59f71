/** Fields of the service's answers that hold a secret. Names of things and IDs (`key_name`, `token_id`) are none. */
const secretField =
  /^(password|token|secret|key|api_key|connection_uri|uri|dsn|private_key|access_key)$|_(password|token|secret|secret_key|access_key|api_key|private_key|connection_uri)$/i;

/** `scheme://user:password@…`, wherever it stands. */
const uriWithPassword = /\b[a-z][a-z0-9+.-]*:\/\/[^\s/?#@:]*:([^\s/?#]*)@[^\s"'<>]*/gi;

/**
 * Finds every secret in an answer and hands it to `mask`: the values of fields that hold one, and each URI with a password,
 * whole, and the password in it both as it stands there and decoded.
 */
export function maskSecrets(body: unknown, mask: (secret: string) => void): void {
  if (Array.isArray(body)) {
    for (const entry of body) maskSecrets(entry, mask);
  } else if (typeof body === 'object' && body !== null) {
    for (const [name, value] of Object.entries(body)) {
      if (typeof value === 'string' && value !== '' && secretField.test(name)) mask(value);
      maskSecrets(value, mask);
    }
  } else if (typeof body === 'string') {
    maskUris(body, mask);
  }
}

/** Masks each URI with a password in a text. */
export function maskUris(text: string, mask: (secret: string) => void): void {
  for (const [uri, password] of text.matchAll(uriWithPassword)) {
    mask(uri);
    if (!password) continue;
    mask(password);
    const decoded = decode(password);
    if (decoded !== password) mask(decoded);
  }
}

/** Percent-decoding that takes what is no valid encoding as it is. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
