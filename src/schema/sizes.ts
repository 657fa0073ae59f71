import { size } from '../text/format.ts';
import { type Finding, levelOf } from './rules.ts';

/** How large a table is, with its indexes and TOAST; a partitioned table is as large as its partitions. */
export interface TableSize {
  /** The planner's estimate; undefined if it has none. */
  rows: number | undefined;
  bytes: number;
}

/** By qualified name, as SQL writes it. */
export type TableSizes = ReadonlyMap<string, TableSize>;

/** A finding, and the table whose size decides how long it locks; undefined if that is no single table. */
interface Sized {
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
    const own = levelOf(finding) === 'locking' ? sizes.get(table ?? '') : undefined;
    if (!own) {
      findings.push(finding);
      continue;
    }
    const detail = [finding.detail, inWords(own)].filter(Boolean).join('; ');
    (own.bytes < below ? small : findings).push({ ...finding, detail });
  }
  return { findings, small };
}

/** `48 million rows, 12 GB`. */
function inWords({ rows, bytes }: TableSize): string {
  return [...(rows === undefined ? [] : [rowsInWords(rows)]), size(bytes)].join(', ');
}

function rowsInWords(rows: number): string {
  const whole = Math.round(rows);
  if (whole === 1) return '1 row';
  if (whole < 10_000) return `${whole} rows`;
  if (whole < 999_500) return `${Math.round(whole / 1e3)} thousand rows`;
  const [large, word] = whole < 999_500_000 ? [1e6, 'million'] : [1e9, 'billion'];
  return `${rounded(whole / large)} ${word} rows`;
}

function rounded(value: number): number {
  return value < 10 ? Math.round(value * 10) / 10 : Math.round(value);
}
