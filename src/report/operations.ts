import type { Operation } from '../service/types.ts';
import { count, duration } from '../text/format.ts';
import { code, folded, plain, table } from './markdown.ts';

/** Longest bar, in characters. */
const barLength = 20;
/** A table with more operations is folded. */
const maxUnfolded = 12;

/** The operations that were waited for, with their durations as numbers and bars. */
export function operationsSection(operations: Operation[], options: { fold?: boolean } = {}): string[] {
  if (operations.length === 0) return [];
  const longest = Math.max(1, ...operations.map((one) => one.total_duration_ms));
  const bar = (ms: number) => '━'.repeat(Math.max(1, Math.round((ms / longest) * barLength)));
  const all = table({
    head: ['Operation', 'Status', 'Duration', ''],
    body: operations.map((one) => [
      code(one.action),
      plain(one.status),
      duration(one.total_duration_ms),
      bar(one.total_duration_ms),
    ]),
  });
  return [options.fold || operations.length > maxUnfolded ? folded(count(operations.length, 'operation'), all) : all];
}
