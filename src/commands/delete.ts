import { deleteBranch } from '../branch/delete.ts';
import { describeTarget, findTarget, guard, targetName } from '../branch/target.ts';
import type { Command } from '../context.ts';

/** Deletes the branch; one that is already gone is a success. */
export const deleteCommand: Command = async (context) => {
  const found = await findTarget(context);
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
  return deleteBranch({ context, ...found });
};
