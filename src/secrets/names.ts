/** What may follow the name of a secret: `private_key_pem`, `secret_value`. */
const suffix = '(_(value|text|data|raw|plain|plaintext|string|pem|der|b64|base64))?$';

/**
 * Names of fields that hold a secret, with their words joined by `_`. Names and IDs of secrets (`key_name`, `token_id`) are not
 * secret, nor are keys in a store, a table or a token.
 */
const secretField = new RegExp(
  `(password|passwd|passphrase|passcode|passkey|secret)s?${suffix}` +
    `|(^|_)((db|pg|user|root|admin)?(pass|pwd|pw)|(api|access|auth|bearer|refresh|session|id)?tokens?|jwt|credentials?|authorization|cookies?)${suffix}` +
    `|(^|_)((api|secret|private|access|auth|encryption|signing|master)_?key)s?${suffix}` +
    '|(^|_)key(_(pem|der|b64|base64))?$',
);
/** Names of fields whose secret is a connection URI. The objects in such a list have names of their own. */
const secretUriField = /(^|_)(dsn|connection_(uri|url|string))s?$|^uri$/;
const namedKey = /(^|_)(api|secret|private|access|auth|encryption|signing|master)_?keys?$/;
const otherKey = new RegExp(`(^|_)(cache|claim|object|primary|foreign|public|sort|partition|idempotency)_key${suffix}`);
/** Fields beside a `key` that is a name, in a list of stored objects or of pairs. */
const besideName = ['value', 'size', 'etag'];

/** Fields that are not secret even if everything else in their object is. */
const describing =
  /(^|_)(id|name|type|kind|status|state|scopes?|permissions?|roles?|user|username|login|email|host|hostname|port|database|db|dbname|schema|region|description|note|title|prefix|algorithm|at|by|expires|version|provider|issuer|audience|path)$/;
/** Fields that anyone may fill with any text. Nothing in them was handed over as a secret. */
const freeText =
  /(^|_)(name|title|description|comment|message|note|label|text|summary|sql|diff|schema|query|statement|database|db|dbname|role|owner|user|username|login|author|branch|ref|tag|path|reason|error|code|detail|hint)s?$/;

/** Characters of a name that are looked at. */
export const longestName = 200;

/** The words of a name, in lower case, joined by `_`: `api_key` for `APIKey` and `api-key`. */
export function wordsOf(name: string): string {
  return name
    .slice(-longestName)
    .replace(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, '_')
    .replace(/[\s.-]+/g, '_')
    .toLowerCase();
}

/**
 * What a field holds by its name: a secret (also anything in it that is not known to be harmless), a connection URI, or no secret.
 * `beside` is the object that the field is in.
 */
export function holds(name: string, beside: object): 'secret' | 'uri' | undefined {
  const words = wordsOf(name);
  if (words === 'key') return besideName.some((other) => other in beside) ? undefined : 'secret';
  if (words === 'value') return holdsAsPair(beside);
  if (secretUriField.test(words)) return 'uri';
  return secretField.test(words) && !otherKey.test(words) ? 'secret' : undefined;
}

/** Values of settings whose names only sound secret: `{"name": "PASSWORD_LOGIN", "value": "disabled"}`. */
const settingValue = /^(required|optional|disabled|production|development|anonymous)$/i;
/** The fewest characters of a value that counts as secret by the text beside it. */
const leastInPair = 8;

/** What the `value` of a pair holds, by the text of its `name` or `key`: `{"name": "DB_PASSWORD", "value": …}`. */
function holdsAsPair(pair: object): ReturnType<typeof holds> {
  const field = (wanted: RegExp): unknown => Object.entries(pair).find(([name]) => wanted.test(name))?.[1];
  const [text, value] = [field(/^(name|key)$/i), field(/^value$/i)];
  if (typeof text !== 'string' || /\s/.test(text) || typeof value !== 'string') return undefined;
  return value.length < leastInPair || settingValue.test(value) ? undefined : holds(text, { value: '' });
}

/** Whether a field or parameter of this name holds a secret. */
export function isSecretName(name: string): boolean {
  return holds(name, {}) !== undefined;
}

/**
 * Whether a variable, column or member of this name holds a secret. What is called `key` or `sort_key` usually holds none, and the password in a
 * URI is found without its name.
 */
export function isAssignable(name: string): boolean {
  const words = wordsOf(name);
  return holds(name, {}) === 'secret' && (!/(^|_)keys?$/.test(words) || namedKey.test(words));
}

/** Whether a field only describes the secret beside it. */
export function describes(name: string): boolean {
  return describing.test(wordsOf(name));
}

export function isFreeText(name: string): boolean {
  return freeText.test(wordsOf(name));
}
