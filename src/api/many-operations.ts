import { StoppedError } from '../http/errors.ts';
import * as shape from '../http/shape.ts';
import type { Project } from './branches.ts';
import { OperationError } from './errors.ts';
import { createPatience, endedWell } from './operations.ts';
import { type Operation, operation as readOperation } from './types.ts';

/** The most that the service puts on one page. */
const perPage = 1_000;
/** First pause, growth and longest pause between two looks, in milliseconds. */
const look = { first: 200, growth: 1.5, longest: 5_000 };
/** How long an operation may be missing from the list, in milliseconds. */
const missingMs = 5_000;

export interface Ended {
  /** Those that ended well, as they ended. */
  operations: Operation[];
  /** Those that did not, by operation ID. `unknown` where the service has forgotten the operation. */
  failed: Map<string, OperationError>;
}

/**
 * Waits until many operations have ended, well or not. They are read from the project's list, a thousand in a request, rather
 * than each by itself.
 */
export async function waitForMany(options: Project & { operations: Operation[] }): Promise<Ended> {
  const { api } = options;
  const ended: Ended = { operations: [], failed: new Map() };
  const pending = new Map(
    options.operations.map((one) => [
      one.id,
      { last: one, patience: createPatience(api.clock.now()), seen: api.clock.now() },
    ]),
  );
  for (let pause = look.first; ; pause = Math.min(look.longest, pause * look.growth)) {
    for (const [id, { last, patience, seen }] of pending) {
      const now = api.clock.now();
      patience.look(last, now);
      if (endedWell(last)) ended.operations.push(last);
      else if (last.status === 'error' || last.status === 'cancelled') ended.failed.set(id, new OperationError(last));
      else if (last.status === 'failed' && patience.isOver(last, now)) {
        ended.failed.set(id, new OperationError(last, 'has failed, and the service does not try it again'));
      } else if (now - seen >= missingMs) {
        const what = 'is not known to the service any more, so that its end cannot be told';
        ended.failed.set(id, new OperationError(last, what, { unknown: true }));
      } else continue;
      pending.delete(id);
    }
    if (pending.size === 0) return ended;
    try {
      await api.sleep(pause);
      for (const [id, operation] of await newest(options, new Set(pending.keys()))) {
        const entry = pending.get(id);
        if (entry) Object.assign(entry, { last: operation, seen: api.clock.now() });
      }
    } catch (error) {
      const [first] = pending.values();
      if (!(error instanceof StoppedError) || !first) throw error;
      throw error.while(`waiting for ${pending.size} operations, such as ${first.last.action} (${first.last.id})`);
    }
  }
}

/** The wanted operations as the list has them. It is newest first, so that it is read only as far as they reach. */
async function newest(
  { api, projectId, operations }: Project & { operations: Operation[] },
  wanted: Set<string>,
): Promise<Map<string, Operation>> {
  const found = new Map<string, Operation>();
  const seen = new Set<string>();
  let cursor: string | undefined;
  do {
    const { value } = await api.request({
      goal: 'list the operations of the project',
      method: 'GET',
      path: `/projects/${encodeURIComponent(projectId)}/operations`,
      query: { limit: perPage, cursor },
      read: readPage,
    });
    for (const one of value.operations) if (wanted.has(one.id)) found.set(one.id, one);
    cursor = value.operations.length > 0 && found.size < wanted.size ? value.next : undefined;
    if (cursor !== undefined && seen.has(cursor)) break;
    if (cursor !== undefined) seen.add(cursor);
    // Beyond as many as were started, older ones begin; whoever else works in the project may have put some in between.
  } while (cursor !== undefined && seen.size <= Math.ceil(operations.length / perPage) + 2);
  return found;
}

function readPage(body: unknown): { operations: Operation[]; next: string | undefined } {
  const page = shape.object(body, 'the answer');
  const { cursor } = (page.pagination ?? {}) as { cursor?: unknown };
  return {
    operations: shape.list(page.operations, 'operations', readOperation),
    next: shape.optionalString(cursor, 'pagination.cursor'),
  };
}
