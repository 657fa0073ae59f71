import { deleteBranch } from '../branch/delete.ts';
import { whyKept } from '../branch/owner.ts';
import { describeTarget, findTarget, guard, targetName } from '../branch/target.ts';
import type { Context } from '../context.ts';
import { namesBranch } from '../inputs/fields.ts';
import { nameAndId } from '../service/branches.ts';

/** Deletes the branch; one that is already gone, or that the event must not delete, is a success. */
export async function run(context: Context): Promise<void> {
  // What `auto` finds under an explicit name, it only deletes if it belongs to the event.
  const chosen = context.inputs.command === 'auto' && namesBranch(context.inputs);
  const found = await findTarget(context, chosen ? 'use' : 'change');
  if (!found) {
    const { branch_id: id, branch_name: name } = context.inputs;
    return context.progress({
      action: 'already-gone',
      missing: { id, name: id === undefined ? targetName(context) : name },
      operationIds: [],
      done: `Branch ${describeTarget(context)} does not exist; nothing to delete`,
    });
  }
  context.progress({ branch: found.branch });
  const why = whyKept(context, found.branch);
  if (why !== undefined) {
    const kept = `Branch ${nameAndId(found.branch)} was not deleted, because ${why}`;
    const advice = 'To delete it anyway, use `command: delete` with `branch_name`.';
    if (!chosen) context.log.warning(`${kept}. ${advice}`);
    return context.progress({ action: 'kept', operationIds: [], done: chosen ? `${kept}. ${advice}` : kept });
  }
  guard(found.branch, 'deleted');
  const { hard_delete: hard, wait } = context.inputs;
  context.progress(await deleteBranch(context, found, { hard, wait }));
}
