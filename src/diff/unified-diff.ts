import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';

/** The search for a diff gives up after so many milliseconds or changed lines: it takes the square of their number. */
const limits = { timeout: 2_000, maxEditLength: 500_000 };

/** A unified diff of two texts; empty if they are the same, and only its head if they are too large and too different. */
export function unifiedDiff({ name, before, after }: { name: string; before: string; after: string }): string {
  if (before === after) return '';
  const [from, to] = [`a/${name}`, `b/${name}`];
  const options = { ...limits, context: 3, headerOptions: FILE_HEADERS_ONLY };
  const diff = createTwoFilesPatch(from, to, before, after, undefined, undefined, options);
  return diff ?? `--- ${from}\n+++ ${to}\nThe schemas are too large and too different for a diff of their lines.\n`;
}
