import { count, show } from '../api/text.ts';
import type { Command, Context } from '../context.ts';
import { type Plan, planPrune } from '../prune/plan.ts';
import { describe, isLeft, removeAll } from '../prune/remove.ts';
import type { PrunedBranch, Result } from '../result.ts';

/** Branches that a message names one by one. */
const mostNamed = 20;

/** Some of the branches could not be deleted. */
export class PruneError extends Error {
  override readonly name = 'PruneError';
}

/** Deletes branches whose pull request is closed, and those past `older_than`. */
export const prune: Command = async (context) => {
  const plan = await planPrune(context);
  const { pruned, operations } = await carryOut(context, plan, { wait: context.inputs.wait });
  const failed = pruned.filter(isLeft);
  if (failed.length > 0) throw new PruneError(failureOf(pruned, failed));
  return { pruned, operations, done: summaryOf(pruned, plan) };
};

/** Deletes what the plan says, or with `dry_run` only tells of it. */
export async function carryOut(
  context: Context,
  plan: Plan,
  options: { wait: boolean },
): Promise<Pick<Result, 'operations'> & { pruned: PrunedBranch[] }> {
  const { inputs, log } = context;
  const kept = plan.kept.map((one) => {
    const stay = one.children.length === 1 ? 'stays' : 'stay';
    const note = `its child ${one.children.length === 1 ? 'branch' : 'branches'} ${one.children
      .slice(0, 3)
      .map((child) => show(child.name))
      .join(', ')}${one.children.length > 3 ? ` and ${one.children.length - 3} more` : ''} ${stay}`;
    log.info(`Kept branch ${show(one.branch.name)} (${one.branch.id}), though ${one.reason}: ${note}`);
    return describe(one, 'kept', note);
  });
  const planned = plan.layers.flat();
  if (inputs.dry_run) {
    for (const { branch, reason } of planned)
      log.info(`Would delete branch ${show(branch.name)} (${branch.id}): ${reason}`);
    return { pruned: [...planned.map((one) => describe(one, 'planned')), ...kept], operations: [] };
  }
  let operations: Result['operations'] = [];
  context.progress({ pruned: kept, operationIds: [], operations });
  const removed = await removeAll({
    context,
    plan,
    ...options,
    report: (done) => {
      operations = done.operations;
      context.progress({ ...done, pruned: [...done.pruned, ...kept] });
    },
  });
  return { pruned: [...removed, ...kept], operations };
}

function summaryOf(pruned: PrunedBranch[], plan: Plan): string {
  const of = `of ${count(plan.total, 'branch')}`;
  const planned = pruned.filter((one) => one.outcome === 'planned').length;
  if (planned > 0) return `Would delete ${planned} ${of} (dry run)`;
  const deleted = pruned.filter((one) => one.outcome === 'deleted').length;
  return deleted > 0 ? `Deleted ${deleted} ${of}` : `Nothing to prune: none ${of} is left behind`;
}

function failureOf(pruned: PrunedBranch[], failed: PrunedBranch[]): string {
  const deleted = pruned.filter((one) => one.outcome === 'deleted').length;
  const named = failed.slice(0, mostNamed).map((one) => `- ${show(one.name)} (${one.id}): ${one.note}`);
  const more = failed.length > named.length ? [`- and ${failed.length - named.length} more`] : [];
  const head = `${count(failed.length, 'branch')} could not be deleted, and ${deleted} ${deleted === 1 ? 'was' : 'were'}:`;
  return [head, ...named, ...more].join('\n');
}
