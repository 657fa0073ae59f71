import type { Context } from '../context.ts';
import { backoff } from '../http/clock.ts';
import { ApiError, isNotFound } from '../http/errors.ts';
import { getBranch, nameAndId } from '../service/branches.ts';
import { type ComputeSettings, endpointCreation, listEndpoints, readWriteEndpoint } from '../service/endpoints.ts';
import { BranchGoneError, MaskingError, OperationError } from '../service/errors.ts';
import { pollOperations, unfinishedOperations } from '../service/operations.ts';
import type { Branch, Endpoint, Operation } from '../service/types.ts';
import { duration } from '../text/format.ts';
import { show } from '../text/inert.ts';
import { type Sighting, sameBranch } from './sighting.ts';

/**
 * The error to throw if a request about a branch failed with 404, or an operation failed, because the branch has been deleted;
 * undefined if it still exists.
 */
export async function goneError(seen: Sighting, error: unknown): Promise<BranchGoneError | undefined> {
  const byOperation = error instanceof OperationError || error instanceof MaskingError;
  if (!byOperation && !isNotFound(error)) return undefined;
  // A 404 has already been retried for as long as the branch may not be known everywhere.
  const window = byOperation ? seen.window : undefined;
  const gone = await getBranch({ ...seen, branchId: seen.branch.id, window }).then(() => false, isNotFound);
  return gone ? deletedMeanwhile(seen.branch, error) : undefined;
}

function deletedMeanwhile(branch: Branch, error: Error): BranchGoneError {
  const how = error instanceof ApiError ? ` (${error.failure.what})` : `: ${error.message}`;
  const why = `was deleted in the meantime${how}`;
  return new BranchGoneError(`Branch ${nameAndId(branch)} ${why}`, { why });
}

const isReady = (branch: Branch) => ['ready', 'archived'].includes(branch.current_state) && !branch.pending_state;
const isStarting = (endpoint: Endpoint) => endpoint.current_state === 'init';
/** Delays between two reads of a branch that is not ready, in milliseconds. */
const readyBackoff = { first: 250, growth: 1.5, longest: 3_000 };

/** Begins to read what shows whether a branch is usable. If a read fails, it throws where it is used. */
export function readUsable(seen: Sighting) {
  const { api, projectId, branch, created } = seen;
  const reads = {
    endpoints: listEndpoints(seen),
    /** Unfinished operations, which show whether it is being deleted. */
    running: created ? undefined : unfinishedOperations({ api, projectId, branchId: branch.id }),
  };
  for (const read of [reads.endpoints, reads.running]) read?.catch(() => {});
  return reads;
}

/**
 * Makes sure that a branch is usable: that nobody is deleting it, that it is ready (with `wait`), and that it has a read-write
 * endpoint. `wasUsable`: it was so as it was found. Throws a `BranchGoneError` if it is deleted in the meantime.
 */
export async function makeUsable(
  context: Context,
  found: Sighting,
  options: { wait: boolean; reading?: ReturnType<typeof readUsable> },
): Promise<{ seen: Sighting; endpoint: Endpoint; wasUsable: boolean }> {
  const { wait } = options;
  const { log } = context;
  let seen = found;
  let started: Operation[] = [];
  let wasUsable = true;
  try {
    const { reading = readUsable(seen) } = options;
    const [endpoints] = await Promise.all([reading.endpoints, waitIfDeleting(context, seen, reading.running)]);
    let endpoint = readWriteEndpoint(endpoints, seen.branch);
    if (wait && isBusy(seen.branch, endpoint)) {
      log.info(`Branch ${show(seen.branch.name)} is not ready yet; waiting for its operations`);
      seen = seen.with(await waitUntilReady(context, seen));
      wasUsable = false;
      endpoint = readWriteEndpoint(await listEndpoints(seen), seen.branch);
    }
    if (endpoint === undefined) {
      log.info(`Branch ${show(seen.branch.name)} has no read-write compute endpoint; creating one`);
      ({ endpoint, operations: started } = await seen.change(endpointCreation(seen, wantedSettings(context))));
      wasUsable = false;
    }
    context.started(started);
    if (wait) await waitForOperations(context, started);
    return { seen, endpoint, wasUsable };
  } catch (error) {
    throw isNotFound(error) ? deletedMeanwhile(seen.branch, error) : error;
  }
}

/**
 * A branch that is being deleted looks like any other until it is gone; only its operations show it. Waits until they have ended,
 * and throws the read's own 404 if the branch is gone by then.
 */
async function waitIfDeleting(
  context: Context,
  seen: Sighting,
  reading: Promise<Operation[]> | undefined,
): Promise<void> {
  const { api, projectId, branch } = seen;
  const running = (await reading) ?? [];
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

/** The compute settings that the inputs ask for, under the service's own names. */
export function wantedSettings({ inputs }: Context): ComputeSettings {
  const { min_cu, max_cu, suspend_timeout } = inputs;
  const wanted = {
    autoscaling_limit_min_cu: min_cu,
    autoscaling_limit_max_cu: max_cu,
    suspend_timeout_seconds: suspend_timeout,
  };
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
}

/**
 * Waits until all operations have succeeded, and logs and records each. `unknownMs` is how long an operation may be unknown, in milliseconds;
 * `record: false` leaves out of the result what another step has started.
 * Throws an `OperationError` for one that failed.
 */
export async function waitForOperations(
  context: Context,
  operations: Operation[],
  { unknownMs, record = true }: { unknownMs?: number; record?: boolean } = {},
): Promise<Operation[]> {
  const done: Operation[] = [];
  await pollOperations({
    api: context.api,
    projectId: context.inputs.project_id,
    unknownMs,
    operations,
    onDone(one) {
      context.log.info(`Operation ${one.action} (${one.id}) ${one.status} after ${duration(one.total_duration_ms)}`);
      if (record) context.succeeded(one);
      done.push(one);
    },
  });
  return done;
}
