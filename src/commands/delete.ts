import { deleteBranch } from '../branch/delete.ts';
import { whyKept } from '../branch/owner.ts';
import { describeTarget, findTarget, guard, targetName } from '../branch/target.ts';
import type { Command } from '../context.ts';
import { nameAndId } from '../service/branches.ts';

/** Deletes the branch; one that is already gone, or that the event must not delete, is a success. */
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
  const why = whyKept(context, found.branch);
  if (why !== undefined) {
    const kept = `Branch ${nameAndId(found.branch)} was not deleted, because ${why}`;
    context.log.warning(`${kept}. To delete it anyway, use \`command: delete\` with \`branch_name\`.`);
    return { action: 'kept', branch: found.branch, deleted: false, operationIds: [], done: kept };
  }
  return deleteBranch({ context, ...found });
};
