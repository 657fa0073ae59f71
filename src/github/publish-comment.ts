import type { Client } from '../http/client.ts';
import { type Deadline, deadlineIn } from '../http/deadline.ts';
import { ApiError, StoppedError } from '../http/errors.ts';
import type { CommandName } from '../inputs/commands.ts';
import type { Inputs } from '../inputs/fields.ts';
import { type CommentFacts, commentOf, runUrl } from '../report/comment.ts';
import { redacted } from '../report/redacted.ts';
import { emptyResult, isChanged, type Result } from '../result.ts';
import { branchNameOf } from '../runner/event.ts';
import { limits } from '../runner/limits.ts';
import { getBranch } from '../service/branches.ts';
import { cutToFit } from '../text/cut.ts';
import { duration } from '../text/format.ts';
import { show } from '../text/inert.ts';
import { upsertComment, writeMarker } from './comments.ts';
import { type GitHubAccess, withGitHub } from './connect.ts';

/** What the comment needs to know about the step. */
interface Step extends GitHubAccess {
  inputs: Inputs;
  command: CommandName;
}

/**
 * Writes the comment on the pull request, if the step asks for one, after a command has succeeded. Never throws: a comment that cannot be written is a warning.
 * `redact` removes every secret from a text.
 */
export async function writeComment(options: {
  context: Step;
  result: Result;
  redact: (text: string) => string;
  /** Whether to update an existing comment only. */
  onlyExisting?: boolean;
}): Promise<Partial<Result>> {
  const { result, redact, onlyExisting = false } = options;
  const { inputs, event, log, command } = options.context;
  if (!inputs.comment) return {};
  // An existing comment still says what the branch is.
  if (result.action === 'kept') return {};
  const number = event.pullRequest?.number;
  if (number === undefined) {
    log.info(`\`comment: true\` has no effect: event ${show(event.name)} has no pull request`);
    return {};
  }
  // Comments are found by name; a branch that was given by its ID and no longer exists has none.
  const branchName =
    result.branch?.name ?? inputs.branch_name ?? (inputs.branch_id === undefined ? branchNameOf(event) : undefined);
  if (branchName === undefined) return {};
  const limit = limitReporting(options.context.api);
  const context: Step = { ...options.context, deadline: limit.deadline };
  try {
    const named = await findParentName(context, result);
    const facts: CommentFacts = {
      command,
      result: { ...result, ...named },
      event,
      projectId: inputs.project_id ?? '',
      apiHost: inputs.api_host,
      branchName,
      now: context.api.clock.now(),
    };
    const { subject, body } = commentOf(redacted(facts, redact));
    const url = runUrl(event);
    const fitting = cutToFit(redact(`${writeMarker(subject)}\n\n${body}`), {
      limit: limits.commentCharacters,
      size: (text) => text.length,
      note: `_Truncated at GitHub's comment limit. The full text is in the ${url ? `[summary of the run](${url})` : 'summary of the run'}._`,
    });
    const comment = await withGitHub(context, (github) =>
      upsertComment(github, {
        number,
        subject,
        body: fitting,
        createIfMissing: !onlyExisting && hasNews(command, result),
      }),
    );
    if (comment === undefined) return named;
    log.info(`${comment.isNew ? 'Created' : 'Updated'} the comment on pull request #${number}: ${comment.url}`);
    return { ...named, commentUrl: comment.url };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const fork = event.pullRequest?.fork ? ' In runs for pull requests from forks, the token is read-only.' : '';
    const sentence = /[.!?]$/.test(why) ? why : `${why}.`;
    log.warning(`The comment was not updated. ${sentence}${fork}`, 'Database Branch: comment');
    return {};
  } finally {
    limit.clear();
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
  const own = deadlineIn(longestReportMs, { signal, clock });
  return {
    deadline: { signal, remainingMs: () => Math.min(own.remainingMs(), deadline.remainingMs()) },
    clear: () => clearTimeout(timer),
  };
}

/** Whether there is anything to report if there is no comment yet: not if the branch did not exist, or if its schema is the same. */
function hasNews(command: CommandName, { deleted, diff, rehearsal }: Result): boolean {
  if (rehearsal) return true;
  return diff ? diff.databases.some(isChanged) : command !== 'delete' || deleted;
}

/** Says in an existing comment that the post step has deleted the branch. */
export async function correctComment(options: {
  context: Step;
  deleted: Partial<Result>;
  redact: (text: string) => string;
}): Promise<void> {
  const { context, deleted, redact } = options;
  await writeComment({ context, result: { ...emptyResult(), ...deleted }, redact, onlyExisting: true });
}

/** Looks up the parent's name, which is more useful to readers than its ID. */
async function findParentName(step: Step, result: Result): Promise<Pick<Result, 'knownParent'>> {
  const { branch, knownParent } = result;
  const { api, inputs } = step;
  const id = branch?.parent_id;
  if (id === undefined || knownParent?.id === id || step.command === 'delete') return {};
  try {
    const reading = getBranch({ api, projectId: inputs.project_id ?? '', branchId: id });
    const found = await Promise.race([reading, aborted(step.deadline?.signal)]);
    reading.catch(() => {});
    return found ? { knownParent: { id, name: found.branch.name } } : {};
  } catch (error) {
    if (error instanceof ApiError) return {};
    throw error;
  }
}

/** Resolves once the signal is aborted. */
function aborted(signal: AbortSignal | undefined): Promise<undefined> {
  return new Promise((resolve) => signal?.addEventListener('abort', () => resolve(undefined), { once: true }));
}
