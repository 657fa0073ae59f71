import { oneLine } from '../text/inert.ts';
import { decode } from '../text/url.ts';
import { createFinder, type Finder, withStars } from './matcher.ts';
import { secretPlacesIn, secretUrisIn } from './uris.ts';

/** Every secret of a run. */
export interface Secrets {
  /**
   * Adds a secret, unless it is too short to be one. Returns the forms of it to mask (raw and percent-encoded) that are new; if it
   * has several lines, the lines.
   */
  add(secret: string): string[];
  /** The text with stars in place of every secret that was added, and of the password in every URI. */
  redact(text: string): string;
}

export function createSecrets(): Secrets {
  const masked = new Set<string>();
  const redacted = new Set<string>();
  /** Finds everything in `redacted`; undefined if that has changed. */
  let finder: Finder | undefined;
  return {
    add(secret) {
      if (!isLongEnough(secret)) return [];
      const shared = hasBreak(decode(secret)) ? passwordsIn(secret) : undefined;
      const own = shared !== undefined && hasBreak(secret) ? shared : [secret];
      const decoded = shared ?? [decode(secret)];
      const forms = [...own, ...own.map((one) => one.trim()), ...own.map(percentEncoded), ...decoded].filter(
        isLongEnough,
      );
      // The runner masks each line of a mask by itself, also one of a single brace.
      const fresh = [...new Set(forms.flatMap(linesOf))].filter((form) => !masked.has(form));
      for (const form of fresh) masked.add(form);
      for (const form of [...forms, ...own.flatMap(otherForms).filter(isLongEnough)]) redacted.add(form);
      finder = undefined;
      return fresh;
    },
    redact(text) {
      finder ??= createFinder(redacted);
      // All places are found before any is replaced: a replacement could hide the rest of an overlapping secret.
      // A cut (`…`) may have left the beginning of one.
      const beginnings = finder.beginningsIn(text, '…').filter(([start, end]) => end - start >= shortest);
      return withStars(text, [...finder.placesIn(text), ...beginnings, ...secretPlacesIn(text)]);
    },
  };
}

/** A shorter secret, line or beginning of a secret is in too many words: its mask would blank the log. Characters. */
const shortest = 4;
const isLongEnough = (text: string) => text.trim().length >= shortest;

const hasBreak = (text: string) => /[\r\n]/.test(text);

/**
 * The passwords in a URI, or undefined if the text is none. The name of a database or role in it may have line breaks, raw or encoded:
 * the lines of such a name are no secrets, and a mask of one could blank any word.
 */
function passwordsIn(text: string): string[] | undefined {
  const passwords = secretUrisIn(text).flatMap(({ places }) => places.map(([start, end]) => text.slice(start, end)));
  return passwords.length > 0 ? passwords.flatMap((one) => [one, decode(one)]) : undefined;
}

/** The text itself if it is one line, else its lines. */
function linesOf(text: string): string[] {
  return hasBreak(text)
    ? text
        .split(/[\r\n]+/)
        .map((line) => line.trim())
        .filter(isLongEnough)
    : [text];
}

/**
 * What a secret may look like in a text that is about to be written. It may be on one line: errors quote names and the service's
 * messages with `oneLine` and `show`, and are redacted only afterwards.
 */
function otherForms(secret: string): string[] {
  const onOneLine = oneLine(secret, secret.length);
  const encoded = [percentEncoded(secret), strictlyPercentEncoded(secret), encodedInUrl(secret)];
  return [
    onOneLine,
    jsonEscaped(secret),
    jsonEscaped(onOneLine),
    ...encoded,
    ...encoded.map((form) => form.replace(/%[\dA-F]{2}/g, (octet) => octet.toLowerCase())),
    ...linesOf(secret),
  ];
}

function jsonEscaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Half a surrogate pair has no encoding. */
function percentEncoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** RFC 3986, which reserves a few more characters than `encodeURIComponent` encodes. */
function strictlyPercentEncoded(text: string): string {
  return percentEncoded(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** URL libraries encode fewer characters of a password. */
function encodedInUrl(password: string): string {
  const url = new URL('postgresql://host');
  url.password = password;
  return url.password;
}
