import { withStars } from './matcher.ts';
import { isSecretName } from './names.ts';
import { valuesOf } from './settings.ts';
import { secretPlacesIn } from './uris.ts';

/** An option up to its value: `password 'x'`, `"api_key" E'x'`. */
const option = /(?<![\w$])("?)([a-z_][\w$]*)\1[ \t]+(?=E?')/gi;

/**
 * A schema's SQL without the passwords of foreign servers, user mappings and subscriptions. No line is removed or joined, and
 * nothing but the password is hidden: a comment in the schema must not hide what the schema does.
 */
export function hidePasswords(sql: string): string {
  return withStars(sql, [...valuesOf(option, sql, isSecretOption), ...secretPlacesIn(sql)]);
}

// `key 'true'` marks a foreign table's column as part of the key.
const isSecretOption = (name: string) => isSecretName(name) && name.toLowerCase() !== 'key';
