import type { GitHub } from './client.ts';
import { GitHubError } from './errors.ts';
import { repositoryIn } from './pull-requests.ts';
import { listGitBranchesByRest } from './rest.ts';

const purpose = { goal: 'list the git branches', permission: 'contents: read' };

const query = `query ($owner: String!, $name: String!, $after: String) {
  repository(owner: $owner, name: $name) {
    defaultBranchRef { name }
    refs(refPrefix: "refs/heads/", first: 100, after: $after) { nodes { name } pageInfo { hasNextPage endCursor } }
  }
}`;

/**
 * The names of all git branches of the repository; or why they could not all be read, because part of the list must never be taken
 * for all of it (`failed`: because GitHub did not respond, or with an error). Throws a `GitHubError` if the token may not read them.
 */
export async function listGitBranches(
  github: GitHub,
): Promise<{ names: string[] } | { problem: string; failed?: boolean }> {
  if (!github.hasGraphQL) return namesByRest(github);
  const names: string[] = [];
  const seen = new Set<string>();
  let defaultBranch: unknown;
  let after: string | null = null;
  try {
    do {
      const response = await github.graphql(purpose, query, { owner: github.owner, name: github.repo, after });
      const repository = repositoryIn(github, response, purpose);
      const page = readPage(repository.refs);
      if (!page) return { problem: response.errors[0]?.message ?? 'the response has no list of git branches' };
      names.push(...page.names);
      defaultBranch = (repository.defaultBranchRef as { name?: unknown } | null | undefined)?.name;
      after = page.next;
      // A repeated cursor would loop forever.
      if (after !== null && seen.has(after)) return { problem: 'the response repeats a page' };
      if (after !== null) seen.add(after);
    } while (after !== null);
    // Every repository has its default branch, so a list without it is not complete.
    if (!names.some((name) => name === defaultBranch)) return { problem: 'the list lacks the default branch' };
    return { names };
  } catch (error) {
    if (!(error instanceof GitHubError) || error.isPermanent) throw error;
    return { problem: error.what, failed: true };
  }
}

async function namesByRest(github: GitHub): ReturnType<typeof listGitBranches> {
  try {
    return { names: await listGitBranchesByRest(github, purpose) };
  } catch (error) {
    if (!(error instanceof GitHubError) || error.isPermanent) throw error;
    return { problem: error.what, failed: error.kind === 'transient' };
  }
}

/** One page, or undefined if any part of it is invalid. */
function readPage(refs: unknown): { names: string[]; next: string | null } | undefined {
  const { nodes, pageInfo } = (refs ?? {}) as {
    nodes?: unknown;
    pageInfo?: { hasNextPage?: unknown; endCursor?: unknown };
  };
  if (!Array.isArray(nodes) || typeof pageInfo?.hasNextPage !== 'boolean') return undefined;
  const names: unknown[] = nodes.map((node) => (node as { name?: unknown } | null)?.name);
  if (!names.every((name) => typeof name === 'string')) return undefined;
  if (!pageInfo.hasNextPage) return { names, next: null };
  return typeof pageInfo.endCursor === 'string' ? { names, next: pageInfo.endCursor } : undefined;
}
