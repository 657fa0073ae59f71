import { connectionDetails } from '../branch/connection-details.ts';
import { makeUsable } from '../branch/ready.ts';
import { checkReset, resetBranch } from '../branch/reset.ts';
import { requireTarget } from '../branch/target.ts';
import type { Command, Context } from '../context.ts';
import type { Result } from '../result.ts';

/** Resets the branch to its parent's head, or to a point in the parent's history; its connection details stay the same. */
export const reset: Command = { oneBranch: true, changes: true, connects: true, comments: true, run };

async function run(context: Context): Promise<Partial<Result>> {
  const seen = await requireTarget(context, 'change');
  context.progress({ branch: seen.branch });
  const checked = await checkReset(context, seen);
  const reset = await resetBranch(context, seen, { checked });
  const { seen: now, endpoint } = await makeUsable(context, reset.seen);
  context.progress({ action: 'reset', branch: now.branch });
  const { expires_at = now.branch.expires_at } = reset.seen.branch;
  return {
    branch: { ...now.branch, expires_at },
    // The URLs of Auth and the Data API are no outputs of `reset`.
    ...(await connectionDetails(context, now, { endpoint, features: false })),
    done: reset.done,
  };
}
