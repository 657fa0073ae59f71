/**
 * A copy of plain values in which every text has gone through `redact`. Summary and comment are made of such a copy alone: Markdown
 * writes some characters in another form, so that a secret which has them would be found by nobody afterwards, and read by everybody.
 */
export function redacted<T>(value: T, redact: (text: string) => string): T {
  if (typeof value === 'string') return redact(value) as T;
  if (Array.isArray(value)) return value.map((entry: unknown) => redacted(entry, redact)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, redacted(entry, redact)])) as T;
}
