import type { Context } from '../context.ts';
import { backoff } from '../http/backoff.ts';
import { ApiError } from '../http/errors.ts';
import { getBranch, nameAndId } from '../service/branches.ts';
import { createEndpoint, listEndpoints, readWriteEndpoint } from '../service/endpoints.ts';
import { BranchGoneError, MaskingError, OperationError } from '../service/errors.ts';
import { unfinishedOperations } from '../service/operations.ts';
import type { Branch, Endpoint, Operation } from '../service/types.ts';
import { show } from '../text/inert.ts';
import { wantedSettings } from './settings.ts';
import type { Sighting } from './sighting.ts';
import { waitForOperations } from './wait.ts';

/**
 * The error to throw if a request about a branch failed with 404, or an operation failed, because the branch has been deleted;
 * undefined if it still exists.
 */
export async function goneError(seen: Sighting, error: unknown): Promise<BranchGoneError | undefined> {
  const byOperation = error instanceof OperationError || error instanceof MaskingError;
  if (!byOperation && !(error instanceof ApiError && error.status === 404)) return undefined;
  // A 404 has already been retried for as long as the branch may not be known everywhere.
  const window = byOperation ? seen.window : undefined;
  const read = getBranch({ ...seen, branchId: seen.branch.id, window });
  const gone = await read.then(
    () => false,
    (thrown) => thrown instanceof ApiError && thrown.status === 404,
  );
  return gone ? deletedMeanwhile(seen.branch, error) : undefined;
}

function deletedMeanwhile(branch: Branch, error: Error): BranchGoneError {
  return new BranchGoneError(`Branch ${nameAndId(branch)} was deleted in the meantime: ${error.message}`);
}

/** A branch as it is now. One that was asked for by name and has been renamed is no longer the one that was asked for. */
export function sameBranch(context: Context, before: Branch, now: Branch): Branch {
  const { inputs, command } = context;
  // Without a branch in its inputs, `wait` uses the ID in the operations.
  const byName = inputs.branch_name !== undefined || (inputs.branch_id === undefined && command !== 'wait');
  if (!byName || now.name === before.name) return now;
  throw new BranchGoneError(`Branch ${nameAndId(before)} was renamed to ${show(now.name)} in the meantime`);
}

const isReady = (branch: Branch) => ['ready', 'archived'].includes(branch.current_state) && !branch.pending_state;
const isStarting = (endpoint: Endpoint) => endpoint.current_state === 'init';
/** Delays between two reads of a branch that is not ready, in milliseconds. */
const readyBackoff = { first: 250, growth: 1.5, longest: 3_000 };

/** An existing branch that is ready. */
export interface ReadyBranch {
  seen: Sighting;
  endpoint: Endpoint;
  /** Whether it was usable as it was found, without waiting or adding an endpoint. */
  wasUsable: boolean;
}

/**
 * Makes sure that an existing branch is usable: that nobody is deleting it, that it is ready, and that it has a read-write
 * endpoint. Throws a `BranchGoneError` if it is deleted in the meantime.
 */
export async function makeUsable(
  context: Context,
  found: Sighting,
  { created = false }: { created?: boolean } = {},
): Promise<ReadyBranch> {
  const { inputs, log } = context;
  let seen = found;
  let started: Operation[] = [];
  let wasUsable = true;
  try {
    const [endpoints] = await Promise.all([listEndpoints(seen), created ? undefined : waitIfDeleting(context, seen)]);
    let endpoint = readWriteEndpoint(endpoints, seen.branch);
    if (inputs.wait && isBusy(seen.branch, endpoint)) {
      log.info(`Branch ${show(seen.branch.name)} is not ready yet; waiting for its operations`);
      seen = seen.with(await waitUntilReady(context, seen));
      wasUsable = false;
      endpoint = readWriteEndpoint(await listEndpoints(seen), seen.branch);
    }
    if (endpoint === undefined) {
      log.info(`Branch ${show(seen.branch.name)} has no read-write compute endpoint; creating one`);
      ({ endpoint, operations: started } = await createEndpoint(seen, wantedSettings(context)));
      wasUsable = false;
    }
    context.started(started);
    if (inputs.wait) await waitForOperations(context, started);
    return { seen, endpoint, wasUsable };
  } catch (error) {
    throw error instanceof ApiError && error.status === 404 ? deletedMeanwhile(seen.branch, error) : error;
  }
}

/**
 * A branch that is being deleted looks like any other until it is gone; only its operations show it. Waits until they have ended,
 * and throws the read's own 404 if the branch is gone by then.
 */
async function waitIfDeleting(context: Context, seen: Sighting): Promise<void> {
  const { api, projectId, branch } = seen;
  const running = await unfinishedOperations({ api, projectId, branchId: branch.id });
  if (!running.some((one) => one.action === 'delete_timeline')) return;
  context.log.info(`Branch ${nameAndId(branch)} is being deleted; waiting until it is gone`);
  try {
    // Not recorded: another step has started them, and if the branch turns out to be gone, this wait may go on after the step has moved on.
    await waitForOperations(context, running, { unknownMs: 0, record: false });
  } catch (error) {
    // How these operations end does not matter here: the branch itself shows whether it still exists.
    if (!(error instanceof OperationError)) throw error;
  }
  await getBranch({ api, projectId, branchId: branch.id });
}

/** Whether operations on a branch or on its endpoint are still running, so that it cannot be relied on yet. */
export function isBusy(branch: Branch, endpoint: Endpoint | undefined): boolean {
  return !isReady(branch) || (endpoint !== undefined && isStarting(endpoint));
}

export async function waitUntilReady(context: Context, seen: Sighting): Promise<Branch> {
  const { api, projectId } = seen;
  const { id } = seen.branch;
  let { branch } = seen;
  for (const delay of backoff(readyBackoff)) {
    const running = await unfinishedOperations({ api, projectId, branchId: id });
    await waitForOperations(context, running);
    const window = running.length > 0 ? undefined : seen.window;
    const found = await getBranch({ api, projectId, branchId: id, window });
    branch = sameBranch(context, branch, found.branch);
    if (isReady(branch)) {
      const endpoint = readWriteEndpoint(await listEndpoints(seen.with(branch)), branch);
      if (!endpoint || !isStarting(endpoint)) break;
    }
    await api.sleep(delay, `waiting until branch ${nameAndId(branch)} is ready`);
  }
  return branch;
}
