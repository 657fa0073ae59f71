import type { GitHub } from '../github/client.ts';
import { GitHubError } from '../github/errors.ts';
import { pagesOfPullRequests, readGitBranches, readPullRequest } from '../github/pulls.ts';
import { forEachLimited } from '../http/concurrent.ts';

export interface PullRequestState {
  /** Neither closed nor merged. */
  open: boolean;
  /** Milliseconds since the epoch; undefined if it is open, or if GitHub gives no readable time. */
  closedAt: number | undefined;
}

/** What to read. Refs are short: `feature/x`. */
export interface StateQuery {
  pullRequests: number[];
  /** Refs that may be the head of an open pull request. */
  headRefs: string[];
  /** Refs that may be git branches. */
  gitRefs: string[];
}

/** What GitHub says. What could not be read is missing. */
export interface States {
  pullRequests: Map<number, PullRequestState>;
  /** The number of an open pull request with this head ref, or 0 if there is none. */
  openByHead: Map<string, number>;
  /** Whether the git branch exists. */
  gitRefs: Map<string, boolean>;
  /** Whether anything could be read. */
  responded: boolean;
  /** Why something could not be read. */
  problem?: string;
}

/** A workflow run. What could not be read is not among the runs. */
export interface WorkflowRun {
  ended: boolean;
  /** The latest attempt; the earlier ones have ended. */
  attempt: number;
}

export function noStates(): States {
  return { pullRequests: new Map(), openByHead: new Map(), gitRefs: new Map(), responded: false };
}

/** Throws a `GitHubError` if the token may not read any; after another error, the rest is missing. */
export async function readStates(github: GitHub, repository: string, wanted: StateQuery): Promise<States> {
  const read = noStates();
  try {
    await forEachLimited([...new Set(wanted.pullRequests)], 8, async (number) => {
      const pull = await readPullRequest(github, repository, number);
      read.responded = true;
      const closedAt = !pull || pull.open || Number.isNaN(pull.closedAt) ? undefined : pull.closedAt;
      if (pull) read.pullRequests.set(number, { open: pull.open, closedAt });
    });
    if (wanted.headRefs.length > 0) {
      const numbers = new Map<string, number>();
      for await (const page of pagesOfPullRequests(github, repository, { state: 'open', by: 'number' })) {
        for (const { number, headRef } of page) numbers.set(headRef, number);
      }
      read.responded = true;
      for (const ref of wanted.headRefs) read.openByHead.set(ref, numbers.get(ref) ?? 0);
    }
    if (wanted.gitRefs.length > 0) {
      const names = new Set(await readGitBranches(github, repository));
      read.responded = true;
      for (const ref of wanted.gitRefs) read.gitRefs.set(ref, names.has(ref));
    }
  } catch (error) {
    if (!(error instanceof GitHubError) || error.isPermanent) throw error;
    read.problem = error.what;
  }
  return read;
}
