import type { CommentSubject } from '../report/comment.ts';
import { limits } from '../runner/limits.ts';
import type { GitHub, Octokit } from './client.ts';
import { GitHubError } from './errors.ts';
import { tokenOwnerByRest } from './rest.ts';

type Comment = Awaited<ReturnType<Octokit['rest']['issues']['listComments']>>['data'][number];

/** The desired state of a comment on a pull request. */
interface DesiredComment {
  /** Number of the pull request. */
  number: number;
  subject: CommentSubject;
  body: string;
  /** Whether it is created if there is none yet; otherwise only an existing one is updated. */
  createIfMissing: boolean;
}

/** Attempts to write a comment whose create lost its response, or that was deleted in the meantime. */
const maxAttempts = 3;

const reading = (number: number) => ({
  goal: `read the comments of pull request #${number}`,
  permission: 'pull-requests: write',
});
const writing = (number: number) => ({
  goal: `write the comment on pull request #${number}`,
  permission: 'pull-requests: write',
});

/**
 * Creates or updates the comment and returns its URL and whether it is new; undefined if there is none and none is to be created. It is found by its
 * marker and its author, on all pages; of several, the oldest is kept and the others are deleted.
 */
export async function upsertComment(
  github: GitHub,
  desired: DesiredComment,
): Promise<{ url: string; isNew: boolean } | undefined> {
  const author = await tokenOwner(github);
  for (let attempt = 1; ; attempt++) {
    const [oldest, ...duplicates] = await ownComments(github, { ...desired, author });
    if (!oldest && !desired.createIfMissing) return undefined;
    try {
      for (const duplicate of duplicates) await remove(github, desired, duplicate.id);
      if (oldest) return { url: await update(github, desired, oldest), isNew: false };
      const created = await create(github, desired);
      return await mergeWithOlder(github, { ...desired, author, created });
    } catch (error) {
      // Either the response to a create was lost, or the comment to update was deleted: look again.
      const canRetry =
        error instanceof GitHubError && (error.kind === 'missing' || (error.kind === 'transient' && !oldest));
      if (!canRetry || attempt >= maxAttempts) throw error;
    }
  }
}

/** Another run may have created its comment at the same time. The older one is kept, with the newer text. */
async function mergeWithOlder(
  github: GitHub,
  options: DesiredComment & { author: string | undefined; created: { id: number; html_url: string } },
): Promise<{ url: string; isNew: boolean }> {
  const { created, ...desired } = options;
  const [oldest] = await ownComments(github, desired);
  if (!oldest || oldest.id >= created.id) return { url: created.html_url, isNew: true };
  await remove(github, desired, created.id);
  return { url: await update(github, desired, oldest), isNew: false };
}

/**
 * The login of the token's owner. The workflow's own token writes as `github-actions[bot]`. Undefined on another forge that does not
 * tell the token of a job whose it is.
 */
async function tokenOwner(github: GitHub): Promise<string | undefined> {
  const purpose = { goal: 'read the owner of the token', permission: 'pull-requests: write' };
  if (!github.hasGraphQL) return tokenOwnerByRest(github, purpose);
  const fallback = 'github-actions[bot]';
  try {
    const response = await github.graphql(purpose, 'query { viewer { login } }', {});
    const { login } = (response.data as { viewer?: { login?: unknown } }).viewer ?? {};
    return typeof login === 'string' && login !== '' ? login : fallback;
  } catch (error) {
    // A token that GitHub rejects fails the next request too, with a better message.
    if (error instanceof GitHubError && error.kind !== 'transient') return fallback;
    throw error;
  }
}

/** As whom the token of a job writes on other forges: `gitea-actions`, `forgejo-actions`. */
const jobUser = /^[a-z]+-actions(\[bot\])?$/i;

/** GraphQL and REST do not agree on whether the login of a bot ends in `[bot]`. */
function isBy(comment: Comment, author: string | undefined): boolean {
  const bare = (login: string) => login.replace(/\[bot\]$/, '').toLowerCase();
  const login = comment.user?.login ?? '';
  if (author === undefined) return jobUser.test(login);
  const sameKind = !author.endsWith('[bot]') || comment.user?.type === 'Bot';
  return sameKind && bare(login) === bare(author);
}

/** This token's own comments with the marker, oldest first. */
async function ownComments(
  github: GitHub,
  options: DesiredComment & { author: string | undefined },
): Promise<Comment[]> {
  const { number, subject, author } = options;
  const own: Comment[] = [];
  for (let page = 1; ; page++) {
    const response = await github.rest(reading(number), (octokit, request) =>
      octokit.rest.issues.listComments({
        owner: github.owner,
        repo: github.repo,
        issue_number: number,
        per_page: limits.commentsPerPage,
        page,
        request,
      }),
    );
    own.push(...response.data.filter((one) => isBy(one, author) && hasMarker(one.body ?? '', subject)));
    const more = /\brel="next"/.test(response.headers.link ?? '');
    if (!more || response.data.length === 0) return own.sort((a, b) => a.id - b.id);
  }
}

async function create(github: GitHub, { number, body }: DesiredComment): Promise<{ id: number; html_url: string }> {
  // Not idempotent: if its response is lost, the next attempt looks for the comment first.
  const response = await github.rest({ ...writing(number), idempotent: false }, (octokit, request) =>
    octokit.rest.issues.createComment({ owner: github.owner, repo: github.repo, issue_number: number, body, request }),
  );
  return response.data;
}

async function update(github: GitHub, { number, body }: DesiredComment, comment: Comment): Promise<string> {
  if (comment.body === body) return comment.html_url;
  const response = await github.rest(writing(number), (octokit, request) =>
    octokit.rest.issues.updateComment({
      owner: github.owner,
      repo: github.repo,
      comment_id: comment.id,
      body,
      request,
    }),
  );
  return response.data.html_url;
}

async function remove(github: GitHub, { number }: DesiredComment, id: number): Promise<void> {
  try {
    await github.rest(writing(number), (octokit, request) =>
      octokit.rest.issues.deleteComment({ owner: github.owner, repo: github.repo, comment_id: id, request }),
    );
  } catch (error) {
    if (!(error instanceof GitHubError && error.kind === 'missing')) throw error;
  }
}

const pattern = /^\s*<!-- database-branch (\S+) -->/;

/** Hidden at the start of a comment, so that a later run finds it. */
export function writeMarker(subject: CommentSubject): string {
  // The encoding has no `>`, so nothing in it can end the HTML comment.
  return `<!-- database-branch ${new URLSearchParams({ ...subject })} -->`;
}

/** Whether a comment starts with the marker of this subject. A marker anywhere else may be a quotation. */
export function hasMarker(body: string, subject: CommentSubject): boolean {
  const query = pattern.exec(body)?.[1];
  if (query === undefined) return false;
  const found = new URLSearchParams(query);
  return Object.entries(subject).every(([name, value]) => found.get(name) === value);
}
