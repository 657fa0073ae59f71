import { type Context, projectOf } from '../context.ts';
import type { Clock } from '../http/clock.ts';
import { forEachLimited } from '../http/concurrent.ts';
import { ApiError, StoppedError } from '../http/errors.ts';
import type { BeforeAttempt } from '../http/request.ts';
import { isFailure, type PrunedBranch } from '../result.ts';
import { listBranches, nameAndId } from '../service/branches.ts';
import type { OperationError } from '../service/errors.ts';
import { pollOperations } from '../service/operations.ts';
import type { Operation } from '../service/types.ts';
import type { Log } from '../step/log.ts';
import { listMost } from '../text/format.ts';
import { show } from '../text/inert.ts';
import { type DeleteDone, deletion } from './deletion.ts';
import { createRecheck, type Recheck } from './evidence.ts';
import type { KeptParent } from './order.ts';
import type { Plan } from './plan.ts';
import type { StaleBranch } from './rules.ts';
import { freshMs, sight } from './sighting.ts';

function nameKeptChildren({ children }: KeptParent): string {
  const names = listMost(
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

/**
 * Deletes the branches of a plan, children first; with `dry_run` it only reports them. A branch that cannot be deleted does not stop the
 * others. What became of each is recorded after the deletions of each layer and after waiting for them, and returned at the end.
 *
 * It waits for each layer before it deletes the parents, and with `wait: true` for the last one too. A rate limit that outlasts the
 * step fails all remaining deletions at once; it is thrown if it only kept this from waiting.
 */
export async function carryOut(context: Context, plan: Plan, options: { wait: boolean }): Promise<PrunedBranch[]> {
  const { api, inputs, log } = context;
  const kept = plan.keptParents.map((stale) => {
    const note = nameKeptChildren(stale);
    log.info(`Kept branch ${nameAndId(stale.branch)}, which is stale (${stale.reason}), because ${note}`);
    return toPruned(stale, 'kept', note);
  });
  const record = (outcomes: PrunedBranch[]) => {
    const pruned = [...outcomes, ...kept];
    context.progress({ pruned });
    return pruned;
  };
  const all = plan.layers.flat();
  if (inputs.dry_run) {
    for (const { branch, reason } of all) log.info(`Would delete branch ${nameAndId(branch)}: ${reason}`);
    return record(all.map((stale) => toPruned(stale, 'planned')));
  }
  context.progress({ pruned: kept, operationIds: [], operations: [] });
  const outcomes = createOutcomes(log);
  const pace = createPace({ limits: deletionLimits, clock: api.clock, signal: api.deadline.signal });
  const recheck = createRecheck(context, all);
  let rateLimit: ApiError | undefined;

  for (const [index, layer] of plan.layers.entries()) {
    const deletions: StartedDeletion[] = [];
    try {
      await forEachLimited(layer, maxConcurrent, async (stale) => {
        if (outcomes.blocked(stale)) return recheck.done(stale);
        // After a rate limit the client sends nothing more, so there is nothing to pace.
        const isRead = stale.evidence.byName || api.clock.now() - stale.readAt >= freshMs;
        for (let requests = isRead ? 2 : 1; requests > 0 && !rateLimit; requests--) await pace();
        const deletion = await deleteStale({ context, stale, date: plan.now, outcomes, recheck });
        rateLimit ??= deletion.rateLimit;
        deletions.push({ stale, operations: deletion.operations });
        context.started(deletion.operations);
      });
    } finally {
      record(outcomes.all());
    }
    if (!options.wait && index === plan.layers.length - 1) break;
    try {
      await waitUntilDeleted({ context, deletions, outcomes });
    } catch (error) {
      if (!isRateLimit(error)) throw error;
      rateLimit = error;
      log.info(`Stopped waiting for the deletions: ${error.message}`);
    }
    record(outcomes.all());
  }

  // If branches could not be deleted, the error that names them says why.
  if (rateLimit && !outcomes.all().some(isFailure)) throw rateLimit;
  return [...outcomes.all(), ...kept];
}

/** A branch whose deletion has been accepted, with the operations that carry it out. */
interface StartedDeletion {
  stale: StaleBranch;
  operations: Operation[];
}

/** Waits until deletions have ended, and records those that failed, and the operations that succeeded. */
export async function waitUntilDeleted(options: {
  context: Context;
  deletions: StartedDeletion[];
  outcomes: Outcomes;
}): Promise<void> {
  const { context, deletions, outcomes } = options;
  const started = deletions.flatMap(({ operations }) => operations);
  const failed = new Map<string, OperationError>();
  await pollOperations({
    ...projectOf(context),
    operations: started,
    onDone: context.succeeded,
    onFailed: (error) => failed.set(error.operationId, error),
  });
  const existing = failed.size > 0 ? await existingIds(context) : new Set<string>();
  for (const { stale, operations } of deletions) {
    const error = operations.flatMap(({ id }) => failed.get(id) ?? [])[0];
    // Some deployments forget a branch's operations along with the branch.
    const isGone = error?.unknown && !existing.has(stale.branch.id);
    if (error && !isGone) outcomes.failed(stale, error.message);
  }
}

async function existingIds(context: Context): Promise<Set<string>> {
  const all = await listBranches({ ...projectOf(context), goal: 'check whether the branches are gone' });
  return new Set(all.map(({ id }) => id));
}

/**
 * Deletes one branch and records the outcome. Returns the operations that the deletion started, or the rate limit that stopped it.
 * Throws only what ends the whole prune: the deadline, or a rejected key.
 */
export async function deleteStale(options: {
  context: Context;
  stale: StaleBranch;
  /** The service's clock when the branch was listed, in milliseconds since the epoch; undefined if unknown. */
  date: number | undefined;
  outcomes: Outcomes;
  recheck: Recheck;
}): Promise<{ operations: Operation[]; rateLimit?: ApiError }> {
  const { context, stale, date, outcomes, recheck } = options;
  // Only the branch itself says for sure that it has no metadata.
  const readAt = stale.evidence.byName ? Number.NEGATIVE_INFINITY : stale.readAt;
  const seen = sight(context, { branch: stale.branch, date, readAt });
  /** Whether an attempt that was sent before the last one may have deleted it. */
  let hasActed = false;
  let kept: string | undefined;
  const beforeAttempt: BeforeAttempt<DeleteDone> = async (mayHaveActed) => {
    hasActed = mayHaveActed;
    kept = await recheck.whyKeep(stale, () => seen.now());
    return kept === undefined ? undefined : { done: { deleted: false, operations: [] } };
  };
  try {
    const { deleted, operations } = await seen.change({ ...deletion(seen), beforeAttempt });
    if (deleted) outcomes.deleted(stale);
    else if (kept === undefined) outcomes.gone(stale);
    else if (!hasActed) outcomes.kept(stale, kept);
    else {
      const note = `the delete request got no response, and was not sent again, because the branch must be kept now (${kept})`;
      outcomes.failed(stale, note, { mayHaveActed: true });
    }
    return { operations };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const isUnsure = hasActed || ((error instanceof ApiError || error instanceof StoppedError) && error.mayHaveActed);
    const status = error instanceof ApiError ? error.status : undefined;
    if (isUnsure || !endsPrune(error))
      outcomes.failed(stale, error instanceof ApiError ? error.reason : error.message, {
        mayHaveActed: isUnsure,
        status,
      });
    if (endsPrune(error)) throw error;
    return { operations: [], rateLimit: isRateLimit(error) ? error : undefined };
  } finally {
    recheck.done(stale);
  }
}

/** A key that is rejected for one branch is rejected for all others too. */
function endsPrune(error: unknown): error is StoppedError | ApiError {
  return error instanceof StoppedError || (error instanceof ApiError && error.status === 401);
}

/** Whether an error is a rate limit. The client waits for one that ends within the step's time, so this one does not. */
function isRateLimit(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 429;
}

/** A stale branch in the form of the result. */
function toPruned(stale: StaleBranch, outcome: PrunedBranch['outcome'], note?: string): PrunedBranch {
  const { branch, reason, ageMs } = stale;
  return { id: branch.id, name: branch.name, reason, outcome, ageMs, note };
}

export type Outcomes = ReturnType<typeof createOutcomes>;

/** Records what became of each branch. A later outcome of a branch replaces an earlier one. */
export function createOutcomes(log: Pick<Log, 'info'>) {
  const byId = new Map<string, PrunedBranch>();
  /** By the ID of the parent; one that is `kept` is no failure. */
  const blockers = new Map<string | undefined, { why: string; kept: boolean }>();
  const record = (stale: StaleBranch, outcome: PrunedBranch['outcome'], note?: string) =>
    byId.set(stale.branch.id, toPruned(stale, outcome, note));
  const block = ({ branch }: StaleBranch, what: string, kept: boolean) => {
    if (kept && blockers.has(branch.parent_id)) return;
    blockers.set(branch.parent_id, { why: `its child branch ${show(branch.name)} ${what}`, kept });
  };
  const outcomes = {
    deleted(stale: StaleBranch): void {
      record(stale, 'deleted');
      log.info(`Deleted branch ${nameAndId(stale.branch)}: ${stale.reason}`);
    },
    gone(stale: StaleBranch): void {
      record(stale, 'gone');
      log.info(`Branch ${nameAndId(stale.branch)} was already gone; it was stale, because ${stale.reason}`);
    },
    /** `mayHaveActed`: the service may have deleted it all the same. `status`: that of the response, if that is why. */
    failed(
      stale: StaleBranch,
      note: string,
      { mayHaveActed = false, status }: { mayHaveActed?: boolean; status?: number } = {},
    ): void {
      byId.set(stale.branch.id, { ...toPruned(stale, mayHaveActed ? 'unsure' : 'failed', note), status });
      block(stale, mayHaveActed ? 'may still exist' : 'could not be deleted', false);
      log.info(`Branch ${nameAndId(stale.branch)} ${mayHaveActed ? 'may still exist' : 'was not deleted'}: ${note}`);
    },
    /** It must be kept after all. */
    kept(stale: StaleBranch, note: string): void {
      record(stale, 'kept', note);
      block(stale, 'is kept', true);
      log.info(`Kept branch ${nameAndId(stale.branch)}: ${note}`);
    },
    /** Whether a branch can't be deleted because one of its children still exists, or may still exist; if so, records that outcome. */
    blocked(stale: StaleBranch): boolean {
      const blocker = blockers.get(stale.branch.id);
      if (blocker?.kept) outcomes.kept(stale, blocker.why);
      else if (blocker) outcomes.failed(stale, blocker.why);
      return blocker !== undefined;
    },
    all: () => [...byId.values()],
  };
  return outcomes;
}

/** At most `count` requests in any `ms` milliseconds. */
export interface Limit {
  count: number;
  ms: number;
}

/** Keeps requests within limits, each as soon as they allow it. The returned function resolves when the next request may be sent. */
export function createPace(options: { limits: Limit[]; clock: Clock; signal: AbortSignal }): () => Promise<void> {
  const { limits, clock, signal } = options;
  /** When requests were or will be sent, in order. */
  const times: number[] = [];
  return async () => {
    const now = clock.now();
    const at = limits.reduce(
      (time, { count, ms }) => Math.max(time, (times.at(-count) ?? Number.NEGATIVE_INFINITY) + ms),
      now,
    );
    times.push(at);
    if (at > now) await clock.sleep(at - now, signal);
  };
}
