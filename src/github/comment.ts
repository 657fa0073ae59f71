import { once } from 'node:events';
import type { Client } from '../http/client.ts';
import { type Deadline, deadlineIn } from '../http/clock.ts';
import { StoppedError } from '../http/errors.ts';
import { optionalObject } from '../http/shape.ts';
import type { CommandName } from '../inputs/commands.ts';
import type { Inputs } from '../inputs/fields.ts';
import { type CommentFacts, commentOf, runUrl } from '../report/comment.ts';
import { isChanged, isGone, type Recorder, type Result, redacted } from '../result.ts';
import { getBranch } from '../service/branches.ts';
import { branchNameOf, isForFork, type RunEvent } from '../step/event.ts';
import { limits } from '../step/limits.ts';
import { redact } from '../step/log.ts';
import { cutToFit } from '../text/cut.ts';
import { asSentence, duration, messageOf } from '../text/format.ts';
import { show } from '../text/inert.ts';
import type { Json } from '../text/json.ts';
import { isLinkable } from '../text/url.ts';
import type { GitHub } from './client.ts';
import { type GitHubAccess, withGitHub } from './connect.ts';
import { GitHubError } from './errors.ts';

/** What the comment needs to know about the step. */
interface Step extends GitHubAccess, Recorder {
  inputs: Inputs;
  command: CommandName;
}

/**
 * Writes the comment on the pull request, if the step asks for one, after a command has succeeded. Never throws: a comment that cannot be
 * written is a warning. With `onlyExisting`, there is no new one.
 */
export async function writeComment(step: Step, { onlyExisting = false } = {}): Promise<void> {
  const { inputs, event, log, command, api } = step;
  const result = step.result();
  // An existing comment still says what the branch is.
  if (!inputs.comment || result.action === 'kept') return;
  const number = event.pullRequest?.number;
  if (number === undefined) {
    log.info(`\`comment: true\` has no effect: event ${show(event.name)} has no pull request`);
    return;
  }
  // Comments are found by name; a branch that was given by its ID and no longer exists has none.
  const branchName =
    result.branch?.name ?? inputs.branch_name ?? (inputs.branch_id === undefined ? branchNameOf(event) : undefined);
  if (branchName === undefined) return;
  const { deadline, clear } = limitReporting(api);
  try {
    await Promise.race([readParentName(step), once(deadline.signal, 'abort')]);
    const facts: CommentFacts = {
      command,
      result: step.result(),
      event,
      projectId: inputs.project_id ?? '',
      apiHost: inputs.api_host,
      branchName,
      now: api.clock.now(),
    };
    const { subject, body } = commentOf(redacted(facts, redact));
    const url = runUrl(event);
    const summary = url ? `[summary of the run](${url})` : 'summary of the run';
    const full = inputs.summary ? ` The full text is in the ${summary}.` : '';
    const fitting = cutToFit(redact(`${writeMarker(subject)}\n\n${body}`), {
      limit: limits.commentCharacters,
      size: (text) => text.length,
      note: `_Truncated at GitHub's comment limit.${full}_`,
    });
    const createIfMissing = !onlyExisting && hasNews(result);
    const comment = await withGitHub({ ...step, deadline }, (github) =>
      upsertComment(github, { number, subject, body: fitting, createIfMissing, ifDenied: adviceForForks(event) }),
    );
    if (comment === undefined) return;
    // The forge chooses it, and a workflow may put the output into Markdown, as the summary does.
    const commentUrl = isLinkable(comment.url) ? comment.url : undefined;
    const at = commentUrl === undefined ? '' : `: ${commentUrl}`;
    log.info(`${comment.isNew ? 'Created' : 'Updated'} the comment on pull request #${number}${at}`);
    step.progress({ commentUrl });
  } catch (error) {
    const isMissing = error instanceof GitHubError && error.kind === 'missing';
    const check = isMissing ? ' Check that the pull request exists, and that the token can see this repository.' : '';
    log.warning(`The comment was not written. ${asSentence(messageOf(error))}${check}`, 'Database Branch: comment');
  } finally {
    clear();
  }
}

/** The longest time that the comment may hold a step whose work is done, in milliseconds. */
const longestReportMs = 20_000;

/** The step's deadline, but at most `longestReportMs` from now. */
function limitReporting({ deadline, clock }: Client): { deadline: Deadline; clear: () => void } {
  const controller = new AbortController();
  const reason = new StoppedError('timeout', `Gave up after ${duration(longestReportMs)}`);
  const timer = setTimeout(() => controller.abort(reason), longestReportMs);
  const signal = AbortSignal.any([deadline.signal, controller.signal]);
  const limit = `the ${duration(longestReportMs)} limit for comments`;
  const own = deadlineIn(longestReportMs, { signal, clock, limit });
  const first = own.remainingMs() < deadline.remainingMs() ? own : deadline;
  return {
    deadline: { ...first, signal },
    clear: () => clearTimeout(timer),
  };
}

/** Whether there is anything to report if there is no comment yet: not if the branch did not exist, or if its schema is the same. */
function hasNews({ action, diff, rehearsal }: Result): boolean {
  if (rehearsal) return true;
  return diff ? diff.databases.some(isChanged) : action !== 'already-gone';
}

/** Reads the name of the branch's parent for the comment, unless it is known. If that fails, its ID must do. */
export async function readParentName({ api, inputs, ...step }: Step): Promise<void> {
  const { branch, knownParent, action } = step.result();
  const id = branch?.parent_id;
  if (id === undefined || knownParent?.id === id || isGone({ action })) return;
  await getBranch({ api, projectId: inputs.project_id ?? '', branchId: id }).then(
    (found) => step.progress({ knownParent: { id, name: found.branch.name } }),
    () => {},
  );
}

/** What to do if GitHub's token may not comment, in a run that never gets one that may; undefined for other runs. */
function adviceForForks(event: RunEvent): string | undefined {
  if (!isForFork(event)) return undefined;
  return `In runs for pull requests from forks, GitHub's token is read-only, whatever \`permissions\` says. To comment only on other pull requests, set \`comment: \${{ github.event.pull_request.head.repo.full_name == github.repository }}\`.`;
}

interface Comment {
  id: number;
  body: string;
  url: string;
  /** The login of its author. */
  by: string;
  isByBot: boolean;
}

function readComment({ id, body, html_url: url, user }: Json): Comment {
  const { login, type } = optionalObject(user);
  return { id: Number(id), body: String(body), url: String(url), by: String(login), isByBot: type === 'Bot' };
}

/** Attempts to write a comment whose create lost its response, or that was deleted in the meantime. */
const maxAttempts = 3;

/**
 * Creates or updates the comment on a pull request and returns its URL and whether it is new; undefined if there is none and none is to be
 * created. It is found by its marker and its author, on all pages; of several, the oldest is kept and the others are deleted.
 */
export async function upsertComment(
  github: GitHub,
  comment: {
    number: number;
    subject: Record<string, string>;
    body: string;
    createIfMissing: boolean;
    ifDenied: string | undefined;
  },
): Promise<{ url: string; isNew: boolean } | undefined> {
  const { number, subject, body, createIfMissing, ifDenied } = comment;
  const all = `/issues/${number}/comments`;
  const needs = { permission: 'pull-requests: write', ifDenied };
  const reading = { goal: `read the comments of pull request #${number}`, ...needs };
  const writing = { goal: `write the comment on pull request #${number}`, ...needs };
  const author = tokenOwner(github);

  /** This token's own comments with the marker, oldest first. */
  async function own(): Promise<Comment[]> {
    const [login, comments] = await Promise.all([author, github.list(reading, all)]);
    const found = comments.map(readComment).filter((one) => isBy(one, login) && hasMarker(one.body, subject));
    return found.sort((a, b) => a.id - b.id);
  }

  async function create(): Promise<Comment> {
    // Not idempotent: if its response is lost, the next attempt looks for the comment first.
    return readComment(await github.request({ ...writing, idempotent: false }, 'POST', all, { body }));
  }

  async function update(oldest: Comment): Promise<{ url: string; isNew: boolean }> {
    if (oldest.body === body) return { url: oldest.url, isNew: false };
    const updated = await github.request(writing, 'PATCH', `/issues/comments/${oldest.id}`, { body });
    return { url: readComment(updated).url, isNew: false };
  }

  async function remove({ id }: Comment): Promise<void> {
    try {
      await github.request(writing, 'DELETE', `/issues/comments/${id}`);
    } catch (error) {
      if (!(error instanceof GitHubError && error.kind === 'missing')) throw error;
    }
  }

  for (let attempt = 1; ; attempt++) {
    const [oldest, ...duplicates] = await own();
    if (!oldest && !createIfMissing) return undefined;
    try {
      for (const duplicate of duplicates) await remove(duplicate);
      if (oldest) return await update(oldest);
      const created = await create();
      // Another run may have created its comment at the same time. The older one is kept, with the newer text.
      const [older] = await own();
      if (!older || older.id >= created.id) return { url: created.url, isNew: true };
      await remove(created);
      return await update(older);
    } catch (error) {
      // Either the response to a create was lost, or the comment to update was deleted: look again.
      const canRetry =
        error instanceof GitHubError && (error.kind === 'missing' || (error.kind === 'transient' && !oldest));
      if (!canRetry || attempt >= maxAttempts) throw error;
    }
  }
}

/**
 * The login of the token's owner. The workflow's own token writes as `github-actions[bot]`. Undefined on another forge that does not
 * tell the token of a job whose it is.
 */
async function tokenOwner(github: GitHub): Promise<string | undefined> {
  const fallback = github.hasGraphQL ? 'github-actions[bot]' : undefined;
  try {
    const { login } = await github.user({ goal: 'read the owner of the token', permission: 'pull-requests: write' });
    return typeof login === 'string' && login !== '' ? login : fallback;
  } catch (error) {
    // A token that is rejected fails the next request too, with a better message.
    if (error instanceof GitHubError && error.kind !== 'transient') return fallback;
    throw error;
  }
}

/** As whom the token of a job writes on other forges: `gitea-actions`, `forgejo-actions`. */
const jobUser = /^[a-z]+-actions(\[bot\])?$/i;

/** GraphQL and REST do not agree on whether the login of a bot ends in `[bot]`. */
function isBy({ by, isByBot }: Comment, author: string | undefined): boolean {
  const bare = (login: string) => login.replace(/\[bot\]$/, '').toLowerCase();
  if (author === undefined) return jobUser.test(by);
  const sameKind = !author.endsWith('[bot]') || isByBot;
  return sameKind && bare(by) === bare(author);
}

const pattern = /^\s*<!-- database-branch (\S+) -->/;

/** Hidden at the start of a comment, so that a later run finds it. */
export function writeMarker(subject: Record<string, string>): string {
  // The encoding has no `>`, so nothing in it can end the HTML comment.
  return `<!-- database-branch ${new URLSearchParams({ ...subject })} -->`;
}

/** Whether a comment starts with the marker of this subject. A marker anywhere else may be a quotation. */
export function hasMarker(body: string, subject: Record<string, string>): boolean {
  const query = pattern.exec(body)?.[1];
  if (query === undefined) return false;
  const found = new URLSearchParams(query);
  return Object.entries(subject).every(([name, value]) => found.get(name) === value);
}
