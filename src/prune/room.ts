import { type Context, projectOf } from '../context.ts';
import { GitHubError } from '../github/errors.ts';
import { backoff } from '../http/backoff.ts';
import { ApiError } from '../http/errors.ts';
import { findBranchByName } from '../service/branches.ts';
import type { CreateAttempt, Creation } from '../service/create.ts';
import { count, duration, listSome } from '../text/format.ts';
import { show } from '../text/inert.ts';
import { carryOut } from './carry-out.ts';
import { isRoot, onlyRootTrees } from './order.ts';
import { isFailure } from './outcomes.ts';
import { countPrunable, planPrune } from './plan.ts';

/** The service's codes for a project that has no room for another branch, or for another root branch. */
const limitCodes = { branches: 'BRANCHES_LIMIT_EXCEEDED', roots: 'ROOT_BRANCHES_LIMIT_EXCEEDED' };
/** Delays between two attempts while there is no room, in milliseconds. */
const roomBackoff = { first: 2_000, growth: 1.5, longest: 30_000 };

/** Sends a create. If the project has no room for the branch, does what `on_limit` says. */
export async function createWithRoom(context: Context, attempt: CreateAttempt): Promise<Creation> {
  const { inputs, api, log } = context;
  const { name } = attempt.branch;
  let pruned = false;
  for (const delay of backoff(roomBackoff)) {
    try {
      return await attempt.send();
    } catch (error) {
      if (!(error instanceof ApiError) || !Object.values(limitCodes).includes(error.code)) throw error;
      // A full project needs no room for a branch that it already has.
      if (await findBranchByName({ ...projectOf(context), name })) return { outcome: 'conflict' };
      if (inputs.on_limit === 'fail') throw await withCount(context, error);
      if (inputs.on_limit === 'prune') {
        if (pruned) throw error.because('pruning freed a slot, but another branch took it');
        await makeRoom(context, { attempt, error });
        pruned = true;
      } else {
        log.info(`The project has no room for branch ${show(name)} yet; retrying in ${duration(delay)}`);
        await api.sleep(
          delay,
          `waiting until another branch is deleted or expires, to make room for branch ${show(name)}`,
        );
      }
    }
  }
  throw new Error('unreachable');
}

const needsRoot = (error: ApiError) => error.code === limitCodes.roots;

const nounOf = (root: boolean) => (root ? 'root branch' : 'branch');

/**
 * Deletes stale branches by the rules of `prune`, but never the new branch's parent; if room for a root is needed, only roots and
 * their descendants. Throws if that frees no slot.
 */
async function makeRoom(context: Context, options: { attempt: CreateAttempt; error: ApiError }): Promise<void> {
  const { attempt, error } = options;
  const { log } = context;
  const { name, parentId } = attempt.branch;
  log.info(`The project has no room for branch ${show(name)}; pruning (\`on_limit: prune\`)`);
  const all = await planPrune(context, { parentId }).catch((failed: unknown) => {
    throw failed instanceof GitHubError ? error.because(`pruning failed: ${failed.message}`) : failed;
  });
  const roots = needsRoot(error);
  const plan = roots ? { ...all, ...onlyRootTrees(all) } : all;
  const { pruned } = await carryOut(context, plan, { wait: true });
  const deleted = pruned.filter((one) => one.outcome === 'deleted' || one.outcome === 'gone');
  const failed = pruned.filter(isFailure);
  if (failed.length > 0) {
    const named = failed.map((one) => `${show(one.name)} (${one.note})`);
    log.warning(`${count(failed.length, 'branch')} could not be pruned: ${listSome(named, 5, '; ')}`);
  }
  const deletedIds = new Set(deleted.map((one) => one.id));
  if (!plan.layers.flat().some(({ branch }) => deletedIds.has(branch.id) && (!roots || isRoot(branch)))) {
    const noun = nounOf(roots);
    const none =
      plan.keptParents.length > 0 ? `every stale ${noun} has a child branch that is kept` : `no ${noun} is stale`;
    throw error.because(
      `pruning freed no slot: ${failed.length > 0 ? 'the stale branches could not be deleted' : none}`,
    );
  }
  log.info(`Pruned ${count(deleted.length, 'branch')}; retrying`);
}

/** The same error, with how many branches could be pruned if that is known. */
async function withCount(context: Context, error: ApiError): Promise<ApiError> {
  const roots = needsRoot(error);
  const prunable = await countPrunable(context, { roots });
  if (prunable === undefined) return error;
  return error.because(
    prunable === 0
      ? `\`command: prune\` would find no stale ${nounOf(roots)} to delete`
      : `${count(prunable, `stale ${nounOf(roots)}`)} could be pruned with \`on_limit: prune\` or \`command: prune\``,
  );
}
