import { decode } from '../text/url.ts';
import { endOf, endOfAll, type Place } from './matcher.ts';
import { longestName } from './names.ts';

/** A URI that gives access to whoever knows it. */
interface SecretUri {
  uri: string;
  /** Where its password or the values of its secret parameters are in the text. */
  places: Place[];
}

// Without the flag `i`: with it, V8 takes far longer to compile a class of characters, and every step uses these.
const schemeCharacter = /[A-Za-z\d+.-]/;
const letter = /[A-Za-z]/;
const toEndOfAuthority = /[^\s/?#]*/y;
const toEndOfUri = /[^\s"'<>]*/y;
/** libpq takes any character but a space; a quote may also end the literal around the URI. */
const toEndOfLooseUri = /[^\s"']+|''|["'](?=[\w%$!*+-])/y;
/**
 * Passwords that only some clients read as one, up to the `@` behind them: libpq takes `?`, `#` and spaces, others a `/`. None goes
 * past the end of a literal or line, so that no text around the URI is hidden. Bounded, because every URI in a text is searched.
 */
const loosePasswords = [/[^\s/@]{0,2000}/y, /[^\s@"']{0,2000}/y, /[^\r\n'"`;/@]{0,2000}/y];
/** Schemes of the web, and those that hold no password: all clients agree where the authority ends. */
const web = /^(https?|wss?|ftp|git|ssh|file)$/i;
const postgres = /^postgres(ql)?$/i;

const secretName =
  '(?:[\\w.-]*(?:signature|token|secret|password|passphrase|passwd|pwd|api[_-]?key)|sig|scram_(?:client|server)_key)';
const isSecretParameter = new RegExp(`^${secretName}$`, 'i');
/** In properties as SQL Server's driver has them: `jdbc:sqlserver://host;password=x`. */
const secretProperty = new RegExp(`;${secretName}=(\\{[^}]*[^;]*|[^;]+)`, 'dgi');

/**
 * The URIs in a text with a password (`scheme://user:password@…`), or with a signature, token or password as a parameter: whatever
 * some client may read as one. A text from outside may be large and built to be slow to search, so this starts at each `://` and
 * looks at every character around it only a few times. A regular expression that may match anywhere cannot guarantee that.
 */
export function secretUrisIn(text: string): SecretUri[] {
  return [...found(text, withPassword), ...found(text, withParameter)];
}

/**
 * Where the passwords, tokens and signatures of the URIs in a text are, and the passwords of connection strings of the form
 * `host=h password=x`. Nothing outside these is ever in these places.
 */
export function secretPlacesIn(text: string): Place[] {
  return [...secretUrisIn(text).flatMap(({ places }) => places), ...settingPlacesIn(text)];
}

/** Where a URI begins, and where its `://` ends. */
interface Beginning {
  start: number;
  after: number;
  scheme: string;
}

type Search = (text: string, at: Beginning) => { end: number; places: Place[] };

/** The URIs in which `search` finds a secret; the next URI may begin at its `end`. */
function found(text: string, search: Search): SecretUri[] {
  const uris: SecretUri[] = [];
  let next = 0;
  for (const at of beginnings(text)) {
    if (at.start < next) continue;
    const { end, places } = search(text, at);
    next = end;
    if (places.length > 0) uris.push({ uri: text.slice(at.start, end), places });
  }
  return uris;
}

function* beginnings(text: string): Generator<Beginning> {
  for (let colon = text.indexOf('://'); colon >= 0; colon = text.indexOf('://', colon + 3)) {
    let start = colon;
    while (start > 0 && schemeCharacter.test(text[start - 1] ?? '')) start--;
    while (start < colon && !letter.test(text[start] ?? '')) start++;
    if (start < colon) yield { start, after: colon + 3, scheme: text.slice(start, Math.min(colon, start + 20)) };
  }
}

const withPassword: Search = (text, { start, after, scheme }) => {
  const authority = text.slice(after, endOf(toEndOfAuthority, text, after));
  const colon = authority.indexOf(':');
  if (colon < 0) return { end: start, places: [] };
  // A password may contain `@`, a host may not.
  const strict = authority.lastIndexOf('@');
  const at = strict < 0 && !web.test(scheme) ? endOfLoosePassword(text, { after, scheme }) : strict;
  // If the text was cut in between, all that is left may be password.
  const host = Math.max(at, authority.lastIndexOf('…'));
  if (host <= colon) return { end: start, places: [] };
  const end = host === at ? endOf(toEndOfUri, text, after + host + 1) : after + host;
  return { end, places: [[after + colon + 1, after + host]] };
};

/** How far behind the `://` a password in an authority without `@` ends; -1 for nowhere. */
function endOfLoosePassword(text: string, { after, scheme }: Pick<Beginning, 'after' | 'scheme'>): number {
  for (const pattern of loosePasswords.slice(0, postgres.test(scheme) ? 3 : 2)) {
    const end = endOf(pattern, text, after);
    if (text[end] === '@') return end - after;
  }
  return -1;
}

const withParameter: Search = (text, { start, after, scheme }) => {
  const isWeb = web.test(scheme);
  const end = isWeb ? endOf(toEndOfUri, text, after) : endOfAll(toEndOfLooseUri, text, after);
  const uri = text.slice(start, end);
  const places: Place[] = [];
  const endOfValue = isWeb ? /[^&#]*/y : /[^&]*/y;
  let done = 0;
  // Clients decode the names: `%70assword` is `password`. Only in a URI of the web does a `#` end the value.
  for (const { 0: whole, 1: name = '', index } of uri.matchAll(/[?&]([^?&=]*)=/g)) {
    if (index < done || !isSecretParameter.test(decode(name.slice(-longestName)).trim())) continue;
    const from = index + whole.length;
    done = endOf(endOfValue, uri, from);
    if (done > from) places.push([start + from, start + done]);
  }
  // Compiling a pattern takes longer than looking for a character that every match has.
  for (const { indices } of uri.includes(';') ? uri.matchAll(secretProperty) : []) {
    const [from, to] = indices?.[1] ?? [0, 0];
    places.push([start + from, start + to]);
  }
  return { end, places };
};

/** A setting up to its value: `password=x` in a connection string, `password => 'x'` or `password := 'x'` in code. */
const setting =
  /(?<![\w$])("?)(?:(?:ssl|pg)?password|passwd|pwd|oauth_client_secret|scram_(?:client|server)_key)\1[ \t]*(?:=>?|:=)[ \t]*/gi;

/**
 * The inside of a quoted value, as SQL (`''` is a quote) and libpq (`\'` is one) write it; if the two disagree on its end, up to the
 * later one. This and the next two patterns match a part of it.
 */
const inQuotes = /\\(?:''?|[^'\n])?|''|[^'\\\n]+/y;
/** The same inside an SQL literal, where each quote is doubled. */
const inDoubledQuotes = /\\+(?:''|[^'\\\n])?|''''|[^'\\\n]+/y;
/** An unquoted value of libpq, up to a space without a backslash or to the end of the SQL literal around it. */
const bare = /\\+(?:''|[^'\\\n])?|''|'(?=\w)|[^\s'\\]+/y;
const openingQuotes = /'*/y;
/** What may follow an empty literal, as in `password = ''::text`, and does not begin a password. */
const afterEmpty = /[\s:),;]|$/y;

/** Where the passwords of connection strings such as `host=h password=x` are in a text, which may be SQL or code. */
function settingPlacesIn(text: string): Place[] {
  if (!text.includes('=')) return [];
  const places: Place[] = [];
  let done = 0;
  for (const { 0: whole, index } of text.matchAll(setting)) {
    // A match within a value is part of that value.
    if (index < done) continue;
    const found = valueAt(text, index + whole.length);
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
  if (quotes === 0) return place(from, endOfAll(bare, text, from));
  // Of an odd number of quotes, the first opens the value and the others are escaped quotes in it.
  if (quotes % 2 === 1) return place(from + 1, endOfAll(inQuotes, text, from + 1));
  const end = endOfAll(inDoubledQuotes, text, start);
  afterEmpty.lastIndex = start;
  return text.startsWith("''", end) || !afterEmpty.test(text) ? place(start, end) : undefined;
}

function place(start: number, end: number): Place | undefined {
  return end > start ? [start, end] : undefined;
}
