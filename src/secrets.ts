import { decode, maskUris } from './api/secrets.ts';

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
  const add = (secret: string): string[] => {
    if (secret.trim() === '') return [];
    const forms = [secret, secret.trim(), encodeURIComponent(wellFormed(secret)), decode(secret)];
    const fresh = [...new Set(forms)].filter((form) => form !== '' && !known.has(form));
    for (const form of fresh) known.add(form);
    return fresh;
  };
  return {
    add,
    redact(text) {
      let clean = text;
      const found: string[] = [];
      maskUris(clean, (secret) => found.push(secret));
      const longestFirst = [...known, ...found].sort((a, b) => b.length - a.length);
      for (const secret of longestFirst) clean = clean.replaceAll(secret, stars);
      return clean;
    },
  };
}

/** Half a surrogate pair has no encoding. */
function wellFormed(text: string): string {
  return text.toWellFormed();
}
