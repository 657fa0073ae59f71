import { type Context, projectOf } from '../context.ts';
import { forEachLimited } from '../http/concurrent.ts';
import type { ApiError } from '../http/errors.ts';
import type { PrunedBranch, Result } from '../result.ts';
import { pagesOfBranches } from '../service/branches.ts';
import { pollManyOperations } from '../service/many-operations.ts';
import type { Operation } from '../service/types.ts';
import { listSome } from '../text/format.ts';
import { show } from '../text/inert.ts';
import { deleteStale, isRateLimit } from './delete-stale.ts';
import type { KeptParent } from './order.ts';
import { createOutcomes, isFailure, type Outcomes, toPruned } from './outcomes.ts';
import { createPace } from './pace.ts';
import type { Plan } from './plan.ts';
import { createRecheck } from './recheck.ts';
import type { StaleBranch } from './rules.ts';

/** Deletes the branches of a plan; with `dry_run` it only reports them. */
export async function carryOut(
  context: Context,
  plan: Plan,
  options: { wait: boolean },
): Promise<Pick<Result, 'operations'> & { pruned: PrunedBranch[] }> {
  const { inputs, log } = context;
  const kept = plan.keptParents.map((stale) => {
    const note = whyKept(stale);
    log.info(`Kept branch ${show(stale.branch.name)} (${stale.branch.id}), although ${stale.reason}: ${note}`);
    return toPruned(stale, 'kept', note);
  });
  if (inputs.dry_run) {
    const planned = plan.layers.flat();
    for (const { branch, reason } of planned)
      log.info(`Would delete branch ${show(branch.name)} (${branch.id}): ${reason}`);
    return { pruned: [...planned.map((stale) => toPruned(stale, 'planned')), ...kept], operations: [] };
  }
  let operations: Result['operations'] = [];
  context.progress({ pruned: kept, operationIds: [], operations });
  const removed = await removeAll({
    context,
    plan,
    ...options,
    report: (progress) => {
      operations = progress.operations;
      context.progress({ ...progress, pruned: [...progress.pruned, ...kept] });
    },
  });
  return { pruned: [...removed, ...kept], operations };
}

function whyKept({ children }: KeptParent): string {
  const names = listSome(
    children.map(({ name }) => show(name)),
    3,
  );
  return children.length === 1 ? `its child branch ${names} is kept` : `its child branches ${names} are kept`;
}

/** Requests in flight. A project runs few operations at a time, so more would only meet its locks. */
const maxConcurrent = 4;
/**
 * The service allows 40 requests a second per route and 700 a minute per account. Those in flight may arrive a second later than they were
 * sent, with the next ones; and some of a minute's requests are left to others.
 */
export const deletionLimits = [
  { count: 40 - maxConcurrent, ms: 1_000 },
  { count: 600, ms: 60_000 },
];

export interface RemovalProgress {
  pruned: PrunedBranch[];
  operationIds: string[];
  operations: Operation[];
}

/**
 * Deletes the branches of a plan, children first. A branch that cannot be deleted does not stop the others. `report` receives
 * everything so far, after the deletions of each layer and after waiting for them.
 *
 * It waits for each layer before it deletes the parents, and with `wait: true` for the last one too. A rate limit that outlasts the
 * step fails all remaining deletions at once; it is thrown if it only kept this from waiting.
 */
export async function removeAll(options: {
  context: Context;
  plan: Plan;
  wait: boolean;
  report: (progress: RemovalProgress) => void;
}): Promise<PrunedBranch[]> {
  const { context, plan } = options;
  const { api, log } = context;
  const outcomes = createOutcomes(log);
  const operationIds: string[] = [];
  const operations: Operation[] = [];
  const report = () => options.report({ pruned: outcomes.all(), operationIds, operations });
  const pace = createPace({ limits: deletionLimits, clock: api.clock, signal: api.deadline.signal });
  const recheck = createRecheck(context, plan.layers.flat());
  let rateLimit: ApiError | undefined;

  for (const [index, layer] of plan.layers.entries()) {
    const deletions: StartedDeletion[] = [];
    try {
      await forEachLimited(layer, maxConcurrent, async (stale) => {
        if (outcomes.blocked(stale)) return recheck.done(stale);
        // After a rate limit the client sends nothing more, so there is nothing to pace.
        if (!rateLimit) await pace();
        const deletion = await deleteStale({ context, stale, date: plan.now, outcomes, recheck });
        rateLimit ??= deletion.rateLimit;
        deletions.push({ stale, operations: deletion.operations });
        operationIds.push(...deletion.operations.map(({ id }) => id));
      });
    } finally {
      report();
    }
    if (!options.wait && index === plan.layers.length - 1) break;
    try {
      operations.push(...(await waitUntilDeleted({ context, deletions, outcomes })));
    } catch (error) {
      if (!isRateLimit(error)) throw error;
      rateLimit = error;
      log.info(`Stopped waiting for the deletions: ${error.message}`);
    }
    report();
  }

  const pruned = outcomes.all();
  // If branches could not be deleted, the error that names them says why.
  if (rateLimit && !pruned.some(isFailure)) throw rateLimit;
  return pruned;
}

/** A branch whose deletion has been accepted, with the operations that carry it out. */
interface StartedDeletion {
  stale: StaleBranch;
  operations: Operation[];
}

/** Waits until deletions have ended, and records those that failed. Returns the operations that succeeded. */
export async function waitUntilDeleted(options: {
  context: Context;
  deletions: StartedDeletion[];
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
