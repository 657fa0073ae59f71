import { upsertComment, writeMarker } from '../github/comment.ts';
import { withGitHub } from '../github/connect.ts';
import { cutToFit } from '../text/cut.ts';
import { asSentence, messageOf } from '../text/format.ts';
import { oneLine, show } from '../text/inert.ts';
import type { Facts, Step } from './action.ts';
import type { RunEvent } from './event.ts';
import { limits } from './limits.ts';
import { redact } from './log.ts';

/** The longest time that the comment may hold a step whose work is done, in milliseconds. */
const longestMs = 20_000;

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
  /** Whether to write a new one if there is none. */
  createIfMissing: boolean;
}

/**
 * Keeps the comment on the pull request up to date, if the step asks for one. Never throws: a comment that cannot be written is a warning.
 */
export async function writeComment(step: Step<Inputs, Facts>, comment: Comment): Promise<void> {
  const { inputs, event, log } = step;
  if (!inputs.comment) return;
  const number = event.pullRequest?.number;
  if (number === undefined) {
    log.info(`\`comment: true\` has no effect: event ${show(event.name)} has no pull request`);
    return;
  }
  try {
    const { subject, createIfMissing } = comment;
    const body = cutToFit(redact([writeMarker(subject), ...comment.parts, footer(event)].join('\n\n')), {
      limit: limits.commentCharacters,
      size: (text) => text.length,
      note: "_Truncated at GitHub's comment limit; the job summary has the full text._",
    });
    const written = await withGitHub({ ...step, longestMs }, (github) =>
      upsertComment(github, { repository: event.repository, number, subject, body, createIfMissing }),
    );
    if (written === undefined) return;
    const commentUrl = oneLine(written.url);
    log.info(`${written.isNew ? 'Created' : 'Updated'} the comment on pull request #${number}: ${commentUrl}`);
    step.record({ commentUrl });
  } catch (error) {
    log.warning(`The comment may not be up to date. ${asSentence(messageOf(error))}`, 'Database Branch: comment');
  }
}

function footer({ github, repository, runId, pullRequest }: RunEvent): string {
  const run = `[this run](${github.server}/${repository}/actions/runs/${runId})`;
  const commit = pullRequest?.headSha ? ` for commit ${pullRequest.headSha.slice(0, 7)}` : '';
  return `<sub>Updated by ${run}${commit}.</sub>`;
}
