import { type FoundBranch, getBranch, settlingOf } from '../api/branches.ts';
import { listChoices } from '../api/connection.ts';
import { listEndpoints, readWriteEndpoint } from '../api/endpoints.ts';
import type { Operation } from '../api/types.ts';
import { addresses } from '../branch/connection-details.ts';
import { waitForMasking } from '../branch/masking.ts';
import { isUnderWay, settle, waitUntilReady } from '../branch/ready.ts';
import { findTarget, requireTarget } from '../branch/target.ts';
import { type Command, type Context, projectOf } from '../context.ts';
import { ApiError } from '../http/errors.ts';
import { show } from '../text/inert.ts';

/** How long a branch may be unknown whose operations have ended, in milliseconds. */
const settlesWithinMs = 3_000;

/** Waits for operations that another step has started, and then gives what `get` gives where their branch is known. */
export const wait: Command = async (context) => {
  const { inputs, log } = context;
  const ids = inputs.operation_ids ?? [];
  const started: Operation[] = ids.map((id) => ({
    id,
    action: '',
    status: 'scheduling',
    failures_count: 0,
    total_duration_ms: 0,
  }));
  const operations = await settle(context, started);
  context.progress({ operations });
  const done = `Waited for ${ids.length} ${ids.length === 1 ? 'operation' : 'operations'}`;

  const found = await findBranch(context, operations);
  if (!found) return { operations, done };
  const { branch, date } = found;
  context.progress({ branch });
  const project = projectOf(context);
  const settling = settlingOf({ branch, now: context.api.clock.now(), date, made: false });
  const [endpoints, names] = await Promise.all([
    listEndpoints({ ...project, branch, settling }),
    listChoices({ ...project, branch, settling }),
  ]);
  const endpoint = readWriteEndpoint(endpoints, branch);
  // A step that reused the branch started nothing, while the run that makes it may still be at work.
  if (isUnderWay(branch, endpoint)) operations.push(...(await waitUntilReady({ context, branch, settling })).done);
  await waitForMasking({ context, branch });
  if (!endpoint) {
    log.info(`Branch ${show(branch.name)} has no read-write compute endpoint, and so no address`);
    return { branch, operations, done };
  }
  const addressed = await addresses({ context, branch, endpoint, settling, names });
  return { branch, operations, ...addressed, done: `${done}: branch ${show(branch.name)} (${branch.id}) can be used` };
};

/**
 * The branch that is named in the step, else the one that all the operations worked on; undefined where it is gone, as it is
 * after the operations of a delete. A named branch that none of them worked on has to be there.
 */
async function findBranch(context: Context, operations: Operation[]): Promise<FoundBranch | undefined> {
  const { inputs, log } = context;
  const [first, ...others] = [...new Set(operations.flatMap((one) => one.branch_id ?? []))];
  const branchId = others.length === 0 ? first : undefined;
  const deleted = branchId !== undefined && operations.some((one) => one.action === 'delete_timeline');
  if (inputs.branch_id !== undefined || inputs.branch_name !== undefined) {
    if (!deleted || (inputs.branch_id ?? branchId) !== branchId) return requireTarget(context);
    const found = await findTarget(context);
    if (!found) log.info(`Branch ${branchId} is gone, as it is after a delete`);
    return found;
  }
  if (branchId === undefined) return undefined;
  const project = projectOf(context);
  // What was made a moment ago may not be known everywhere yet; what was deleted will not come back.
  const until = project.api.clock.now() + settlesWithinMs;
  try {
    const settling = deleted ? undefined : { statuses: [404, 422], until };
    return await getBranch({ ...project, branchId, settling });
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
    log.info(`Branch ${branchId} is gone${deleted ? ', as it is after a delete' : ''}`);
    return undefined;
  }
}
