import { oneLine } from '../text/inert.ts';
import { hidePasswords, stars } from './passwords.ts';

export interface Secrets {
  /** Adds a secret, unless it is too short to be one. Returns the forms to mask (raw and percent-encoded, by lines) that are new. */
  add(secret: string): string[];
  /** The text with stars in place of every secret that was added, and of passwords that can be recognized without knowing them. */
  redact(text: string): string;
}

export function createSecrets(): Secrets {
  const known = new Set<string>();
  /** Matches every form, the longest first, so that nothing is left of it; undefined if there are new ones. */
  let pattern: RegExp | undefined;
  return {
    add(secret) {
      const fresh = formsOf(secret).filter((form) => !known.has(form));
      for (const form of fresh) known.add(form);
      if (fresh.length > 0) pattern = undefined;
      return fresh;
    },
    redact(text) {
      if (known.size === 0) return hidePasswords(text);
      pattern ??= new RegExp(
        [...known]
          .sort((a, b) => b.length - a.length)
          .map(escaped)
          .join('|'),
        'g',
      );
      const [last = '', ...before] = text.replace(pattern, stars).split('…').reverse();
      return hidePasswords([...before.reverse().map((part) => hideCut(part, known)), last].join('…'));
    },
  };
}

/** A shorter secret, or line of one, is in too many words: its mask would blank the log. Characters. */
const shortest = 4;

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** Hides the beginning of a secret at the end of a text that was cut there. */
function hideCut(text: string, forms: Set<string>): string {
  let end = text.length;
  for (const form of forms) {
    const beginning = form.slice(0, shortest);
    let at = text.indexOf(beginning, text.length - form.length);
    while (at >= 0 && at < end && !form.startsWith(text.slice(at))) at = text.indexOf(beginning, at + 1);
    if (at >= 0) end = Math.min(end, at);
  }
  return end < text.length ? text.slice(0, end) + stars : text;
}

/** What a secret may look like in a text: raw, percent-encoded as libraries do it, or in JSON; each of its lines by itself. */
function formsOf(secret: string): string[] {
  if (secret.trim().length < shortest) return [];
  const encoded = encodeURIComponent(secret.toWellFormed());
  const strict = encoded.replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
  const lower = strict.replace(/%../g, (octet) => octet.toLowerCase());
  const url = new URL('postgresql://host');
  url.password = secret;
  const lines = secret.split(/[\r\n]+/);
  const quoted = lines.map((line) => JSON.stringify(line).slice(1, -1));
  const forms = [...lines, oneLine(secret, secret.length), encoded, strict, lower, url.password, ...quoted].map(
    (form) => form.trim(),
  );
  return [...new Set(forms)].filter((form) => form.length >= shortest);
}
