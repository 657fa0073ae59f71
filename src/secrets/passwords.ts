/** Replaces a secret in a text. */
export const stars = '***';

/**
 * A quoted value after `PASSWORD`, `password =` or the like, up to a quote that ends it or to the end of the line: in a literal within a
 * literal, quotes are doubled. An empty value is none.
 */
const quoted = /(password"?\s*(?:=>?\s*|:=\s*)?e?'(?!'(?:[\s;),:]|$))'*).*?('(?=[\s;),|]|$)|$)/gim;
const bare = /(password=)(?![>'])[^\s"'&;]+/gi;

/**
 * A text from elsewhere (a schema, an error) without the passwords in it: everything from `://` to the last `@` before a blank or a quote,
 * `password=…` and `PASSWORD '…'`. Keeps all lines. A cut (`…`) counts as `@`, because all that is left of the URI may be password.
 * Takes linear time: none of these patterns reads a character again and again.
 */
export function hidePasswords(text: string): string {
  const hidden = text.includes('://') ? text.replace(/[^\s"']+/g, hideInWord) : text;
  return /password/i.test(hidden) ? hidden.replace(quoted, `$1${stars}$2`).replace(bare, `$1${stars}`) : hidden;
}

function hideInWord(word: string): string {
  const start = word.indexOf('://') + '://'.length;
  const end = Math.max(word.lastIndexOf('@'), word.lastIndexOf('…'));
  return start < '://'.length || end < start ? word : `${word.slice(0, start)}${stars}${word.slice(end)}`;
}
