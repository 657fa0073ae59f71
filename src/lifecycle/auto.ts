import { branchNameOf, lacksPullRequest, type RunEvent } from '../step/event.ts';
import { show } from '../text/inert.ts';

/** What the root action can do with a branch; `auto` stands for `create` or `delete`. */
export const commandNames = ['create', 'get', 'reset', 'delete'] as const;

export type CommandName = (typeof commandNames)[number];

/** What `auto` does for an event; or there is `nothing` to do, as a clause; or the inputs are `invalid`, as a sentence without its period. */
export type Decision = { command: 'create' | 'delete' } | { nothing: string } | { invalid: string };

/** The table of the events. `namesBranch`: whether an input names the branch. */
export function decide(event: RunEvent, { namesBranch }: { namesBranch: boolean }): Decision {
  const isNamed = namesBranch || branchNameOf(event) !== undefined;
  if (event.ends) return isNamed ? { command: 'delete' } : { invalid: noBranch(event) };
  if (event.pullRequest && !event.pullRequest.open) {
    return { nothing: `pull request #${event.pullRequest.number} is closed` };
  }
  return isNamed ? { command: 'create' } : { invalid: noBranch(event) };
}

/** Why an event names no branch, and what to do about it. */
export function noBranch(event: RunEvent): string {
  if (event.name === 'schedule') {
    return 'command: `auto` has nothing to do for a schedule. To delete stale branches, use the action `prune`; otherwise set `command` and `branch_name`';
  }
  return `branch_name is required: ${whyNone(event)}`;
}

function whyNone(event: RunEvent): string {
  if (lacksPullRequest(event)) {
    return `the payload of event ${show(event.name)} has no pull request number, as happens on some local runners`;
  }
  switch (event.name) {
    case 'issue_comment':
      return 'the comment is on an issue, not on a pull request, so the event names no branch';
    case 'workflow_run':
      return 'the triggering run belongs to no pull request or to several, and its git branch is in another repository';
    case 'check_suite':
    case 'check_run':
      return `event ${show(event.name)} belongs to no pull request to this repository, or to several`;
    default:
      return `event ${show(event.name)} is about no pull request and no git ref that a branch could be named after`;
  }
}
