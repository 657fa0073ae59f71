import { findBranchByName } from '../api/branches.ts';
import { type Creation, createBranch, type NewBranch } from '../api/create.ts';
import type { Branch } from '../api/types.ts';
import { type Context, projectOf } from '../context.ts';
import { ApiError } from '../http/errors.ts';
import { count, duration } from '../text/format.ts';
import { show } from '../text/inert.ts';
import { carryOut } from './carry-out.ts';
import { isRoot, onlyRootTrees } from './order.ts';
import { countPrunable, planPrune } from './plan.ts';
import { isLeft } from './remove.ts';

/** What the service says where a project has no room for another branch, or for another one without a parent. */
const limits = ['BRANCHES_LIMIT_EXCEEDED', 'ROOT_BRANCHES_LIMIT_EXCEEDED'];
/** First pause, growth and longest pause between two tries while there is no room, in milliseconds. */
const pauses = { first: 2_000, growth: 1.5, longest: 30_000 };

/** Creates the branch, and does what `on_limit` asks for where the project has no room for it. */
export async function createWithRoom(options: {
  context: Context;
  branch: NewBranch;
  isOurs: (branch: Branch, date: number | undefined) => boolean;
  onLost: () => void;
}): Promise<Creation> {
  const { context, branch, isOurs, onLost } = options;
  const { inputs, api, log } = context;
  const project = projectOf(context);
  let pruned = false;
  for (let pause = pauses.first; ; pause = Math.min(pauses.longest, pause * pauses.growth)) {
    try {
      return await createBranch({ ...project, branch, isOurs, onLost });
    } catch (error) {
      if (!(error instanceof ApiError) || !limits.includes(error.code)) throw error;
      // A full project needs no room for a branch that it has already.
      if (await findBranchByName({ ...project, name: branch.name })) return { made: false };
      if (inputs.on_limit === 'fail') throw await withCount(context, error);
      if (inputs.on_limit === 'prune') {
        if (pruned) throw error.because('pruning has made room, but others were faster to take it');
        await makeRoom(context, { branch, error });
        pruned = true;
      } else {
        log.info(`The project has no room for branch ${show(branch.name)} yet; trying again in ${duration(pause)}`);
        await api.sleep(pause, `waiting for room for branch ${show(branch.name)} (\`on_limit: wait\`)`);
      }
    }
  }
}

/** Whether it is a root branch that the project has no room for. */
const wantsRoot = (error: ApiError) => error.code.startsWith('ROOT_');

const nounOf = (root: boolean) => (root ? 'root branch' : 'branch');

/**
 * Deletes what the rules of `prune` take, but never the new branch's parent; where room for a root is wanted, only roots and what
 * stands on them. Throws where that makes no room.
 */
async function makeRoom(context: Context, options: { branch: NewBranch; error: ApiError }): Promise<void> {
  const { branch, error } = options;
  const { log } = context;
  log.info(`The project has no room for branch ${show(branch.name)}; pruning (\`on_limit: prune\`)`);
  const whole = await planPrune(context, { keep: new Set(branch.parentId === undefined ? [] : [branch.parentId]) });
  const roots = wantsRoot(error);
  const plan = roots ? { ...whole, ...onlyRootTrees(whole) } : whole;
  const { pruned } = await carryOut(context, plan, { wait: true });
  const deleted = pruned.filter((one) => one.outcome === 'deleted' || one.outcome === 'gone');
  const failed = pruned.filter(isLeft);
  if (failed.length > 0) {
    log.warning(
      `${count(failed.length, 'branch')} could not be pruned: ${failed
        .slice(0, 5)
        .map((one) => `${show(one.name)} (${one.note})`)
        .join('; ')}`,
    );
  }
  const rootIds = new Set(plan.layers.flat().flatMap((one) => (isRoot(one.branch) ? one.branch.id : [])));
  if (!deleted.some((one) => !roots || rootIds.has(one.id))) {
    const why = failed.length > 0 ? 'what is left behind could not be deleted' : `no ${nounOf(roots)} is left behind`;
    throw error.because(`pruning has made no room, for ${why}`);
  }
  log.info(`Pruned ${count(deleted.length, 'branch')}; trying again`);
}

/** The same failure, with how many branches could be pruned, where that can be told. */
async function withCount(context: Context, error: ApiError): Promise<ApiError> {
  const roots = wantsRoot(error);
  const prunable = await countPrunable(context, { roots });
  if (prunable === undefined) return error;
  return error.because(
    prunable === 0
      ? `\`command: prune\` would find no ${nounOf(roots)} to delete`
      : `${count(prunable, nounOf(roots))} could be pruned (\`on_limit: prune\`, or \`command: prune\`)`,
  );
}
