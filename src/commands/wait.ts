import { connectionDetails } from '../branch/connection-details.ts';
import { waitForMasking } from '../branch/masking.ts';
import { isBusy, waitUntilReady } from '../branch/ready.ts';
import { sight } from '../branch/sighting.ts';
import { findTarget, requireTarget } from '../branch/target.ts';
import { waitForOperations } from '../branch/wait.ts';
import { type Command, type Context, projectOf } from '../context.ts';
import { ApiError } from '../http/errors.ts';
import { type Given, isEmpty, namesBranch } from '../inputs/fields.ts';
import { type InvalidInput, missing } from '../inputs/invalid.ts';
import type { Result } from '../result.ts';
import { type FoundBranch, getBranch, nameAndId } from '../service/branches.ts';
import { listChoices } from '../service/connection.ts';
import { listEndpoints, readWriteEndpoint } from '../service/endpoints.ts';
import { propagationMs } from '../service/propagation-window.ts';
import type { Operation } from '../service/types.ts';
import { count } from '../text/format.ts';
import { show } from '../text/inert.ts';

/** Waits for operations that another step has started, and then returns what `get` returns if their branch is known. */
export const wait: Command = { connects: true, check, run };

async function run(context: Context): Promise<Partial<Result>> {
  const { inputs, log } = context;
  const ids = inputs.operation_ids ?? [];
  const started: Operation[] = ids.map((id) => ({
    id,
    action: '',
    status: 'scheduling',
    failures_count: 0,
    total_duration_ms: 0,
  }));
  const operations = await waitForOperations(context, started);
  context.progress({ action: 'waited' });
  const done = ids.length === 0 ? 'No operations to wait for' : `Waited for ${count(ids.length, 'operation')}`;

  const found = await findBranch(context, operations);
  if (!found) return { done };
  const seen = sight(context, found);
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
    return { branch, done };
  }
  const details = await connectionDetails(context, seen, { endpoint, names });
  return { branch, ...details, done: `${done}; branch ${nameAndId(branch)} is ready` };
}

/** An empty list is fine: a step that reused its branch has no operations. */
function check({ inputs }: { inputs: Given }): InvalidInput[] {
  if (!isEmpty(inputs, 'operation_ids')) return [];
  return [missing('operation_ids', 'set it to the output `operation_ids` of the step with `wait: false`')];
}

/**
 * The branch that the step names, else the one that all the operations were about; undefined if it is gone, as it is after the
 * operations of a delete. A named branch that none of them was about must exist.
 */
async function findBranch(context: Context, operations: Operation[]): Promise<FoundBranch | undefined> {
  const { inputs, log } = context;
  const [first, ...others] = [...new Set(operations.flatMap((one) => one.branch_id ?? []))];
  const branchId = others.length === 0 ? first : undefined;
  const deleted = branchId !== undefined && operations.some((one) => one.action === 'delete_timeline');
  if (namesBranch(inputs)) {
    if (!deleted || (inputs.branch_id ?? branchId) !== branchId) return requireTarget(context);
    const found = await findTarget(context);
    if (!found) log.info(`Branch ${branchId} is gone, as expected after a delete`);
    return found;
  }
  if (branchId === undefined) return undefined;
  const project = projectOf(context);
  // What was just created may not be known everywhere yet; what was deleted will not come back.
  const until = project.api.clock.now() + propagationMs.branchId;
  try {
    const window = deleted ? undefined : { statuses: [404, 422], until };
    return await getBranch({ ...project, branchId, window });
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
    log.info(`Branch ${branchId} is gone${deleted ? ', as expected after a delete' : ''}`);
    return undefined;
  }
}
