import type { Result, Usage } from '../result.ts';
import { duration, size } from '../text/format.ts';
import { readable } from './markdown.ts';

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
