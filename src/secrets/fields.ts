import { createFinder, stars, withStars } from './matcher.ts';
import { secretUrisIn } from './uris.ts';

/**
 * Names of fields that hold a secret, with their words joined by `_`. Names and IDs of secrets (`key_name`, `token_id`) are not
 * secret, nor are keys in a store, a table or a token.
 */
const secretField =
  /(^|_)(password|passwd|passphrase|token|secret|jwt|dsn|connection_(uri|url|string))s?$|^uri$|(^|_)key$|(^|_)api_keys$/;
const otherKey = /(^|_)(cache|claim|object|primary|foreign|public|sort|partition|idempotency)_key$/;
/** Fields beside a `key` that is a name, in a list of stored objects or of pairs. */
const besideName = ['value', 'size', 'etag'];

/**
 * Calls `mask` with every secret in a response: the values of fields that hold one, and each URI with a password together with
 * that password, raw and decoded. A text in a field for which `isPublic` is true is left alone.
 */
export function maskSecrets(
  body: unknown,
  mask: (secret: string) => void,
  isPublic: (name: string) => boolean = () => false,
): void {
  replaceSecrets(body, { onSecret: mask, isPublic });
}

/** A copy of a body to show, with stars in place of secrets. */
export function withoutSecrets(body: unknown): unknown {
  return replaceSecrets(body, { onSecret: () => {}, isPublic: () => false });
}

function replaceSecrets(
  body: unknown,
  options: { onSecret: (secret: string) => void; isPublic: (name: string) => boolean },
  secret = false,
): unknown {
  const { onSecret, isPublic } = options;
  if (Array.isArray(body)) return body.map((entry) => replaceSecrets(entry, options, secret));
  if (typeof body === 'object' && body !== null) {
    return Object.fromEntries(
      Object.entries(body).map(([name, value]) => {
        if (typeof value === 'string' && isPublic(name)) return [name, value];
        // The secret may be one level below the name: `{"token": {"value": …}}`.
        return [name, replaceSecrets(value, options, isSecret(name, body) || (secret && name === 'value'))];
      }),
    );
  }
  if (typeof body !== 'string' || body === '') return body;
  if (secret) {
    maskUris(body, onSecret);
    onSecret(body);
    return stars;
  }
  const found = new Set<string>();
  maskUris(body, (one) => found.add(one));
  for (const one of found) onSecret(one);
  return withStars(body, createFinder(found).placesIn(body));
}

function isSecret(name: string, beside: object): boolean {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/[\s.-]+/g, '_')
    .toLowerCase();
  if (words === 'key') return !besideName.some((other) => other in beside);
  return secretField.test(words) && !otherKey.test(words);
}

/** Whether a field or parameter of this name holds a secret. */
export function isSecretName(name: string): boolean {
  return isSecret(name, {});
}

/** Calls `mask` with each URI in a text that has a password, token or signature, and with those themselves. */
export function maskUris(text: string, mask: (secret: string) => void): void {
  const maskDecoded = (secret: string) => {
    mask(secret);
    const decoded = decode(secret);
    if (decoded !== secret) mask(decoded);
  };
  for (const { uri, secrets } of secretUrisIn(text)) {
    mask(uri);
    for (const secret of secrets) if (secret !== '') maskDecoded(secret);
  }
}

/** Percent-decoding that leaves a text with an invalid escape as it is. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
