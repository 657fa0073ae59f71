import { endOf } from './matcher.ts';

/** A URI in a text that lets in whoever has it. */
export interface SecretUri {
  uri: string;
  /** What is secret in it, as it stands there: its password, or the values of parameters. */
  secrets: string[];
}

const schemeCharacter = /[a-z\d+.-]/i;
const letter = /[a-z]/i;
const toEndOfAuthority = /[^\s/?#]*/y;
const toEndOfUri = /[^\s"'<>]*/y;
const secretParameter = /[?&](?:[\w.-]*(?:signature|token|secret|password|api[_-]?key)|sig)=([^&#]+)/gi;

/**
 * The URIs with a password (`scheme://user:password@…`) in a text, and those with another way in: signed for a while, or with a
 * token or password as a parameter. A text from outside may be large, and made to be slow to look through: every `://` is found
 * first, and each character around it is looked at only so many times, which no pattern that may begin anywhere can promise.
 */
export function secretUrisIn(text: string): SecretUri[] {
  return [...found(text, withPassword), ...found(text, withParameter)];
}

type Look = (text: string, at: { start: number; behind: number }) => { end: number; secrets: string[] };

/** The URIs in which `look` finds a secret; `end` is where it has looked, and where the next one may begin. */
function found(text: string, look: Look): SecretUri[] {
  const uris: SecretUri[] = [];
  let next = 0;
  for (const at of beginnings(text)) {
    if (at.start < next) continue;
    const { end, secrets } = look(text, at);
    next = end;
    if (secrets.length > 0) uris.push({ uri: text.slice(at.start, end), secrets });
  }
  return uris;
}

/** Where a URI begins, and where what stands behind its `://` does. */
function* beginnings(text: string): Generator<{ start: number; behind: number }> {
  for (let colon = text.indexOf('://'); colon >= 0; colon = text.indexOf('://', colon + 3)) {
    let start = colon;
    while (start > 0 && schemeCharacter.test(text[start - 1] ?? '')) start--;
    while (start < colon && !letter.test(text[start] ?? '')) start++;
    if (start < colon) yield { start, behind: colon + 3 };
  }
}

const withPassword: Look = (text, { start, behind }) => {
  const authority = text.slice(behind, endOf(toEndOfAuthority, text, behind));
  const colon = authority.indexOf(':');
  // A password may have an `@` of its own, a host has none.
  const host = authority.lastIndexOf('@');
  if (colon < 0 || colon > authority.indexOf('@')) return { end: start, secrets: [] };
  return { end: endOf(toEndOfUri, text, behind + host + 1), secrets: [authority.slice(colon + 1, host)] };
};

const withParameter: Look = (text, { start, behind }) => {
  const end = endOf(toEndOfUri, text, behind);
  const secrets = [...text.slice(start, end).matchAll(secretParameter)].map(([, value = '']) => value);
  return { end, secrets };
};
