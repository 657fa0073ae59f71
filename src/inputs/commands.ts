import { branchNameOf, type RunEvent } from '../step/event.ts';
import { missing } from '../step/invalid.ts';

/** Every command except `auto`, which stands for one of these. */
export const commandNames = [
  'create',
  'get',
  'reset',
  'delete',
  'diff',
  'rehearse',
  'prune',
  'wait',
  'manage',
] as const;

export type CommandName = (typeof commandNames)[number];

/**
 * The command that `auto` runs for an event; or why there is none: the inputs are `invalid`, or there is `nothing` to do, as a clause.
 * `namesBranch`: whether an input names the branch.
 */
export function commandOf(
  event: RunEvent,
  namesBranch = false,
): CommandName | { invalid: string } | { nothing: string } {
  if (event.ends) return 'delete';
  if (event.name === 'schedule') {
    const advice = 'Set `command`, for example `command: prune`, which deletes stale branches';
    return { invalid: missing('command', `\`auto\` has no command for a schedule. ${advice}`) };
  }
  const { pullRequest } = event;
  if (pullRequest && !pullRequest.open) return { nothing: `pull request #${pullRequest.number} is closed` };
  if (pullRequest || namesBranch) return 'create';
  if (event.name === 'issue_comment') {
    const why = 'the comment is on an issue, not on a pull request, so the event names no branch';
    return { invalid: missing('branch_name', why) };
  }
  if (event.name === 'workflow_run' && branchNameOf(event) === undefined) {
    const why =
      'the triggering run belongs to no pull request or to several, and its git branch is in another repository';
    return { invalid: missing('branch_name', why) };
  }
  return 'create';
}
