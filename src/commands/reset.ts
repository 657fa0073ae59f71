import { outputConnection, type ReadAhead, readAhead } from '../branch/connection-details.ts';
import { makeUsable, readUsable, type UsableReads } from '../branch/ready.ts';
import { checkReset, resetBranch } from '../branch/reset.ts';
import { requireTarget } from '../branch/target.ts';
import type { Context } from '../context.ts';

/** Resets the branch to its parent's head, or to a point in the parent's history; its connection details stay the same. */
export async function run(context: Context): Promise<void> {
  const seen = await requireTarget(context, 'change');
  context.progress({ branch: seen.branch });
  const checked = await checkReset(context, seen);
  let reading: UsableReads | undefined;
  let details: ReadAhead | undefined;
  const onReady = () => {
    // A new branch may not be known everywhere, so its reads are sequential.
    if (seen.window) return;
    reading = readUsable(seen);
    details = readAhead(context, seen);
  };
  const reset = await resetBranch(context, seen, { checked, onReady });
  const usable = await makeUsable(context, reset.seen, { wait: context.inputs.wait, reading });
  const { seen: now, endpoint } = usable;
  const { expires_at = now.branch.expires_at } = reset.seen.branch;
  context.progress({ action: 'reset', branch: { ...now.branch, expires_at } });
  // Anything read before the branch was usable is read again.
  const ahead = usable.wasUsable ? details : undefined;
  // The URLs of Auth and the Data API are no outputs of `reset`.
  await outputConnection(context, now, {
    endpoint,
    names: await ahead?.names,
    likely: ahead?.likely,
    features: false,
  });
  context.progress({ done: reset.done });
}
