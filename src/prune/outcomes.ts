import type { PrunedBranch } from '../result.ts';
import type { Log } from '../runner/log.ts';
import { show } from '../text/inert.ts';
import type { StaleBranch } from './rules.ts';

/** A stale branch in the form of the result. */
export function toPruned(stale: StaleBranch, outcome: PrunedBranch['outcome'], note?: string): PrunedBranch {
  const { branch, reason, ageMs } = stale;
  const usage = { size: branch.logical_size, activeSeconds: branch.active_time_seconds };
  return { id: branch.id, name: branch.name, reason, outcome, ageMs, usage, note };
}

/** Whether a branch should have been deleted, but was not, or not for certain. */
export function isFailure({ outcome }: PrunedBranch): boolean {
  return outcome === 'failed' || outcome === 'unsure';
}

/** Records what became of each branch. A later outcome of a branch replaces an earlier one. */
export interface Outcomes {
  deleted(stale: StaleBranch): void;
  gone(stale: StaleBranch): void;
  /** `mayHaveActed`: the service may have deleted it all the same. */
  failed(stale: StaleBranch, note: string, mayHaveActed?: boolean): void;
  /** It must be kept after all. */
  kept(stale: StaleBranch, note: string): void;
  /** Whether a branch can't be deleted because one of its children still exists, or may still exist; if so, records that outcome. */
  blocked(stale: StaleBranch): boolean;
  all(): PrunedBranch[];
}

export function createOutcomes(log: Pick<Log, 'info'>): Outcomes {
  const byId = new Map<string, PrunedBranch>();
  /** By the ID of the parent; one that is `kept` is no failure. */
  const blockers = new Map<string | undefined, { why: string; kept: boolean }>();
  const record = (stale: StaleBranch, outcome: PrunedBranch['outcome'], note?: string) =>
    byId.set(stale.branch.id, toPruned(stale, outcome, note));
  const block = ({ branch }: StaleBranch, what: string, kept: boolean) => {
    if (kept && blockers.has(branch.parent_id)) return;
    blockers.set(branch.parent_id, { why: `its child branch ${show(branch.name)} ${what}`, kept });
  };
  const label = ({ branch }: StaleBranch) => `${show(branch.name)} (${branch.id})`;
  const outcomes: Outcomes = {
    deleted(stale) {
      record(stale, 'deleted');
      log.info(`Deleted branch ${label(stale)}: ${stale.reason}`);
    },
    gone(stale) {
      record(stale, 'gone');
      log.info(`Branch ${label(stale)} was already gone; ${stale.reason}`);
    },
    failed(stale, note, mayHaveActed = false) {
      record(stale, mayHaveActed ? 'unsure' : 'failed', note);
      block(stale, mayHaveActed ? 'may still exist' : 'could not be deleted', false);
      log.info(`Branch ${label(stale)} ${mayHaveActed ? 'may still exist' : 'was not deleted'}: ${note}`);
    },
    kept(stale, note) {
      record(stale, 'kept', note);
      block(stale, 'is kept', true);
      log.info(`Kept branch ${label(stale)}: ${note}`);
    },
    blocked(stale) {
      const blocker = blockers.get(stale.branch.id);
      if (blocker?.kept) outcomes.kept(stale, blocker.why);
      else if (blocker) outcomes.failed(stale, blocker.why);
      return blocker !== undefined;
    },
    all: () => [...byId.values()],
  };
  return outcomes;
}
