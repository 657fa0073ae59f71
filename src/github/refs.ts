import type { GitHub } from './client.ts';
import { GitHubError } from './errors.ts';
import { repositoryIn } from './pull-requests.ts';

const need = { goal: 'list the git branches', permission: 'contents: read' };

const query = `query ($owner: String!, $name: String!, $after: String) {
  repository(owner: $owner, name: $name) {
    defaultBranchRef { name }
    refs(refPrefix: "refs/heads/", first: 100, after: $after) { nodes { name } pageInfo { hasNextPage endCursor } }
  }
}`;

/**
 * The names of all git branches of the repository, a hundred in a query; or, where they could not all be read, why.
 * Throws a `GitHubError` where the token may not read them.
 */
export async function listGitBranches(github: GitHub): Promise<{ names: string[] } | { problem: string }> {
  const names: string[] = [];
  const seen = new Set<string>();
  let usual: unknown;
  let after: string | null = null;
  try {
    do {
      const answer = await github.graphql(need, query, { owner: github.owner, name: github.repo, after });
      const repository = repositoryIn(github, answer, need);
      const page = readPage(repository.refs);
      if (!page) return { problem: answer.errors[0]?.message ?? 'GitHub answered without the list of git branches' };
      names.push(...page.names);
      usual = (repository.defaultBranchRef as { name?: unknown } | null | undefined)?.name;
      after = page.next;
      // A cursor that comes back would go round for ever, and part of a list must never be taken for the whole.
      if (after !== null && seen.has(after)) return { problem: 'GitHub answered with the same page again' };
      if (after !== null) seen.add(after);
    } while (after !== null);
    // A list without the one branch that every repository has is not the whole list, however complete it looks.
    if (!names.some((name) => name === usual)) return { problem: 'GitHub listed them without the default branch' };
    return { names };
  } catch (error) {
    if (!(error instanceof GitHubError) || error.kind === 'denied' || error.kind === 'missing') throw error;
    return { problem: error.message };
  }
}

/** One page, or undefined where any part of it is not as it should be. */
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
