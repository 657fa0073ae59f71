import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';

/** The search for a diff gives up after so many milliseconds or changed lines: it takes the square of their number. */
const limits = { timeout: 2_000, maxEditLength: 500_000 };

/** A unified diff of two texts; empty if they are the same, undefined if they are too large and too different. */
export function unifiedDiff({ name, before, after }: { name: string; before: string; after: string }) {
  if (before === after) return '';
  return createTwoFilesPatch(`a/${name}`, `b/${name}`, before, after, undefined, undefined, {
    ...limits,
    context: 3,
    headerOptions: FILE_HEADERS_ONLY,
  });
}

/** How many lines such a diff adds and removes. */
export function countChanges(diff: string): { added: number; removed: number } {
  const hunks = diff.slice(Math.max(0, diff.indexOf('\n@@ ')));
  return { added: hunks.match(/^\+/gm)?.length ?? 0, removed: hunks.match(/^-/gm)?.length ?? 0 };
}
