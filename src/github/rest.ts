import { optionalObject } from '../http/shape.ts';
import type { GitHub, Purpose } from './client.ts';
import { GitHubError } from './errors.ts';
import type { StateQuery, States } from './states.ts';

/**
 * Reads by REST what GitHub's GraphQL API says in one query. Other forges (Gitea, Forgejo) have REST routes like GitHub's, and no
 * GraphQL.
 */
export async function readStatesByRest(github: GitHub, purpose: Purpose, wanted: StateQuery): Promise<States> {
  const read: States = { pullRequests: new Map(), openByHead: new Map(), gitRefs: new Map(), responded: false };
  try {
    for (let start = 0; start < wanted.pullRequests.length; start += atOnce) {
      const some = wanted.pullRequests.slice(start, start + atOnce);
      await Promise.all(some.map((number) => readPullRequest(github, purpose, { number, read })));
    }
    if (wanted.headRefs.length > 0) {
      const open = await listAll(github, purpose, { rest: '/pulls', query: { state: 'open' } });
      read.responded = true;
      const numbers = new Map(open.map((one) => [optionalObject(one.head).ref, one.number]));
      for (const ref of wanted.headRefs) read.openByHead.set(ref, Number(numbers.get(ref) ?? 0));
    }
    if (wanted.gitRefs.length > 0) {
      const names = new Set(await listBranchNames(github, purpose));
      read.responded = true;
      for (const ref of wanted.gitRefs) read.gitRefs.set(ref, names.has(ref));
    }
  } catch (error) {
    if (!(error instanceof GitHubError) || error.isPermanent) throw error;
    read.problem = error.what;
  }
  return read;
}

/** The names of all git branches. Throws a `GitHubError` if they could not all be read. */
export async function listGitBranchesByRest(github: GitHub, purpose: Purpose): Promise<string[]> {
  const names = await listBranchNames(github, purpose);
  const repository = await get(github, purpose, '');
  // Every repository has its default branch, so a list without it is not complete.
  if (names.some((name) => name === repository.default_branch)) return names;
  throw new GitHubError({ kind: 'other', goal: purpose.goal, what: 'the list lacks the default branch' });
}

/** The login of the token's owner; undefined if the forge does not tell the token of a job. */
export async function tokenOwnerByRest(github: GitHub, purpose: Purpose): Promise<string | undefined> {
  try {
    const { data } = await github.rest(purpose, (octokit, request) => octokit.request('GET /user', { request }));
    const { login } = optionalObject(data);
    return typeof login === 'string' && login !== '' ? login : undefined;
  } catch (error) {
    if (error instanceof GitHubError && error.kind !== 'transient') return undefined;
    throw error;
  }
}

/** Pull requests that are read at the same time. */
const atOnce = 8;

async function readPullRequest(
  github: GitHub,
  purpose: Purpose,
  { number, read }: { number: number; read: States },
): Promise<void> {
  try {
    const pull = await get(github, purpose, `/pulls/${number}`);
    read.responded = true;
    if (pull.number !== number || (pull.state !== 'open' && pull.state !== 'closed')) return;
    const open = pull.state === 'open';
    const time = Date.parse(String(pull.closed_at ?? pull.merged_at ?? ''));
    read.pullRequests.set(number, { open, closedAt: open || Number.isNaN(time) ? undefined : time });
  } catch (error) {
    // It is an issue, or was deleted: it counts as open.
    if (!(error instanceof GitHubError && error.kind === 'missing')) throw error;
    read.responded = true;
  }
}

async function listBranchNames(github: GitHub, purpose: Purpose): Promise<string[]> {
  return (await listAll(github, purpose, { rest: '/branches' })).map(({ name }) => String(name));
}

async function get(github: GitHub, purpose: Purpose, rest: string): Promise<Record<string, unknown>> {
  const { owner, repo } = github;
  const { data } = await github.rest(purpose, (octokit, request) =>
    octokit.request(`GET /repos/{owner}/{repo}${rest}`, { owner, repo, request }),
  );
  return optionalObject(data);
}

const perPage = 50;
/** More pages than any list has. */
const mostPages = 1_000;

/** All objects of a list. Part of it must never be taken for all: throws a `GitHubError` if a page is not a list. */
async function listAll(
  github: GitHub,
  purpose: Purpose,
  { rest, query }: { rest: string; query?: Record<string, string> },
): Promise<Record<string, unknown>[]> {
  const { owner, repo } = github;
  const all: Record<string, unknown>[] = [];
  let before = '';
  for (let page = 1; page <= mostPages; page++) {
    // GitHub has `per_page`, other forges `limit`.
    const parameters = { owner, repo, ...query, limit: perPage, per_page: perPage, page };
    const { data, headers } = await github.rest(purpose, (octokit, request) =>
      octokit.request(`GET /repos/{owner}/{repo}${rest}`, { ...parameters, request }),
    );
    const failed = (what: string) => new GitHubError({ kind: 'other', goal: purpose.goal, what });
    if (!Array.isArray(data)) throw failed('the response is not a list');
    const text = JSON.stringify(data);
    // A server that has no pages sends the same one again.
    if (data.length === 0 || text === before) return all;
    before = text;
    all.push(...data.map(optionalObject));
    if (headers.link !== undefined && !/\brel="?next"?/.test(headers.link)) return all;
    const total = Number(headers['x-total-count'] ?? Number.NaN);
    if (headers.link === undefined && all.length >= total) return all;
  }
  throw new GitHubError({ kind: 'other', goal: purpose.goal, what: `the list has more than ${mostPages} pages` });
}
