import { oneLine } from '../text/inert.ts';
import type { GitHub, Purpose } from './client.ts';
import { GitHubError } from './errors.ts';
import type { GraphQLResponse } from './graphql.ts';
import { grant } from './responses.ts';

/** Pull requests per query. */
const perQuery = 100;

export interface PullRequestStates {
  /** Those that are certainly closed or merged. */
  closed: Set<number>;
  /** Those whose state could not be read. */
  unread: number[];
  /** Why, if there are any. */
  problem?: string;
}

/** The states of pull requests. Throws a `GitHubError` if the token may not read any. */
export async function pullRequestStates(github: GitHub, numbers: number[]): Promise<PullRequestStates> {
  const closed = new Set<number>();
  const unread: number[] = [];
  let problem: string | undefined;
  const sorted = [...new Set(numbers)].sort((a, b) => a - b);
  for (let start = 0; start < sorted.length; start += perQuery) {
    const some = sorted.slice(start, start + perQuery);
    try {
      const response = await query(github, some);
      const states = statesIn(github, response);
      for (const number of some) {
        const state = states.get(number);
        if (state === 'CLOSED' || state === 'MERGED') closed.add(number);
        else if (state !== 'OPEN') unread.push(number);
      }
      const [error] = response.errors;
      if (error) problem ??= oneLine(error.message, 200);
    } catch (error) {
      if (!(error instanceof GitHubError) || error.isPermanent) throw error;
      // GitHub is failing or rate-limiting; more requests would only make it worse.
      unread.push(...sorted.slice(start));
      problem = error.what;
      break;
    }
  }
  return { closed, unread, ...(problem !== undefined && unread.length > 0 ? { problem } : {}) };
}

const purpose = { goal: 'read the state of pull requests', permission: 'pull-requests: read' };

function query(github: GitHub, numbers: number[]): Promise<GraphQLResponse> {
  const fields = numbers.map((number) => `p${number}: pullRequest(number: ${number}) { state }`).join(' ');
  const text = `query ($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { ${fields} } }`;
  return github.graphql(purpose, text, { owner: github.owner, name: github.repo });
}

function statesIn(github: GitHub, response: GraphQLResponse): Map<number, unknown> {
  const repository = repositoryIn(github, response, purpose);
  return new Map(
    Object.entries(repository).map(([alias, pullRequest]) => [
      Number(alias.slice(1)),
      typeof pullRequest === 'object' && pullRequest !== null && 'state' in pullRequest ? pullRequest.state : undefined,
    ]),
  );
}

/** The repository in a response; throws if there is none, because the token may not see it. */
export function repositoryIn(
  github: GitHub,
  response: GraphQLResponse,
  { goal, permission }: Purpose,
): Record<string, unknown> {
  const data = response.data as { repository?: unknown };
  if (typeof data.repository === 'object' && data.repository !== null)
    return data.repository as Record<string, unknown>;
  const what = `the token cannot see repository ${github.owner}/${github.repo}. ${grant(permission, 'a token for that repository')}`;
  throw new GitHubError({ kind: 'missing', goal, what });
}
