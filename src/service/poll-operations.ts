import type { Client } from '../http/client.ts';
import { backoff } from '../http/clock.ts';
import { ApiError, StoppedError, unlessNotFound } from '../http/errors.ts';
import { pages } from '../http/pages.ts';
import type { RetryWindow } from '../http/request.ts';
import { OperationError, operationName, RefusedError } from './errors.ts';
import { createPatience, getOperation, listOperations, succeeded } from './operations.ts';
import { type Forecast, firstPollMs, forecastFrom, nextPollMs } from './poll-schedule.ts';
import type { Project } from './project.ts';
import { dateGrainMs, propagationMs, unknownWindow } from './propagation-window.ts';
import type { Operation, StartedOperation } from './types.ts';

interface PollOptions {
  api: Client;
  /** The project of operations that do not name theirs. */
  projectId?: string;
  /** In the order in which they run: one after another, so only the first unfinished one is waited for. */
  operations: StartedOperation[];
  /** Receives each operation once it has succeeded. */
  onDone?: (operation: Operation) => void;
  /** How long an operation may be unknown after it was started, in milliseconds. */
  unknownMs?: number;
  /** From 0 to 1; default `Math.random`. */
  random?: () => number;
}

/**
 * Polls until every operation has succeeded (`finished` or `skipped`) and returns them as they ended.
 * Throws an `OperationError` for one that ended in `error` or `cancelled` or stayed `failed`, and a `StoppedError` that names the
 * operation at the deadline.
 */
export async function pollOperations(options: PollOptions): Promise<Operation[]> {
  const { api, operations, onDone } = options;
  const poll = createPoll(options);
  const done: Operation[] = [];
  for (const [index, started] of operations.entries()) {
    const failureOf = createWatch(api.clock.now());
    let last = poll.latest(started);
    try {
      while (last === undefined || !succeeded(last)) {
        const failure = last && failureOf(last, api.clock.now());
        if (failure) throw failure;
        last = await poll.next(operations.slice(index));
      }
    } catch (error) {
      if (!(error instanceof StoppedError)) throw error;
      const named = last ? `${last.action} (${last.id}, status "${last.status}")` : started.id;
      throw error.while(`waiting for operation ${named}`);
    }
    onDone?.(last);
    done.push(last);
  }
  return done;
}

/** Watches an operation as each poll shows it. The returned function gives its error once it has failed for good. */
function createWatch(now: number): (operation: Operation, at: number) => OperationError | undefined {
  const failedForGood = createPatience(now);
  return (operation, at) => {
    if (operation.status === 'error' || operation.status === 'cancelled') return new OperationError(operation);
    return failedForGood(operation, at)
      ? new OperationError(operation, 'failed, and the service is not retrying it')
      : undefined;
  };
}

/** The error of an operation that has become unknown, or, if only its ID is known, may never have existed. */
function forgotten(operation: StartedOperation, projectId: string): OperationError {
  const what =
    'status' in operation
      ? 'is no longer known to the service, so its outcome is unknown'
      : `was not found in project ${projectId}, so its outcome is unknown`;
  return new OperationError(operation, what, { unknown: true });
}

/**
 * Polls by the project's list of operations, which shows all states at once, and by how long earlier runs took. An operation that is
 * not on the list's first page is read by its ID.
 */
function createPoll(options: PollOptions) {
  const { api, random = Math.random } = options;
  const ids = new Set(options.operations.map((one) => one.id));
  const seen = new Map<string, Operation>();
  const windows = new Map<string, RetryWindow>();
  const forecasts = new Map<string, Forecast | undefined>();
  const rateLimitsBefore = api.rateLimits();
  let useList = true;
  let isFirst = true;
  /** When the first operation that has not ended began, and when the last poll was sent, by the client's clock. */
  let began = api.clock.now();
  let polledAt = began;
  let roundTripMs = Number.POSITIVE_INFINITY;

  /** Undefined if it was not read yet. */
  const latest = (operation: StartedOperation) =>
    seen.get(operation.id) ?? ('status' in operation ? operation : undefined);

  async function readList(projectId: string, current: StartedOperation): Promise<void> {
    let page: Awaited<ReturnType<typeof listOperations>>;
    try {
      page = await listOperations({ api, projectId });
    } catch (error) {
      // With `why`, it would have been retried with more time.
      if (!(error instanceof ApiError) || error.why !== undefined) throw error;
      useList = false;
      return;
    }
    const { items: operations, date } = page;
    for (const one of operations) if (ids.has(one.id)) seen.set(one.id, one);
    useList = operations.some((one) => one.id === current.id);
    if (!isFirst) return;
    const earlier = operations.filter((one) => !ids.has(one.id) && one.status === 'finished');
    for (const [action, runs] of Map.groupBy(earlier, (one) => one.action)) {
      forecasts.set(action, forecastFrom(runs.map((one) => one.total_duration_ms)));
    }
    // Another step may have started it long ago.
    const age = (date ?? Number.NaN) - Date.parse(latest(current)?.created_at ?? '') - dateGrainMs;
    const now = api.clock.now();
    if (age > now - began + dateGrainMs) began = now - age;
  }

  /** The first operation of these as it is after the next poll. */
  async function next(remaining: StartedOperation[]): Promise<Operation | undefined> {
    const [current] = remaining as [StartedOperation];
    const projectId = latest(current)?.project_id ?? options.projectId;
    if (projectId === undefined)
      throw new RefusedError(
        `Operation ${operationName(current)} cannot be waited for, because its project is unknown. Set \`project_id\`.`,
      );
    await api.sleep(isFirst ? firstPollMs : delayBefore(remaining));
    const sentAt = api.clock.now();
    if (useList) await readList(projectId, current);
    if (!useList) seen.set(current.id, await readById(projectId, current));
    isFirst = false;
    const now = api.clock.now();
    roundTripMs = Math.min(roundTripMs, now - sentAt);
    for (const one of remaining.map(latest)) {
      if (!one || !succeeded(one)) break;
      // It ended between the last two polls; how long it took says when.
      began = Math.min(now, Math.max(polledAt, began + one.total_duration_ms));
    }
    polledAt = sentAt;
    return latest(current);
  }

  function delayBefore(remaining: StartedOperation[]): number {
    const unfinished = remaining.map(latest).filter((one) => !one || !succeeded(one));
    return nextPollMs(
      {
        // How long the service takes to retry is unknown.
        forecasts: unfinished.map((one) => (!one || one.status === 'failed' ? undefined : forecasts.get(one.action))),
        ended: options.operations.length - unfinished.length,
        elapsedMs: api.clock.now() - began + roundTripMs,
        rateLimits: api.rateLimits() - rateLimitsBefore,
      },
      random,
    );
  }

  async function readById(projectId: string, operation: StartedOperation): Promise<Operation> {
    const { id } = operation;
    const window = windows.get(id) ?? unknownWindow(options.unknownMs ?? propagationMs.operation, api.clock);
    windows.set(id, window);
    const read = await unlessNotFound(getOperation({ api, projectId, id, window }));
    if (read) return read;
    throw forgotten(latest(operation) ?? operation, projectId);
  }

  return { latest, next };
}

/** The most that the service puts on one page. */
const mostPerPage = 1_000;
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
      { last: one, failureOf: createWatch(api.clock.now()), seen: api.clock.now() },
    ]),
  );
  for (const delay of backoff(pollBackoff)) {
    for (const [id, { last, failureOf, seen }] of pending) {
      const now = api.clock.now();
      const isUnknown = now - seen >= propagationMs.listedOperation;
      const failure = failureOf(last, now) ?? (isUnknown ? forgotten(last, options.projectId) : undefined);
      if (succeeded(last)) ended.operations.push(last);
      else if (failure) ended.failed.set(id, failure);
      else continue;
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
  let pagesLeft = Math.ceil(operations.length / mostPerPage) + 3;
  for await (const page of pages('operations', (cursor) =>
    listOperations({ api, projectId, limit: mostPerPage, cursor }),
  )) {
    for (const one of page.items) if (wanted.has(one.id)) found.set(one.id, one);
    if (found.size >= wanted.size || --pagesLeft === 0) break;
  }
  return found;
}
