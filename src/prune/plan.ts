import { pagesOfBranches } from '../api/branches.ts';
import type { Branch } from '../api/types.ts';
import { type Context, projectOf } from '../context.ts';
import type { GitHub } from '../github/client.ts';
import { withGitHub } from '../github/connect.ts';
import { pullRequestStates } from '../github/pull-requests.ts';
import { listGitBranches } from '../github/refs.ts';
import { StoppedError } from '../http/errors.ts';
import { count, listSome } from '../text/format.ts';
import { oneLine } from '../text/inert.ts';
import { type GitBranches, gitBranches } from './mentions.ts';
import { type DeletionOrder, isRoot, orderDeletions } from './order.ts';
import { type GitHubState, type Lookups, lookupsFor, type Rules, selectStale } from './rules.ts';

export interface Plan extends DeletionOrder {
  /** How many branches the project has. */
  total: number;
  /** The service's clock, in milliseconds since the epoch. */
  now: number;
}

/**
 * Reads every branch of the project, looks up on GitHub what the rules need, and returns what to delete in which order. Changes
 * nothing. Branches in `keep` are never selected; `patienceMs` limits the delay before a request to GitHub is retried.
 */
export async function planPrune(
  context: Context,
  options: { keep?: Set<string>; patienceMs?: number } = {},
): Promise<Plan> {
  const { inputs, event, log } = context;
  const { keep, patienceMs } = options;
  const rules: Rules = { repository: event.repository, olderThan: inputs.older_than, pattern: inputs.branch_pattern };
  const { branches, now } = await allBranches(context);
  log.info(`The project has ${count(branches.length, 'branch')}`);
  const state = await lookUp(context, { ...lookupsFor(branches, rules), patienceMs });
  const stale = selectStale(branches, rules, { ...state, now }).filter(({ branch }) => !keep?.has(branch.id));
  return { ...orderDeletions(stale, branches), total: branches.length, now };
}

async function allBranches(context: Context): Promise<{ branches: Branch[]; now: number }> {
  const { api } = context;
  const byId = new Map<string, Branch>();
  let now = api.clock.now();
  // Sorted by creation, pages don't shift while other jobs create, change and delete branches.
  const order = { sort_by: 'created_at', sort_order: 'asc' };
  const goal = 'list the branches of the project';
  for await (const page of pagesOfBranches({ ...projectOf(context), goal, order })) {
    for (const branch of page.items) {
      const before = byId.get(branch.id);
      byId.set(branch.id, {
        ...branch,
        // A branch that changed in the meantime is listed twice; it is kept if either entry says so.
        default: branch.default || before?.default === true,
        protected: branch.protected || before?.protected === true,
      });
    }
    now = page.date ?? now;
  }
  return { branches: [...byId.values()], now };
}

async function lookUp(context: Context, lookups: Lookups & { patienceMs: number | undefined }): Promise<GitHubState> {
  const { pullRequests, patienceMs } = lookups;
  if (pullRequests.length === 0 && !lookups.gitBranches) {
    return { closedPullRequests: new Set(), gitBranches: undefined };
  }
  return withGitHub({ ...context, patienceMs }, async (github) => ({
    closedPullRequests: await closedPullRequests(context, github, pullRequests),
    gitBranches: lookups.gitBranches ? await existingGitBranches(context, github) : undefined,
  }));
}

async function closedPullRequests({ log }: Context, github: GitHub, numbers: number[]): Promise<Set<number>> {
  const { closed, unread, problem } = await pullRequestStates(github, numbers);
  if (unread.length > 0) {
    const some = listSome(
      unread.map((number) => `#${number}`),
      10,
    );
    log.warning(
      `Could not read the state of ${count(unread.length, 'pull request')} (${some}${problem ? `: ${problem}` : ''}); treating ${unread.length === 1 ? 'it' : 'them'} as open`,
    );
  }
  return closed;
}

async function existingGitBranches({ log }: Context, github: GitHub): Promise<GitBranches | undefined> {
  const refs = await listGitBranches(github);
  if ('names' in refs) return gitBranches(refs.names);
  log.warning(
    `Could not list all git branches (${oneLine(refs.problem, 300)}); branches of deleted git branches are not pruned`,
  );
  return undefined;
}

/** How long a count for a message waits for GitHub, in milliseconds. */
const countPatienceMs = 5_000;

/** How many branches, or root branches, `prune` would delete, for a message; undefined if GitHub does not say. */
export async function countPrunable(context: Context, options: { roots: boolean }): Promise<number | undefined> {
  try {
    // Nobody asked for a prune, so its warnings would only confuse.
    const quiet: Context = { ...context, log: { ...context.log, info: () => {}, warning: context.log.debug } };
    const { layers } = await planPrune(quiet, { patienceMs: countPatienceMs });
    return layers.flat().filter(({ branch }) => !options.roots || isRoot(branch)).length;
  } catch (error) {
    if (error instanceof StoppedError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    context.log.debug(`Could not count stale branches: ${why}`);
    return undefined;
  }
}
