import { backoff } from '../http/backoff.ts';
import { StoppedError } from '../http/errors.ts';
import { type Page, pages } from '../http/pages.ts';
import * as shape from '../http/shape.ts';
import { createPatience } from '../timing/patience.ts';
import { OperationError } from './errors.ts';
import { succeeded } from './operations.ts';
import { noLongerKnown, notRetried } from './poll-operations.ts';
import { type Project, projectPath } from './project.ts';
import { propagationMs } from './propagation-window.ts';
import { type Operation, operation as readOperation } from './types.ts';

/** The most that the service puts on one page. */
const perPage = 1_000;
/** Delays between two polls, in milliseconds. */
const pollBackoff = { first: 200, growth: 1.5, longest: 5_000 };

export interface Ended {
  /** Those that succeeded, as they ended. */
  operations: Operation[];
  /** Those that did not, by operation ID. `unknown` if the service has forgotten the operation. */
  failed: Map<string, OperationError>;
}

/** Polls until many operations have ended, successfully or not. Reads them from the project's list, a thousand per request. */
export async function pollManyOperations(options: Project & { operations: Operation[] }): Promise<Ended> {
  const { api } = options;
  const ended: Ended = { operations: [], failed: new Map() };
  const pending = new Map(
    options.operations.map((one) => [
      one.id,
      { last: one, failedForGood: createPatience(api.clock.now()), seen: api.clock.now() },
    ]),
  );
  for (const delay of backoff(pollBackoff)) {
    for (const [id, { last, failedForGood, seen }] of pending) {
      const now = api.clock.now();
      const isFinal = failedForGood(last, now);
      if (succeeded(last)) ended.operations.push(last);
      else if (last.status === 'error' || last.status === 'cancelled') ended.failed.set(id, new OperationError(last));
      else if (isFinal) ended.failed.set(id, new OperationError(last, notRetried));
      else if (now - seen >= propagationMs.listedOperation) {
        ended.failed.set(id, new OperationError(last, noLongerKnown, { unknown: true }));
      } else continue;
      pending.delete(id);
    }
    const [first] = pending.values();
    if (!first) break;
    try {
      await api.sleep(delay);
      for (const [id, operation] of await newest(options, new Set(pending.keys()))) {
        const entry = pending.get(id);
        if (entry) Object.assign(entry, { last: operation, seen: api.clock.now() });
      }
    } catch (error) {
      if (!(error instanceof StoppedError)) throw error;
      const some = pending.size === 1 ? 'operation' : `${pending.size} operations, such as`;
      throw error.while(`waiting for ${some} ${first.last.action} (${first.last.id})`);
    }
  }
  return ended;
}

/** The wanted operations as the list has them. The list is newest first, so it is read only as far as needed. */
async function newest(
  { api, projectId, operations }: Project & { operations: Operation[] },
  wanted: Set<string>,
): Promise<Map<string, Operation>> {
  const found = new Map<string, Operation>();
  // Others working in the project may have put some operations in between; beyond that, older ones begin.
  let pagesLeft = Math.ceil(operations.length / perPage) + 3;
  for await (const page of pages((cursor) => readPage({ api, projectId }, cursor))) {
    for (const one of page.items) if (wanted.has(one.id)) found.set(one.id, one);
    if (found.size >= wanted.size || --pagesLeft === 0) break;
  }
  return found;
}

async function readPage({ api, projectId }: Project, cursor: string | undefined): Promise<Page<Operation>> {
  const { value } = await api.request({
    goal: 'list the operations of the project',
    method: 'GET',
    path: projectPath(projectId, '/operations'),
    query: { limit: perPage, cursor },
    read: (body) => {
      const page = shape.object(body, 'the response');
      return {
        items: shape.list(page.operations, 'operations', readOperation),
        next: shape.optionalString(shape.optionalObject(page.pagination).cursor, 'pagination.cursor'),
      };
    },
  });
  return value;
}
