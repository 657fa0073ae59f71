import { branchNameOf, type RunEvent } from '../runner/event.ts';
import { type InvalidInput, missing } from './invalid.ts';

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

/** Why `auto` has nothing to do for an event, as a clause. */
interface Nothing {
  nothing: string;
}

/**
 * The command that `auto` runs for an event; or the error, or the reason, if there is none. `namesBranch`: whether an input names
 * the branch.
 */
export function commandOf(event: RunEvent, namesBranch = false): CommandName | InvalidInput | Nothing {
  if (event.ends) return 'delete';
  if (event.name === 'schedule') {
    return missing(
      'command',
      '`auto` has no command for a schedule. Set `command: prune` to delete stale branches, or another command',
    );
  }
  const { pullRequest } = event;
  if (pullRequest && !pullRequest.open) return { nothing: `pull request #${pullRequest.number} is closed` };
  if (pullRequest || namesBranch) return 'create';
  if (event.name === 'issue_comment') {
    return missing('branch_name', 'the comment is on an issue, not on a pull request, so the event names no branch');
  }
  if (event.name === 'workflow_run' && branchNameOf(event) === undefined) {
    return missing(
      'branch_name',
      'the triggering run does not belong to exactly one pull request, and its git branch is in another repository',
    );
  }
  return 'create';
}
