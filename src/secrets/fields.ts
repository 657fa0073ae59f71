import { isObject } from '../text/json.ts';
import { decode } from '../text/url.ts';

/** Names of fields that hold a secret, and of those that only describe one: `token_id`, `password_encryption`. */
const secretName =
  /passw(or)?d|passphrase|(secret|token|credential)s?(_|$)|authorization|(^|_)(pass|pwd|jwt|key)$|(api|private|access|auth|encryption|signing|master|client|server)_?key|connection_?(uri|string)/;
const describing =
  /_ids?(_|$)|(^|_)(name|type|kind|status|scopes?|role|user|username|host|database|at|by|version|prefix|encryption|algorithm)$|(^|_)(public|primary|foreign|cache|claim|object|sort)_key$/;
/** Fields with a URI, which is a secret if it has a password. */
const uriName = /(^|_)(uri|url|dsn)$/;
/** A shorter text is a choice or a flag, and its mask would blank that word in every later log. Characters. */
const shortest = 4;
const shortestInPair = 8;

function wordsOf(name: string): string {
  const words = name.slice(-200).replace(/([a-z\d])([A-Z])/g, '$1_$2');
  return words.replace(/[\s.-]/g, '_').toLowerCase();
}

/** Whether a field or parameter of this name holds a secret: `api_key`, `accessToken`. */
export function isSecretName(name: string): boolean {
  const words = wordsOf(name);
  return secretName.test(words) && !describing.test(words);
}

/**
 * Calls `mask` with every secret in a response: the text in a field (or in a list, or in the `value` below a field) that holds one by its
 * name, and the value of a pair (`{"name": "DB_PASSWORD", "value": …}`). A URI's password comes before the URI, because some runners show
 * the commands that register masks, and hide in them only what is already masked.
 */
export function maskSecrets(body: unknown, mask: (secret: string) => void, name = ''): void {
  if (Array.isArray(body)) for (const entry of body) maskSecrets(entry, mask, name);
  else if (isObject(body)) {
    for (const [field, value] of Object.entries(body)) {
      if (field === 'value' && isSecretName(name)) maskSecrets(value, mask, name);
      else if (field === 'value') maskPair(value, mask, body.name ?? body.key);
      // Beside these, a key is a name.
      else if (field !== 'key' || !('value' in body || 'size' in body)) maskSecrets(value, mask, field);
    }
  } else if (typeof body === 'string' && body.length >= shortest) {
    const isSecret = isSecretName(name);
    const password = isSecret || uriName.test(wordsOf(name)) ? passwordIn(body) : '';
    for (const secret of [password, decode(password)]) if (secret !== '') mask(secret);
    if (isSecret || password !== '') mask(body);
  }
}

function maskPair(value: unknown, mask: (secret: string) => void, name: unknown): void {
  if (typeof value !== 'string') maskSecrets(value, mask);
  else if (value.length >= shortestInPair) maskSecrets(value, mask, String(name));
}

function passwordIn(text: string): string {
  return URL.canParse(text) ? new URL(text).password : '';
}
