/**
 * How many lines a unified diff adds and removes. The line counts of a hunk say where it ends: `--- x` may be a removed line or the
 * head of a file.
 */
export function countChanges(diff: string): { added: number; removed: number } {
  let added = 0;
  let removed = 0;
  let oldLeft = 0;
  let newLeft = 0;
  for (const line of diff.split('\n')) {
    if (oldLeft + newLeft > 0 && /^(?:[ +-]|$)/.test(line)) {
      if (line[0] === '+') added++;
      else oldLeft--;
      if (line[0] === '-') removed++;
      else newLeft--;
      continue;
    }
    const head = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
    if (!head) continue;
    oldLeft = Number(head[1] ?? 1);
    newLeft = Number(head[2] ?? 1);
  }
  return { added, removed };
}
