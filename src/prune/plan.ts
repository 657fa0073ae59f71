import { type Context, projectOf } from '../context.ts';
import type { Inputs } from '../inputs/fields.ts';
import { nameAndId, pagesOfBranches } from '../service/branches.ts';
import { RefusedError } from '../service/errors.ts';
import type { Branch } from '../service/types.ts';
import type { Log } from '../step/log.ts';
import { count, listOf } from '../text/format.ts';
import { keptForUse } from './activity.ts';
import { keptForRefs, lookUp } from './evidence.ts';
import { type DeletionOrder, orderDeletions } from './order.ts';
import { type KeptBranch, lookupsFor, type Rules, selectStale } from './rules.ts';

export interface Plan extends DeletionOrder {
  /** How many branches the project has. */
  total: number;
  /** The service's clock, in milliseconds since the epoch; undefined if it can't be relied on. */
  now: number | undefined;
}

/**
 * Reads every branch of the project, looks up on GitHub what the rules need, and returns what to delete in which order. Changes
 * nothing. The branch with the ID `parentId` is never selected.
 */
export async function planPrune(context: Context, options: { parentId?: string } = {}): Promise<Plan> {
  const { inputs, event, log } = context;
  const { parentId } = options;
  const { branches, now, hasMetadata, readAt } = await allBranches(context);
  log.info(`The project has ${count(branches.length, 'branch')}`);
  const rules: Rules = {
    repository: event.repository,
    repositoryId: event.repositoryId,
    closedFor: inputs.closed_for,
    olderThan: inputs.older_than,
    // Without metadata, a branch of another repository looks like one that has no owner.
    pattern: hasMetadata ? inputs.branch_pattern : undefined,
    isPatternIgnored: inputs.branch_pattern !== undefined && !hasMetadata,
    exclude: inputs.exclude_pattern ?? [],
  };
  if (rules.isPatternIgnored) {
    log.warning(
      'The service listed branches without their metadata, so `branch_pattern` is ignored: branches that only it selects are not pruned',
    );
  }
  const state = await lookUp(context, lookupsFor(branches, rules));
  const selected = selectStale(branches, rules, { ...state, now, readAt });
  const { kept } = selected;
  let { stale } = selected;
  /** Keeps those that are in the map. */
  const drop = (whys: Map<string | undefined, string>) => {
    for (const { branch } of stale) {
      const why = whys.get(branch.id);
      if (why) kept.push({ branch, why });
    }
    stale = stale.filter(({ branch }) => !whys.has(branch.id));
  };
  drop(new Map([[parentId, 'it is the parent of the new branch']]));
  const { unused_for: unusedFor } = inputs;
  if (unusedFor !== undefined && stale.length > 0)
    drop(await keptForUse(context, stale, { unusedFor, now: now ?? Number.NaN }));
  drop(await keptForRefs(context, stale));
  logKept(log, kept);
  return { ...orderDeletions(stale, branches), total: branches.length, now };
}

/** Logs why each branch is kept, in a group that folds. */
function logKept(log: Log, kept: KeptBranch[]): void {
  if (kept.length === 0) return;
  const lines = kept.map(({ branch, why }) => `Kept branch ${nameAndId(branch)}: ${why}`);
  log.group(`Kept ${count(kept.length, 'branch')}`, lines);
}

async function allBranches(
  context: Context,
): Promise<Pick<Plan, 'now'> & { branches: Branch[]; hasMetadata: boolean; readAt: number }> {
  const { api, inputs } = context;
  const byId = new Map<string, Branch>();
  let now = api.clock.now();
  let readAt = now;
  let reliable = true;
  let hasMetadata = true;
  const goal = 'list the branches of the project';
  for await (const page of pagesOfBranches({ ...projectOf(context), goal })) {
    for (const branch of page.items) {
      const before = byId.get(branch.id);
      byId.set(branch.id, {
        ...branch,
        // A branch that changed in the meantime is listed twice; it is kept if either entry says so.
        default: before?.default === true || branch.default,
        protected: before?.protected === true || branch.protected,
      });
    }
    hasMetadata &&= page.hasMetadata;
    readAt = Math.min(readAt, page.readAt);
    now = page.date ?? now;
    reliable &&= areClocksAlike(inputs, { service: now, runner: api.clock.now() });
  }
  return { branches: [...byId.values()], now: reliable ? now : undefined, hasMetadata, readAt };
}

/** The largest difference between the service's clock and the runner's with which ages are known, in milliseconds. */
const maxSkewMs = 3_600_000;

/** Whether ages are known. Throws if an input needs them, and they are not. */
function areClocksAlike(inputs: Inputs, { service, runner }: { service: number; runner: number }): boolean {
  if (Math.abs(service - runner) <= maxSkewMs) return true;
  const names = (['closed_for', 'older_than', 'unused_for'] as const).filter((name) => inputs[name] !== undefined);
  if (names.length === 0) return false;
  const quoted = names.map((name) => `\`${name}\``);
  const [at, here] = [new Date(service).toISOString(), new Date(runner).toISOString()];
  throw new RefusedError(
    `The service's clock (${at}) and the runner's (${here}) differ by more than an hour, so the ages of branches are unknown. No branch was pruned. Correct the wrong clock, or remove ${listOf(quoted, 'and')}.`,
  );
}
