import { recordConnection } from '../branch/connection-details.ts';
import { waitForMasking } from '../branch/masking.ts';
import { isBusy, waitForOperations, waitUntilReady } from '../branch/ready.ts';
import { type Sighting, sight } from '../branch/sighting.ts';
import { findTarget, requireTarget } from '../branch/target.ts';
import { type Context, projectOf } from '../context.ts';
import { unlessNotFound } from '../http/errors.ts';
import { namesBranch } from '../inputs/fields.ts';
import { getBranch, nameAndId } from '../service/branches.ts';
import { listChoices } from '../service/connection.ts';
import { listEndpoints, readWriteEndpoint } from '../service/endpoints.ts';
import { propagationMs } from '../service/propagation-window.ts';
import type { Operation } from '../service/types.ts';
import { count } from '../text/format.ts';
import { show } from '../text/inert.ts';

/** Waits for operations that another step has started, and then returns what `get` returns if their branch is known. */
export async function run(context: Context): Promise<void> {
  const { inputs, log } = context;
  const ids = inputs.operation_ids ?? [];
  const operations = await waitForOperations(
    context,
    ids.map((id) => ({ id, action: '', status: 'scheduling', failures_count: 0, total_duration_ms: 0 })),
  );
  const done = ids.length === 0 ? 'No operations to wait for' : `Waited for ${count(ids.length, 'operation')}`;

  context.progress({ action: 'waited', done });

  const seen = await findBranch(context, operations);
  if (!seen) return;
  const { branch } = seen;
  context.progress({ branch });
  const [listed, names] = await Promise.all([listEndpoints(seen), listChoices(seen)]);
  let endpoint = readWriteEndpoint(listed, branch);
  // A step that reused the branch started nothing, while the run that creates it may still be waiting for it.
  if (isBusy(branch, endpoint)) {
    await waitUntilReady(context, seen);
    endpoint = readWriteEndpoint(await listEndpoints(seen), branch);
  }
  await waitForMasking(context, seen);
  if (!endpoint) {
    log.info(`Branch ${show(branch.name)} has no read-write compute endpoint, so it has no host`);
    return;
  }
  await recordConnection(context, seen, { endpoint, names });
  context.progress({ done: `${done}; branch ${nameAndId(branch)} is ready` });
}

/**
 * The branch that the step names, else the one that all the operations were about; undefined if it is gone, as it is after the
 * operations of a delete. A named branch that none of them was about must exist.
 */
async function findBranch(context: Context, operations: Operation[]): Promise<Sighting | undefined> {
  const { inputs, log } = context;
  const [first, ...others] = [...new Set(operations.flatMap((one) => one.branch_id ?? []))];
  const branchId = others.length === 0 ? first : undefined;
  const deleted = branchId !== undefined && operations.some((one) => one.action === 'delete_timeline');
  if (namesBranch(inputs)) {
    if (!deleted || (inputs.branch_id ?? branchId) !== branchId) return requireTarget(context, 'use');
    const found = await findTarget(context, 'use');
    if (!found) log.info(`Branch ${branchId} is gone, as expected after a delete`);
    return found;
  }
  if (branchId === undefined) return undefined;
  const project = projectOf(context);
  // What was just created may not be known everywhere yet; what was deleted will not come back.
  const until = project.api.clock.now() + propagationMs.branchId;
  const window = deleted ? undefined : { statuses: [404, 422], until };
  const found = await unlessNotFound(getBranch({ ...project, branchId, window }));
  if (!found) log.info(`Branch ${branchId} is gone${deleted ? ', as expected after a delete' : ''}`);
  return found && sight(context, found);
}
