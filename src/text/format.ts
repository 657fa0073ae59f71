import { oneLine } from './inert.ts';

/** Milliseconds for people: `340ms`, `2.4s`, `3m 20s`, `14d`. */
export function duration(ms: number): string {
  // Rounded before a unit is chosen, so that 59.96 seconds are shown as 1m and not as 60s.
  const [tenths, seconds, minutes] = [Math.round(ms / 100), Math.round(ms / 1_000), Math.round(ms / 60_000)];
  if (Math.round(ms) < 1_000) return `${Math.round(ms)}ms`;
  if (tenths < 600) return `${tenths / 10}s`;
  if (seconds < 3_600) return inUnits(seconds, 60, 'm', 's');
  return minutes < 48 * 60 ? inUnits(minutes, 60, 'h', 'm') : inUnits(Math.round(ms / 3_600_000), 24, 'd', 'h');
}

function inUnits(number: number, perLarge: number, large: string, small: string): string {
  const rest = number % perLarge;
  return `${Math.floor(number / perLarge)}${large}${rest > 0 ? ` ${rest}${small}` : ''}`;
}

/**
 * Bytes for people, in the units of Postgres, each 1024 times the one before: `950 kB`, `3.1 MB`, `12 GB`. Rounded down, so that a size
 * that is shown as a limit is not below it.
 */
export function size(bytes: number): string {
  const units = ['kB', 'MB', 'GB', 'TB'];
  let [value, unit] = [bytes / 1024, 0];
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
  return `${value < 10 ? Math.floor(value * 10) / 10 : Math.floor(value)} ${units[unit]}`;
}

/** A count with its noun: `1 branch`, `2 branches`, `3 pull requests`. */
export function count(number: number, noun: string): string {
  const plural = /(ch|s|x)$/.test(noun) ? `${noun}es` : `${noun}s`;
  return `${number} ${number === 1 ? noun : plural}`;
}

/** The first `most` of a list, and how many more there are: `a, b and 3 more`. */
export function listSome(items: string[], most: number, separator = ', '): string {
  const shown = items.slice(0, most).join(separator);
  const and = separator === ', ' ? ' and' : `${separator}and`;
  return items.length > most ? `${shown}${and} ${items.length - most} more` : shown;
}

/** `a, b and c`, for a sentence. */
export function listOf(words: readonly string[], last: 'and' | 'or'): string {
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}` : words.join('');
}

export const pleaseReport = 'Please report it, with the log of a run that has debug logging enabled.';

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** A text that may lack its final period. */
export function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

export function capital(text: string): string {
  return `${text[0]?.toUpperCase()}${text.slice(1)}`;
}

/** A finding: `drop-column public.users.email (text)`. */
export function findingInWords({ rule, object, detail }: { rule: string; object: string; detail: string }): string {
  const text = oneLine(detail, 120);
  // Columns have their own parentheses.
  const about = text === '' || text.startsWith('(') ? text : `(${text})`;
  return `${rule} ${oneLine(object, 200)} ${about}`.trimEnd();
}
