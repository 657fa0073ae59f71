import { endOf, type Place } from './matcher.ts';

/** A setting up to its value: `password=x` in a connection string, `password => 'x'` or `password := 'x'` in code. */
const setting =
  /(?<![\w$])("?)(?:(?:ssl|pg)?password|passwd|pwd|oauth_client_secret|scram_(?:client|server)_key)\1[ \t]*(?:=>?|:=)[ \t]*/gi;

/**
 * The inside of a quoted value, as SQL (`''` is a quote) and libpq (`\'` is one) write it; if the two disagree on its end, up to the
 * later one. Neither this nor the next two patterns require anything to follow, so they never backtrack.
 */
const inQuotes = /(?:\\(?:''?|[^'\n])?|''|[^'\\\n]+)*/y;
/** The same inside an SQL literal, where each quote is doubled. */
const inDoubledQuotes = /(?:\\+(?:''|[^'\\\n])?|''''|[^'\\\n]+)*/y;
/** An unquoted value of libpq, up to a space without a backslash or to the end of the SQL literal around it. */
const bare = /(?:\\+(?:''|[^'\\\n])?|''|'(?=\w)|[^\s'\\]+)*/y;
const openingQuotes = /'*/y;
/** What may follow an empty literal, as in `password = ''::text`, and does not begin a password. */
const afterEmpty = /[\s:),;]|$/y;

/** Where the passwords of connection strings such as `host=h password=x` are in a text, which may be SQL or code. */
export function settingPlacesIn(text: string): Place[] {
  return valuesOf(setting, text, () => true);
}

/** The places of the values after each match of a pattern, by the name in the match. */
export function valuesOf(pattern: RegExp, text: string, isSecret: (name: string) => boolean): Place[] {
  const places: Place[] = [];
  let done = 0;
  for (const match of text.matchAll(pattern)) {
    const [whole, , name = ''] = match;
    // A match within a value is part of that value.
    if (match.index < done || !isSecret(name)) continue;
    const found = valueAt(text, match.index + whole.length);
    if (!found) continue;
    places.push(found);
    [, done] = found;
  }
  return places;
}

/** The place of a value, without the quotes around it; undefined if it is empty. */
function valueAt(text: string, at: number): Place | undefined {
  const from = /^E'/i.test(text.slice(at, at + 2)) ? at + 1 : at;
  const start = endOf(openingQuotes, text, from);
  const quotes = start - from;
  if (quotes === 0) return place(from, endOf(bare, text, from));
  // Of an odd number of quotes, the first opens the value and the others are escaped quotes in it.
  if (quotes % 2 === 1) return place(from + 1, endOf(inQuotes, text, from + 1));
  const end = endOf(inDoubledQuotes, text, start);
  afterEmpty.lastIndex = start;
  return text.startsWith("''", end) || !afterEmpty.test(text) ? place(start, end) : undefined;
}

function place(start: number, end: number): Place | undefined {
  return end > start ? [start, end] : undefined;
}
