import { createHash } from 'node:crypto';
import { type CommentSubject, upsertComment, writeMarker } from './github/comment.ts';
import { type GitHubAccess, withGitHub } from './github/connect.ts';
import { GitHubError } from './github/errors.ts';
import type { Client } from './http/client.ts';
import { deadlineIn } from './http/clock.ts';
import { StoppedError } from './http/errors.ts';
import type { CommandName } from './inputs/commands.ts';
import type { Inputs } from './inputs/fields.ts';
import { commentOf, runUrl } from './report/comment.ts';
import { isGone, type Recorder, type Result, redacted } from './result.ts';
import { getBranch } from './service/branches.ts';
import { branchNameOf, isForFork, type RunEvent } from './step/event.ts';
import { limits } from './step/limits.ts';
import { type Log, redact } from './step/log.ts';
import { cutToFit } from './text/cut.ts';
import { asSentence, duration, messageOf } from './text/format.ts';
import { show } from './text/inert.ts';
import { isLinkable } from './text/url.ts';

/** What the comment needs to know about the step. */
interface Step extends GitHubAccess, Recorder {
  inputs: Inputs;
  event: RunEvent;
  command: CommandName;
  api: Client;
  log: Log;
}

/** The longest time that the comment may hold a step whose work is done, in milliseconds. */
const longestMs = 20_000;

/**
 * Writes the comment on the pull request, if the step asks for one, after a command has succeeded. Never throws: a comment that cannot be
 * written is a warning. With `onlyExisting`, there is no new one.
 */
export async function commentOn(step: Step, { onlyExisting = false } = {}): Promise<void> {
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
  const stop = new AbortController();
  const timer = setTimeout(
    () => stop.abort(new StoppedError('timeout', `Gave up after ${duration(longestMs)}`)),
    longestMs,
  );
  const signal = AbortSignal.any([api.deadline.signal, stop.signal]);
  const ms = Math.min(longestMs, api.deadline.remainingMs());
  const deadline = deadlineIn(ms, { signal, clock: api.clock });
  try {
    await readParentName(step);
    const facts = {
      command,
      result: step.result(),
      event,
      projectId: inputs.project_id ?? '',
      apiHost: inputs.api_host,
      branchName,
      now: api.clock.now(),
    };
    const subject = subjectOf(facts.result, { project: facts.projectId, branchName, run: inputs.run });
    const body = commentOf(redacted(facts, redact));
    const url = runUrl(event);
    const full = inputs.summary
      ? ` The full text is in the ${url ? `[summary of the run](${url})` : 'summary of the run'}.`
      : '';
    const fitting = cutToFit(redact(`${writeMarker(subject)}\n\n${body}`), {
      limit: limits.commentCharacters,
      size: (text) => text.length,
      note: `_Truncated at GitHub's comment limit.${full}_`,
    });
    const written = await withGitHub({ ...step, deadline }, (github) =>
      upsertComment(github, {
        ...{ repository: event.repository, number, subject, body: fitting },
        createIfMissing: !onlyExisting && hasNews(result),
        ifDenied: adviceForForks(event),
      }),
    );
    if (written === undefined) return;
    // The forge chooses it, and a workflow may put the output into Markdown, as the summary does.
    const commentUrl = isLinkable(written.url) ? written.url : undefined;
    const at = commentUrl === undefined ? '' : `: ${commentUrl}`;
    log.info(`${written.isNew ? 'Created' : 'Updated'} the comment on pull request #${number}${at}`);
    step.progress({ commentUrl });
  } catch (error) {
    const isMissing = error instanceof GitHubError && error.kind === 'missing';
    const check = isMissing ? ' Check that the pull request exists, and that the token can see this repository.' : '';
    log.warning(`The comment was not written. ${asSentence(messageOf(error))}${check}`, 'Database Branch: comment');
  } finally {
    clearTimeout(timer);
  }
}

/** What a comment is about: the branch, what was compared, or what was rehearsed. */
function subjectOf(
  { rehearsal, ...result }: Result,
  { project, branchName, run = '' }: { project: string; branchName: string; run?: string },
): CommentSubject {
  if (rehearsal) {
    const hash = createHash('sha256').update(run).digest('hex').slice(0, 16);
    return { kind: 'rehearsal', project, parent: result.branch?.parent_id ?? '', run: hash };
  }
  return { kind: 'branch', project, branch: branchName };
}

/** Whether there is anything to report if there is no comment yet: not if the branch did not exist, or if its schema is the same. */
function hasNews({ action }: Result): boolean {
  return action !== 'already-gone';
}

/** Reads the name of the branch's parent for the comment, unless it is known. If that fails, its ID must do. */
export async function readParentName({
  api,
  inputs,
  ...step
}: Pick<Step, 'api' | 'inputs' | 'result' | 'progress'>): Promise<void> {
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
