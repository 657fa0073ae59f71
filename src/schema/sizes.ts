import type { Finding } from './rules.ts';
import { levelOf } from './rules.ts';

/** How large a table is, with its indexes and TOAST; a partitioned table is as large as its partitions. */
export interface TableSize {
  /** The planner's estimate; undefined if it has none. */
  rows: number | undefined;
  bytes: number;
}

/** By qualified name, as SQL writes it. */
export type TableSizes = ReadonlyMap<string, TableSize>;

/** A finding, and the table whose size decides how long it locks; undefined if that is no single table. */
export interface Sized {
  finding: Finding;
  table: string | undefined;
}

/**
 * Takes `locking` findings about tables below a size, in bytes, from the others. Both say how large the table is. What is of unknown size counts.
 */
export function bySize(
  all: Sized[],
  { sizes, below }: { sizes: TableSizes; below: number },
): { findings: Finding[]; small: Finding[] } {
  const findings: Finding[] = [];
  const small: Finding[] = [];
  for (const { finding, table } of all) {
    const size = levelOf(finding) === 'locking' ? sizes.get(table ?? '') : undefined;
    if (!size) {
      findings.push(finding);
      continue;
    }
    const detail = [finding.detail, inWords(size)].filter(Boolean).join('; ');
    (size.bytes < below ? small : findings).push({ ...finding, detail });
  }
  return { findings, small };
}

/** `48 million rows, 12 GB`. */
function inWords({ rows, bytes }: TableSize): string {
  return [...(rows === undefined ? [] : [rowsInWords(rows)]), bytesInWords(bytes)].join(', ');
}

function rowsInWords(rows: number): string {
  const whole = Math.round(rows);
  if (whole === 1) return '1 row';
  if (whole < 10_000) return `${whole} rows`;
  if (whole < 999_500) return `${Math.round(whole / 1e3)} thousand rows`;
  const [large, word] = whole < 999_500_000 ? [1e6, 'million'] : [1e9, 'billion'];
  return `${rounded(whole / large)} ${word} rows`;
}

/** In the units of `ignore_below`, which are those of Postgres, rounded down: a size that is shown as the limit is not below it. */
function bytesInWords(bytes: number): string {
  const units = ['kB', 'MB', 'GB', 'TB'];
  let [value, unit] = [bytes / 1024, 0];
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
  return `${value < 10 ? Math.floor(value * 10) / 10 : Math.floor(value)} ${units[unit]}`;
}

function rounded(value: number): number {
  return value < 10 ? Math.round(value * 10) / 10 : Math.round(value);
}
