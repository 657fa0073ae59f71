import { getBranch, type Settling, settlingOf } from '../api/branches.ts';
import { createEndpoint, listEndpoints, readWriteEndpoint } from '../api/endpoints.ts';
import { OperationError } from '../api/errors.ts';
import { unfinishedOperations, waitForOperations } from '../api/operations.ts';
import type { Branch, Endpoint, Operation } from '../api/types.ts';
import { type Context, projectOf } from '../context.ts';
import { ApiError } from '../http/errors.ts';
import { duration } from '../text/format.ts';
import { show } from '../text/inert.ts';

/** The branch went away while it was looked at; whoever wants one of its name has to start again. */
export class BranchGoneError extends Error {
  override readonly name = 'BranchGoneError';
}

/** The error to throw where something about a branch was answered 404, or an operation ended badly, because the branch is gone. */
export async function goneError(options: {
  context: Context;
  branch: Branch;
  error: unknown;
  settling?: Settling | undefined;
}): Promise<BranchGoneError | undefined> {
  const { context, branch, error } = options;
  const ended = error instanceof OperationError;
  if (!ended && !(error instanceof ApiError && error.status === 404)) return undefined;
  // What was answered 404 has been asked again for as long as the branch may not be known everywhere.
  const settling = ended ? options.settling : undefined;
  const read = getBranch({ ...projectOf(context), branchId: branch.id, settling });
  const gone = await read.then(
    () => false,
    (thrown) => thrown instanceof ApiError && thrown.status === 404,
  );
  return gone ? goneMeanwhile(branch, error) : undefined;
}

function goneMeanwhile(branch: Branch, error: Error): BranchGoneError {
  return new BranchGoneError(`Branch ${show(branch.name)} (${branch.id}) went away meanwhile: ${error.message}`);
}

/** A branch as it is by now. One that was asked for by its name and has another one by now is not the one asked for any more. */
export function sameBranch(context: Context, before: Branch, now: Branch): Branch {
  const { inputs, command } = context;
  // Without a branch in its inputs, `wait` goes by the ID that the operations name.
  const byName = inputs.branch_name !== undefined || (inputs.branch_id === undefined && command !== 'wait');
  if (!byName || now.name === before.name) return now;
  throw new BranchGoneError(`Branch ${show(before.name)} (${before.id}) was renamed to ${show(now.name)} meanwhile`);
}

/** Waits for operations that this run started, and tells each in the log. */
export async function settle(
  context: Context,
  operations: Operation[],
  options: { unknownMs?: number } = {},
): Promise<Operation[]> {
  return waitForOperations({
    api: context.api,
    projectId: context.inputs.project_id,
    ...options,
    operations,
    onDone: (one) =>
      context.log.info(`Operation ${one.action} (${one.id}) ${one.status} after ${duration(one.total_duration_ms)}`),
  });
}

const isReady = (branch: Branch) => ['ready', 'archived'].includes(branch.current_state) && !branch.pending_state;
const isStarting = (endpoint: Endpoint) => endpoint.current_state === 'init';
/** Longest pause between two looks at a branch that is not ready, in milliseconds. */
const longestPauseMs = 3_000;

/**
 * Makes sure that a branch which is there can be used: that nobody is about to delete it, that whoever made it is done, and that
 * it has a read-write endpoint. Throws a `BranchGoneError` where it goes away meanwhile.
 */
export async function makeUsable(options: {
  context: Context;
  branch: Branch;
  date: number | undefined;
  made: boolean;
  /** IDs of the operations that this run has started before. */
  operationIds?: string[];
}): Promise<{
  branch: Branch;
  endpoint: Endpoint;
  started: Operation[];
  done: Operation[];
  settling: Settling | undefined;
}> {
  const { context, date, made, operationIds = [] } = options;
  const { inputs, api, log } = context;
  const project = projectOf(context);
  const settling = settlingOf({ branch: options.branch, now: api.clock.now(), date, made });
  let { branch } = options;
  const done: Operation[] = [];
  const started: Operation[] = [];
  try {
    const [endpoints] = await Promise.all([
      listEndpoints({ ...project, branch, settling }),
      made ? undefined : waitWhileLeaving(context, branch),
    ]);
    let endpoint = readWriteEndpoint(endpoints, branch);
    if (inputs.wait && isUnderWay(branch, endpoint)) {
      log.info(`Branch ${show(branch.name)} is not ready yet; waiting for whoever works on it`);
      const before = await waitUntilReady({ context, branch, settling });
      branch = before.branch;
      done.push(...before.done);
      endpoint = readWriteEndpoint(await listEndpoints({ ...project, branch, settling }), branch);
    }
    if (endpoint === undefined) {
      log.info(`Branch ${show(branch.name)} has no read-write compute endpoint; making one`);
      const created = await createEndpoint({
        ...project,
        branch,
        settling,
        ...(inputs.suspend_timeout === undefined ? {} : { suspendTimeout: inputs.suspend_timeout }),
        ...(inputs.min_cu === undefined ? {} : { minCu: inputs.min_cu }),
        ...(inputs.max_cu === undefined ? {} : { maxCu: inputs.max_cu }),
      });
      endpoint = created.endpoint;
      started.push(...created.operations);
      context.progress({ operationIds: [...operationIds, ...started.map((one) => one.id)] });
      if (inputs.wait) done.push(...(await settle(context, created.operations)));
    }
    return { branch, endpoint, started, done, settling };
  } catch (error) {
    throw error instanceof ApiError && error.status === 404 ? goneMeanwhile(branch, error) : error;
  }
}

/**
 * A branch that is being deleted looks like any other until it is gone; only the operations tell. Waits until they have ended,
 * and throws the read's own 404 where the branch is gone then.
 */
async function waitWhileLeaving(context: Context, branch: Branch): Promise<void> {
  const project = projectOf(context);
  const running = await unfinishedOperations({ ...project, branchId: branch.id });
  if (!running.some((one) => one.action === 'delete_timeline')) return;
  context.log.info(`Branch ${show(branch.name)} (${branch.id}) is being deleted; waiting until it is gone`);
  try {
    await settle(context, running, { unknownMs: 0 });
  } catch (error) {
    // What became of the operations is not ours to judge: the branch itself tells.
    if (!(error instanceof OperationError)) throw error;
  }
  await getBranch({ ...project, branchId: branch.id });
}

/** Whether somebody still works on a branch or on its endpoint, so that nobody can count on it yet. */
export function isUnderWay(branch: Branch, endpoint: Endpoint | undefined): boolean {
  return !isReady(branch) || (endpoint !== undefined && isStarting(endpoint));
}

export async function waitUntilReady(options: { context: Context; branch: Branch; settling: Settling | undefined }) {
  const { context, settling } = options;
  const { api } = context;
  const project = projectOf(context);
  let { branch } = options;
  const done: Operation[] = [];
  for (let pause = 250; ; pause = Math.min(longestPauseMs, pause * 1.5)) {
    const running = await unfinishedOperations({ ...project, branchId: branch.id });
    done.push(...(await settle(context, running)));
    const now = await getBranch({
      ...project,
      branchId: branch.id,
      settling: running.length > 0 ? undefined : settling,
    });
    branch = sameBranch(context, branch, now.branch);
    if (isReady(branch)) {
      const endpoint = readWriteEndpoint(await listEndpoints({ ...project, branch, settling }), branch);
      if (!endpoint || !isStarting(endpoint)) return { branch, done };
    }
    await api.sleep(pause, `waiting until branch ${show(branch.name)} (${branch.id}) is ready`);
  }
}
