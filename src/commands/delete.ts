import { deleteBranch } from '../branch/delete.ts';
import { describeTarget, findTarget, guard, targetName } from '../branch/target.ts';
import type { Command } from '../context.ts';

/** Deletes the branch; one that is already gone is a success. */
export const deleteCommand: Command = async (context) => {
  const { log } = context;
  const found = await findTarget(context);
  if (!found) {
    log.info(`There is no branch ${describeTarget(context)} any more; nothing to delete`);
    const { branch_id: id, branch_name: name } = context.inputs;
    return {
      missing: { id, name: id === undefined ? targetName(context) : name },
      deleted: false,
      operationIds: [],
      done: `No branch ${describeTarget(context)} is left to delete`,
    };
  }
  const { branch, date } = found;
  context.progress({ branch });
  guard(branch, 'deleted');
  return deleteBranch({ context, branch, date });
};
