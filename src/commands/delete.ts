import { deleteBranch } from '../branch/delete.ts';
import { whyKept } from '../branch/owner.ts';
import { describeTarget, findTarget, guard, targetName } from '../branch/target.ts';
import type { Command, Context } from '../context.ts';
import { type Given, namesBranch } from '../inputs/fields.ts';
import type { InvalidInput } from '../inputs/invalid.ts';
import type { Result } from '../result.ts';
import { branchNameOf, type RunEvent } from '../runner/event.ts';
import { nameAndId } from '../service/branches.ts';
import { show } from '../text/inert.ts';

/** Deletes the branch; one that is already gone, or that the event must not delete, is a success. */
export const deleteCommand: Command = {
  oneBranch: true,
  changes: true,
  comments: true,
  check: (given) => checkDeletion({ ...given, what: '`command: delete`' }),
  run,
};

async function run(context: Context): Promise<Partial<Result>> {
  // What `auto` finds under an explicit name, it only deletes if it belongs to the event.
  const chosen = context.inputs.command === 'auto' && namesBranch(context.inputs);
  const found = await findTarget(context, chosen ? 'use' : 'change');
  if (!found) {
    const { branch_id: id, branch_name: name } = context.inputs;
    return {
      action: 'already-gone',
      missing: { id, name: id === undefined ? targetName(context) : name },
      deleted: false,
      operationIds: [],
      done: `Branch ${describeTarget(context)} does not exist; nothing to delete`,
    };
  }
  context.progress({ branch: found.branch });
  guard(found.branch, 'deleted');
  const why = whyKept(context, found.branch);
  if (why !== undefined) {
    const kept = `Branch ${nameAndId(found.branch)} was not deleted, because ${why}`;
    const advice = 'To delete it anyway, use `command: delete` with `branch_name`.';
    if (!chosen) context.log.warning(`${kept}. ${advice}`);
    const done = chosen ? `${kept}. ${advice}` : kept;
    return { action: 'kept', branch: found.branch, deleted: false, operationIds: [], done };
  }
  const { hard_delete: hard, wait } = context.inputs;
  return deleteBranch(context, found, { hard, wait });
}

/** A branch that only the event names is deleted only if the event ends what it stands for. `what` deletes it, in Markdown. */
export function checkDeletion(options: { inputs: Given; event: RunEvent; what: string }): InvalidInput[] {
  const { inputs, event, what } = options;
  if (event.ends || namesBranch(inputs) || branchNameOf(event) === undefined) return [];
  const when = 'when a pull request is closed or a git ref is deleted';
  const given = `event ${show(event.name)}${event.action === '' ? '' : ` with action ${show(event.action)}`}`;
  const why = `${what} takes the branch from the event only ${when}, and this is ${given}`;
  return [{ input: '', message: `branch_id or branch_name is required: ${why}` }];
}
