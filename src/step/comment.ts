import { once } from 'node:events';
import { upsertComment, writeMarker } from '../github/comment.ts';
import { withGitHub } from '../github/connect.ts';
import { GitHubError } from '../github/errors.ts';
import { type Deadline, deadlineIn } from '../http/clock.ts';
import { StoppedError } from '../http/errors.ts';
import { cutToFit } from '../text/cut.ts';
import { asSentence, duration, messageOf } from '../text/format.ts';
import { show } from '../text/inert.ts';
import { plain } from '../text/markdown.ts';
import { isLinkable } from '../text/url.ts';
import type { Facts, Step } from './action.ts';
import { isForFork, type RunEvent } from './event.ts';
import { limits } from './limits.ts';
import { redact } from './log.ts';

interface Inputs {
  comment: boolean;
  github_token: string | undefined;
  timeout: number;
}

interface Comment {
  /** What it is about: a pull request has one comment per subject. */
  subject: Record<string, string>;
  /** Markdown parts without secrets, the title first. */
  parts: string[];
  /** What wrote it, for the footer: `command: create`. */
  by: string;
  /** Whether to write a new one if there is none. */
  createIfMissing: boolean;
}

/**
 * Keeps the comment on the pull request up to date, if the step asks for one. Never throws: a comment that cannot be written is a warning.
 */
export async function writeComment(step: Step<Inputs, Facts>, comment: Comment): Promise<void> {
  const { inputs, event, log, api } = step;
  if (!inputs.comment) return;
  const number = event.pullRequest?.number;
  if (number === undefined) {
    log.info(`\`comment: true\` has no effect: event ${show(event.name)} has no pull request`);
    return;
  }
  const { deadline, clear } = limitReporting(api);
  try {
    const { subject, createIfMissing } = comment;
    const body = cutToFit(redact([writeMarker(subject), ...comment.parts, footer(event, comment.by)].join('\n\n')), {
      limit: limits.commentCharacters,
      size: (text) => text.length,
      note: "_Truncated at GitHub's comment limit; the job summary has the full text._",
    });
    const writing = withGitHub({ ...step, deadline }, (github) =>
      upsertComment(github, {
        ...{ repository: event.repository, number, subject, body, createIfMissing },
        ifDenied: adviceForForks(event),
      }),
    );
    const stopped = once(deadline.signal, 'abort').then(() => Promise.reject(deadline.signal.reason));
    const written = await Promise.race([writing, stopped]);
    if (written === undefined) return;
    // The forge chooses it, and a workflow may put the output into Markdown, as the summary does.
    const commentUrl = isLinkable(written.url) ? written.url : undefined;
    const at = commentUrl === undefined ? '' : `: ${commentUrl}`;
    log.info(`${written.isNew ? 'Created' : 'Updated'} the comment on pull request #${number}${at}`);
    step.record({ commentUrl });
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
function limitReporting({ deadline, clock }: Step<Inputs, Facts>['api']): { deadline: Deadline; clear: () => void } {
  const controller = new AbortController();
  const reason = new StoppedError('timeout', `Gave up after ${duration(longestReportMs)}`);
  const timer = setTimeout(() => controller.abort(reason), longestReportMs);
  const signal = AbortSignal.any([deadline.signal, controller.signal]);
  const limit = `the ${duration(longestReportMs)} limit for comments`;
  const ms = Math.min(longestReportMs, deadline.remainingMs());
  return { deadline: deadlineIn(ms, { signal, clock, limit }), clear: () => clearTimeout(timer) };
}

/** The URL of a run's page, which has its summaries; undefined if the runner's variables do not make one. */
export function runUrl({
  repository,
  runId,
  runAttempt,
  github,
}: Pick<RunEvent, 'repository' | 'runId' | 'runAttempt' | 'github'>): string | undefined {
  if (repository === '' || runId === '') return undefined;
  const attempt = /^\d+$/.test(runAttempt) && runAttempt !== '1' ? `/attempts/${runAttempt}` : '';
  const url = `${github.server}/${repository}/actions/runs/${runId}${attempt}`;
  return isLinkable(url) ? url : undefined;
}

function footer(event: RunEvent, by: string): string {
  const url = runUrl(event);
  const run = url ? `[this run](${url})` : 'a workflow run';
  const sha = event.pullRequest?.headSha || event.sha;
  const commit = /^[0-9a-f]{7,64}$/.test(sha) ? ` for commit ${sha.slice(0, 7)}` : '';
  return `<sub>Updated by ${run} (\`${plain(by)}\`)${commit}.</sub>`;
}

/** What to do if GitHub's token may not comment, in a run that never gets one that may; undefined for other runs. */
function adviceForForks(event: RunEvent): string | undefined {
  if (!isForFork(event)) return undefined;
  return `In runs for pull requests from forks, GitHub's token is read-only, whatever \`permissions\` says. To comment only on other pull requests, set \`comment: \${{ github.event.pull_request.head.repo.full_name == github.repository }}\`.`;
}
