import type { PrunedBranch, Result, Usage } from '../result.ts';
import { duration, size } from '../text/format.ts';
import { code, folded, plain, readable, table } from './markdown.ts';

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

/**
 * What a branch that was created or read uses, or those that were or would be deleted do together: `31.5 MB, active for 2h 5m, last
 * active 2026-12-01 18:00 UTC`. Undefined if the service's records do not say.
 */
export function usageOf({ action, branch, connection, pruned }: Result): string | undefined {
  if (pruned) {
    return line(pruned.flatMap(({ outcome, usage }) => (usage && isFreed.has(outcome) ? [usage] : [])));
  }
  if (!branch || !connection || !isShown.has(action)) return undefined;
  const { logical_size, active_time_seconds } = branch;
  return line([{ size: logical_size, activeSeconds: active_time_seconds, lastActive: connection.lastActive }]);
}

const isFreed = new Set<string>(['deleted', 'planned']);
const isShown = new Set<string | undefined>(['created', 'reused', 'read']);

function line(all: Usage[]): string | undefined {
  const bytes = sum(all.map((one) => one.size));
  const seconds = sum(all.map((one) => one.activeSeconds));
  const last = all.flatMap(({ lastActive }) => lastActive ?? []).at(0);
  const parts = [
    bytes > 0 ? size(bytes) : undefined,
    seconds > 0 ? `active for ${duration(seconds * 1_000)}` : undefined,
    last && `last active ${readable(last)}`,
  ].filter((part) => part !== undefined);
  return parts.length > 0 ? parts.join(', ') : undefined;
}

function sum(numbers: (number | undefined)[]): number {
  return numbers.reduce<number>((total, one) => total + (one ?? 0), 0);
}
