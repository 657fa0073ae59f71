import type { PrunedBranch } from '../result.ts';
import { duration } from '../text/format.ts';
import { code, folded, plain, table } from './markdown.ts';

/** Rows from which the table is folded away. */
const longTable = 50;

const results: Record<PrunedBranch['outcome'], string> = {
  failed: '❌ not deleted',
  unsure: '❔ asked to be deleted',
  kept: 'kept',
  planned: 'would be deleted',
  gone: 'was gone already',
  deleted: 'deleted',
};

/** What has to be looked at comes first. */
const order = Object.keys(results);

/** What `prune` took, as a table: name, age, reason, result. */
export function prunedSection(pruned: PrunedBranch[]): string[] {
  if (pruned.length === 0) return [];
  const rows = [...pruned].sort((a, b) => order.indexOf(a.outcome) - order.indexOf(b.outcome));
  const whole = table({
    head: ['Branch', 'Age', 'Why', 'Result'],
    body: rows.map((one) => [
      `${code(one.name)}`,
      one.ageMs === undefined ? '' : duration(roughly(one.ageMs)),
      plain(one.reason),
      one.note === undefined ? results[one.outcome] : `${results[one.outcome]}: ${plain(one.note, 500)}`,
    ]),
  });
  const counts = order.flatMap((outcome) => {
    const number = rows.filter((one) => one.outcome === outcome).length;
    return number > 0 ? [`${number} ${results[outcome as PrunedBranch['outcome']].replace(/^[❌❔] /u, '')}`] : [];
  });
  return [rows.length > longTable ? folded(counts.join(', '), whole) : whole];
}

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

/** An age in its largest unit alone: nobody needs the minutes of a fortnight. */
function roughly(ms: number): number {
  const unit = ms >= 2 * day ? day : ms >= 2 * hour ? hour : ms >= minute ? minute : 1_000;
  return Math.floor(ms / unit) * unit;
}
