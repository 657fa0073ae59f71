/** One hunk of a unified diff. */
interface Hunk {
  /** The place of its header among the lines of the diff. */
  head: number;
  /** Where its lines start in the old and in the new text, from 1. */
  oldStart: number;
  newStart: number;
  /** Without the header. */
  lines: string[];
}

/** The hunks of a unified diff. The line counts of a hunk say where it ends: `--- x` may be a removed line or the head of a file. */
function hunksOf(diff: string): Hunk[] {
  const hunks: Hunk[] = [];
  let oldLeft = 0;
  let newLeft = 0;
  for (const [index, line] of diff.split('\n').entries()) {
    if (oldLeft + newLeft > 0 && /^(?:[ +-]|$)/.test(line)) {
      if (line[0] !== '+') oldLeft--;
      if (line[0] !== '-') newLeft--;
      hunks.at(-1)?.lines.push(line);
      continue;
    }
    const head = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (!head) continue;
    oldLeft = Number(head[2] ?? 1);
    newLeft = Number(head[4] ?? 1);
    hunks.push({ head: index, oldStart: Number(head[1]), newStart: Number(head[3]), lines: [] });
  }
  return hunks;
}

/** How many lines of SQL a unified diff adds and removes: without comments, empty lines, and lines that only lose or get a comma. */
export function countChanges(diff: string): { added: number; removed: number } {
  let added = 0;
  let removed = 0;
  for (const { lines } of hunksOf(diff)) {
    const changed = (side: string) =>
      lines
        .filter((line) => line[0] === side && !/^.\s*(?:--.*)?$/.test(line))
        .map((line) => withoutComma(line.slice(1).trimEnd()));
    const unmatched = new Map<string, number>();
    for (const line of changed('+')) unmatched.set(line, (unmatched.get(line) ?? 0) + 1);
    for (const line of changed('-')) {
      const same = unmatched.get(line) ?? 0;
      if (same === 0) removed++;
      else unmatched.set(line, same - 1);
    }
    for (const left of unmatched.values()) added += left;
  }
  return { added, removed };
}

/**
 * Whether a diff belongs to these two schemas: they have the lines that it removes or adds, and are the same if it is empty. If not, one of
 * them was truncated. Only lines of SQL count.
 */
export function isDiffOf(diff: string, before: string, after: string): boolean {
  if (before === after && diff === '') return true;
  const [old, fresh] = [linesOfSql(before), linesOfSql(after)];
  const hunks = hunksOf(diff);
  if (hunks.length === 0) return old.join('\n') === fresh.join('\n');
  const has = (lines: string[], side: string) => {
    const known = new Set(lines);
    const changed = hunks.flatMap((hunk) => hunk.lines.filter((line) => line[0] === side));
    return linesOfSql(changed.map((line) => line.slice(1)).join('\n')).every((line) => known.has(line));
  };
  return has(old, '-') && has(fresh, '+');
}

/** The lines of a dump without comments, empty lines and the commands of psql, which differ from one dump to the next. */
export function linesOfSql(dump: string): string[] {
  return dump.split('\n').flatMap((line) => {
    const text = line.trim();
    return text === '' || /^(?:--|\\)/.test(text) ? [] : [text];
  });
}

function withoutComma(line: string): string {
  return line.endsWith(',') ? line.slice(0, -1) : line;
}

/** The diff with the name of the object that each hunk is about behind its header, as pg_dump's comments have it. */
export function withObjects(diff: string, after: string): string {
  const lines = diff.split('\n');
  const names = after.split('\n').map(objectIn);
  for (const hunk of hunksOf(diff)) {
    // Lines in front of the first change are in both schemas.
    const first = hunk.lines.findIndex((line) => /^[+-]/.test(line));
    const own = hunk.lines.slice(0, first + 3).map((line) => objectIn(line.slice(1)));
    const above = names.slice(0, hunk.newStart - 1 + Math.max(first, 0));
    const object = own.findLast(Boolean) ?? above.findLast(Boolean);
    if (object === undefined) continue;
    const header = lines[hunk.head] ?? '';
    lines[hunk.head] = header.replace(/^(@@ .*? @@).*/s, (_, head) => `${head} ${object}`);
  }
  return lines.join('\n');
}

/** The object that a comment of pg_dump announces: `TABLE public.users`. */
function objectIn(line: string): string | undefined {
  const [, name, type, schema] = /^-- (?:Data for )?Name: (.*); Type: (.*); Schema: (.*); Owner: /.exec(line) ?? [];
  return name === undefined ? undefined : `${type} ${schema === '-' ? '' : `${schema}.`}${name}`;
}

/**
 * The diff of two schemas without their passwords: a hunk does not show where a literal in it begins, so each line is shown as `hide`
 * leaves it in its schema. `hide` removes or joins no line.
 */
export function hideInDiff(
  diff: string,
  options: { before: Hidden; after: Hidden; hide: (sql: string) => string },
): string {
  const { hide } = options;
  const [old, fresh] = [hiddenLines(options.before), hiddenLines(options.after)];
  const shown = new Map<number, string>();
  for (const { head, oldStart, newStart, lines: own } of hunksOf(diff)) {
    let [oldLine, newLine] = [oldStart, newStart];
    // Only needed if the diff is not that of these schemas.
    let alone: string[] | undefined;
    for (const [offset, line] of own.entries()) {
      const [side, text] = [line[0], line.slice(1)];
      let hidden = side === '-' ? old(text, oldLine) : fresh(text, newLine);
      if (hidden === undefined) {
        alone ??= hide(own.map((one) => one.slice(1)).join('\n')).split('\n');
        hidden = alone[offset] ?? '';
      }
      shown.set(head + 1 + offset, `${line.slice(0, 1)}${hidden}`);
      if (side !== '+') oldLine++;
      if (side !== '-') newLine++;
    }
  }
  // What no hunk counts is no line of a schema, but it is shown.
  const lines = diff.split('\n').map((line, index) => shown.get(index) ?? hide(line));
  return lines.join('\n');
}

/** A schema, and what `hide` leaves of it. */
interface Hidden {
  sql: string;
  hidden: string;
}

/** The line of a schema with this text as it is shown: the one with that number, else any; undefined if there is none. */
function hiddenLines(of: Hidden): (text: string, number: number) => string | undefined {
  const [lines, hidden] = [of.sql.split('\n'), of.hidden.split('\n')];
  let byText: Map<string, string> | undefined;
  return (text, number) => {
    if (lines[number - 1] === text) return hidden[number - 1];
    byText ??= new Map(lines.map((line, index) => [line.trimEnd(), hidden[index] ?? '']));
    return byText.get(text.trimEnd());
  };
}
