/** A unified diff, taken apart. */
export interface Hunk {
  /** First line in the old and in the new text, from 1. */
  oldStart: number;
  newStart: number;
  lines: DiffLine[];
}

export interface DiffLine {
  kind: 'same' | 'added' | 'removed';
  text: string;
}

const kinds = { ' ': 'same', '+': 'added', '-': 'removed' } as const;

/** The hunks of a unified diff; whatever stands before the first one, and notes such as `\ No newline`, are left out. */
export function parseDiff(diff: string): Hunk[] {
  const hunks: Hunk[] = [];
  let oldLeft = 0;
  let newLeft = 0;
  for (const line of diff.split('\n')) {
    const hunk = hunks.at(-1);
    const kind = line === '' ? 'same' : kinds[line[0] as keyof typeof kinds];
    // Within a hunk its own count tells where it ends: `--- x` may be a removed line as well as the head of a file.
    if (hunk && kind && oldLeft + newLeft > 0) {
      hunk.lines.push({ kind, text: line.slice(1) });
      if (kind !== 'added') oldLeft--;
      if (kind !== 'removed') newLeft--;
      continue;
    }
    const head = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (!head) continue;
    hunks.push({ oldStart: Number(head[1]), newStart: Number(head[3]), lines: [] });
    oldLeft = Number(head[2] ?? 1);
    newLeft = Number(head[4] ?? 1);
  }
  return hunks;
}

/** How many lines a diff adds and removes. */
export function countChanges(diff: string): { added: number; removed: number } {
  const lines = parseDiff(diff).flatMap((hunk) => hunk.lines);
  const of = (kind: DiffLine['kind']) => lines.filter((line) => line.kind === kind).length;
  return { added: of('added'), removed: of('removed') };
}
