import { backoff } from '../http/backoff.ts';
import type { Client } from '../http/client.ts';
import { ApiError, StoppedError } from '../http/errors.ts';
import { type PropagationWindow, propagationMs, unknownWindow } from '../http/propagation-window.ts';
import * as shape from '../http/shape.ts';
import { OperationError } from './errors.ts';
import { projectPath } from './project.ts';
import { type Operation, operation as readOperation } from './types.ts';

/** `failed` is not final: the service may retry. After this long without a sign of it, in milliseconds, it is. */
const failedForGoodMs = 30_000;
/** Delays between two polls, in milliseconds. */
const pollBackoff = { first: 100, growth: 1.5, longest: 3_000 };

export const notRetried = 'failed, and the service is not retrying it';
export const noLongerKnown = 'is no longer known to the service, so its outcome is unknown';

export interface PollOptions {
  api: Client;
  /** The project of operations that do not name theirs. */
  projectId?: string | undefined;
  /** In the order in which they run: one after another, so only the first unfinished one is polled. */
  operations: Operation[];
  /** Receives each operation once it has succeeded. */
  onDone?: (operation: Operation) => void;
  /** How long an operation may be unknown after it was started, in milliseconds. */
  unknownMs?: number;
}

/**
 * Polls until every operation has succeeded (`finished` or `skipped`) and returns them as they ended.
 * Throws an `OperationError` for one that ended in `error` or `cancelled` or stayed `failed`, and a `StoppedError` that names the
 * operation at the deadline.
 */
export async function pollOperations(options: PollOptions): Promise<Operation[]> {
  const { onDone } = options;
  const done: Operation[] = [];
  for (const started of options.operations) {
    const ended = succeeded(started) ? started : await pollOne(options, started);
    onDone?.(ended);
    done.push(ended);
  }
  return done;
}

async function pollOne(options: PollOptions, started: Operation): Promise<Operation> {
  const { api } = options;
  const projectId = started.project_id ?? options.projectId;
  if (projectId === undefined)
    throw new OperationError(started, 'cannot be waited for, because its project is unknown; set `project_id`');
  const patience = createPatience(api.clock.now());
  const window = unknownWindow(options.unknownMs ?? propagationMs.operation, api.clock);
  let last = started;
  try {
    for (const delay of backoff(pollBackoff)) {
      patience.observe(last, api.clock.now());
      await api.sleep(delay);
      last = await readOne({ api, projectId, operation: last, window });
      if (succeeded(last)) break;
      if (last.status === 'error' || last.status === 'cancelled') throw new OperationError(last);
      if (last.status === 'failed' && patience.isOver(last, api.clock.now()))
        throw new OperationError(last, notRetried);
    }
    return last;
  } catch (error) {
    if (!(error instanceof StoppedError)) throw error;
    const status = `status "${last.status}"`;
    const named = last.action ? `${last.action} (${last.id}, ${status})` : `${last.id} (${status})`;
    throw error.while(`waiting for operation ${named}`);
  }
}

async function readOne(options: {
  api: Client;
  projectId: string;
  operation: Operation;
  window: PropagationWindow;
}): Promise<Operation> {
  const { api, projectId, operation, window } = options;
  try {
    return await getOperation({ api, projectId, id: operation.id, window });
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
    throw new OperationError(operation, noLongerKnown, { unknown: true });
  }
}

export async function getOperation(options: {
  api: Client;
  projectId: string;
  id: string;
  window?: PropagationWindow | undefined;
}): Promise<Operation> {
  const { api, projectId, id, window } = options;
  const { value } = await api.request({
    goal: `read operation ${id}`,
    method: 'GET',
    path: projectPath(projectId, `/operations/${encodeURIComponent(id)}`),
    window,
    read: (body) => readOperation(shape.object(body, 'the response').operation, 'operation'),
  });
  if (value.id === id) return value;
  throw new OperationError({ id }, `was requested, but the service returned operation ${value.id}`);
}

/** The newest operations of a branch that have not ended yet, oldest first. */
export async function unfinishedOperations(options: {
  api: Client;
  projectId: string;
  branchId: string;
}): Promise<Operation[]> {
  const { api, projectId, branchId } = options;
  const { value } = await api.request({
    goal: `list the operations of branch ${branchId}`,
    method: 'GET',
    path: projectPath(projectId, '/operations'),
    query: { limit: 100 },
    read: (body) => shape.list(shape.object(body, 'the response').operations, 'operations', readOperation),
  });
  return value.filter((one) => one.branch_id === branchId && !hasEnded(one)).reverse();
}

export function succeeded(operation: Operation): boolean {
  return operation.status === 'finished' || operation.status === 'skipped';
}

export function hasEnded(operation: Operation): boolean {
  return succeeded(operation) || ['error', 'cancelled', 'failed'].includes(operation.status);
}

/** Watches for signs that the service is still retrying a failed operation: `retry_at`, or a rising `failures_count`. */
export function createPatience(now: number) {
  let lastSign = now;
  let status = '';
  let failures = -1;
  let retryAt: string | undefined;
  const observe = (operation: Operation, at: number) => {
    const stays = status === 'failed' && operation.status === 'failed';
    const sign = !stays || operation.failures_count > failures || operation.retry_at !== retryAt;
    if (sign) lastSign = at;
    status = operation.status;
    const next = Date.parse(operation.retry_at ?? '');
    if (operation.status === 'failed' && next > lastSign) lastSign = next;
    failures = Math.max(failures, operation.failures_count);
    retryAt = operation.retry_at;
  };
  return {
    observe,
    isOver(operation: Operation, at: number): boolean {
      observe(operation, at);
      return at - lastSign >= failedForGoodMs;
    },
  };
}
