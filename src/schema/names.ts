import { scanSync } from 'libpg-query';

const quoted = new Map<string, string>();

/** An identifier as SQL writes it, quoted only if it must be. */
export function identifier(name: string): string {
  const known = quoted.get(name);
  if (known !== undefined) return known;
  const plain = /^[a-z_][a-z0-9_$]*$/.test(name) && !isKeyword(name);
  const written = plain ? name : `"${name.replaceAll('"', '""')}"`;
  quoted.set(name, written);
  return written;
}

/** Whether Postgres quotes a word in an identifier's place: every keyword that is not unreserved. */
function isKeyword(word: string): boolean {
  return (scanSync(word).tokens[0]?.keywordKind ?? 0) > 1;
}

export function literal(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

export function qualified(parts: string[]): string {
  return parts.map(identifier).join('.');
}

/** The parts of a qualified name as SQL writes it, without quotes. */
export function namesIn(name: string): string[] {
  return (name.match(/"(?:[^"]|"")*"|[^."]+/g) ?? []).map((part) =>
    part.startsWith('"') ? part.slice(1, -1).replaceAll('""', '"') : part,
  );
}

/** The name without its schema and its quotes. */
export function bare(name: string): string {
  return namesIn(name).at(-1) ?? '';
}

/** The last part of a qualified name, as SQL writes it. */
export function unqualified(name: string): string {
  return identifier(bare(name));
}

export function tableOf(column: string): string {
  return qualified(namesIn(column).slice(0, -1));
}

/** An impossible name, for an object that is gone while another one now has its name: `public.users` → `public."users\0"`. */
export function lost(name: string): string {
  const parts = namesIn(name);
  return qualified([...parts.slice(0, -1), `${parts.at(-1) ?? ''}\0`]);
}

export function isLost(name: string): boolean {
  return name.includes('\0');
}

/** A text with the real names in it. */
export function withoutLost(text: string): string {
  return text.replace(/"((?:[^"\0]|"")*)\0"/g, (_, name: string) => identifier(name.replaceAll('""', '"')));
}
