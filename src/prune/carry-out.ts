import type { Context } from '../context.ts';
import type { PrunedBranch, Result } from '../result.ts';
import { listSome } from '../text/format.ts';
import { show } from '../text/inert.ts';
import type { KeptParent } from './order.ts';
import { toPruned } from './outcomes.ts';
import type { Plan } from './plan.ts';
import { removeAll } from './remove.ts';

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
