import { pagesOfBranches } from '../api/branches.ts';
import { waitForMany } from '../api/many-operations.ts';
import type { Operation } from '../api/types.ts';
import { sendDelete } from '../branch/delete.ts';
import { type Context, projectOf } from '../context.ts';
import { ApiError, StoppedError } from '../http/errors.ts';
import type { PrunedBranch } from '../result.ts';
import { show } from '../text/inert.ts';
import { createPace, eachOf } from './pace.ts';
import type { Plan } from './plan.ts';
import type { Taken } from './rules.ts';

/** Requests in flight. A project runs few operations at a time, so that more would only meet its locks. */
const mostAtOnce = 4;
/** One route takes 40 requests a second, and an account 700 a minute: a prune stays below both, and leaves a part of them to others. */
const pace = { burst: 40, perSecond: 10 };

/** A branch of the plan in the form of the result. */
export function describe(taken: Taken, outcome: PrunedBranch['outcome'], note?: string): PrunedBranch {
  const { branch, reason, ageMs } = taken;
  return {
    id: branch.id,
    name: branch.name,
    reason,
    outcome,
    ...(ageMs === undefined ? {} : { ageMs }),
    ...(note === undefined ? {} : { note }),
  };
}

/**
 * Deletes what a plan says, children first. A branch that cannot be deleted does not stop the others, and stands in what
 * `report` is told after each layer and each deletion: all branches so far, with what became of them.
 * With `wait: true`, and wherever a parent comes after its children, it waits until the branches are gone. A rate limit that
 * outlasts the step ends the waiting, and each deletion that is left, at once; where that left nothing but the waiting undone, it
 * is thrown.
 */
export async function removeAll(options: {
  context: Context;
  plan: Plan;
  wait: boolean;
  report: (done: { pruned: PrunedBranch[]; operationIds: string[]; operations: Operation[] }) => void;
}): Promise<PrunedBranch[]> {
  const { context, plan, report } = options;
  const { api, log, inputs } = context;
  const outcomes = new Map<string, PrunedBranch>();
  const operationIds: string[] = [];
  const operations: Operation[] = [];
  const tell = () => report({ pruned: [...outcomes.values()], operationIds, operations });
  const turn = createPace({ ...pace, clock: api.clock, signal: api.signal });
  /** Parents of branches that are not deleted for sure, with why that is in the way. */
  const blocked = new Map<string, string>();

  /** Met by a deletion, or by waiting for some. */
  let limit: ApiError | undefined;

  const fail = (taken: Taken, note: string, { mayHaveActed = false }: { mayHaveActed?: boolean } = {}) => {
    const { branch } = taken;
    outcomes.set(branch.id, describe(taken, mayHaveActed ? 'unsure' : 'failed', note));
    const child = `its child branch ${show(branch.name)}`;
    const why = mayHaveActed ? `whether ${child} is gone was not seen` : `${child} could not be deleted`;
    if (branch.parent_id !== undefined) blocked.set(branch.parent_id, why);
    const what = mayHaveActed ? 'Asked to delete, without an answer,' : 'Could not delete';
    log.info(`${what} branch ${show(branch.name)} (${branch.id}): ${note}`);
  };

  for (const [index, layer] of plan.layers.entries()) {
    const started = new Map<string, Operation[]>();
    try {
      await eachOf(layer, mostAtOnce, async (taken) => {
        const { branch, reason } = taken;
        const why = blocked.get(branch.id);
        if (why !== undefined) return fail(taken, why);
        // What is not sent needs no pace: the client refuses it at once, and says why.
        if (!limit) await turn();
        try {
          const sent = await sendDelete({
            project: projectOf(context),
            branch,
            date: plan.now,
            hard: inputs.hard_delete,
          });
          outcomes.set(branch.id, describe(taken, sent.deleted ? 'deleted' : 'gone'));
          started.set(branch.id, sent.operations);
          operationIds.push(...sent.operations.map((one) => one.id));
          log.info(
            `${sent.deleted ? 'Deleted' : 'Already gone:'} branch ${show(branch.name)} (${branch.id}): ${reason}`,
          );
        } catch (error) {
          // A key that is rejected now is rejected for all the others too.
          if (error instanceof StoppedError || (error instanceof ApiError && error.status === 401)) {
            if (error.mayHaveActed) fail(taken, error.message, error);
            throw error;
          }
          if (!(error instanceof Error)) throw error;
          if (outlastsStep(error)) limit = error;
          fail(taken, error.message, error instanceof ApiError ? error : {});
        }
      });
    } finally {
      tell();
    }
    if (!options.wait && index === plan.layers.length - 1) break;
    try {
      const ended = await waitForMany({ ...projectOf(context), operations: [...started.values()].flat() });
      operations.push(...ended.operations);
      const left = ended.failed.size > 0 ? await stillThere(context) : new Set<string>();
      for (const taken of layer) {
        const error = started.get(taken.branch.id)?.flatMap((one) => ended.failed.get(one.id) ?? [])[0];
        // Some deployments forget a branch's operations along with the branch.
        if (error && !(error.unknown && !left.has(taken.branch.id))) fail(taken, error.message);
      }
    } catch (error) {
      if (!outlastsStep(error)) throw error;
      limit = error;
      log.info(`Whether the branches that were deleted are gone was not seen: ${error.message}`);
    }
    tell();
  }
  const all = [...outcomes.values()];
  // Whoever names the branches that could not be deleted says why.
  if (limit && !all.some(isLeft)) throw limit;
  return all;
}

/** Whether a branch was to be deleted, and is not for sure. */
export function isLeft({ outcome }: PrunedBranch): boolean {
  return outcome === 'failed' || outcome === 'unsure';
}

/** Whether an error is a rate limit: one that ends within the step's time is waited for, and never an error. */
function outlastsStep(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 429;
}

async function stillThere(context: Context): Promise<Set<string>> {
  const ids = new Set<string>();
  for await (const page of pagesOfBranches({ ...projectOf(context), goal: 'see whether the branches are gone' })) {
    for (const branch of page.branches) ids.add(branch.id);
  }
  return ids;
}
