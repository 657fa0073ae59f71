import { type Context, projectOf } from '../context.ts';
import { pagesOfBranches } from '../service/branches.ts';
import { pollManyOperations } from '../service/many-operations.ts';
import type { Operation } from '../service/types.ts';
import type { Outcomes } from './outcomes.ts';
import type { StaleBranch } from './rules.ts';

/** A branch whose deletion has been accepted, with the operations that carry it out. */
export interface Deletion {
  stale: StaleBranch;
  operations: Operation[];
}

/** Waits until deletions have ended, and records those that failed. Returns the operations that succeeded. */
export async function waitUntilDeleted(options: {
  context: Context;
  deletions: Deletion[];
  outcomes: Outcomes;
}): Promise<Operation[]> {
  const { context, deletions, outcomes } = options;
  const started = deletions.flatMap(({ operations }) => operations);
  const ended = await pollManyOperations({ ...projectOf(context), operations: started });
  const existing = ended.failed.size > 0 ? await existingIds(context) : new Set<string>();
  for (const { stale, operations } of deletions) {
    const error = operations.flatMap(({ id }) => ended.failed.get(id) ?? [])[0];
    // Some deployments forget a branch's operations along with the branch.
    const isGone = error?.unknown && !existing.has(stale.branch.id);
    if (error && !isGone) outcomes.failed(stale, error.message);
  }
  return ended.operations;
}

async function existingIds(context: Context): Promise<Set<string>> {
  const ids = new Set<string>();
  for await (const page of pagesOfBranches({ ...projectOf(context), goal: 'check whether the branches are gone' })) {
    for (const branch of page.items) ids.add(branch.id);
  }
  return ids;
}
