import { describeOwner } from '../branch/owner.ts';
import { type Context, projectOf } from '../context.ts';
import { withGitHub } from '../github/connect.ts';
import { GitHubError } from '../github/errors.ts';
import { readGitBranches } from '../github/pulls.ts';
import { hasMetadata, listBranches, saysWhetherProtected } from '../service/branches.ts';
import type { Branch } from '../service/types.ts';
import { asSentence, count, listSome } from '../text/format.ts';
import { oneLine, show } from '../text/inert.ts';
import { noStates, readStates, type StateQuery, type States } from './lookups.ts';
import { gitBranches } from './mentions.ts';
import {
  type Evidence,
  type GitHubState,
  gitBranchExists,
  type Lookups,
  type StaleBranch,
  unknownProtection,
  unreadGitBranches,
  whyNotClosed,
} from './rules.ts';
import { whatChanged } from './sighting.ts';

/** Reads what the rules need. Throws a `GitHubError` if nothing could be read. */
export async function lookUp(context: Context, lookups: Lookups): Promise<GitHubState> {
  const { log } = context;
  const { pullRequests: numbers } = lookups;
  if (numbers.length + lookups.runs.length === 0 && !lookups.gitBranches) {
    return { pullRequests: new Map(), gitBranches: undefined, runs: new Map() };
  }
  return withGitHub(context, async (github) => {
    const runs = new Map();
    const asked = [...numbers, ...lookups.guesses];
    const states = await readStates(github, context.event.repository, {
      pullRequests: asked,
      headRefs: [],
      gitRefs: [],
    });
    const unread = numbers.filter((number) => !states.pullRequests.has(number)).sort((a, b) => a - b);
    if (unread.length > 0) {
      const names = unread.map((number) => `#${number}`);
      const listed = listSome(names, 10);
      if (unread.length === numbers.length) {
        const one = unread.length === 1;
        const goal = `read the state of ${one ? `pull request ${listed}` : `any pull request (${listed})`}`;
        const areMissing = states.responded && states.problem !== undefined;
        const [missing, it, its, number] = one
          ? ["this pull request doesn't", 'it', 'its', unread[0]]
          : ["some of these pull requests don't", 'them', 'such a', '<number>'];
        const next = `If ${missing} exist, manually delete this repository's database branches for ${it}: those with ${its} number in their metadata (\`github-pr-number\`), or \`pr-${number}\` in their name. Otherwise, run the step again.`;
        throw nothingPruned(goal, states.problem, areMissing ? next : undefined);
      }
      const why = states.problem === undefined ? '' : `: ${withoutPeriod(states.problem)}`;
      const which = `${count(unread.length, 'pull request')} (${listed})`;
      const them = unread.length === 1 ? 'it' : 'them';
      log.warning(`Could not read the state of ${which}${why}. Treating ${them} as open.`);
    }
    const { pullRequests } = states;
    if (!lookups.gitBranches) return { pullRequests, gitBranches: undefined, runs };
    try {
      return { pullRequests, gitBranches: gitBranches(await readGitBranches(github, context.event.repository)), runs };
    } catch (error) {
      if (!(error instanceof GitHubError) || error.isPermanent) throw error;
      if (error.cause !== undefined && numbers.length === 0) throw nothingPruned('list the git branches', error.what);
      const why = withoutPeriod(oneLine(error.what, 300));
      log.warning(
        `Could not list all git branches: ${why}. Database branches that only \`branch_pattern\` selects are not pruned.`,
      );
      return { pullRequests, gitBranches: undefined, runs };
    }
  });
}

/** Why stale branches are kept because their refs are in use, by ID. Throws a `GitHubError` if nothing could be read. */
export async function keptForRefs(context: Context, stale: StaleBranch[]): Promise<Map<string, string>> {
  const kept = new Map<string, string>();
  if (!stale.some(({ evidence }) => evidence.headRefs.length > 0)) return kept;
  const states = await withGitHub(context, (github) => readStates(github, context.event.repository, queryFor(stale)));
  if (!states.responded) throw nothingPruned('read the pull requests of git refs', states.problem);
  for (const { branch, evidence } of stale) {
    const why = contradiction(evidence, states);
    if (why) kept.set(branch.id, why);
  }
  return kept;
}

/** Otherwise a scheduled prune could succeed night after night without doing anything. */
function nothingPruned(goal: string, problem = 'no readable response', next = 'Run the step again.'): GitHubError {
  return new GitHubError({ kind: 'transient', goal, what: `${withoutPeriod(problem)}. No branch was pruned. ${next}` });
}

function withoutPeriod(text: string): string {
  return text.replace(/\.$/, '');
}

/** How old the evidence for a deletion may be, in milliseconds. */
const longestAgeMs = 15_000;
/** Branches that are checked again together: about as many as are deleted until the evidence is too old again. */
const batchSize = 100;
/** Attempts to get evidence that is new enough. */
const maxRounds = 5;

/** What to read to check the evidence of branches. */
function queryFor(stale: StaleBranch[]): StateQuery {
  return {
    pullRequests: stale.flatMap(({ evidence }) => evidence.pullRequests),
    headRefs: stale.flatMap(({ evidence }) => evidence.headRefs),
    gitRefs: stale.flatMap(({ evidence }) => evidence.gitRefs),
  };
}

/** Why a branch must be kept after all: something about it has changed, or could not be read. */
function contradiction(evidence: Evidence, states: States): string | undefined {
  for (const number of evidence.pullRequests) {
    const why = whyNotClosed(number, states.pullRequests.get(number), evidence.closedBy);
    if (why) return why;
  }
  for (const ref of evidence.headRefs) {
    const number = states.openByHead.get(ref);
    if (number === undefined) return `the pull requests of git ref ${show(ref)} could not be read`;
    if (number > 0) return `pull request #${number} with the same head ref (${show(ref)}) is open`;
  }
  for (const ref of evidence.gitRefs) {
    const exists = states.gitRefs.get(ref);
    if (exists === undefined) return unreadGitBranches;
    if (exists) return gitBranchExists(ref);
  }
  return undefined;
}

/** Why a branch must be kept, by a read of the branch itself; `now` is undefined if it is gone. */
function whyOther({ branch, evidence }: StaleBranch, now: Branch | undefined): string | undefined {
  if (now && evidence.byName && hasMetadata(now)) {
    const owner = describeOwner(now);
    const whose = owner === '' ? '' : ` (it belongs to ${owner})`;
    return `the list of branches showed no metadata for it, but it has some${whose}, and \`branch_pattern\` only selects branches without metadata`;
  }
  const changed = whatChanged(branch, now);
  return changed && `it ${changed.change}`;
}

export type Recheck = ReturnType<typeof createRecheck>;

/** Keeps the evidence for these deletions new, with few requests: it reads that of the next branches together. */
export function createRecheck(context: Context, deletions: StaleBranch[]) {
  const { clock } = context.api;
  const pending = new Set(deletions);
  const planned = new Set(deletions.map(({ branch }) => branch.id));
  const readAt = new Map(deletions.map((stale) => [stale, stale.readAt]));
  const ageOf = (stale: StaleBranch) => clock.now() - (readAt.get(stale) ?? 0);
  const kept = new Map<StaleBranch, string>();
  let reading: Promise<void> | undefined;
  let gaveUp = false;

  async function read(stale: StaleBranch): Promise<void> {
    const next = [...pending].filter((one) => !kept.has(one) && ageOf(one) > longestAgeMs / 3);
    const first = [...new Set([stale, ...next])].slice(0, batchSize);
    // Branches of the same pull request must not rely on an older state of it.
    const numbers = new Set(first.flatMap(({ evidence }) => evidence.pullRequests));
    const siblings = [...pending].filter(({ evidence }) => evidence.pullRequests.some((number) => numbers.has(number)));
    const batch = [...new Set([...first, ...siblings])];
    const listedAt = clock.now();
    const goal = 'list the branches of the project again';
    const [all, states] = await Promise.all([listBranches({ ...projectOf(context), goal }), statesOf(batch)]);
    const branches = new Map(all.map((branch) => [branch.id, branch]));
    // Children that are part of this prune are deleted first.
    const children = all.filter(({ id }) => !planned.has(id));
    for (const one of batch) {
      const now = branches.get(one.branch.id);
      const changed = whatChanged(one.branch, now);
      const child = children.find(({ parent_id }) => parent_id === one.branch.id);
      const why = changed
        ? `it ${changed.change}`
        : now && !saysWhetherProtected(now)
          ? unknownProtection
          : child
            ? `it now has a child branch (${show(child.name)})`
            : contradiction(one.evidence, states);
      if (why) kept.set(one, why);
      else readAt.set(one, listedAt);
    }
  }

  async function statesOf(batch: StaleBranch[]): Promise<States> {
    const query = queryFor(batch);
    if (gaveUp || Object.values(query).every(({ length }) => length === 0)) return noStates();
    try {
      const states = await withGitHub(context, (github) => readStates(github, context.event.repository, query));
      if (!states.responded) giveUp(states.problem);
      return states;
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      giveUp(error.what);
      return noStates();
    }
  }

  /** GitHub would fail for the next branches too. */
  function giveUp(problem = 'no response'): void {
    gaveUp = true;
    context.log.warning(
      `Could not check the pull requests again before deleting their branches: ${asSentence(problem)} The remaining branches are kept.`,
    );
  }

  return {
    /**
     * Right before a deletion: reads branch and evidence again if they are too old, and returns why the branch must be kept after all. `readBranch`
     * returns the branch as it is now, or undefined if it is gone.
     */
    async whyKeep(stale: StaleBranch, readBranch: () => Promise<Branch | undefined>): Promise<string | undefined> {
      for (let round = 1; round <= maxRounds; round++) {
        const why = kept.get(stale);
        if (why) return why;
        if (ageOf(stale) <= longestAgeMs) {
          const other = whyOther(stale, await readBranch());
          // If the service is slow, the evidence has become too old in the meantime.
          if (other !== undefined || ageOf(stale) <= longestAgeMs) return other;
        }
        reading ??= read(stale).finally(() => {
          reading = undefined;
        });
        await reading;
      }
      return kept.get(stale) ?? 'the last check before its deletion took too long';
    },
    /** The branch no longer needs to be checked. */
    done: (stale: StaleBranch) => void pending.delete(stale),
  };
}
