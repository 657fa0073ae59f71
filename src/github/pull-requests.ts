import { isObject, optionalObject } from '../http/shape.ts';
import { oneLine } from '../text/inert.ts';
import type { GitHub, GraphQLResponse, Purpose } from './client.ts';
import { GitHubError, grant } from './errors.ts';
import { readStatesByRest } from './rest.ts';
import type { StateQuery, States } from './states.ts';

/** Pull requests per query; as many refs fit into the same query. */
const perQuery = 100;

export type { PullRequestState, StateQuery, States } from './states.ts';

/**
 * The states of pull requests and refs, with one query for every hundred. Throws a `GitHubError` if the token may not read any;
 * after another error, the rest is missing.
 */
export async function readStates(github: GitHub, wanted: StateQuery): Promise<States> {
  const pullRequests = [...new Set(wanted.pullRequests)].sort((a, b) => a - b);
  const [headRefs, gitRefs] = [allForms(wanted.headRefs), allForms(wanted.gitRefs)];
  if (!github.hasGraphQL) {
    const states = await readStatesByRest(github, purpose, { pullRequests, headRefs, gitRefs });
    return byAnyForm(wanted, states);
  }
  const most = Math.max(pullRequests.length, headRefs.length, gitRefs.length);
  const read: States = { pullRequests: new Map(), openByHead: new Map(), gitRefs: new Map(), responded: false };
  for (let start = 0; start < most; start += perQuery) {
    const part = <T>(all: T[]) => all.slice(start, start + perQuery);
    const some = { pullRequests: part(pullRequests), headRefs: part(headRefs), gitRefs: part(gitRefs) };
    try {
      const response = await send(github, some);
      read.responded = true;
      addStates(read, some, { response, repository: repositoryIn(github, response, purpose) });
      const [error] = response.errors;
      if (error) read.problem ??= oneLine(error.message, 200);
    } catch (error) {
      if (!(error instanceof GitHubError) || error.isPermanent) throw error;
      // GitHub is failing or rate-limiting; more requests would only make it worse.
      read.problem = error.what;
      break;
    }
  }
  return byAnyForm(wanted, read);
}

function byAnyForm(wanted: StateQuery, read: States): States {
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
  return github.graphql(gitRefs.length > 0 ? { ...purpose, permission: bothPermissions } : purpose, text, variables);
}

const bothPermissions = 'pull-requests: read, contents: read';

function addStates(
  states: States,
  { pullRequests, headRefs, gitRefs }: StateQuery,
  { response, repository }: { response: GraphQLResponse; repository: Record<string, unknown> },
): void {
  for (const number of pullRequests) {
    const { state, closedAt } = optionalObject(repository[`p${number}`]);
    if (state !== 'OPEN' && state !== 'CLOSED' && state !== 'MERGED') continue;
    const open = state === 'OPEN';
    const time = typeof closedAt === 'string' ? Date.parse(closedAt) : Number.NaN;
    const known = !open && !Number.isNaN(time);
    states.pullRequests.set(number, { open, closedAt: known ? time : undefined });
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
    else if (found === null && response.errors.length === 0) states.gitRefs.set(ref, false);
  }
}

/** The repository in a response; throws if there is none, because the token may not see it. */
export function repositoryIn(
  github: GitHub,
  response: GraphQLResponse,
  { goal, permission }: Purpose,
): Record<string, unknown> {
  const { repository } = optionalObject(response.data);
  if (isObject(repository)) return repository;
  const what = `the token cannot see repository ${github.owner}/${github.repo}. ${grant(permission, 'a token for that repository')}`;
  throw new GitHubError({ kind: 'missing', goal, what });
}
