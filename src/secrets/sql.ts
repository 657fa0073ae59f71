import { endOf, type Place, withStars } from './matcher.ts';
import { isSecretName } from './names.ts';
import { secretPlacesIn } from './uris.ts';

/** An option up to its value: `password 'x'`, `"api_key" E'x'`. */
const option = /(?<![\w$])("?)([a-z_][\w$]*)\1[ \t]+(?=E?')/gi;
/** A setting up to its value: `password=x` in a connection string, `password => 'x'` or `password := 'x'` in code. */
const setting = /(?<![\w$])("?)(?:ssl)?password\1[ \t]*(?:=>?|:=)[ \t]*/gi;

/**
 * The inside of a quoted value, as SQL (`''` is a quote) and libpq (`\'` is one) write it; if the two disagree on its end, up to the
 * later one. Neither this nor the next two patterns require anything to follow, so they never backtrack.
 */
const inQuotes = /(?:\\(?:''?|[^'\n])?|''|[^'\\\n]+)*/y;
/** The same inside an SQL literal, where each quote is doubled. */
const inDoubledQuotes = /(?:\\+(?:''|[^'\\\n])?|''''|[^'\\\n]+)*/y;
/** An unquoted value of libpq, up to a space without a backslash or to the end of the SQL literal around it. */
const bare = /(?:\\+(?:''|[^'\\\n])?|''|[^\s'\\]+)*/y;
const openingQuotes = /'*/y;
/** What may follow an empty literal, as in `password = ''::text`, and does not begin a password. */
const afterEmpty = /[\s:),;]|$/y;

/**
 * A schema's SQL without the passwords of foreign servers, user mappings and subscriptions. No line is removed or joined, and
 * nothing but the password is hidden: a comment in the schema must not hide what the schema does.
 */
export function hidePasswords(sql: string): string {
  return withStars(sql, [
    ...valuesOf(option, sql, isSecretOption),
    ...valuesOf(setting, sql, () => true),
    ...secretPlacesIn(sql),
  ]);
}

// `key 'true'` marks a foreign table's column as part of the key.
const isSecretOption = (name: string) => isSecretName(name) && name.toLowerCase() !== 'key';

/** The places of the values after each match of a pattern, by the name in the match. */
function valuesOf(pattern: RegExp, sql: string, isSecret: (name: string) => boolean): Place[] {
  const places: Place[] = [];
  let done = 0;
  for (const match of sql.matchAll(pattern)) {
    const [whole, , name = ''] = match;
    // A match within a value is part of that value.
    if (match.index < done || !isSecret(name)) continue;
    const found = valueAt(sql, match.index + whole.length);
    if (!found) continue;
    places.push(found);
    [, done] = found;
  }
  return places;
}

/** The place of a value, without the quotes around it; undefined if it is empty. */
function valueAt(sql: string, at: number): Place | undefined {
  const from = /^E'/i.test(sql.slice(at, at + 2)) ? at + 1 : at;
  const start = endOf(openingQuotes, sql, from);
  const quotes = start - from;
  if (quotes === 0) return place(from, endOf(bare, sql, from));
  // Of an odd number of quotes, the first opens the value and the others are escaped quotes in it.
  if (quotes % 2 === 1) return place(from + 1, endOf(inQuotes, sql, from + 1));
  const end = endOf(inDoubledQuotes, sql, start);
  afterEmpty.lastIndex = start;
  return sql.startsWith("''", end) || !afterEmpty.test(sql) ? place(start, end) : undefined;
}

function place(start: number, end: number): Place | undefined {
  return end > start ? [start, end] : undefined;
}
