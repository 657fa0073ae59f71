import { forEachLimited } from '../http/concurrent.ts';
import { optionalObject } from '../http/shape.ts';
import { oneLine } from '../text/inert.ts';
import { isObject } from '../text/json.ts';
import type { GitHub, GraphQLResponse, Purpose } from './client.ts';
import { GitHubError, grant, unreadable } from './errors.ts';

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

/** Pull requests per query; as many refs fit into the same query. */
const perQuery = 100;

export function noStates(): States {
  return { pullRequests: new Map(), openByHead: new Map(), gitRefs: new Map(), responded: false };
}

/**
 * The states of pull requests and refs, with one query for every hundred. Throws a `GitHubError` if the token may not read any;
 * after another error, the rest is missing.
 */
export async function readStates(github: GitHub, wanted: StateQuery): Promise<States> {
  const read = noStates();
  const all = {
    pullRequests: [...new Set(wanted.pullRequests)].sort((a, b) => a - b),
    headRefs: allForms(wanted.headRefs),
    gitRefs: allForms(wanted.gitRefs),
  };
  try {
    await (github.hasGraphQL ? readByGraphQL(github, all, read) : readByRest(github, all, read));
  } catch (error) {
    if (!(error instanceof GitHubError) || error.isPermanent) throw error;
    // GitHub is failing or rate-limiting; more requests would only make it worse.
    read.problem = error.what;
  }
  return {
    ...read,
    openByHead: ofAnyForm(wanted.headRefs, read.openByHead),
    gitRefs: ofAnyForm(wanted.gitRefs, read.gitRefs),
  };
}

/** A ref in the Unicode forms that it may have on GitHub, which compares bytes. */
function formsOf(ref: string): string[] {
  return [ref, ref.normalize('NFC'), ref.normalize('NFD')];
}

function allForms(refs: string[]): string[] {
  return [...new Set(refs.flatMap(formsOf))];
}

/** The state of each ref: that of a form with an open pull request or a git branch, else of all forms. */
function ofAnyForm<T>(refs: string[], byForm: Map<string, T>): Map<string, T> {
  const found = new Map<string, T>();
  for (const ref of refs) {
    const states = formsOf(ref).map((form) => byForm.get(form));
    const [state] = states.includes(undefined) ? [] : states;
    const one = states.find(Boolean) ?? state;
    if (one !== undefined) found.set(ref, one);
  }
  return found;
}

const purpose = { goal: 'read the state of pull requests', permission: 'pull-requests: read' };

async function readByGraphQL(github: GitHub, wanted: StateQuery, read: States): Promise<void> {
  const most = Math.max(...Object.values(wanted).map(({ length }) => length));
  for (let start = 0; start < most; start += perQuery) {
    const part = <T>(all: T[]) => all.slice(start, start + perQuery);
    const { pullRequests, headRefs, gitRefs } = wanted;
    const some = { pullRequests: part(pullRequests), headRefs: part(headRefs), gitRefs: part(gitRefs) };
    const response = await send(github, some);
    read.responded = true;
    addStates(read, some, { repository: repositoryIn(github, response, purpose), errors: response.errors });
    const [error] = response.errors;
    if (error) read.problem ??= oneLine(error.message, 200);
  }
}

function send(github: GitHub, { pullRequests, headRefs, gitRefs }: StateQuery): Promise<GraphQLResponse> {
  const variables: Record<string, string> = { owner: github.owner, name: github.repo };
  const fields = pullRequests.map((number) => `p${number}: pullRequest(number: ${number}) { state closedAt }`);
  for (const [index, ref] of headRefs.entries()) {
    variables[`h${index}`] = ref;
    fields.push(`h${index}: pullRequests(states: OPEN, headRefName: $h${index}, first: 1) { nodes { number } }`);
  }
  for (const [index, ref] of gitRefs.entries()) {
    variables[`g${index}`] = `refs/heads/${ref}`;
    fields.push(`g${index}: ref(qualifiedName: $g${index}) { name }`);
  }
  const parameters = Object.keys(variables).map((name) => `$${name}: String!`);
  const text = `query (${parameters.join(', ')}) { repository(owner: $owner, name: $name) { ${fields.join(' ')} } }`;
  const permission = gitRefs.length > 0 ? `${purpose.permission}, contents: read` : purpose.permission;
  return github.graphql({ ...purpose, permission }, text, variables);
}

function addStates(
  states: States,
  { pullRequests, headRefs, gitRefs }: StateQuery,
  { repository, errors }: { repository: Record<string, unknown>; errors: GraphQLResponse['errors'] },
): void {
  for (const number of pullRequests) {
    const { state, closedAt } = optionalObject(repository[`p${number}`]);
    if (state !== 'OPEN' && state !== 'CLOSED' && state !== 'MERGED') continue;
    states.pullRequests.set(number, stateOf(state === 'OPEN', closedAt));
  }
  for (const [index, ref] of headRefs.entries()) {
    const { nodes } = optionalObject(repository[`h${index}`]);
    if (!Array.isArray(nodes)) continue;
    const numbers = nodes.map((node) => optionalObject(node).number);
    // 0 stands for none.
    if (numbers.every((number) => typeof number === 'number' && number > 0)) {
      states.openByHead.set(ref, (numbers[0] as number | undefined) ?? 0);
    }
  }
  for (const [index, ref] of gitRefs.entries()) {
    const found = repository[`g${index}`];
    if (typeof optionalObject(found).name === 'string') states.gitRefs.set(ref, true);
    // GitHub also sends null, next to an error, for a ref that it could not read.
    else if (found === null && errors.length === 0) states.gitRefs.set(ref, false);
  }
}

function stateOf(open: boolean, closedAt: unknown): PullRequestState {
  const time = typeof closedAt === 'string' ? Date.parse(closedAt) : Number.NaN;
  return { open, closedAt: open || Number.isNaN(time) ? undefined : time };
}

/** The repository in a response; throws if there is none, because the token may not see it. */
function repositoryIn(
  github: GitHub,
  response: GraphQLResponse,
  { goal, permission }: Purpose,
): Record<string, unknown> {
  const { repository } = optionalObject(response.data);
  if (isObject(repository)) return repository;
  const what = `the token cannot see repository ${github.owner}/${github.repo}. ${grant(permission, 'a token for that repository')}`;
  throw new GitHubError({ kind: 'missing', goal, what });
}

/**
 * Reads by REST what GitHub's GraphQL API says in one query. Other forges (Gitea, Forgejo) have REST routes like GitHub's, and no
 * GraphQL.
 */
async function readByRest(github: GitHub, wanted: StateQuery, read: States): Promise<void> {
  await forEachLimited(wanted.pullRequests, atOnce, (number) => readPullRequest(github, number, read));
  if (wanted.headRefs.length > 0) {
    const open = await github.list(purpose, '/pulls', { state: 'open' });
    read.responded = true;
    const numbers = new Map(open.map((one) => [optionalObject(one.head).ref, one.number]));
    for (const ref of wanted.headRefs) read.openByHead.set(ref, Number(numbers.get(ref) ?? 0));
  }
  if (wanted.gitRefs.length > 0) {
    const branches = await github.list(purpose, '/branches');
    read.responded = true;
    const names = new Set(branches.map(({ name }) => name));
    for (const ref of wanted.gitRefs) read.gitRefs.set(ref, names.has(ref));
  }
}

/** How many pull requests or runs are read at the same time. */
const atOnce = 8;

async function readPullRequest(github: GitHub, number: number, read: States): Promise<void> {
  try {
    const pull = await github.request(purpose, 'GET', `/pulls/${number}`);
    read.responded = true;
    if (pull.number !== number || (pull.state !== 'open' && pull.state !== 'closed')) return;
    read.pullRequests.set(number, stateOf(pull.state === 'open', pull.closed_at ?? pull.merged_at));
  } catch (error) {
    // It is an issue, or was deleted: it counts as open.
    if (!(error instanceof GitHubError && error.kind === 'missing')) throw error;
    read.responded = true;
    read.problem ??= error.what;
  }
}

const listing = { goal: 'list the git branches', permission: 'contents: read' };

const branchQuery = `query ($owner: String!, $name: String!, $after: String) {
  repository(owner: $owner, name: $name) {
    defaultBranchRef { name }
    refs(refPrefix: "refs/heads/", first: 100, after: $after) { nodes { name } pageInfo { hasNextPage endCursor } }
  }
}`;

/**
 * The names of all git branches of the repository. Throws a `GitHubError` if they could not all be read, because part of the list must never be
 * taken for all of it; it has a `cause` if GitHub did not respond, or with an error.
 */
export async function listGitBranches(github: GitHub): Promise<string[]> {
  const { names, defaultBranch } = await (github.hasGraphQL ? gitBranches(github) : gitBranchesByRest(github));
  // Every repository has its default branch, so a list without it is not complete.
  if (names.some((name) => name === defaultBranch)) return names;
  throw unreadable(listing, "GitHub's list lacks the repository's default branch");
}

interface GitBranches {
  names: string[];
  defaultBranch: unknown;
}

async function gitBranchesByRest(github: GitHub): Promise<GitBranches> {
  const branches = await github.list(listing, '/branches');
  const { default_branch: defaultBranch } = await github.request(listing, 'GET', '');
  return { names: branches.map(({ name }) => String(name)), defaultBranch };
}

async function gitBranches(github: GitHub): Promise<GitBranches> {
  const names: string[] = [];
  const seen = new Set<unknown>();
  for (let after: string | null = null; ; ) {
    const response: GraphQLResponse = await github.graphql(listing, branchQuery, {
      owner: github.owner,
      name: github.repo,
      after,
    });
    const { refs, defaultBranchRef } = repositoryIn(github, response, listing);
    const page = readPage(refs);
    if (!page) throw unreadable(listing, response.errors[0]?.message ?? 'the response has no list of git branches');
    names.push(...page.names);
    after = page.next;
    if (after === null) return { names, defaultBranch: optionalObject(defaultBranchRef).name };
    // A repeated cursor would loop forever.
    if (seen.has(after)) throw unreadable(listing, 'the response repeats a page');
    seen.add(after);
  }
}

/** One page, or undefined if any part of it is invalid. */
function readPage(refs: unknown): { names: string[]; next: string | null } | undefined {
  const { nodes, pageInfo } = optionalObject(refs);
  const { hasNextPage, endCursor } = optionalObject(pageInfo);
  if (!Array.isArray(nodes) || typeof hasNextPage !== 'boolean') return undefined;
  const names: unknown[] = nodes.map((node) => optionalObject(node).name);
  if (!names.every((name) => typeof name === 'string')) return undefined;
  if (!hasNextPage) return { names, next: null };
  return typeof endCursor === 'string' ? { names, next: endCursor } : undefined;
}

/** A workflow run. What could not be read is not among the runs. */
export interface WorkflowRun {
  ended: boolean;
  /** The latest attempt; the earlier ones have ended. */
  attempt: number;
}

/** The state of workflow runs by their ID, and why some could not be read. Never fails because of GitHub's response. */
export async function readRuns(
  github: GitHub,
  ids: string[],
): Promise<{ runs: Map<string, WorkflowRun>; problem?: string }> {
  const runs = new Map<string, WorkflowRun>();
  let problem: string | undefined;
  await forEachLimited(ids, atOnce, async (id) => {
    // GitHub would fail for the next ones too.
    if (problem !== undefined) return;
    try {
      const run = await readRun(github, id);
      if (run) runs.set(id, run);
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      // A 404 doesn't say whether the run was deleted or the token may not see it.
      if (error.kind !== 'missing') problem ??= error.what;
    }
  });
  return { runs, problem };
}

async function readRun(github: GitHub, id: string): Promise<WorkflowRun | undefined> {
  const purpose = { goal: 'read the state of workflow runs', permission: 'actions: read' };
  const run = await github.request(purpose, 'GET', `/actions/runs/${encodeURIComponent(id)}`);
  if (String(run.id) !== id || typeof run.status !== 'string') return undefined;
  return { ended: run.status === 'completed', attempt: typeof run.run_attempt === 'number' ? run.run_attempt : 1 };
}
