import type { Client } from '../http/client.ts';
import { StoppedError, unlessNotFound } from '../http/errors.ts';
import * as shape from '../http/shape.ts';
import { show } from '../text/inert.ts';
import { type ById, get, type Project, projectPath } from './project.ts';
import { type Branch, type Operation, operation as readOperation } from './types.ts';

/** The most operations that the service puts on one page. */
const mostPerPage = 1_000;

/** The project's newest operations, newest first. */
function newestOperations({ api, projectId }: Project, limit: number) {
  return api.request({
    goal: 'list the operations of the project',
    method: 'GET',
    path: projectPath(projectId, '/operations'),
    query: { limit },
    read: (body) => shape.list(shape.object(body, 'the response').operations, 'operations', readOperation),
  });
}

/** The newest operations of a branch that have not ended yet, oldest first; without a branch, of the project. */
export async function unfinishedOperations({ branch, ...of }: Project & Partial<ById>): Promise<Operation[]> {
  const { value, date } = await newestOperations(of, 100);
  return value.filter((one) => (!branch || one.branch_id === branch.id) && !hasEnded(one, date)).reverse();
}

/** Whether a branch is being deleted. `unfinished` operations are read first: then a deletion that ends meanwhile is known. */
export function isBeingDeleted({ id, pending_state }: Branch, unfinished: Operation[]): boolean {
  const deletes = ({ action, branch_id }: Operation) => action === 'delete_timeline' && branch_id === id;
  return pending_state === 'storage_deleted' || unfinished.some(deletes);
}

function succeeded({ status }: Operation): boolean {
  return status === 'finished' || status === 'skipped';
}

/** `failed` is not final: the service may retry. After this long without a sign of it, in milliseconds, it is. */
const failedForGoodMs = 30_000;

/** Whether an operation has ended. `date`: the service's clock, in milliseconds since the epoch. */
export function hasEnded(operation: Operation, date = Number.NaN): boolean {
  const { status, retry_at, updated_at } = operation;
  const signs = [retry_at, updated_at].map((at) => Date.parse(at ?? '') || 0);
  if (status === 'failed') return !(date - Math.max(...signs) < failedForGoodMs);
  return succeeded(operation) || status === 'error' || status === 'cancelled';
}

/** How long an operation may be unknown, in milliseconds. */
const mostUnknownMs = 10_000;
/** The delay before a poll grows with the time waited so far: the end is noticed a tenth of that too late on average. */
const pollMs = { share: 0.2, shortest: 200, longest: 5_000 };

/** An operation that has not ended, as the last poll has shown it. Times are the client's, in milliseconds. */
interface Pending {
  last: Operation;
  /** Since when the service has not known it. */
  unknownSince?: number | undefined;
  /** When there was the last sign that the service retries it; in the future if it says when it will. */
  retriedAt: number;
}

/**
 * Waits until operations have ended: `finished` and `skipped` are success. Without `onFailed`, it throws the error of the first one that
 * ended in `error` or `cancelled`, or stayed `failed`. At the deadline, a `StoppedError` names the operation.
 */
export async function pollOperations(options: {
  api: Client;
  /** The project of operations that do not name theirs. */
  projectId?: string;
  /** In the order in which they run. */
  operations: Operation[];
  onDone?: (operation: Operation) => void;
  onFailed?: (operation: Operation, error: Error) => void;
  /** Whether they delete a branch. Some deployments forget them along with it: then one that is unknown has succeeded. */
  areDeletions?: boolean;
}): Promise<void> {
  const { api, onDone, onFailed, areDeletions } = options;
  const began = api.clock.now();
  let pending = options.operations.map((last): Pending => ({ last, retriedAt: began + retryDelay(last) }));
  for (;;) {
    const now = api.clock.now();
    pending = pending.filter((one) => {
      const { last } = one;
      if (succeeded(last)) onDone?.(last);
      else if (!(areDeletions && isUnknown(one, now))) {
        const error = failureOf(one, now);
        if (!error) return true;
        if (!onFailed) throw error;
        onFailed(last, error);
      }
      return false;
    });
    const [first] = pending;
    if (!first) return;
    const { id, action, status, project_id: projectId = options.projectId ?? '' } = first.last;
    try {
      await api.sleep(Math.min(pollMs.longest, Math.max(pollMs.shortest, (now - began) * pollMs.share)));
      await update(pending, { api, projectId });
    } catch (error) {
      if (!(error instanceof StoppedError)) throw error;
      throw error.while(`waiting for operation ${action} (${id}, status "${status}")`);
    }
  }
}

/** The error of an operation that has failed for good, or that the service does not know. */
function failureOf(one: Pending, now: number): Error | undefined {
  const { status, error } = one.last;
  const failed = (how: string) =>
    new Error(`Operation ${operationName(one.last)} ${how}${error ? `: ${show(error)}` : ''}; run the step again`);
  if (status === 'error' || status === 'cancelled') return failed(`ended with status "${status}"`);
  if (status === 'failed' && now - one.retriedAt >= failedForGoodMs)
    return failed('failed, and the service is not retrying it');
  return isUnknown(one, now) ? failed('is no longer known to the service, so its outcome is unknown') : undefined;
}

function isUnknown({ unknownSince }: Pending, now: number): boolean {
  return unknownSince !== undefined && now - unknownSince >= mostUnknownMs;
}

/** `start_compute (7d31…)`. */
export function operationName({ id, action }: Operation): string {
  return `${action} (${id})`;
}

/** Reads operations again: from the project's list, in one response, or by its ID one that is not on it. */
async function update(pending: Pending[], project: Project): Promise<void> {
  const { api, projectId } = project;
  // More are read, because others may work in the project, too.
  const limit = Math.min(2 * pending.length + 20, mostPerPage);
  const { value: listed } = await newestOperations(project, limit);
  for (const one of pending) {
    const { last } = one;
    const byId = () =>
      get(api, {
        goal: `read operation ${last.id}`,
        path: projectPath(projectId, `/operations/${encodeURIComponent(last.id)}`),
        read: ({ operation }) => readOperation(operation, 'operation'),
      });
    const now = listed.find(({ id }) => id === last.id) ?? (await unlessNotFound(byId()));
    one.unknownSince = now ? undefined : (one.unknownSince ?? api.clock.now());
    if (!now) continue;
    one.last = now;
    if (stateOf(now) !== stateOf(last)) one.retriedAt = api.clock.now() + retryDelay(now);
  }
}

/** How long after its last update an operation is to be retried, by the service's clock, in milliseconds. */
function retryDelay({ retry_at = '', updated_at = '' }: Operation): number {
  return Math.max(0, Date.parse(retry_at) - Date.parse(updated_at) || 0);
}

function stateOf({ status, failures_count, retry_at }: Operation): string {
  return [status, failures_count, retry_at].join(' ');
}
