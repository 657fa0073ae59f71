import type { Context } from '../context.ts';
import type { PrunedBranch, Result } from '../result.ts';
import { show } from '../text/inert.ts';
import type { Plan } from './plan.ts';
import { describe, removeAll } from './remove.ts';

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
