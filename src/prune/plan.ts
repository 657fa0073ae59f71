import { pagesOfBranches } from '../api/branches.ts';
import type { Branch } from '../api/types.ts';
import { type Context, projectOf } from '../context.ts';
import { withGitHub } from '../github/connect.ts';
import { pullRequestStates } from '../github/pull-requests.ts';
import { listGitBranches } from '../github/refs.ts';
import { StoppedError } from '../http/errors.ts';
import { count } from '../text/format.ts';
import { oneLine } from '../text/inert.ts';
import { gitBranches } from './mentions.ts';
import { isRoot, type Order, orderOf } from './order.ts';
import { type Known, type Questions, questionsFor, type Rules, take } from './rules.ts';

export interface Plan extends Order {
  /** How many branches the project has. */
  total: number;
  /** The service's clock, in milliseconds since the epoch. */
  now: number;
}

/**
 * Looks at every branch of the project, asks GitHub what has to be known, and says what is to go and in which order. Nothing is
 * changed. Branches in `keep` stay, whatever the rules say; `patienceMs` ends pauses before GitHub is asked again.
 */
export async function planPrune(
  context: Context,
  options: { keep?: Set<string>; patienceMs?: number } = {},
): Promise<Plan> {
  const { inputs, event, log } = context;
  const rules: Rules = { repository: event.repository, olderThan: inputs.older_than, pattern: inputs.branch_pattern };
  const { branches, now } = await everyBranch(context);
  log.info(`The project has ${count(branches.length, 'branch')}`);
  const questions = questionsFor(branches, rules);
  const known = await ask(context, { ...questions, patienceMs: options.patienceMs });
  const taken = take(branches, rules, { ...known, now }).filter((one) => !options.keep?.has(one.branch.id));
  return { ...orderOf(taken, branches), total: branches.length, now };
}

async function everyBranch(context: Context): Promise<{ branches: Branch[]; now: number }> {
  const { api } = context;
  const found = new Map<string, Branch>();
  let now = api.clock.now();
  // In the order in which they were made, pages do not shift while others make, change and delete branches.
  const order = { sort_by: 'created_at', sort_order: 'asc' };
  for await (const page of pagesOfBranches({
    ...projectOf(context),
    goal: 'list the branches of the project',
    order,
  })) {
    for (const branch of page.branches) {
      const before = found.get(branch.id);
      found.set(branch.id, {
        ...branch,
        // Of a branch that is listed twice, because it has changed meanwhile, one word that it has to stay is enough.
        default: branch.default || before?.default === true,
        protected: branch.protected || before?.protected === true,
      });
    }
    now = page.date ?? now;
  }
  return { branches: [...found.values()], now };
}

async function ask(context: Context, questions: Questions & { patienceMs: number | undefined }): Promise<Known> {
  const { log } = context;
  if (questions.pullRequests.length === 0 && !questions.gitBranches) return { closed: new Set(), git: undefined };
  return withGitHub({ ...context, patienceMs: questions.patienceMs }, async (github) => {
    const states = await pullRequestStates(github, questions.pullRequests);
    if (states.unread.length > 0) {
      const some = states.unread.slice(0, 10).map((number) => `#${number}`);
      const more = states.unread.length > some.length ? ` and ${states.unread.length - some.length} more` : '';
      log.warning(
        `The state of ${count(states.unread.length, 'pull request')} could not be read (${some.join(', ')}${more}${
          states.problem ? `: ${states.problem}` : ''
        }); they count as open, and their branches stay`,
      );
    }
    if (!questions.gitBranches) return { closed: states.closed, git: undefined };
    const refs = await listGitBranches(github);
    if ('problem' in refs) {
      log.warning(
        `The git branches could not all be read (${oneLine(refs.problem, 300)}); all of them count as there, and database branches named after them stay`,
      );
      return { closed: states.closed, git: undefined };
    }
    return { closed: states.closed, git: gitBranches(refs.names) };
  });
}

/** How long counting for a message waits for GitHub to answer again, in milliseconds. */
const countPatienceMs = 5_000;

/** How many branches, or root branches, `prune` would delete, for a message; undefined where that cannot be told. */
export async function countPrunable(context: Context, options: { roots: boolean }): Promise<number | undefined> {
  try {
    // Whoever is only told a number must not be warned of what was not asked for.
    const quiet: Context = { ...context, log: { ...context.log, info: () => {}, warning: context.log.debug } };
    const { layers } = await planPrune(quiet, { patienceMs: countPatienceMs });
    return layers.flat().filter(({ branch }) => !options.roots || isRoot(branch)).length;
  } catch (error) {
    if (error instanceof StoppedError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    context.log.debug(`Branches that could be pruned were not counted: ${why}`);
    return undefined;
  }
}
