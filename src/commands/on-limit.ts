import type { Context } from '../context.ts';
import { GitHubError } from '../github/errors.ts';
import { backoff } from '../http/clock.ts';
import type { ApiError } from '../http/errors.ts';
import type { Recover } from '../http/request.ts';
import { isFailure } from '../result.ts';
import { count, duration, listSome } from '../text/format.ts';
import { show } from '../text/inert.ts';

/** The service's codes for a project that has no room for another branch, or for another root branch. */
const limitCodes = { branches: 'BRANCHES_LIMIT_EXCEEDED', roots: 'ROOT_BRANCHES_LIMIT_EXCEEDED' };
/** Delays between two attempts while there is no room, in milliseconds. */
const roomBackoff = { first: 2_000, growth: 1.5, longest: 30_000 };

/** Whether the project has no room for another branch. */
export function isFull(error: ApiError): boolean {
  return Object.values(limitCodes).includes(error.code);
}

/** What `on_limit` says to do if the project has no room for a new branch: the policy of its create. */
export function whenFull(context: Context, branch: { name: string; parentId: string | undefined }): Recover<never> {
  const { inputs, log } = context;
  const delays = backoff(roomBackoff);
  let pruned = false;
  return async (error) => {
    if (!isFull(error) || inputs.on_limit === 'fail') return undefined;
    if (inputs.on_limit === 'prune') {
      if (pruned) throw error.because('pruning freed a slot, but another branch took it');
      await makeRoom(context, { branch, error });
      pruned = true;
      return { after: 0 };
    }
    const after = delays.next().value;
    log.info(`The project has no room for branch ${show(branch.name)} yet; retrying in ${duration(after)}`);
    const doing = `waiting for another branch to be deleted or expire, to make room for branch ${show(branch.name)}`;
    return { after, doing };
  };
}

/**
 * Deletes stale branches by the rules of `prune`, but never the new branch's parent; if room for a root is needed, only roots and
 * their descendants. Throws if that frees no slot.
 */
async function makeRoom(
  context: Context,
  options: { branch: { name: string; parentId: string | undefined }; error: ApiError },
): Promise<void> {
  const { branch, error } = options;
  const { log } = context;
  const { name, parentId } = branch;
  log.info(`The project has no room for branch ${show(name)}; pruning (\`on_limit: prune\`)`);
  const { carryOut, isRoot, onlyRootTrees, planPrune } = await import('../prune/index.ts');
  const all = await planPrune(context, { parentId }).catch((failed: unknown) => {
    throw failed instanceof GitHubError
      ? error.because(`pruning failed: ${failed.message.replace(/^Could/, 'could')}`)
      : failed;
  });
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
    const noun = roots ? 'root branch' : 'branch';
    // Something has changed since they were found to be stale. The others were kept for their children from the start.
    const keptLater = pruned.filter((one) => one.outcome === 'kept').length > plan.keptParents.length;
    const none = keptLater
      ? `a stale ${noun} had to be kept after all; the log says why`
      : plan.keptParents.length > 0
        ? `every stale ${noun} has a child branch that is kept`
        : `no ${noun} is stale`;
    throw error.because(
      `pruning freed no slot: ${failed.length > 0 ? 'the stale branches could not be deleted' : none}`,
    );
  }
  log.info(`Pruned ${count(deleted.length, 'branch')}; retrying`);
}
