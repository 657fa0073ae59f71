import type { PrunedBranch } from '../result.ts';
import { duration } from '../text/format.ts';
import { code, folded, plain, table } from './markdown.ts';

/** A longer table is folded. */
const maxUnfoldedRows = 50;

const labels: Record<PrunedBranch['outcome'], string> = {
  failed: '❌ not deleted',
  unsure: '❔ may still exist',
  kept: 'kept',
  planned: 'would be deleted',
  gone: 'already gone',
  deleted: 'deleted',
};

/** What needs attention comes first. */
const order = Object.keys(labels) as PrunedBranch['outcome'][];

/** The stale branches and what became of them, as a table. */
export function prunedSection(pruned: PrunedBranch[]): string[] {
  if (pruned.length === 0) return [];
  const rows = [...pruned].sort((a, b) => order.indexOf(a.outcome) - order.indexOf(b.outcome));
  const all = table({
    head: ['Branch', 'Age', 'Reason', 'Result'],
    body: rows.map((one) => [
      code(one.name),
      one.ageMs === undefined ? '' : duration(roundDown(one.ageMs)),
      plain(one.reason),
      one.note === undefined ? labels[one.outcome] : `${labels[one.outcome]}: ${plain(one.note, 500)}`,
    ]),
  });
  const counts = order.flatMap((outcome) => {
    const number = rows.filter((one) => one.outcome === outcome).length;
    return number > 0 ? [`${number} ${labels[outcome].replace(/^[❌❔] /u, '')}`] : [];
  });
  return [rows.length > maxUnfoldedRows ? folded(counts.join(', '), all) : all];
}

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

/** An age in whole days, hours or minutes. */
function roundDown(ms: number): number {
  const unit = ms >= 2 * day ? day : ms >= 2 * hour ? hour : ms >= minute ? minute : 1_000;
  return Math.floor(ms / unit) * unit;
}
