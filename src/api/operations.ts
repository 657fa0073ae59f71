import type { Client } from '../http/client.ts';
import { ApiError, StoppedError } from '../http/errors.ts';
import * as shape from '../http/shape.ts';
import { OperationError } from './errors.ts';
import { type Operation, operation as readOperation } from './types.ts';

/** `failed` is not final: the service may retry. Without a sign of that for this long, in milliseconds, it is. */
const failedForGoodMs = 30_000;
/** Default of `unknownMs`. */
const mostUnknownMs = 10_000;
/** First pause, growth and longest pause between two polls, in milliseconds. */
const poll = { first: 100, growth: 1.5, longest: 3_000 };

export interface WaitOptions {
  api: Client;
  /** The project of those operations that do not say theirs. */
  projectId?: string | undefined;
  /** In the order in which they run: one after another, so that only the first unfinished one is polled. */
  operations: Operation[];
  /** Is told each operation once it has ended well. */
  onDone?: (operation: Operation) => void;
  /** How long an operation may be unknown right after it was started, in milliseconds. */
  unknownMs?: number;
}

/**
 * Waits until every operation has ended well (`finished` or `skipped`) and returns them as they ended.
 * Throws an `OperationError` for one that ended in `error`, `cancelled` or stayed `failed`, and a `StoppedError` that names the
 * operation when the time for the step is over.
 */
export async function waitForOperations(options: WaitOptions): Promise<Operation[]> {
  const { onDone } = options;
  const done: Operation[] = [];
  for (const started of options.operations) {
    const ended = endedWell(started) ? started : await waitForOne(options, started);
    onDone?.(ended);
    done.push(ended);
  }
  return done;
}

async function waitForOne(options: WaitOptions, started: Operation): Promise<Operation> {
  const { api } = options;
  const projectId = started.project_id ?? options.projectId;
  if (projectId === undefined) throw new OperationError(started, 'belongs to a project that is not known');
  const patience = createPatience(api.clock.now());
  const unknownUntil = api.clock.now() + (options.unknownMs ?? mostUnknownMs);
  let last = started;
  try {
    for (let pause = poll.first; ; pause = Math.min(poll.longest, pause * poll.growth)) {
      patience.look(last, api.clock.now());
      await api.sleep(pause);
      last = await readOne({ api, projectId, operation: last, unknownUntil });
      if (endedWell(last)) return last;
      if (last.status === 'error' || last.status === 'cancelled') throw new OperationError(last);
      if (last.status === 'failed' && patience.isOver(last, api.clock.now())) {
        throw new OperationError(last, 'has failed, and the service does not try it again');
      }
    }
  } catch (error) {
    if (error instanceof StoppedError) {
      throw error.while(
        `waiting for ${['operation', last.action].filter(Boolean).join(' ')} (${last.id}, status "${last.status}")`,
      );
    }
    throw error;
  }
}

async function readOne(options: {
  api: Client;
  projectId: string;
  operation: Operation;
  unknownUntil: number;
}): Promise<Operation> {
  const { api, projectId, operation, unknownUntil } = options;
  try {
    return await getOperation({ api, projectId, id: operation.id, settling: { statuses: [404], until: unknownUntil } });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) {
      throw new OperationError(operation, 'is not known to the service any more, so that its end cannot be told', {
        unknown: true,
      });
    }
    throw error;
  }
}

export async function getOperation(options: {
  api: Client;
  projectId: string;
  id: string;
  settling?: { statuses: number[]; until: number };
}): Promise<Operation> {
  const { api, projectId, id, settling } = options;
  const answer = await api.request({
    goal: `read operation ${id}`,
    method: 'GET',
    path: `/projects/${encodeURIComponent(projectId)}/operations/${encodeURIComponent(id)}`,
    ...(settling ? { settling } : {}),
    read: (body) => readOperation(shape.object(body, 'the answer').operation, 'operation'),
  });
  if (answer.value.id !== id) {
    throw new OperationError({ id }, `was asked for, and the service answered about ${answer.value.id}`);
  }
  return answer.value;
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
    path: `/projects/${encodeURIComponent(projectId)}/operations`,
    query: { limit: 100 },
    read: (body) => shape.list(shape.object(body, 'the answer').operations, 'operations', readOperation),
  });
  return value.filter((one) => one.branch_id === branchId && !hasEnded(one)).reverse();
}

export function endedWell(operation: Operation): boolean {
  return operation.status === 'finished' || operation.status === 'skipped';
}

export function hasEnded(operation: Operation): boolean {
  return endedWell(operation) || ['error', 'cancelled', 'failed'].includes(operation.status);
}

/** Keeps count of the signs that the service still works on a failed operation: `retry_at`, or a rising `failures_count`. */
export function createPatience(now: number) {
  let lastSign = now;
  let status = '';
  let failures = -1;
  let retryAt: string | undefined;
  const look = (operation: Operation, at: number) => {
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
    look,
    isOver(operation: Operation, at: number): boolean {
      look(operation, at);
      return at - lastSign >= failedForGoodMs;
    },
  };
}
