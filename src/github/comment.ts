import { optionalObject } from '../http/shape.ts';
import type { Json } from '../text/json.ts';
import type { GitHub } from './client.ts';
import { GitHubError } from './errors.ts';
import { pathOf } from './pulls.ts';

/** What a comment is about: a pull request has one comment per subject. Other runs must give the same names and values. */
export type CommentSubject = Readonly<Record<string, string>>;

/**
 * Creates or updates the comment on a pull request and returns its URL and whether it is new; undefined if there is none and none is to be
 * created. It is found by its marker and its author, on all pages. It is written once: if the response is lost, there may be a second one.
 */
export async function upsertComment(
  github: GitHub,
  comment: {
    /** `owner/name`. */
    repository: string;
    number: number;
    subject: CommentSubject;
    /** It starts with the marker of the subject. */
    body: string;
    createIfMissing: boolean;
  },
): Promise<{ url: string; isNew: boolean } | undefined> {
  const { repository, number, subject, body, createIfMissing } = comment;
  const path = `${pathOf(repository)}/issues`;
  const permission = 'pull-requests: write';
  const writing = { goal: `write the comment on pull request #${number}`, permission };
  const author = await tokenOwner(github);
  const reading = { goal: `read the comments of pull request #${number}`, permission };
  for await (const page of github.pages(reading, `${path}/${number}/comments`)) {
    const own = page.find((one) => isBy(one, author) && hasMarker(String(one.body), subject));
    if (!own) continue;
    const updated = await github.request(writing, 'PATCH', `${path}/comments/${Number(own.id)}`, { body });
    return { url: String(updated.html_url), isNew: false };
  }
  if (!createIfMissing) return undefined;
  const created = await github.request(writing, 'POST', `${path}/${number}/comments`, { body });
  return { url: String(created.html_url), isNew: true };
}

/** The login of the token's owner; undefined if it is an app, or the token of a job on another forge: they may not ask who they are. */
async function tokenOwner(github: GitHub): Promise<string | undefined> {
  if (github.isAppToken) return undefined;
  try {
    const { login } = await github.request({ goal: 'read the owner of the token', permission: '' }, 'GET', '/user');
    return typeof login === 'string' ? login : undefined;
  } catch (error) {
    if (error instanceof GitHubError && error.isPermanent) return undefined;
    throw error;
  }
}

/** Whether a comment is by the owner of the token; by any bot if that is unknown: people can't write as one. */
function isBy({ user }: Json, author: string | undefined): boolean {
  const { login, type } = optionalObject(user);
  if (author !== undefined) return String(login).toLowerCase() === author.toLowerCase();
  // The jobs of Gitea and Forgejo write as `gitea-actions` and `forgejo-actions`.
  return type === 'Bot' || /^[a-z]+-actions$/i.test(String(login));
}

const pattern = /^\s*<!-- database-branch (\S+) -->/;

/** Hidden at the start of a comment, so that a later run finds it. */
export function writeMarker(subject: CommentSubject): string {
  // The encoding has no `>`, so nothing in it can end the HTML comment.
  return `<!-- database-branch ${new URLSearchParams(subject)} -->`;
}

/** Whether a comment starts with the marker of this subject. A marker anywhere else may be a quotation. */
export function hasMarker(body: string, subject: CommentSubject): boolean {
  const found = new URLSearchParams(pattern.exec(body)?.[1] ?? '');
  const expected = Object.entries(subject);
  return found.size === expected.length && expected.every(([name, value]) => found.get(name) === value);
}
