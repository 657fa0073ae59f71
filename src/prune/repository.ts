import type { GitHub } from '../github/client.ts';
import { GitHubError } from '../github/errors.ts';
import {
  type PullRequest,
  pagesOfPullRequests,
  readGitBranches,
  readPullRequest,
  readRepository,
} from '../github/pulls.ts';
import { forEachLimited } from '../http/concurrent.ts';
import { repositoryIdIn } from '../step/event.ts';
import { type GitBranches, gitBranches } from './names.ts';

export interface Repository {
  /** `owner/name`. */
  name: string;
  /** Stays the same if it is renamed; empty if that is unknown. */
  id: string;
  /** By number; `none` if there is no pull request with that number. */
  pullRequests: Map<number, PullRequest | 'none'>;
  /** With those of open pull requests. Undefined if they are not needed. */
  gitBranches: GitBranches | undefined;
  openHeads?: GitBranches;
  /** GitHub's clock when this was read, in milliseconds since the epoch; undefined before that, `NaN` if it did not say. */
  date: number | undefined;
  /** Why it could not be read: then it holds its branches. */
  problem: GitHubError | undefined;
  /** Why its git branches could not be read: then it holds those without metadata. */
  gitProblem?: GitHubError;
}

export interface Needs {
  /** Pull requests; open ones are read in any case. */
  numbers: Iterable<number>;
  gitBranches: boolean;
  /** Then those closed for less than this time count as open ones for their git branches: milliseconds. */
  closedFor: number | undefined;
}

export function unread(name: string, id: string): Repository {
  return { name, id, pullRequests: new Map(), gitBranches: undefined, date: undefined, problem: undefined };
}

const atOnce = 8;
const perPage = 100;

/** Lists are read twice: an entry may move to a page that was read before. It is unlikely that two readings miss it. */
const readings = [1, 2];

/** Updates from so long before the last reading are read again: GitHub's servers need not agree to the second. In milliseconds. */
const overlapMs = 60_000;

/**
 * Reads a repository: at first its open pull requests, later those that were updated since, which is one request as a rule; and the ones that are
 * still unknown. A `GitHubError` becomes its `problem`.
 */
export async function read(github: GitHub, repository: Repository, needs: Needs): Promise<void> {
  const { name, pullRequests } = repository;
  const { closedFor } = needs;
  if (repository.problem) return;
  /** Reads the open ones, or those that were updated since, and returns GitHub's clock at the page that was read first. */
  const readSince = async (since: number | undefined): Promise<number> => {
    let date: number | undefined;
    const which =
      since === undefined ? ({ state: 'open', by: 'number' } as const) : ({ state: 'all', by: 'update' } as const);
    for (const _ of readings) {
      for await (const page of pagesOfPullRequests(github, name, which)) {
        date ??= github.date() ?? Number.NaN;
        note(repository, page);
        if (since !== undefined && Math.min(...page.map(({ updatedAt }) => updatedAt)) < since - overlapMs) break;
      }
    }
    return date ?? Number.NaN;
  };
  await noting(repository, 'problem', async () => {
    repository.date = await readSince(repository.date);
    const heads = [...pullRequests.values()].flatMap((one) => (one !== 'none' && one.open ? one.headRef : []));
    repository.openHeads = gitBranches(heads);
    await readNumbers(github, repository, new Set([...needs.numbers].filter((number) => !pullRequests.has(number))));
  });
  const isFirst = !repository.gitBranches;
  repository.gitBranches = undefined;
  if (!needs.gitBranches || repository.problem || repository.gitProblem) return;
  await noting(repository, 'gitProblem', async () => {
    const names: string[] = [];
    for (const _ of readings) names.push(...(await readGitBranches(github, name)));
    if (isFirst && closedFor !== undefined) await readSince(Number(repository.date) - closedFor);
    repository.gitBranches = gitBranchesInUse(names, repository, closedFor);
  });
}

/** The git branches that exist, and those of pull requests that are open, or not closed for long enough. They may be in forks. */
export function gitBranchesInUse(
  existing: string[],
  { pullRequests, date }: Pick<Repository, 'pullRequests' | 'date'>,
  closedFor: number | undefined,
): GitBranches {
  const all = [...pullRequests.values()].filter((one) => one !== 'none');
  const heads = all.filter((one) => one.open || !isClosedFor(one, closedFor, date)).map(({ headRef }) => headRef);
  return gitBranches([...existing, ...heads]);
}

/** Whether a pull request that is closed has been so for long enough. `date` is GitHub's clock; false if either time is unknown. */
export function isClosedFor({ closedAt }: PullRequest, closedFor: number | undefined, date = Number.NaN): boolean {
  return closedFor === undefined || date - closedAt >= closedFor;
}

/**
 * Reads these pull requests: from the list of all, newest first, or each by itself if that takes fewer requests. A number that the list
 * passes over is no pull request.
 */
async function readNumbers(github: GitHub, repository: Repository, missing: Set<number>): Promise<void> {
  const { name, pullRequests } = repository;
  const pages = pagesOfPullRequests(github, name, { state: 'all', by: 'number' });
  let pagesLeft = 1;
  while (missing.size > Math.max(0, pagesLeft)) {
    const { value: page = [] } = await pages.next();
    note(repository, page);
    const lowest = page.at(-1)?.number ?? 0;
    for (const number of missing) {
      if (number > lowest && !pullRequests.has(number)) pullRequests.set(number, 'none');
      if (pullRequests.has(number)) missing.delete(number);
    }
    pagesLeft = Math.ceil((lowest - Math.min(...missing)) / perPage);
  }
  await forEachLimited([...missing], atOnce, async (number) => {
    pullRequests.set(number, (await readPullRequest(github, name, number)) ?? 'none');
  });
}

/** Reads the ID of a repository, if it has none yet. `server`: GitHub's own URL. */
export async function identify(github: GitHub, repository: Repository, server: string): Promise<void> {
  if (repository.id !== '') return;
  await noting(repository, 'problem', async () => {
    repository.id = repositoryIdIn(await readRepository(github, repository.name), server);
  });
}

function note({ pullRequests }: Repository, page: PullRequest[]): void {
  for (const one of page) pullRequests.set(one.number, one);
}

async function noting(repository: Repository, as: 'problem' | 'gitProblem', work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    repository[as] = error;
  }
}
