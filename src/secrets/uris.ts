import { endOf, type Place } from './matcher.ts';

/** A URI that gives access to whoever knows it. */
export interface SecretUri {
  uri: string;
  /** Where its password or the values of its secret parameters are in the text. */
  places: Place[];
}

const schemeCharacter = /[a-z\d+.-]/i;
const letter = /[a-z]/i;
const toEndOfAuthority = /[^\s/?#]*/y;
const toEndOfUri = /[^\s"'<>]*/y;
const secretName = '(?:[\\w.-]*(?:signature|token|secret|password|passphrase|passwd|pwd|api[_-]?key)|sig)';
/** In a query, or in properties as SQL Server's driver has them: `jdbc:sqlserver://host;password=x`. */
const secretParameter = new RegExp(`[?&]${secretName}=([^&#]+)|;${secretName}=(\\{[^}]*[^;]*|[^;]+)`, 'dgi');

/**
 * The URIs in a text with a password (`scheme://user:password@…`), or with a signature, token or password as a parameter. A text
 * from outside may be large and built to be slow to search, so this starts at each `://` and looks at every character around it
 * only a few times. A regular expression that may match anywhere cannot guarantee that.
 */
export function secretUrisIn(text: string): SecretUri[] {
  return [...found(text, withPassword), ...found(text, withParameter)];
}

/** Where the passwords, tokens and signatures of the URIs in a text are. Nothing outside a URI is ever in these places. */
export function secretPlacesIn(text: string): Place[] {
  return secretUrisIn(text).flatMap(({ places }) => places);
}

type Search = (text: string, at: { start: number; after: number }) => { end: number; places: Place[] };

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

/** Where each URI begins, and where its `://` ends. */
function* beginnings(text: string): Generator<{ start: number; after: number }> {
  for (let colon = text.indexOf('://'); colon >= 0; colon = text.indexOf('://', colon + 3)) {
    let start = colon;
    while (start > 0 && schemeCharacter.test(text[start - 1] ?? '')) start--;
    while (start < colon && !letter.test(text[start] ?? '')) start++;
    if (start < colon) yield { start, after: colon + 3 };
  }
}

const withPassword: Search = (text, { start, after }) => {
  const authority = text.slice(after, endOf(toEndOfAuthority, text, after));
  const [user = ''] = authority.split('@', 1);
  const colon = user.indexOf(':');
  // A password may contain `@`, a host may not. If the text was cut in between, all that is left may be password.
  const at = authority.lastIndexOf('@');
  const host = Math.max(at, authority.lastIndexOf('…'));
  if (colon < 0 || host <= colon) return { end: start, places: [] };
  const end = host === at ? endOf(toEndOfUri, text, after + host + 1) : after + host;
  return { end, places: [[after + colon + 1, after + host]] };
};

const withParameter: Search = (text, { start, after }) => {
  const end = endOf(toEndOfUri, text, after);
  const places: Place[] = [];
  for (const { indices } of text.slice(start, end).matchAll(secretParameter)) {
    const [from, to] = indices?.[1] ?? indices?.[2] ?? [0, 0];
    places.push([start + from, start + to]);
  }
  return { end, places };
};
