import type { Context } from '../context.ts';
import type { ApiError } from '../http/errors.ts';
import type { PrunedBranch } from '../result.ts';
import type { Operation } from '../service/types.ts';
import { deleteStale, isRateLimit } from './delete-stale.ts';
import { createOutcomes, isFailure } from './outcomes.ts';
import { createPace, forEachLimited } from './pace.ts';
import type { Plan } from './plan.ts';
import { createRecheck } from './recheck.ts';
import { type Deletion, waitUntilDeleted } from './wait-deleted.ts';

/** Requests in flight. A project runs few operations at a time, so more would only meet its locks. */
const maxConcurrent = 4;
/**
 * The service allows 40 requests a second per route and 700 a minute per account. Those in flight may arrive a second later than they were
 * sent, with the next ones; and some of a minute's requests are left to others.
 */
export const limits = [
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
  const pace = createPace({ limits, clock: api.clock, signal: api.deadline.signal });
  const recheck = createRecheck(context, plan.layers.flat());
  let rateLimit: ApiError | undefined;

  for (const [index, layer] of plan.layers.entries()) {
    const deletions: Deletion[] = [];
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
