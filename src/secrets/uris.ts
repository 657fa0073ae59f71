import { endOf } from './matcher.ts';

/** A URI that gives access to whoever knows it. */
export interface SecretUri {
  uri: string;
  /** Its password or the values of secret parameters, not decoded. */
  secrets: string[];
}

const schemeCharacter = /[a-z\d+.-]/i;
const letter = /[a-z]/i;
const toEndOfAuthority = /[^\s/?#]*/y;
const toEndOfUri = /[^\s"'<>]*/y;
const secretParameter = /[?&](?:[\w.-]*(?:signature|token|secret|password|api[_-]?key)|sig)=([^&#]+)/gi;

/**
 * The URIs in a text with a password (`scheme://user:password@…`), or with a signature, token or password as a parameter. A text
 * from outside may be large and built to be slow to search, so this starts at each `://` and looks at every character around it
 * only a few times. A regular expression that may match anywhere cannot guarantee that.
 */
export function secretUrisIn(text: string): SecretUri[] {
  return [...found(text, withPassword), ...found(text, withParameter)];
}

type Search = (text: string, at: { start: number; after: number }) => { end: number; secrets: string[] };

/** The URIs in which `search` finds a secret; the next URI may begin at its `end`. */
function found(text: string, search: Search): SecretUri[] {
  const uris: SecretUri[] = [];
  let next = 0;
  for (const at of beginnings(text)) {
    if (at.start < next) continue;
    const { end, secrets } = search(text, at);
    next = end;
    if (secrets.length > 0) uris.push({ uri: text.slice(at.start, end), secrets });
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
  const colon = authority.indexOf(':');
  // A password may contain `@`, a host may not.
  const host = authority.lastIndexOf('@');
  if (colon < 0 || colon > authority.indexOf('@')) return { end: start, secrets: [] };
  return { end: endOf(toEndOfUri, text, after + host + 1), secrets: [authority.slice(colon + 1, host)] };
};

const withParameter: Search = (text, { start, after }) => {
  const end = endOf(toEndOfUri, text, after);
  const secrets = [...text.slice(start, end).matchAll(secretParameter)].map(([, value = '']) => value);
  return { end, secrets };
};
