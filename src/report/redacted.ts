import { levels, ruleNames } from '../schema/rules.ts';

/** Names that are ours and looked up later: a secret that is the same word must not change them. */
const ours = new Set<string>([...ruleNames, ...levels]);

/**
 * A copy of plain values with `redact` applied to every string. Summary and comment are made from such a copy, because Markdown
 * escapes some characters: a secret that has them could not be found afterwards.
 */
export function redacted<T>(value: T, redact: (text: string) => string): T {
  if (typeof value === 'string') return (ours.has(value) ? value : redact(value)) as T;
  if (Array.isArray(value)) return value.map((entry: unknown) => redacted(entry, redact)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, redacted(entry, redact)])) as T;
}
