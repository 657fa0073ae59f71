import { getBranch } from '../api/branches.ts';
import { ApiError } from '../http/errors.ts';
import type { CommandName } from '../inputs/commands.ts';
import type { Inputs } from '../inputs/fields.ts';
import { type CommentFacts, commentOf, runUrl } from '../report/comment.ts';
import { redacted } from '../report/redacted.ts';
import { emptyResult, type Result } from '../result.ts';
import { branchNameOf } from '../runner/event.ts';
import { cutToFit } from '../text/cut.ts';
import { keepComment } from './comments.ts';
import { type GitHubAccess, withGitHub } from './connect.ts';
import { writeMarker } from './marker.ts';

/** The most that GitHub takes as a comment, in characters. */
const longestComment = 65_536;

const commented: CommandName[] = ['create', 'reset', 'delete', 'diff'];

/** What the comment needs to know of the step. */
interface Step extends GitHubAccess {
  inputs: Inputs;
  command: CommandName;
}

/**
 * Keeps the comment on the pull request up to date after a command has ended well. It never throws: what the command did is done,
 * whether it can be told or not. `redact` takes every secret out of a text.
 */
export async function writeComment(options: {
  context: Step;
  result: Result;
  redact: (text: string) => string;
  /** Only a comment that is there is brought up to date. */
  existing?: boolean;
}): Promise<Partial<Result>> {
  const { context, result, redact, existing = false } = options;
  const { inputs, event, log, command } = context;
  if (!inputs.comment || !commented.includes(command)) return {};
  const number = event.pullRequest?.number;
  if (number === undefined) {
    log.info(`\`comment: true\`, but event ${event.name} is about no pull request: there is nothing to comment on`);
    return {};
  }
  // By its ID alone, a branch that is gone has no name any more by which its comment could be found.
  const branchName =
    result.branch?.name ?? inputs.branch_name ?? (inputs.branch_id === undefined ? branchNameOf(event) : undefined);
  if (branchName === undefined) return {};
  try {
    const named = await withParentName(context, result);
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
      limit: longestComment,
      size: (text) => text.length,
      note: `_GitHub takes no longer comment. The whole is in the ${url ? `[summary of the run](${url})` : 'summary of the run'}._`,
    });
    const commentUrl = await withGitHub(context, (github) =>
      // Of a branch that was gone already there is nothing new to tell where nothing was told.
      keepComment(github, {
        number,
        subject,
        body: fitting,
        create: !existing && (command !== 'delete' || result.deleted),
      }),
    );
    if (commentUrl !== undefined) log.info(`The comment on pull request #${number} is up to date: ${commentUrl}`);
    return { ...named, ...(commentUrl === undefined ? {} : { commentUrl }) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const fork = event.pullRequest?.fork
      ? ' In runs for pull requests from forks, GitHub lets the token read only.'
      : '';
    log.warning(`The comment is not up to date. ${why}${fork}`, 'Database Branch: comment');
    return {};
  }
}

/** Says in the comment, if there is one, that the post step has deleted the branch, in the words of a delete. */
export async function correctComment(options: {
  context: Step;
  deleted: Partial<Result>;
  redact: (text: string) => string;
}): Promise<void> {
  const { context, deleted, redact } = options;
  await writeComment({ context, result: { ...emptyResult(), ...deleted }, redact, existing: true });
}

/** The parent's name, which tells people more than its ID. */
async function withParentName(context: Step, result: Result): Promise<Pick<Result, 'parentName'>> {
  const { branch, parentName } = result;
  const { api, inputs } = context;
  if (parentName !== undefined) return { parentName };
  if (branch?.parent_id === undefined || context.command === 'delete') return {};
  try {
    return {
      parentName: (await getBranch({ api, projectId: inputs.project_id ?? '', branchId: branch.parent_id })).branch
        .name,
    };
  } catch (error) {
    if (error instanceof ApiError) return {};
    throw error;
  }
}
