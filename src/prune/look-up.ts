import type { Context } from '../context.ts';
import { withGitHub } from '../github/connect.ts';
import { GitHubError } from '../github/errors.ts';
import { readStates, type States } from '../github/pull-requests.ts';
import { listGitBranches } from '../github/refs.ts';
import { count, listSome } from '../text/format.ts';
import { oneLine } from '../text/inert.ts';
import type { Keep } from './kept.ts';
import { gitBranches } from './mentions.ts';
import { contradiction, queryFor } from './recheck.ts';
import type { GitHubState, Lookups, StaleBranch } from './rules.ts';

/** Reads what the rules need. Throws a `GitHubError` if nothing could be read. */
export async function lookUp(context: Context, lookups: Lookups): Promise<GitHubState> {
  const { log } = context;
  const { pullRequests: numbers } = lookups;
  if (numbers.length === 0 && !lookups.gitBranches) return { pullRequests: new Map(), gitBranches: undefined };
  return withGitHub(context, async (github) => {
    const states = await readStates(github, { pullRequests: numbers, headRefs: [], gitRefs: [] });
    const unread = numbers.filter((number) => !states.pullRequests.has(number)).sort((a, b) => a - b);
    if (numbers.length > 0 && unread.length === numbers.length) throw nothingRead(`${listed(unread)}`, states);
    if (unread.length > 0) {
      const why = states.problem === undefined ? '' : `: ${withoutPeriod(states.problem)}`;
      const which = `${count(unread.length, 'pull request')} (${listed(unread)})`;
      const them = unread.length === 1 ? 'it' : 'them';
      log.warning(`Could not read the state of ${which}${why}. Treating ${them} as open.`);
    }
    const { pullRequests } = states;
    if (!lookups.gitBranches) return { pullRequests, gitBranches: undefined };
    const refs = await listGitBranches(github);
    if ('names' in refs) return { pullRequests, gitBranches: gitBranches(refs.names) };
    if (refs.failed && numbers.length === 0) throw nothingPruned('list the git branches', refs.problem);
    const why = withoutPeriod(oneLine(refs.problem, 300));
    log.warning(
      `Could not list all git branches: ${why}. Branches that only \`branch_pattern\` matches are not pruned.`,
    );
    return { pullRequests, gitBranches: undefined };
  });
}

/** Why stale branches are kept because their refs are in use, by ID. Throws a `GitHubError` if nothing could be read. */
export async function keptForRefs(context: Context, stale: StaleBranch[]): Promise<Map<string, Keep>> {
  const kept = new Map<string, Keep>();
  if (!stale.some(({ evidence }) => evidence.headRefs.length > 0)) return kept;
  const states = await withGitHub(context, (github) => readStates(github, queryFor(stale)));
  if (!states.responded) throw nothingPruned('read the pull requests of git refs', states.problem);
  for (const { branch, evidence } of stale) {
    const why = contradiction(evidence, states);
    if (why) kept.set(branch.id, why);
  }
  return kept;
}

function listed(numbers: number[]): string {
  return listSome(
    numbers.map((number) => `#${number}`),
    10,
  );
}

function nothingRead(pullRequests: string, { problem }: States): GitHubError {
  return nothingPruned(`read the state of any pull request (${pullRequests})`, problem);
}

/** Otherwise a scheduled prune could succeed night after night without doing anything. */
function nothingPruned(goal: string, problem = 'no readable response'): GitHubError {
  return new GitHubError({ kind: 'transient', goal, what: `${withoutPeriod(problem)}. No branch was pruned.` });
}

function withoutPeriod(text: string): string {
  return text.replace(/\.$/, '');
}
