import { hidePasswords, stars } from './passwords.ts';

/** Every secret of a run. */
export interface Secrets {
  /** Adds a secret, unless it is too short to be one. Returns the forms to mask (raw and percent-encoded, by lines) that are new. */
  add(secret: string): string[];
  /** The text with stars in place of every secret that was added, and of passwords that can be recognized without knowing them. */
  redact(text: string): string;
}

export function createSecrets(): Secrets {
  /** All forms of all secrets, by their first characters; the longest first, so that nothing is left of it. */
  const known = new Map<string, string[]>();
  /** Finds these characters; undefined if there are new ones. */
  let beginnings: RegExp | undefined;
  return {
    add(secret) {
      const fresh: string[] = [];
      for (const form of formsOf(secret)) {
        const beginning = form.slice(0, shortest);
        const others = known.get(beginning) ?? [];
        if (others.includes(form)) continue;
        fresh.push(form);
        if (others.length === 0) beginnings = undefined;
        known.set(beginning, [...others, form].sort(byLength));
      }
      return fresh;
    },
    redact(text) {
      if (known.size === 0) return hidePasswords(text);
      beginnings ??= new RegExp([...known.keys()].map(escaped).join('|'), 'g');
      const parts: string[] = [];
      let done = 0;
      beginnings.lastIndex = 0;
      for (let match = beginnings.exec(text); match; match = beginnings.exec(text)) {
        const end = endOfSecret(text, match.index, known.get(match[0]) ?? []);
        if (end !== undefined) {
          parts.push(text.slice(done, match.index), stars);
          done = end;
        }
        beginnings.lastIndex = end ?? match.index + 1;
      }
      return hidePasswords(parts.join('') + text.slice(done));
    },
  };
}

/** A shorter secret, or line of one, is in too many words: its mask would blank the log. Characters. */
const shortest = 4;

const byLength = (one: string, other: string) => other.length - one.length;
const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** Where the secret at this position of a text ends; undefined if there is none. A cut (`…`) may have left the beginning of one. */
function endOfSecret(text: string, at: number, forms: string[]): number | undefined {
  const whole = forms.find((form) => text.startsWith(form, at));
  if (whole !== undefined) return at + whole.length;
  const [beginning = '', ...rest] = text.slice(at, at + (forms[0] ?? '').length).split('…');
  const isCut = rest.length > 0 && forms.some((form) => form.startsWith(beginning));
  return isCut ? at + beginning.length : undefined;
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
  const forms = [...lines, encoded, strict, lower, url.password, ...quoted].map((form) => form.trim());
  return [...new Set(forms)].filter((form) => form.length >= shortest);
}
