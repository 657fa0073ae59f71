import { connectionDetails } from '../branch/connection-details.ts';
import { makeUsable } from '../branch/ready.ts';
import { checkReset, resetBranch } from '../branch/reset.ts';
import { requireTarget } from '../branch/target.ts';
import { checkUnchanged } from '../branch/unchanged.ts';
import { type Command, type Context, projectOf } from '../context.ts';
import type { Result } from '../result.ts';

/** Resets the branch to its parent's head, or to a point in the parent's history; its connection details stay the same. */
export const reset: Command = { oneBranch: true, changes: true, connects: true, comments: true, run };

async function run(context: Context): Promise<Partial<Result>> {
  const { branch, date } = await requireTarget(context, 'change');
  context.progress({ branch });
  const checked = await checkReset({ context, branch, date });
  const done = await resetBranch({ context, branch, date, checked });
  // The response need not have the metadata.
  const now = { ...branch, name: done.branch.name };
  const checkBranch = checkUnchanged({ project: projectOf(context), branch: now, date, doing: 'changed' });
  const usable = await makeUsable({
    ...{ context, branch: done.branch, date, created: false },
    beforeAttempt: () => checkBranch(false),
  });
  context.progress({ action: 'reset', branch: usable.branch });
  const { endpoint, window } = usable;
  // The URLs of Auth and the Data API are no outputs of `reset`.
  const inputs = { ...context.inputs, get_auth_url: false, get_data_api_url: false };
  return {
    branch: { ...usable.branch, ...(done.branch.expires_at ? { expires_at: done.branch.expires_at } : {}) },
    ...(await connectionDetails({ context: { ...context, inputs }, branch: usable.branch, endpoint, window })),
    done: done.done,
  };
}
