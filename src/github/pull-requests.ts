import { oneLine } from '../text/inert.ts';
import type { GitHub, GraphQLAnswer } from './client.ts';
import { GitHubError } from './errors.ts';

/** Pull requests that one query asks for. */
const perQuery = 100;

export interface PullRequestStates {
  /** Those that are certainly closed, or merged. */
  closed: Set<number>;
  /** Those whose state could not be read. */
  unread: number[];
  /** Why, where there are any. */
  problem?: string;
}

/**
 * The state of many pull requests, a hundred in a query. One that cannot be read is in neither set of open and closed.
 * Throws a `GitHubError` where the token may not read pull requests at all.
 */
export async function pullRequestStates(github: GitHub, numbers: number[]): Promise<PullRequestStates> {
  const closed = new Set<number>();
  const unread: number[] = [];
  let problem: string | undefined;
  const wanted = [...new Set(numbers)].sort((a, b) => a - b);
  for (let start = 0; start < wanted.length; start += perQuery) {
    const some = wanted.slice(start, start + perQuery);
    try {
      const answer = await ask(github, some);
      const states = statesIn(github, answer);
      for (const number of some) {
        const state = states.get(number);
        if (state === 'CLOSED' || state === 'MERGED') closed.add(number);
        else if (state !== 'OPEN') unread.push(number);
      }
      const [fault] = answer.errors;
      if (fault) problem ??= oneLine(fault.message, 200);
    } catch (error) {
      if (!(error instanceof GitHubError) || error.kind === 'denied' || error.kind === 'missing') throw error;
      // GitHub is in trouble, or at its limit: asking for the rest would only make it worse.
      unread.push(...wanted.slice(start));
      problem = error.message;
      break;
    }
  }
  return { closed, unread, ...(problem !== undefined && unread.length > 0 ? { problem } : {}) };
}

const need = { goal: 'read the state of pull requests', permission: 'pull-requests: read' };

function ask(github: GitHub, numbers: number[]): Promise<GraphQLAnswer> {
  const fields = numbers.map((number) => `p${number}: pullRequest(number: ${number}) { state }`).join(' ');
  const query = `query ($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { ${fields} } }`;
  return github.graphql(need, query, { owner: github.owner, name: github.repo });
}

function statesIn(github: GitHub, answer: GraphQLAnswer): Map<number, unknown> {
  const repository = repositoryIn(github, answer, need);
  return new Map(
    Object.entries(repository).map(([alias, pullRequest]) => [
      Number(alias.slice(1)),
      typeof pullRequest === 'object' && pullRequest !== null && 'state' in pullRequest ? pullRequest.state : undefined,
    ]),
  );
}

/** The repository's part of an answer; throws where there is none, because GitHub shows the token no such repository. */
export function repositoryIn(
  github: GitHub,
  answer: GraphQLAnswer,
  { goal, permission }: { goal: string; permission: string },
): Record<string, unknown> {
  const data = answer.data as { repository?: unknown };
  if (typeof data.repository === 'object' && data.repository !== null)
    return data.repository as Record<string, unknown>;
  throw new GitHubError(
    'missing',
    `Could not ${goal}: GitHub shows the token no repository ${github.owner}/${github.repo}. Give the job \`permissions: ${permission}\`, or \`github_token\` a token of that repository.`,
  );
}
