import { branchNameOf, type RunEvent } from '../step/event.ts';
import { show } from '../text/inert.ts';

/** What the root action can do with a branch; `auto` stands for `create` or `delete`. */
export const commandNames = ['create', 'get', 'reset', 'delete'] as const;

export type CommandName = (typeof commandNames)[number];

/** What `auto` does for an event; or there is `nothing` to do, as a clause; or the inputs are `invalid`, as a sentence without its period. */
export type Decision = { command: 'create' | 'delete' } | { nothing: string } | { invalid: string };

/** The table of the events. `namesBranch`: whether an input names the branch. */
export function decide(event: RunEvent, { namesBranch }: { namesBranch: boolean }): Decision {
  const { pullRequest } = event;
  if (!event.ends && pullRequest && !pullRequest.open) {
    return { nothing: `pull request #${pullRequest.number} is closed` };
  }
  if (!namesBranch && branchNameOf(event) === undefined) return { invalid: noBranch(event) };
  return { command: event.ends ? 'delete' : 'create' };
}

/** Why an event names no branch, and what to do about it. */
export function noBranch({ name }: RunEvent): string {
  return name === 'schedule'
    ? 'command: `auto` has nothing to do for a schedule. To delete stale branches, use the action `prune`; otherwise set `command` and `branch_name`'
    : `branch_name is required: event ${show(name)} names no pull request to this repository, or several, and no git ref of its own`;
}
