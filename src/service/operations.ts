import type { Client } from '../http/client.ts';
import { StoppedError, unlessNotFound } from '../http/errors.ts';
import { type Page, pages } from '../http/pages.ts';
import * as shape from '../http/shape.ts';
import { OperationError, operationName, RefusedError } from './errors.ts';
import { get, type Project, projectPath } from './project.ts';
import { type Operation, operation as readOperation } from './types.ts';

/** Operations on the page that is read by default: newest first, so that it has those of this step. */
const perPage = 100;
/** The most that the service puts on one page. */
const mostPerPage = 1_000;

function getOperation({ api, projectId, id }: Project & { id: string }): Promise<Operation> {
  return get(api, {
    goal: `read operation ${id}`,
    path: projectPath(projectId, `/operations/${encodeURIComponent(id)}`),
    read({ operation }) {
      const found = readOperation(operation, 'operation');
      if (found.id === id) return found;
      throw new shape.ShapeError(`it is about operation ${found.id}`);
    },
  });
}

/** A page of the project's operations, newest first; without a cursor the newest. */
async function listOperations(
  options: Project & { goal?: string; limit?: number; cursor?: string },
): Promise<Page<Operation>> {
  const { api, projectId, goal = 'list the operations of the project', limit = perPage, cursor } = options;
  return get(api, {
    goal,
    path: projectPath(projectId, '/operations'),
    query: { limit, cursor },
    read: ({ operations, pagination }) => ({
      items: shape.list(operations, 'operations', readOperation),
      next: shape.optionalString(shape.optionalObject(pagination).cursor, 'pagination.cursor'),
    }),
  });
}

/** The newest operations of a branch that have not ended yet, oldest first. */
export async function unfinishedOperations(options: Project & { branchId: string }): Promise<Operation[]> {
  const { branchId, ...project } = options;
  const goal = `list the operations of branch ${branchId}`;
  const { items } = await listOperations({ ...project, goal });
  return items.filter((one) => one.branch_id === branchId && !hasEnded(one)).reverse();
}

function succeeded({ status }: Operation): boolean {
  return status === 'finished' || status === 'skipped';
}

export function hasEnded(operation: Operation): boolean {
  return succeeded(operation) || ['error', 'cancelled', 'failed'].includes(operation.status);
}

/** `failed` is not final: the service may retry. After this long without a sign of it, in milliseconds, it is. */
const failedForGoodMs = 30_000;
/** How long an operation may be unknown after it was started, in milliseconds. */
const mostUnknownMs = 10_000;
/** The delay before a poll grows with the time waited so far, so that the end is noticed a tenth of that time too late on average. */
const pollMs = { share: 0.2, shortest: 200, longest: 5_000 };

/** An operation that has not ended, as the last poll has shown it. Times are the client's, in milliseconds. */
interface Pending {
  last: Operation;
  seenAt: number;
  isUnknown: boolean;
  /** When there was the last sign that the service retries it; in the future if it says when it will. */
  retriedAt: number;
}

/**
 * Waits until operations have ended: `finished` and `skipped` are success. Without `onFailed`, it throws the `OperationError` of the first one
 * that ended in `error` or `cancelled`, or stayed `failed`. At the deadline, a `StoppedError` names the operation.
 */
export async function pollOperations(options: {
  api: Client;
  /** The project of operations that do not name theirs. */
  projectId?: string;
  /** In the order in which they run. */
  operations: Operation[];
  onDone?: (operation: Operation) => void;
  onFailed?: (error: OperationError) => void;
  unknownMs?: number;
}): Promise<void> {
  const { api, onDone, onFailed, unknownMs = mostUnknownMs } = options;
  const began = api.clock.now();
  let pending = options.operations.map(
    (last): Pending => ({ last, seenAt: began, isUnknown: false, retriedAt: began }),
  );
  for (;;) {
    const now = api.clock.now();
    pending = pending.filter((one) => {
      const error = failureOf(one, { now, unknownMs });
      if (succeeded(one.last)) onDone?.(one.last);
      else if (error === undefined) return true;
      else if (onFailed) onFailed(error);
      else throw error;
      return false;
    });
    const [first] = pending;
    if (!first) return;
    try {
      await api.sleep(Math.min(pollMs.longest, Math.max(pollMs.shortest, (now - began) * pollMs.share)));
      await update(pending, { api, projectId: projectOf(first.last, options.projectId) });
    } catch (error) {
      if (!(error instanceof StoppedError)) throw error;
      throw error.while(`waiting for operation ${first.last.action} (${first.last.id}, status "${first.last.status}")`);
    }
  }
}

function projectOf(operation: Operation, projectId = operation.project_id): string {
  if (projectId !== undefined) return operation.project_id ?? projectId;
  throw new RefusedError(
    `Operation ${operationName(operation)} cannot be waited for, because its project is unknown. Set \`project_id\`.`,
  );
}

/** The error of an operation that has failed for good, or that the service does not know. */
function failureOf(
  { last, seenAt, isUnknown, retriedAt }: Pending,
  { now, unknownMs }: { now: number; unknownMs: number },
): OperationError | undefined {
  if (last.status === 'error' || last.status === 'cancelled') return new OperationError(last);
  if (last.status === 'failed' && now - retriedAt >= failedForGoodMs)
    return new OperationError(last, 'failed, and the service is not retrying it');
  if (isUnknown && now - seenAt >= unknownMs)
    return new OperationError(last, 'is no longer known to the service, so its outcome is unknown', { unknown: true });
  return undefined;
}

/** Reads operations again: from the project's list, which has all of them in one response, or by its ID if one is not on it. */
async function update(pending: Pending[], project: Project): Promise<void> {
  const listed = await newest(project, new Set(pending.map(({ last }) => last.id)));
  for (const one of pending) {
    const { last } = one;
    const now = listed.get(last.id) ?? (await unlessNotFound(getOperation({ ...project, id: last.id })));
    one.isUnknown = now === undefined;
    if (!now) continue;
    one.last = now;
    one.seenAt = project.api.clock.now();
    const isRetried =
      [last, now].some(({ status }) => status !== 'failed') ||
      now.failures_count > last.failures_count ||
      now.retry_at !== last.retry_at;
    // Both times are by the service's clock.
    const delayMs = Date.parse(now.retry_at ?? '') - Date.parse(now.updated_at ?? '');
    if (isRetried) one.retriedAt = one.seenAt + Math.max(0, delayMs || 0);
  }
}

/** The wanted operations among the newest of the project. More are read, because others may work in it, too. */
async function newest(project: Project, wanted: Set<string>): Promise<Map<string, Operation>> {
  const found = new Map<string, Operation>();
  let left = 2 * wanted.size + 20;
  const limit = Math.min(left, mostPerPage);
  for await (const { items } of pages('operations', (cursor) => listOperations({ ...project, limit, cursor }))) {
    for (const one of items) if (wanted.has(one.id)) found.set(one.id, one);
    left -= limit;
    if (left <= 0 || found.size === wanted.size) break;
  }
  return found;
}
