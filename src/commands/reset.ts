import { readAhead, recordConnection } from '../branch/connection-details.ts';
import { makeUsable, readUsable, waitForOperations } from '../branch/ready.ts';
import { checkReset, finishReset, sendReset } from '../branch/reset.ts';
import { requireTarget } from '../branch/target.ts';
import type { Context } from '../context.ts';

/**
 * Resets the branch to the head of its parent or of `parent_branch`, or to a point in the history of that branch. Its connection details stay
 * the same.
 */
export async function run(context: Context): Promise<void> {
  const seen = await requireTarget(context, 'change');
  context.progress({ branch: seen.branch });
  const restored = await sendReset(context, seen, await checkReset(context, seen));
  if (context.inputs.wait) await waitForOperations(context, restored.operations);
  // A new branch may not be known everywhere, so its reads are sequential.
  const reading = seen.window ? undefined : readUsable(seen);
  const details = seen.window ? undefined : readAhead(context, seen);
  const after = await finishReset(context, seen, restored);
  const usable = await makeUsable(context, after, { wait: context.inputs.wait, reading });
  const { seen: now, endpoint } = usable;
  const { expires_at = now.branch.expires_at } = after.branch;
  context.progress({ branch: { ...now.branch, expires_at } });
  // Anything read before the branch was usable is read again.
  const ahead = usable.wasUsable ? details : undefined;
  // The URLs of Auth and the Data API are no outputs of `reset`.
  await recordConnection(context, now, {
    endpoint,
    names: await ahead?.names,
    likely: ahead?.likely,
    features: false,
  });
}
