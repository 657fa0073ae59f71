import { limitCodes } from '../branch/create.ts';
import type { Context } from '../context.ts';
import { GitHubError } from '../github/errors.ts';
import type { ApiError } from '../http/errors.ts';
import { emptyResult } from '../result.ts';
import { count } from '../text/format.ts';
import { show } from '../text/inert.ts';
import type { Step } from './facts.ts';

/** `on_limit: prune`: deletes stale branches by the rules of `prune`, but never the new branch's parent. Throws the create's error if that frees no slot. */
export async function makeRoom(
  step: Step,
  { name, parentId, error }: { name: string; parentId: string | undefined; error: ApiError },
): Promise<void> {
  const { log } = step;
  log.info(`The project has no room for branch ${show(name)}; pruning (\`on_limit: prune\`)`);
  const { carryOut, isRoot, onlyRootTrees, planPrune } = await import('../prune/index.ts');
  const context = { ...step, command: 'prune', progress: () => {}, result: emptyResult } as unknown as Context;
  try {
    const all = await planPrune(context, { parentId });
    const roots = error.code === limitCodes.roots;
    const plan = roots ? { ...all, ...onlyRootTrees(all) } : all;
    const pruned = await carryOut(context, plan, { wait: true });
    const deleted = new Set(
      pruned.flatMap(({ id, outcome }) => (outcome === 'deleted' || outcome === 'gone' ? [id] : [])),
    );
    if (!plan.layers.flat().some(({ branch }) => deleted.has(branch.id) && (!roots || isRoot(branch))))
      throw error.because('pruning freed no slot; the log says why of each branch');
    log.info(`Pruned ${count(deleted.size, 'branch')}; creating branch ${show(name)} again`);
  } catch (failed) {
    throw failed instanceof GitHubError ? error.because(`pruning failed: ${failed.message}`) : failed;
  }
}
