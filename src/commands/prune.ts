import type { Context } from '../context.ts';
import type { Plan } from '../prune/plan.ts';
import { isFailure, type PrunedBranch } from '../result.ts';
import { nameAndId } from '../service/branches.ts';
import { count } from '../text/format.ts';

/** Branches that a message names one by one. */
const maxNamed = 20;

class PruneError extends Error {
  override readonly name = 'PruneError';
}

/** Deletes the project's stale branches. */
export async function run(context: Context): Promise<void> {
  const { carryOut, planPrune } = await import('../prune/index.ts');
  const plan = await planPrune(context);
  const pruned = await carryOut(context, plan, { wait: context.inputs.wait });
  if (pruned.some(isFailure)) throw new PruneError(failureOf(pruned));
  context.progress({ action: 'pruned', done: summaryOf(pruned, plan) });
}

function summaryOf(pruned: PrunedBranch[], { total }: Plan): string {
  const number = (outcome: PrunedBranch['outcome']) => pruned.filter((one) => one.outcome === outcome).length;
  const of = `of ${count(total, 'branch')}`;
  if (number('planned') > 0) return `Would delete ${number('planned')} ${of} (dry run)`;
  if (number('deleted') > 0) return `Deleted ${number('deleted')} ${of}`;
  return `Checked ${count(total, 'branch')}; ${pruned.length === 0 ? 'found no stale branches' : 'deleted none'}`;
}

function failureOf(pruned: PrunedBranch[]): string {
  const failed = pruned.filter(isFailure);
  const lines = failed.map((one) => {
    const unsure = one.outcome === 'unsure' ? ' may still exist' : '';
    return `- ${nameAndId(one)}${unsure}: ${one.note}`;
  });
  const stale = pruned.filter((one) => one.outcome !== 'kept').length;
  const head = `Could not delete ${lines.length} of ${count(stale, 'stale branch')}:`;
  const more = lines.length > maxNamed ? [`- and ${lines.length - maxNamed} more`] : [];
  return [head, ...lines.slice(0, maxNamed), ...more, 'Run the step again.'].join('\n');
}
