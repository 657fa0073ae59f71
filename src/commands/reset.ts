import { addresses } from '../branch/connection-details.ts';
import { makeUsable } from '../branch/ready.ts';
import { checkReset, resetBranch } from '../branch/reset.ts';
import { requireTarget } from '../branch/target.ts';
import type { Command } from '../context.ts';

/** Takes the branch back to its parent's head, or to a point in the parent's history; its addresses stay the same. */
export const reset: Command = async (context) => {
  const { branch, date } = await requireTarget(context);
  context.progress({ branch });
  const sourceId = await checkReset({ context, branch, date });
  const done = await resetBranch({ context, branch, date, sourceId });
  const usable = await makeUsable({ context, branch: done.branch, date, made: false });
  const operations = [...done.operations, ...usable.done];
  const operationIds = [...done.operationIds, ...usable.started.map((one) => one.id)];
  context.progress({ branch: usable.branch, operations, operationIds });
  return {
    branch: { ...usable.branch, ...(done.branch.expires_at ? { expires_at: done.branch.expires_at } : {}) },
    operations,
    operationIds,
    ...(await addresses({ context, branch: usable.branch, endpoint: usable.endpoint, settling: usable.settling })),
    done: done.done,
  };
};
