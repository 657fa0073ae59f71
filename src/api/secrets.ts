/**
 * Names of fields that hold a secret, their words joined by `_`. Names and IDs of secrets (`key_name`, `token_id`) are none, and
 * neither are keys of other kinds: those that find something in a store, a table or a token.
 */
const secretField =
  /(^|_)(password|passwd|passphrase|token|secret|jwt|dsn|connection_(uri|url|string))s?$|^uri$|(^|_)key$|(^|_)api_keys$/;
const otherKey = /(^|_)(cache|claim|object|primary|foreign|public|sort|partition|idempotency)_key$/;
/** What stands beside a `key` that names something, in a list of stored objects or of pairs. */
const namedByKey = ['value', 'size', 'etag'];

/** `scheme://user:password@…`, wherever it stands. */
const uriWithPassword = /\b[a-z][a-z0-9+.-]*:\/\/[^\s/?#@:]*:([^\s/?#]*)@[^\s"'<>]*/gi;
/** A URI that lets in whoever has it, by a parameter: signed for a while, or with a token or password in it. */
const uriWithParameter =
  /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>?]*\?(?:[^\s"'<>]*&)?(?:[\w.-]*(?:signature|token|secret|password|api[_-]?key)|sig)=[^\s"'<>]+/gi;
const secretParameter = /[?&](?:[\w.-]*(?:signature|token|secret|password|api[_-]?key)|sig)=([^&#]+)/gi;

/** What stands in place of a secret. */
const stars = '***';

/**
 * Finds every secret in an answer and hands it to `mask`: the values of fields that hold one, and each URI with a password,
 * whole, and the password in it both as it stands there and decoded.
 */
export function maskSecrets(body: unknown, mask: (secret: string) => void): void {
  changeSecrets(body, (secret) => {
    mask(secret);
    return stars;
  });
}

/** A copy of a body with nothing secret in it, to be shown. */
export function withoutSecrets(body: unknown): unknown {
  return changeSecrets(body, () => stars);
}

/** A copy of a body in which `change` has been at every secret. */
function changeSecrets(body: unknown, change: (secret: string) => string, secret = false): unknown {
  if (Array.isArray(body)) return body.map((entry) => changeSecrets(entry, change, secret));
  if (typeof body === 'object' && body !== null) {
    return Object.fromEntries(
      Object.entries(body).map(([name, value]) => {
        // What is secret may stand one level below the name that says so: `{"token": {"value": …}}`.
        return [name, changeSecrets(value, change, isSecret(name, body) || (secret && name === 'value'))];
      }),
    );
  }
  if (typeof body !== 'string' || body === '') return body;
  if (secret) {
    maskUris(body, change);
    return change(body);
  }
  let text = body;
  const found: string[] = [];
  maskUris(body, (one) => found.push(one));
  for (const one of found) text = text.replaceAll(one, change(one));
  return text;
}

function isSecret(name: string, beside: object): boolean {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/[\s.-]+/g, '_')
    .toLowerCase();
  if (words === 'key') return !namedByKey.some((other) => other in beside);
  return secretField.test(words) && !otherKey.test(words);
}

/** Whether a name, of a parameter say, is that of something secret. */
export function isSecretName(name: string): boolean {
  return isSecret(name, {});
}

/** Masks each URI with a password, or another way in, in a text. */
export function maskUris(text: string, mask: (secret: string) => void): void {
  const take = (secret: string) => {
    mask(secret);
    const decoded = decode(secret);
    if (decoded !== secret) mask(decoded);
  };
  for (const [uri, password] of text.matchAll(uriWithPassword)) {
    mask(uri);
    if (password) take(password);
  }
  for (const [uri] of text.matchAll(uriWithParameter)) {
    mask(uri);
    for (const [, value] of uri.matchAll(secretParameter)) if (value) take(value);
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
