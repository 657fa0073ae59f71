import { whatChanged } from '../branch/sighting.ts';
import { type Context, projectOf } from '../context.ts';
import { withGitHub } from '../github/connect.ts';
import { GitHubError } from '../github/errors.ts';
import { readStates, type StateQuery, type States } from '../github/pull-requests.ts';
import { pagesOfBranches } from '../service/branches.ts';
import type { Branch } from '../service/types.ts';
import { type Keep, keep } from './kept.ts';
import { type Evidence, type StaleBranch, whyNotClosed } from './rules.ts';

/** How old the evidence for a deletion may be, in milliseconds. */
const longestAgeMs = 15_000;
/** Branches that are checked again together: about as many as are deleted until the evidence is too old again. */
const batchSize = 100;
/** Attempts to get evidence that is new enough. */
const maxRounds = 5;

/** What to read to check the evidence of branches. */
export function queryFor(stale: StaleBranch[]): StateQuery {
  return {
    pullRequests: stale.flatMap(({ evidence }) => evidence.pullRequests),
    headRefs: stale.flatMap(({ evidence }) => evidence.headRefs),
    gitRefs: stale.flatMap(({ evidence }) => evidence.gitRefs),
  };
}

/** Why a branch must be kept after all: something about it has changed, or could not be read. */
export function contradiction(evidence: Evidence, states: States): Keep | undefined {
  for (const number of evidence.pullRequests) {
    const why = whyNotClosed(number, states.pullRequests.get(number), evidence.closedBy);
    if (why) return why;
  }
  for (const ref of evidence.headRefs) {
    const number = states.openByHead.get(ref);
    if (number === undefined) return keep.unreadHead(ref);
    if (number > 0) return keep.openHead(number, ref);
  }
  for (const ref of evidence.gitRefs) {
    const exists = states.gitRefs.get(ref);
    if (exists === undefined) return keep.unreadGitBranch;
    if (exists) return keep.gitBranch(ref);
  }
  return undefined;
}

export interface Recheck {
  /** Right before a deletion: reads branch and evidence again if they are too old, and returns why the branch must be kept after all. */
  whyKeep(stale: StaleBranch): Promise<Keep | undefined>;
  /** The branch no longer needs to be checked. */
  done(stale: StaleBranch): void;
}

/** Keeps the evidence for these deletions new, with few requests: it reads that of the next branches together. */
export function createRecheck(context: Context, deletions: StaleBranch[]): Recheck {
  const { clock } = context.api;
  const pending = new Set(deletions);
  const readAt = new Map(deletions.map((stale) => [stale, stale.readAt]));
  const ageOf = (stale: StaleBranch) => clock.now() - (readAt.get(stale) ?? 0);
  const kept = new Map<StaleBranch, Keep>();
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
    const [branches, states] = await Promise.all([listBranches(context), statesOf(batch)]);
    for (const one of batch) {
      const changed = whatChanged(one.branch, branches.get(one.branch.id));
      const why = changed ? keep.changed(changed.change) : contradiction(one.evidence, states);
      if (why) kept.set(one, why);
      else readAt.set(one, listedAt);
    }
  }

  async function statesOf(batch: StaleBranch[]): Promise<States> {
    const none = { pullRequests: new Map(), openByHead: new Map(), gitRefs: new Map(), responded: false };
    const query = queryFor(batch);
    if (gaveUp || Object.values(query).every(({ length }) => length === 0)) return none;
    try {
      const states = await withGitHub(context, (github) => readStates(github, query));
      if (!states.responded) giveUp(states.problem);
      return states;
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      giveUp(error.what);
      return none;
    }
  }

  /** GitHub would fail for the next branches too. */
  function giveUp(problem = 'no response'): void {
    gaveUp = true;
    context.log.warning(
      `Could not check the pull requests again before deleting their branches (${problem}); keeping the branches that are left`,
    );
  }

  return {
    async whyKeep(stale) {
      for (let round = 1; round <= maxRounds; round++) {
        const why = kept.get(stale);
        if (why) return why;
        if (ageOf(stale) <= longestAgeMs) return undefined;
        reading ??= read(stale).finally(() => {
          reading = undefined;
        });
        await reading;
      }
      return kept.get(stale) ?? keep.slow;
    },
    done: (stale) => void pending.delete(stale),
  };
}

/** All branches of the project as they are now, by ID. */
async function listBranches(context: Context): Promise<Map<string, Branch>> {
  const branches = new Map<string, Branch>();
  for await (const page of pagesOfBranches({ ...projectOf(context), goal: 'list the branches of the project again' })) {
    for (const branch of page.items) branches.set(branch.id, branch);
  }
  return branches;
}
