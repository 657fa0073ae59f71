import { decode, maskUris } from './api/secrets.ts';
import { oneLine } from './api/text.ts';

/** What stands in place of a secret. */
const stars = '***';

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
  const add = (secret: string): string[] => {
    if (secret.trim() === '') return [];
    const forms = [secret, secret.trim(), encodeURIComponent(wellFormed(secret)), decode(secret)];
    const fresh = [...new Set(forms)].filter((form) => form !== '' && !known.has(form));
    for (const form of fresh) known.add(form);
    for (const form of [...forms, ...disguises(secret)]) hidden.add(form);
    return fresh;
  };
  return {
    add,
    redact(text) {
      const found: string[] = [];
      maskUris(text, (secret) => found.push(secret));
      const forms = [...hidden, ...found].filter(Boolean);
      // All places are looked for in the text as it came: taking one out could hide what is left of another that overlaps it.
      return withStars(text, [...forms.flatMap((form) => placesOf(form, text)), ...beginnings(text, forms)]);
    },
  };
}

type Place = [start: number, end: number];

function placesOf(form: string, text: string): Place[] {
  const places: Place[] = [];
  for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1)) places.push([at, at + form.length]);
  return places;
}

function withStars(text: string, places: Place[]): string {
  let clean = '';
  let done = 0;
  for (const [start, end] of places.sort(([a], [b]) => a - b)) {
    // One that overlaps the last is hidden by the same stars.
    if (start >= done) clean += text.slice(done, start) + stars;
    done = Math.max(done, end);
  }
  return clean + text.slice(done);
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
  return [
    ...flat,
    ...[secret, ...flat].map((form) => JSON.stringify(form).slice(1, -1)),
    address.password,
    encodeURIComponent(wellFormed(secret)).replace(
      /[!'()*]/g,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    ),
    ...(lines.length > 1 ? lines.filter((line) => line.length >= shortestPart) : []),
  ];
}

/** Where a text that was cut off ends in the beginning of a secret. */
function beginnings(text: string, forms: string[]): Place[] {
  return placesOf('…', text).flatMap(([cut]) =>
    forms.flatMap((form): Place[] => {
      for (let length = Math.min(form.length, cut); length >= shortestPart; length--) {
        if (text.endsWith(form.slice(0, length), cut)) return [[cut - length, cut]];
      }
      return [];
    }),
  );
}

/** Half a surrogate pair has no encoding. */
function wellFormed(text: string): string {
  return text.toWellFormed();
}
