import { createFinder, stars, withStars } from './matcher.ts';
import { secretUrisIn } from './uris.ts';

/**
 * Names of fields that hold a secret, their words joined by `_`. Names and IDs of secrets (`key_name`, `token_id`) are none, and
 * neither are keys of other kinds: those that find something in a store, a table or a token.
 */
const secretField =
  /(^|_)(password|passwd|passphrase|token|secret|jwt|dsn|connection_(uri|url|string))s?$|^uri$|(^|_)key$|(^|_)api_keys$/;
const otherKey = /(^|_)(cache|claim|object|primary|foreign|public|sort|partition|idempotency)_key$/;
/** What stands beside a `key` that names something, in a list of stored objects or of pairs. */
const namedByKey = ['value', 'size', 'etag'];

/**
 * Finds every secret in an answer and hands it to `mask`: the values of fields that hold one, and each URI with a password,
 * whole, and the password in it both as it stands there and decoded. The text of a field whose name is public has none.
 */
export function maskSecrets(
  body: unknown,
  mask: (secret: string) => void,
  isPublic: (name: string) => boolean = () => false,
): void {
  hideSecrets(body, { tell: mask, isPublic });
}

/** A copy of a body with nothing secret in it, to be shown. */
export function withoutSecrets(body: unknown): unknown {
  return hideSecrets(body, { tell: () => {}, isPublic: () => false });
}

/** A copy of a body with stars in place of every secret, each of which is told. */
function hideSecrets(
  body: unknown,
  options: { tell: (secret: string) => void; isPublic: (name: string) => boolean },
  secret = false,
): unknown {
  const { tell, isPublic } = options;
  if (Array.isArray(body)) return body.map((entry) => hideSecrets(entry, options, secret));
  if (typeof body === 'object' && body !== null) {
    return Object.fromEntries(
      Object.entries(body).map(([name, value]) => {
        if (typeof value === 'string' && isPublic(name)) return [name, value];
        // What is secret may stand one level below the name that says so: `{"token": {"value": …}}`.
        return [name, hideSecrets(value, options, isSecret(name, body) || (secret && name === 'value'))];
      }),
    );
  }
  if (typeof body !== 'string' || body === '') return body;
  if (secret) {
    maskUris(body, tell);
    tell(body);
    return stars;
  }
  const found = new Set<string>();
  maskUris(body, (one) => found.add(one));
  for (const one of found) tell(one);
  return withStars(body, createFinder(found).placesIn(body));
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
  for (const { uri, secrets } of secretUrisIn(text)) {
    mask(uri);
    for (const secret of secrets) if (secret !== '') take(secret);
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
