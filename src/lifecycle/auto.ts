import { branchNameOf, type RunEvent } from '../step/event.ts';
import { type Given, namesBranch } from '../step/inputs.ts';
import { show } from '../text/inert.ts';

/** What the root action can do with a branch; `auto` stands for `create` or `delete`. */
export const commandNames = ['create', 'get', 'reset', 'delete'] as const;

export type CommandName = (typeof commandNames)[number];

/** The command to run; or there is `nothing` to do, as a clause. What is `invalid` is a sentence without its period. */
export interface Decision {
  command?: CommandName | undefined;
  nothing?: string;
  invalid?: string | undefined;
}

interface Inputs {
  command: CommandName | 'auto';
  branch_id: string | undefined;
  branch_name: string | undefined;
}

/** What an event and the inputs say to do: the table of the events. Nothing at all if the input `command` is invalid. */
export function decide(event: RunEvent, inputs: Given<Inputs>): Decision {
  const { pullRequest, ends } = event;
  let { command } = inputs;
  if (command === 'auto') {
    if (!ends && pullRequest && !pullRequest.open) return { nothing: `pull request #${pullRequest.number} is closed` };
    command = ends ? 'delete' : 'create';
  }
  const isNamed = command === undefined || namesBranch(inputs);
  return { command, invalid: isNamed ? undefined : whyNoBranch(event, command) };
}

/** Why an event does not name the branch for a command, and what to do about it; undefined if it does. */
function whyNoBranch(event: RunEvent, command: CommandName | undefined): string | undefined {
  const { name, ends } = event;
  if (branchNameOf(event) !== undefined) {
    // An event names a branch to delete only if it ends what the branch stands for.
    return command === 'delete' && !ends
      ? `branch_name or branch_id is required: \`command: delete\` takes the branch only from an event that ends it, and this run was triggered by ${show(name)}`
      : undefined;
  }
  return name === 'schedule'
    ? 'branch_name is required: a schedule names no branch. To delete stale branches, use the action `prune`'
    : `branch_name is required: event ${show(name)} names no pull request to this repository, or several, and no git ref of its own`;
}
