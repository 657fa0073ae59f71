import type { Command } from '../context.ts';
import { carryOut } from '../prune/carry-out.ts';
import { type Plan, planPrune } from '../prune/plan.ts';
import { isLeft } from '../prune/remove.ts';
import type { PrunedBranch } from '../result.ts';
import { count } from '../text/format.ts';
import { show } from '../text/inert.ts';

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
