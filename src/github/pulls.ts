import { optionalObject, text } from '../http/shape.ts';
import type { Json } from '../text/json.ts';
import type { GitHub } from './client.ts';
import { GitHubError, type Purpose } from './errors.ts';

/** A pull request, as far as the action reads it. Times are milliseconds since the epoch, `NaN` if there is no readable one. */
export interface PullRequest {
  number: number;
  /** Neither closed nor merged. */
  open: boolean;
  closedAt: number;
  updatedAt: number;
  /** The git branch that it is from, without `refs/heads/`, and the owner of the repository that has it; empty if that is gone. */
  headRef: string;
  headOwner: string;
}

function reading(github: GitHub, what: string): Purpose {
  // On Gitea, a private repository's pull requests can't be read without the permission to read its contents.
  const permission = github.isGitea ? 'contents: read, pull-requests: read' : 'pull-requests: read';
  return { goal: `read ${what}`, permission };
}

/** The state of one pull request; undefined if there is none with this number, or the token may not see the repository. */
export async function readPullRequest(
  github: GitHub,
  repository: string,
  number: number,
): Promise<PullRequest | undefined> {
  const purpose = reading(github, `pull request #${number} of ${repository}`);
  return unlessMissing(github.request(purpose, 'GET', `${pathOf(repository)}/pulls/${number}`).then(pullRequestIn));
}

/** Pull requests page by page: the newest first, or those that were updated last first. */
export async function* pagesOfPullRequests(
  github: GitHub,
  repository: string,
  { state, by }: { state: 'open' | 'all'; by: 'number' | 'update' },
): AsyncGenerator<PullRequest[]> {
  const purpose = reading(github, `the pull requests of ${repository}`);
  const sort: Record<string, string> =
    by === 'number' ? {} : { sort: github.isGitea ? 'recentupdate' : 'updated', direction: 'desc' };
  for await (const page of github.pages(purpose, `${pathOf(repository)}/pulls`, { state, ...sort })) {
    yield page.map(pullRequestIn);
  }
}

/** The open pull requests to a repository from the git branch `ref` of `owner`'s. */
export async function openPullRequestsFrom(
  github: GitHub,
  repository: string,
  { owner, ref }: { owner: string; ref: string },
): Promise<PullRequest[]> {
  const purpose = reading(github, `the pull requests of ${repository}`);
  const query = { state: 'open', head: `${owner}:${ref}` };
  const found: PullRequest[] = [];
  for await (const page of github.pages(purpose, `${pathOf(repository)}/pulls`, query)) {
    // Gitea ignores `head`.
    const same = page.map(pullRequestIn).filter(({ open, headRef, headOwner }) => {
      return open && headRef === ref && headOwner.toLowerCase() === owner.toLowerCase();
    });
    found.push(...same);
  }
  return found;
}

/** Whether a git branch or tag exists: `refs/heads/feature/x`. */
export async function gitRefExists(github: GitHub, repository: string, fullRef: string): Promise<boolean> {
  const purpose = { goal: `read ${fullRef} of ${repository}`, permission: 'contents: read' };
  const [, kind, name = ''] = /^refs\/(heads|tags)\/(.*)$/s.exec(fullRef) ?? [];
  const kinds = kind === 'heads' ? 'branches' : github.isGitea ? 'tags' : 'git/ref/tags';
  const path = `${pathOf(repository)}/${kinds}/${encodeURIComponent(name)}`;
  const found = await unlessMissing(github.request(purpose, 'GET', path));
  if (found) return true;
  // A token that may not see the repository gets the same 404.
  await github.request(purpose, 'GET', pathOf(repository));
  return false;
}

export async function readGitBranches(github: GitHub, repository: string): Promise<string[]> {
  const purpose = { goal: `list the git branches of ${repository}`, permission: 'contents: read' };
  const names: string[] = [];
  for await (const page of github.pages(purpose, `${pathOf(repository)}/branches`)) {
    names.push(...page.map(({ name }) => String(name)));
  }
  return names;
}

export function readRepository(github: GitHub, repository: string): Promise<Json> {
  return github.request(reading(github, `repository ${repository}`), 'GET', pathOf(repository));
}

export function pathOf(repository: string): string {
  return `/repos/${repository.split('/').map(encodeURIComponent).join('/')}`;
}

async function unlessMissing<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof GitHubError && error.kind === 'missing') return undefined;
    throw error;
  }
}

function pullRequestIn({ number, state, closed_at, merged_at, updated_at, head }: Json): PullRequest {
  const { ref, label, repo } = optionalObject(head);
  return {
    number: Number(number),
    // What can't be read counts as open.
    open: state !== 'closed',
    closedAt: time(closed_at ?? merged_at),
    updatedAt: time(updated_at),
    // On Gitea, once the git branch is gone, only the label has its name.
    headRef: text(/^refs\/pull\//.test(text(ref)) ? label : ref),
    headOwner: text(optionalObject(optionalObject(repo).owner).login),
  };
}

function time(value: unknown): number {
  return Date.parse(text(value));
}
