import { oneLine } from '../text/inert.ts';
import { decode, maskUris } from './fields.ts';
import { createFinder, type Finder, type Place, withStars } from './matcher.ts';

/** Every secret of this run, so that no text that is written ever holds one. */
export interface Secrets {
  /** Takes in a secret, raw and percent-encoded; an empty one is none. Returns the forms that were not known yet. */
  add(secret: string): string[];
  /** The text without any secret: those known, and any URI with a password in it. */
  redact(text: string): string;
}

export function createSecrets(): Secrets {
  const known = new Set<string>();
  const hidden = new Set<string>();
  /** Looks for all that is hidden; made anew once there is more. */
  let finder: Finder | undefined;
  const add = (secret: string): string[] => {
    if (secret.trim() === '') return [];
    const forms = [secret, secret.trim(), encodeURIComponent(wellFormed(secret)), decode(secret)];
    const fresh = [...new Set(forms)].filter((form) => form !== '' && !known.has(form));
    for (const form of fresh) known.add(form);
    for (const form of [...forms, ...disguises(secret)]) hidden.add(form);
    finder = undefined;
    return fresh;
  };
  return {
    add,
    redact(text) {
      finder ??= createFinder(hidden);
      const found = new Set<string>();
      maskUris(text, (secret) => found.add(secret));
      // All places are looked for in the text as it came: taking one out could hide what is left of another that overlaps it.
      return withStars(
        text,
        [finder, createFinder(found)].flatMap((one) => [...one.placesIn(text), ...cutIn(one, text)]),
      );
    },
  };
}

/** What is shorter, a line or the beginning of a secret, is no secret by itself. */
const shortestPart = 4;

/** The other forms in which a text may show a secret: on one line, quoted, encoded as other libraries do it, line by line. */
function disguises(secret: string): string[] {
  const address = new URL('postgresql://host');
  address.password = secret;
  const lines = secret.split(/\r\n|\r|\n/).map((line) => line.trim());
  // What stands behind the secret tells whether a colon in it might be a command.
  const flat = [oneLine(secret, secret.length), oneLine(`${secret}x::`, secret.length * 2).replace(/x::$/, '')];
  const usual = encodeURIComponent(wellFormed(secret));
  const strict = usual.replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
  const encoded = [address.password, usual, strict];
  return [
    ...flat,
    ...[secret, ...flat].map((form) => JSON.stringify(form).slice(1, -1)),
    ...encoded,
    ...encoded.map((form) => form.replace(/%[\dA-F]{2}/g, (octet) => octet.toLowerCase())),
    ...(lines.length > 1 ? lines.filter((line) => line.length >= shortestPart) : []),
  ];
}

/** Where a text that was cut off ends in the beginning of a secret. */
function cutIn(finder: Finder, text: string): Place[] {
  return finder.beginningsIn(text, '…').filter(([start, end]) => end - start >= shortestPart);
}

/** Half a surrogate pair has no encoding. */
function wellFormed(text: string): string {
  return text.toWellFormed();
}
