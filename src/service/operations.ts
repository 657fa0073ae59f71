import type { Page } from '../http/pages.ts';
import type { RetryWindow } from '../http/request.ts';
import * as shape from '../http/shape.ts';
import { MismatchError } from './errors.ts';
import { get, type Project, projectPath } from './project.ts';
import { type Operation, operation as readOperation } from './types.ts';

/** Operations on the page that is read: newest first, so that it has those of this step, and earlier runs of the same kind. */
const perPage = 100;

export async function getOperation(options: Project & { id: string; window?: RetryWindow }): Promise<Operation> {
  const { api, projectId, id, window } = options;
  const found = await get(api, {
    goal: `read operation ${id}`,
    path: projectPath(projectId, `/operations/${encodeURIComponent(id)}`),
    window,
    read: ({ operation }) => readOperation(operation, 'operation'),
  });
  if (found.id === id) return found;
  throw new MismatchError(`The service returned operation ${found.id} instead of operation ${id}`);
}

/** A page of the project's operations, newest first; without a cursor the newest. `date`: the service's clock when it responded. */
export async function listOperations(
  options: Project & { goal?: string; limit?: number; cursor?: string },
): Promise<Page<Operation> & { date: number | undefined }> {
  const { api, projectId, goal = 'list the operations of the project', limit = perPage, cursor } = options;
  const { value, date } = await api.request({
    goal,
    method: 'GET',
    path: projectPath(projectId, '/operations'),
    query: { limit, cursor },
    read: (body) => {
      const page = shape.object(body, 'the response');
      return {
        items: shape.list(page.operations, 'operations', readOperation),
        next: shape.optionalString(shape.optionalObject(page.pagination).cursor, 'pagination.cursor'),
      };
    },
  });
  return { ...value, date };
}

/** The newest operations of a branch that have not ended yet, oldest first. */
export async function unfinishedOperations(options: Project & { branchId: string }): Promise<Operation[]> {
  const { branchId, ...project } = options;
  const goal = `list the operations of branch ${branchId}`;
  const { items } = await listOperations({ ...project, goal });
  return items.filter((one) => one.branch_id === branchId && !hasEnded(one)).reverse();
}

export function succeeded(operation: Operation): boolean {
  return operation.status === 'finished' || operation.status === 'skipped';
}

export function hasEnded(operation: Operation): boolean {
  return succeeded(operation) || ['error', 'cancelled', 'failed'].includes(operation.status);
}

/** `failed` is not final: the service may retry. After this long without a sign of it, in milliseconds, it is. */
const failedForGoodMs = 30_000;

/**
 * Watches for signs that the service is still retrying a failed operation: `retry_at`, or a rising `failures_count`. The returned function
 * gets the operation as each poll shows it, and says whether it has failed for good.
 */
export function createPatience(
  now: number,
): (operation: Pick<Operation, 'status' | 'failures_count' | 'retry_at'>, at: number) => boolean {
  let lastSign = now;
  let status = '';
  let failures = -1;
  let retryAt: string | undefined;
  return (operation, at) => {
    const stays = status === 'failed' && operation.status === 'failed';
    const sign = !stays || operation.failures_count > failures || operation.retry_at !== retryAt;
    if (sign) lastSign = at;
    status = operation.status;
    const next = Date.parse(operation.retry_at ?? '');
    if (status === 'failed' && next > lastSign) lastSign = next;
    failures = Math.max(failures, operation.failures_count);
    retryAt = operation.retry_at;
    return status === 'failed' && at - lastSign >= failedForGoodMs;
  };
}
