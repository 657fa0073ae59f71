/** One hunk of a unified diff. */
export interface Hunk {
  /** First line in the new text, from 1. */
  newStart: number;
  lines: DiffLine[];
}

export interface DiffLine {
  kind: 'same' | 'added' | 'removed';
  text: string;
}

const kinds = { ' ': 'same', '+': 'added', '-': 'removed' } as const;

/** The hunks of a unified diff, without what comes before the first one and notes such as `\ No newline`. */
export function parseDiff(diff: string): Hunk[] {
  const hunks: Hunk[] = [];
  let oldLeft = 0;
  let newLeft = 0;
  for (const line of diff.split('\n')) {
    const hunk = hunks.at(-1);
    const kind = line === '' ? 'same' : kinds[line[0] as keyof typeof kinds];
    // The hunk's line counts say where it ends: `--- x` may be a removed line or the head of a file.
    if (hunk && kind && oldLeft + newLeft > 0) {
      hunk.lines.push({ kind, text: line.slice(1) });
      if (kind !== 'added') oldLeft--;
      if (kind !== 'removed') newLeft--;
      continue;
    }
    const head = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (!head) continue;
    hunks.push({ newStart: Number(head[2]), lines: [] });
    oldLeft = Number(head[1] ?? 1);
    newLeft = Number(head[3] ?? 1);
  }
  return hunks;
}

/** How many lines a diff adds and removes. */
export function countChanges(diff: string): { added: number; removed: number } {
  const lines = parseDiff(diff).flatMap((hunk) => hunk.lines);
  const of = (kind: DiffLine['kind']) => lines.filter((line) => line.kind === kind).length;
  return { added: of('added'), removed: of('removed') };
}
