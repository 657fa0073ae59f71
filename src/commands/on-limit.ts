import { limitCodes } from '../branch/create.ts';
import type { Context } from '../context.ts';
import type { ApiError } from '../http/errors.ts';
import { isFailure } from '../result.ts';
import { count, listSome } from '../text/format.ts';
import { show } from '../text/inert.ts';

/**
 * `on_limit: prune`: deletes stale branches by the rules of `prune`, but never the new branch's parent; if room for a root is needed, only roots and
 * their descendants. Throws the create's error if that frees no slot.
 */
export async function makeRoom(
  context: Context,
  { name, parentId, error }: { name: string; parentId: string | undefined; error: ApiError },
): Promise<void> {
  const { log } = context;
  log.info(`The project has no room for branch ${show(name)}; pruning (\`on_limit: prune\`)`);
  const { carryOut, isRoot, onlyRootTrees, planPrune } = await import('../prune/index.ts');
  const all = await planPrune(context, { parentId });
  const roots = error.code === limitCodes.roots;
  const plan = roots ? { ...all, ...onlyRootTrees(all) } : all;
  const pruned = await carryOut(context, plan, { wait: true });
  const deleted = pruned.filter((one) => one.outcome === 'deleted' || one.outcome === 'gone');
  const failed = pruned.filter(isFailure);
  if (failed.length > 0) {
    const named = failed.map((one) => `${show(one.name)} (${one.note})`);
    log.warning(`${count(failed.length, 'branch')} could not be pruned: ${listSome(named, 5, '; ')}`);
  }
  const deletedIds = new Set(deleted.map((one) => one.id));
  if (!plan.layers.flat().some(({ branch }) => deletedIds.has(branch.id) && (!roots || isRoot(branch)))) {
    throw error.because('pruning freed no slot; the log says why of each branch');
  }
  log.info(`Pruned ${count(deleted.length, 'branch')}; creating branch ${show(name)} again`);
}
