import { count, size } from '../text/format.ts';
import type { Found } from './found.ts';
import { levelOf } from './rules.ts';

/** How large a table is, with its indexes and TOAST; a partitioned table is as large as its partitions. */
export interface TableSize {
  /** The planner's estimate; undefined if it has none. */
  rows: number | undefined;
  bytes: number;
}

/** By qualified name, as SQL writes it. */
export type TableSizes = ReadonlyMap<string, TableSize>;

/**
 * Takes `locking` findings about tables below a size, in bytes, from the others. Both say how large the table is. What is of unknown size counts.
 */
export function bySize(
  all: Found[],
  { sizes, below }: { sizes: TableSizes; below: number },
): { findings: Found[]; small: Found[] } {
  const findings: Found[] = [];
  const small: Found[] = [];
  for (const one of all) {
    const own = levelOf(one) === 'locking' ? sizes.get(one.indexed ?? one.table ?? '') : undefined;
    const detail = [one.detail, own && inWords(own)].filter(Boolean).join('; ');
    (own && own.bytes < below ? small : findings).push({ ...one, detail });
  }
  return { findings, small };
}

/** `48 million rows, 12 GB`. */
function inWords({ rows, bytes }: TableSize): string {
  return [...(rows === undefined ? [] : [rowsInWords(rows)]), size(bytes)].join(', ');
}

function rowsInWords(rows: number): string {
  const whole = Math.round(rows);
  if (whole < 10_000) return count(whole, 'row');
  return `${whole.toLocaleString('en-US', { notation: 'compact', compactDisplay: 'long' })} rows`;
}
