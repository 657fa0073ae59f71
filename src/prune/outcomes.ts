import type { Branch } from '../api/types.ts';
import type { PrunedBranch } from '../result.ts';
import type { Log } from '../runner/log.ts';
import { show } from '../text/inert.ts';
import type { StaleBranch } from './rules.ts';

/** A stale branch in the form of the result. */
export function toPruned(stale: StaleBranch, outcome: PrunedBranch['outcome'], note?: string): PrunedBranch {
  const { branch, reason, ageMs } = stale;
  return {
    id: branch.id,
    name: branch.name,
    reason,
    outcome,
    ...(ageMs === undefined ? {} : { ageMs }),
    ...(note === undefined ? {} : { note }),
  };
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
  /** Why a branch can't be deleted: one of its children still exists, or may still exist. */
  blocker(branch: Branch): string | undefined;
  all(): PrunedBranch[];
}

export function createOutcomes(log: Pick<Log, 'info'>): Outcomes {
  const byId = new Map<string, PrunedBranch>();
  const blockers = new Map<string, string>();
  const record = (stale: StaleBranch, outcome: PrunedBranch['outcome'], note?: string) =>
    byId.set(stale.branch.id, toPruned(stale, outcome, note));
  const label = ({ branch }: StaleBranch) => `branch ${show(branch.name)} (${branch.id})`;
  return {
    deleted(stale) {
      record(stale, 'deleted');
      log.info(`Deleted ${label(stale)}: ${stale.reason}`);
    },
    gone(stale) {
      record(stale, 'gone');
      log.info(`Already gone: ${label(stale)}: ${stale.reason}`);
    },
    failed(stale, note, mayHaveActed = false) {
      record(stale, mayHaveActed ? 'unsure' : 'failed', note);
      const { name, parent_id } = stale.branch;
      const why = mayHaveActed ? 'may still exist' : 'could not be deleted';
      if (parent_id !== undefined) blockers.set(parent_id, `its child branch ${show(name)} ${why}`);
      log.info(`${mayHaveActed ? 'May still exist:' : 'Not deleted:'} ${label(stale)}: ${note}`);
    },
    blocker: (branch) => blockers.get(branch.id),
    all: () => [...byId.values()],
  };
}
