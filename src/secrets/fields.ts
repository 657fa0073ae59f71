import { isObject, numberText, parseJson } from '../text/json.ts';
import { decode } from '../text/url.ts';
import { type Place, stars, withStars } from './matcher.ts';
import { describes, holds, isFreeText, isSecretName } from './names.ts';
import { secretPlacesIn, secretUrisIn } from './uris.ts';

/**
 * Calls `mask` with every secret that was handed over as one: the value of a field that holds a secret, by its name, and the
 * password in one that holds nothing but a URI, JSON or libpq settings. A URI in free text is never a mask: whoever wrote the text
 * would decide what is blanked in every later log. A text in a field for which `isPublic` is true is left alone.
 */
export function maskSecrets(
  body: unknown,
  mask: (secret: string) => void,
  isPublic: (name: string) => boolean = () => false,
): void {
  copy(body, { onSecret: mask, isPublic });
}

/** A copy of a body to show, with stars in place of secrets, including those of URIs in free text. */
export function withoutSecrets(body: unknown): unknown {
  return copy(body, { onSecret: () => {}, isPublic: () => false });
}

interface Options {
  onSecret: (secret: string) => void;
  isPublic: (name: string) => boolean;
}

/** The field that a value is in, and whether it is a secret. */
interface Field {
  name: string;
  held: ReturnType<typeof holds>;
}

function copy(value: unknown, options: Options, field: Field = { name: '', held: undefined }): unknown {
  const { onSecret, isPublic } = options;
  if (Array.isArray(value)) return value.map((entry) => copy(entry, options, field));
  if (isObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, entry]) => {
        if (typeof entry === 'string' && isPublic(name)) return [name, entry];
        return [name, copy(entry, options, { name, held: holds(name, value) ?? inherited(field, name) })];
      }),
    );
  }
  const number = numberText(value);
  if (number !== undefined && isSecretNumber(number, field)) {
    onSecret(number);
    return stars;
  }
  if (typeof value !== 'string' || value === '') return value;
  if (field.held) {
    maskWhole(value, onSecret);
    return stars;
  }
  return copyText(value, options, field.name);
}

/** The secret may be one level below the name: `{"token": {"id": …, "value": …}}`. */
function inherited({ held }: Field, name: string): Field['held'] {
  if (held === 'secret') return describes(name) ? undefined : held;
  return held === 'uri' && name === 'value' ? held : undefined;
}

/** A short number, or one in a field such as `tokens`, is a count. */
function isSecretNumber(text: string, { name, held }: Field): boolean {
  return held === 'secret' && !name.endsWith('s') && text.length >= 4;
}

/** A secret as a whole, with the passwords in it if it is a URI, and without the scheme if it is a header. */
function maskWhole(secret: string, mask: (secret: string) => void): void {
  maskUris(secret, mask);
  const [, token] = /^(?:Basic|Bearer|Token|ApiKey)\s+(\S+)$/i.exec(secret) ?? [];
  if (token !== undefined) mask(token);
  mask(secret);
}

/** A text that is no secret as a whole. */
function copyText(text: string, options: Options, name: string): string {
  const { onSecret } = options;
  if (!isFreeText(name)) {
    if (/^\S+$/.test(text)) maskUris(text, onSecret);
    const json = jsonIn(text);
    if (json !== undefined) {
      const shown = JSON.stringify(copy(json, options));
      return shown === JSON.stringify(json) ? text : shown;
    }
    const places = settingsIn(text) ?? headersIn(text);
    for (const [start, end] of places) maskWhole(text.slice(start, end), onSecret);
    if (places.length > 0) return withStars(text, [...places, ...secretPlacesIn(text)]);
  }
  return withStars(text, secretPlacesIn(text));
}

function jsonIn(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

const setting = /\s*([a-z]\w*)\s*=\s*(?:'((?:[^'\\]|\\.)*)'|([^\s;'"]*))\s*;?/diy;

/** Where the secrets are in a text that is nothing but settings, as libpq has them: `host=h password='x'`. */
function settingsIn(text: string): Place[] | undefined {
  const places: Place[] = [];
  for (setting.lastIndex = 0; setting.lastIndex < text.length; ) {
    const match = setting.exec(text);
    if (!match?.indices) return undefined;
    const [from, to] = match.indices[2] ?? match.indices[3] ?? [0, 0];
    if (to > from && isSecretName(match[1] ?? '')) places.push([from, to]);
  }
  return places;
}

/** Where the credentials are in lines that are HTTP headers: `Authorization: Bearer x`. */
function headersIn(text: string): Place[] {
  // Not a variable or a placeholder in place of the credentials.
  const headers = text.matchAll(/^(?:Proxy-)?Authorization:[ \t]*([A-Za-z]+[ \t]+(?![$<{])\S{8}.*)$/dgim);
  return [...headers].flatMap(({ indices }) => (indices?.[1] ? [indices[1]] : []));
}

/**
 * Calls `mask` with each password, token or signature in the URIs of a secret, and then with these URIs. In this order, because
 * some runners show the commands that register masks, and hide in them only what is already masked.
 */
function maskUris(text: string, mask: (secret: string) => void): void {
  for (const { uri, places } of secretUrisIn(text)) {
    for (const [start, end] of places) {
      const secret = text.slice(start, end);
      for (const form of new Set([secret, decode(secret)])) if (form !== '') mask(form);
    }
    mask(uri);
  }
}
