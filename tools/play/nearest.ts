/** The most characters that may be added, removed or replaced for a name to be recognized. */
const mostEdits = 2;

/** The name that was probably meant by a misspelled one, with at most so many edits, or undefined. */
export function nearest<T extends string>(misspelled: string, names: readonly T[], most = mostEdits): T | undefined {
  const near = names
    .map((name) => ({ name, edits: distance(misspelled, name) }))
    .filter(({ edits }) => edits <= most)
    .sort((a, b) => a.edits - b.edits);
  return near[0]?.name;
}

/** The Levenshtein distance of two texts; `Infinity` if their lengths alone differ by more than `mostEdits`. */
function distance(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > mostEdits) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let at = 0; at < one.length; at++) {
    const next = [at + 1];
    for (let to = 0; to < other.length; to++) {
      const replaced = (row[to] ?? 0) + (one[at] === other[to] ? 0 : 1);
      next.push(Math.min(replaced, (row[to + 1] ?? 0) + 1, (next[to] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
