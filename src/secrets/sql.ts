import { isSecretName, maskUris } from './fields.ts';
import { createFinder, endOf, type Place, withStars } from './matcher.ts';

/** An option before its value: `password 'x'`, `"api_key" E'x'`. */
const option = /(?<![\w$])("?)([a-z_][\w$]*)\1[ \t]+(?=E?')/gi;
/** A setting before its value: `password=x` in a connection string, `password => 'x'` or `password := 'x'` in code. */
const setting = /(?<![\w$])("?)(?:ssl)?password\1[ \t]*(?:=>?|:=)[ \t]*/gi;

/**
 * What stands in quotes, as both SQL (`''` is a quote) and libpq (`\'` is one) write it; where the two do not agree on its end, to
 * the later one. Nothing has to follow, so that none of these ever goes back over what it has taken.
 */
const inQuotes = /(?:\\(?:''?|[^'\n])?|''|[^'\\\n]+)*/y;
/** The same within a literal of SQL, where each quote is doubled. */
const inDoubledQuotes = /(?:\\+(?:''|[^'\\\n])?|''''|[^'\\\n]+)*/y;
/** A value of libpq without quotes, to a blank that has no backslash before it or to the end of the literal around it. */
const bare = /(?:\\+(?:''|[^'\\\n])?|''|[^\s'\\]+)*/y;
const openingQuotes = /'*/y;
/** What may follow an empty literal, `password = ''::text` say, and begins no password. */
const afterEmpty = /[\s:),;]|$/y;

/** SQL without the passwords that foreign servers, user mappings and subscriptions keep in the schema. */
export function hidePasswords(sql: string): string {
  const uris = new Set<string>();
  maskUris(sql, (secret) => uris.add(secret));
  return withStars(sql, [
    ...valuesOf(option, sql, isSecretOption),
    ...valuesOf(setting, sql, () => true),
    ...createFinder(uris).placesIn(sql),
  ]);
}

// `key 'true'` says of a foreign table's column that it is part of the key.
const isSecretOption = (name: string) => isSecretName(name) && name.toLowerCase() !== 'key';

/** The values behind what a pattern finds, by the name that it has found. */
function valuesOf(pattern: RegExp, sql: string, isSecret: (name: string) => boolean): Place[] {
  const places: Place[] = [];
  let done = 0;
  for (const match of sql.matchAll(pattern)) {
    const [whole, , name = ''] = match;
    // What stands within a value is part of it.
    if (match.index < done || !isSecret(name)) continue;
    const found = valueAt(sql, match.index + whole.length);
    if (!found) continue;
    places.push(found);
    [, done] = found;
  }
  return places;
}

/** The place of a value, without the quotes around it; undefined where it is empty. */
function valueAt(sql: string, at: number): Place | undefined {
  const from = /^E'/i.test(sql.slice(at, at + 2)) ? at + 1 : at;
  const start = endOf(openingQuotes, sql, from);
  const quotes = start - from;
  if (quotes === 0) return place(from, endOf(bare, sql, from));
  // Of an odd number, all but the first are pairs of the value itself.
  if (quotes % 2 === 1) return place(from + 1, endOf(inQuotes, sql, from + 1));
  const end = endOf(inDoubledQuotes, sql, start);
  afterEmpty.lastIndex = start;
  return sql.startsWith("''", end) || !afterEmpty.test(sql) ? place(start, end) : undefined;
}

function place(start: number, end: number): Place | undefined {
  return end > start ? [start, end] : undefined;
}
