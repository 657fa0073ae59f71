import { type Context, projectOf } from '../context.ts';
import { backoff } from '../http/backoff.ts';
import { ApiError } from '../http/errors.ts';
import { getBranch, nameAndId } from '../service/branches.ts';
import { createEndpoint, listEndpoints, readWriteEndpoint } from '../service/endpoints.ts';
import { MaskingError, OperationError } from '../service/errors.ts';
import { unfinishedOperations } from '../service/operations.ts';
import { branchWindow, type PropagationWindow } from '../service/propagation-window.ts';
import type { Branch, Endpoint, Operation } from '../service/types.ts';
import { show } from '../text/inert.ts';
import { waitForOperations } from './wait.ts';

/** The branch was deleted or renamed in the meantime; a step that wants one of its name must start again. */
export class BranchGoneError extends Error {
  override readonly name = 'BranchGoneError';
}

/**
 * The error to throw if a request about a branch failed with 404, or an operation failed, because the branch has been deleted;
 * undefined if it still exists.
 */
export async function goneError(options: {
  context: Context;
  branch: Branch;
  error: unknown;
  window?: PropagationWindow | undefined;
}): Promise<BranchGoneError | undefined> {
  const { context, branch, error } = options;
  const byOperation = error instanceof OperationError || error instanceof MaskingError;
  if (!byOperation && !(error instanceof ApiError && error.status === 404)) return undefined;
  // A 404 has already been retried for as long as the branch may not be known everywhere.
  const window = byOperation ? options.window : undefined;
  const read = getBranch({ ...projectOf(context), branchId: branch.id, window });
  const gone = await read.then(
    () => false,
    (thrown) => thrown instanceof ApiError && thrown.status === 404,
  );
  return gone ? deletedMeanwhile(branch, error) : undefined;
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
  branch: Branch;
  endpoint: Endpoint;
  /** Whether it was usable as it was found, without waiting or adding an endpoint. */
  wasUsable: boolean;
  window: PropagationWindow | undefined;
}

/**
 * Makes sure that an existing branch is usable: that nobody is deleting it, that it is ready, and that it has a read-write
 * endpoint. Throws a `BranchGoneError` if it is deleted in the meantime.
 */
export async function makeUsable(options: {
  context: Context;
  branch: Branch;
  date: number | undefined;
  created: boolean;
  /** Called before each attempt to add an endpoint; throws if the branch must not be changed. */
  beforeAttempt: () => Promise<void>;
}): Promise<ReadyBranch> {
  const { context, date, created, beforeAttempt } = options;
  const { inputs, api, log } = context;
  const project = projectOf(context);
  const window = branchWindow({ branch: options.branch, clock: api.clock, date, created });
  let { branch } = options;
  let started: Operation[] = [];
  let wasUsable = true;
  try {
    const [endpoints] = await Promise.all([
      listEndpoints({ ...project, branch, window }),
      created ? undefined : waitIfDeleting(context, branch),
    ]);
    let endpoint = readWriteEndpoint(endpoints, branch);
    if (inputs.wait && isBusy(branch, endpoint)) {
      log.info(`Branch ${show(branch.name)} is not ready yet; waiting for its operations`);
      branch = await waitUntilReady({ context, branch, window });
      wasUsable = false;
      endpoint = readWriteEndpoint(await listEndpoints({ ...project, branch, window }), branch);
    }
    if (endpoint === undefined) {
      log.info(`Branch ${show(branch.name)} has no read-write compute endpoint; creating one`);
      const response = await createEndpoint({
        ...project,
        branch,
        window,
        suspendTimeout: inputs.suspend_timeout,
        minCu: inputs.min_cu,
        maxCu: inputs.max_cu,
        beforeAttempt,
      });
      ({ endpoint } = response);
      started = response.operations;
      wasUsable = false;
    }
    context.started(started);
    if (inputs.wait) await waitForOperations(context, started);
    return { branch, endpoint, wasUsable, window };
  } catch (error) {
    throw error instanceof ApiError && error.status === 404 ? deletedMeanwhile(branch, error) : error;
  }
}

/**
 * A branch that is being deleted looks like any other until it is gone; only its operations show it. Waits until they have ended,
 * and throws the read's own 404 if the branch is gone by then.
 */
async function waitIfDeleting(context: Context, branch: Branch): Promise<void> {
  const project = projectOf(context);
  const running = await unfinishedOperations({ ...project, branchId: branch.id });
  if (!running.some((one) => one.action === 'delete_timeline')) return;
  context.log.info(`Branch ${nameAndId(branch)} is being deleted; waiting until it is gone`);
  try {
    // Not recorded: another step has started them, and if the branch turns out to be gone, this wait may go on after the step has moved on.
    await waitForOperations({ ...context, succeeded: () => {} }, running, { unknownMs: 0 });
  } catch (error) {
    // How these operations end does not matter here: the branch itself shows whether it still exists.
    if (!(error instanceof OperationError)) throw error;
  }
  await getBranch({ ...project, branchId: branch.id });
}

/** Whether operations on a branch or on its endpoint are still running, so that it cannot be relied on yet. */
export function isBusy(branch: Branch, endpoint: Endpoint | undefined): boolean {
  return !isReady(branch) || (endpoint !== undefined && isStarting(endpoint));
}

export async function waitUntilReady(options: {
  context: Context;
  branch: Branch;
  window: PropagationWindow | undefined;
}): Promise<Branch> {
  const { context, window } = options;
  const { api } = context;
  const project = projectOf(context);
  let { branch } = options;
  for (const delay of backoff(readyBackoff)) {
    const running = await unfinishedOperations({ ...project, branchId: branch.id });
    await waitForOperations(context, running);
    const found = await getBranch({
      ...project,
      branchId: branch.id,
      window: running.length > 0 ? undefined : window,
    });
    branch = sameBranch(context, branch, found.branch);
    if (isReady(branch)) {
      const endpoint = readWriteEndpoint(await listEndpoints({ ...project, branch, window }), branch);
      if (!endpoint || !isStarting(endpoint)) break;
    }
    await api.sleep(delay, `waiting until branch ${nameAndId(branch)} is ready`);
  }
  return branch;
}
