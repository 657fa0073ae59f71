import type { Client } from '../http/client.ts';
import { ApiError, StoppedError } from '../http/errors.ts';
import { type Forecast, forecastFrom } from '../timing/forecast.ts';
import { createPatience } from '../timing/patience.ts';
import { firstPollMs, nextPollMs } from '../timing/poll-schedule.ts';
import { OperationError } from './errors.ts';
import { getOperation, listOperations, succeeded } from './operations.ts';
import { type PropagationWindow, propagationMs, unknownWindow } from './propagation-window.ts';
import type { Operation } from './types.ts';

/** The precision of `created_at` and of the `Date` header, in milliseconds. */
const stampGrainMs = 1_000;

export const notRetried = 'failed, and the service is not retrying it';
export const noLongerKnown = 'is no longer known to the service, so its outcome is unknown';

export interface PollOptions {
  api: Client;
  /** The project of operations that do not name theirs. */
  projectId?: string;
  /** In the order in which they run: one after another, so only the first unfinished one is waited for. */
  operations: Operation[];
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
    const failedForGood = createPatience(api.clock.now());
    let last = poll.latest(started);
    try {
      while (!succeeded(last)) {
        if (last.status === 'error' || last.status === 'cancelled') throw new OperationError(last);
        if (failedForGood(last, api.clock.now())) throw new OperationError(last, notRetried);
        last = await poll.next(operations.slice(index));
      }
    } catch (error) {
      if (!(error instanceof StoppedError)) throw error;
      const status = `status "${last.status}"`;
      const named = last.action ? `${last.action} (${last.id}, ${status})` : `${last.id} (${status})`;
      throw error.while(`waiting for operation ${named}`);
    }
    onDone?.(last);
    done.push(last);
  }
  return done;
}

/**
 * Polls by the project's list of operations, which shows all states at once, and by how long earlier runs took. An operation that is
 * not on the list's first page is read by its ID.
 */
function createPoll(options: PollOptions) {
  const { api, random = Math.random } = options;
  const ids = new Set(options.operations.map((one) => one.id));
  const seen = new Map<string, Operation>();
  const windows = new Map<string, PropagationWindow>();
  const forecasts = new Map<string, Forecast | undefined>();
  const rateLimitsBefore = api.rateLimits();
  let useList = true;
  let isFirst = true;
  /** When the first operation that has not ended began, and when the last poll was sent, by the client's clock. */
  let began = api.clock.now();
  let polledAt = began;
  let roundTripMs = Number.POSITIVE_INFINITY;

  const latest = (operation: Operation) => seen.get(operation.id) ?? operation;

  async function readList(projectId: string, current: Operation): Promise<void> {
    let page: { operations: Operation[]; date: number | undefined };
    try {
      page = await listOperations({ api, projectId });
    } catch (error) {
      // With `why`, it would have been retried with more time.
      if (!(error instanceof ApiError) || error.why !== undefined) throw error;
      useList = false;
      return;
    }
    const { operations, date } = page;
    for (const one of operations) if (ids.has(one.id)) seen.set(one.id, one);
    useList = operations.some((one) => one.id === current.id);
    if (!isFirst) return;
    const earlier = operations.filter((one) => !ids.has(one.id) && one.status === 'finished');
    for (const [action, runs] of Map.groupBy(earlier, (one) => one.action)) {
      forecasts.set(action, forecastFrom(runs.map((one) => one.total_duration_ms)));
    }
    // Another step may have started it long ago.
    const age = (date ?? Number.NaN) - Date.parse(latest(current).created_at ?? '') - stampGrainMs;
    const now = api.clock.now();
    if (age > now - began + stampGrainMs) began = now - age;
  }

  /** The first operation of these as it is after the next poll. */
  async function next(remaining: Operation[]): Promise<Operation> {
    const [current] = remaining as [Operation];
    const projectId = current.project_id ?? options.projectId;
    if (projectId === undefined)
      throw new OperationError(current, 'cannot be waited for, because its project is unknown; set `project_id`');
    await api.sleep(isFirst ? firstPollMs : delayBefore(remaining));
    const sentAt = api.clock.now();
    if (useList) await readList(projectId, current);
    if (!useList)
      seen.set(current.id, await readOne({ api, projectId, operation: current, window: windowOf(current) }));
    isFirst = false;
    const now = api.clock.now();
    roundTripMs = Math.min(roundTripMs, now - sentAt);
    for (const one of remaining.map(latest)) {
      if (!succeeded(one)) break;
      // It ended between the last two polls; how long it took says when.
      began = Math.min(now, Math.max(polledAt, began + one.total_duration_ms));
    }
    polledAt = sentAt;
    return latest(current);
  }

  function delayBefore(remaining: Operation[]): number {
    const unfinished = remaining.map(latest).filter((one) => !succeeded(one));
    return nextPollMs(
      {
        // How long the service takes to retry is unknown.
        forecasts: unfinished.map((one) => (one.status === 'failed' ? undefined : forecasts.get(one.action))),
        elapsedMs: api.clock.now() - began + roundTripMs,
        rateLimits: api.rateLimits() - rateLimitsBefore,
      },
      random,
    );
  }

  function windowOf(operation: Operation): PropagationWindow {
    const window = windows.get(operation.id) ?? unknownWindow(options.unknownMs ?? propagationMs.operation, api.clock);
    windows.set(operation.id, window);
    return window;
  }

  return { latest, next };
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
