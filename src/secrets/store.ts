import { oneLine } from '../text/inert.ts';
import { decode, maskUris } from './fields.ts';
import { createFinder, type Finder, type Place, withStars } from './matcher.ts';

/** Every secret of a run. */
export interface Secrets {
  /** Adds a secret, unless it is empty. Returns the forms of it to mask (raw and percent-encoded) that are new. */
  add(secret: string): string[];
  /** The text with stars in place of every secret that was added, and of every URI with a secret in it. */
  redact(text: string): string;
}

export function createSecrets(): Secrets {
  const masked = new Set<string>();
  const redacted = new Set<string>();
  /** Finds everything in `redacted`; undefined if that has changed. */
  let finder: Finder | undefined;
  return {
    add(secret) {
      if (secret.trim() === '') return [];
      const forms = [secret, secret.trim(), percentEncoded(secret), decode(secret)];
      const fresh = [...new Set(forms)].filter((form) => form !== '' && !masked.has(form));
      for (const form of fresh) masked.add(form);
      for (const form of [...forms, ...otherForms(secret)]) redacted.add(form);
      finder = undefined;
      return fresh;
    },
    redact(text) {
      finder ??= createFinder(redacted);
      const inUris = new Set<string>();
      maskUris(text, (secret) => inUris.add(secret));
      // All places are found before any is replaced: a replacement could hide the rest of an overlapping secret.
      const places = [finder, createFinder(inUris)].flatMap((one) => [...one.placesIn(text), ...cutPlaces(one, text)]);
      return withStars(text, places);
    },
  };
}

/** A shorter line, or beginning, of a secret is no secret by itself. */
const shortestPart = 4;

/**
 * What a secret may look like in a text that is about to be written. It may be on one line: errors quote names and the service's
 * messages with `oneLine` and `show`, and are redacted only afterwards.
 */
function otherForms(secret: string): string[] {
  const onOneLine = oneLine(secret, secret.length);
  const lines = secret.split(/\r\n|\r|\n/).map((line) => line.trim());
  const encoded = [percentEncoded(secret), strictlyPercentEncoded(secret), encodedInUrl(secret)];
  return [
    onOneLine,
    jsonEscaped(secret),
    jsonEscaped(onOneLine),
    ...encoded,
    ...encoded.map((form) => form.replace(/%[\dA-F]{2}/g, (octet) => octet.toLowerCase())),
    ...(lines.length > 1 ? lines.filter((line) => line.length >= shortestPart) : []),
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

/** The beginnings of secrets that a cut (`…`) has left. */
function cutPlaces(finder: Finder, text: string): Place[] {
  return finder.beginningsIn(text, '…').filter(([start, end]) => end - start >= shortestPart);
}
