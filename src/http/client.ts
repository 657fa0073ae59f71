import { randomUUID } from 'node:crypto';
import { maskSecrets } from '../secrets/fields.ts';
import { duration } from '../text/format.ts';
import { oneLine } from '../text/inert.ts';
import { ShapeError } from '../text/json.ts';
import { type Clock, type Deadline, systemClock } from './clock.ts';
import { ApiError, StoppedError } from './errors.ts';
import { networkFailure, statusFailure, unreadableFailure } from './failures.ts';
import { type ApiResponse, isChange, type RequestSpec } from './request.ts';
import { type Failed, type Outcome, requestSchedule, retry, stoppedWhile } from './retry.ts';
import { exchange, type Fetch, type Received } from './transport.ts';

export interface ClientOptions {
  /** Base URL with its path and without a trailing slash: `https://host/api/v2`. */
  baseUrl: string;
  apiKey: string;
  deadline: Deadline;
  /** Milliseconds that one attempt of a request may take, to the last byte of the response. */
  attemptMs?: number;
  /** Receives each secret in a response before anyone else sees the response. */
  mask?: (secret: string) => void;
  /** Receives each failure that is retried, as one line. */
  onRetry?: (line: string) => void;
  /** Receives each request and its outcome, without bodies, as one line. */
  onTrace?: (line: string) => void;
  clock?: Clock;
  random?: () => number;
  fetch: Fetch;
}

/** The service's API, version 2. Knows HTTP, JSON, errors and retries; knows no kind of object. */
export interface Client {
  /** Throws an `ApiError`, or a `StoppedError` at the deadline. */
  request<T>(spec: RequestSpec<T>): Promise<ApiResponse<T>>;
  /** The clock and the step's deadline, for code that waits between requests. `close` ends only requests and `sleep`. */
  readonly clock: Clock;
  readonly deadline: Deadline;
  /** `doing` says in a `StoppedError` what was going on: `waiting until …`. */
  sleep(ms: number, doing?: string): Promise<void>;
  /**
   * Says that this step has just created the object with this ID. Parts of the service may not know it yet: for ten seconds, a 404 to a
   * request with this ID is retried, and so is a 422 to a change.
   */
  created(id: string): void;
  /** Ends what is still in flight. */
  close(): void;
}

/** How long parts of the service may not know a new object, in milliseconds. */
const newMs = 10_000;
/** How much of a response is read, in bytes. What is parsed from it takes up to 40 times as much memory. */
const mostBytes = { ofError: 1_000_000, ofSuccess: 32_000_000 };

export function createClient(options: ClientOptions): Client {
  const { clock = systemClock, random = Math.random, mask = () => {}, onRetry, onTrace, attemptMs = 30_000 } = options;
  /** Ends what is still in flight when the client is closed: one of several parallel requests may have failed for all of them. */
  const closing = new AbortController();
  const signal = AbortSignal.any([options.deadline.signal, closing.signal]);
  const deadline: Deadline = { ...options.deadline, signal };
  /** Until when an object that this step has created may be unknown, by ID; in milliseconds since the epoch. */
  const newUntil = new Map<string, number>();

  async function request<T>(spec: RequestSpec<T>): Promise<ApiResponse<T>> {
    const { goal, method } = spec;
    const path = oneLine(spec.path);
    const url = urlOf(spec, options.baseUrl);
    const prefix = `${method} ${path}: `;
    const schedule = requestSchedule({ method, random, isNew: (failed) => isNew(spec, failed) });
    const toError = (failed: Failed, why?: string) => new ApiError({ goal, path, why, ...failed });
    return retry<ApiResponse<T>>({
      doing: `trying to ${goal}`,
      changes: isChange(method),
      before: spec.beforeAttempt,
      async attempt(mayHaveActed) {
        const started = clock.now();
        const outcome = await attemptOnce(spec, url, mayHaveActed);
        if ('failure' in outcome) outcome.failure.mayHaveActed &&= isChange(method);
        const what = 'failure' in outcome ? outcome.failure.what : String(outcome.value.status);
        onTrace?.(`${prefix}${what} (${duration(clock.now() - started)})`);
        return outcome;
      },
      async next(failed) {
        const { status = 0 } = failed.failure;
        const delay = schedule.delayMs(failed);
        if (delay !== undefined) return delay;
        const error = toError(failed);
        const recovery = await spec.recover?.(error).catch((thrown: unknown) => {
          if (!error.mayHaveActed) throw thrown;
          if (thrown instanceof ApiError) throw error.because(`could not ${thrown.goal}: ${thrown.reason}`);
          throw stoppedWhile(thrown, `trying to ${goal}`, { mayHaveActed: true, previous: error.failure.what });
        });
        if (recovery === 'resend') return schedule.resendMs(failed);
        return recovery && { done: { status, value: recovery.done, date: undefined, sentAt: clock.now() } };
      },
      toError,
      deadline,
      clock,
      onRetry: onRetry && ((what) => onRetry(prefix + what)),
    });
  }

  /** One attempt: a response, or a failure that says whether the service may have acted. */
  async function attemptOnce<T>(
    spec: RequestSpec<T>,
    url: URL,
    mayHaveActed: boolean,
  ): Promise<Outcome<ApiResponse<T>>> {
    signal.throwIfAborted();
    const sentAt = clock.now();
    const limit = AbortSignal.timeout(attemptMs);
    let received: Received;
    try {
      received = await exchange(options.fetch, url.href, {
        method: spec.method,
        headers: {
          accept: 'application/json',
          // Compressing takes longer than sending these few bytes.
          'accept-encoding': 'identity',
          authorization: `Bearer ${options.apiKey}`,
          'content-type': 'application/json',
          'user-agent': 'database-branch-action',
          'x-request-id': randomUUID(),
        },
        ...(spec.body === undefined ? {} : { body: JSON.stringify(spec.body) }),
        signal: AbortSignal.any([signal, limit]),
        mostBytes: (status) => (status >= 300 ? mostBytes.ofError : mostBytes.ofSuccess),
      });
    } catch (error) {
      signal.throwIfAborted();
      return { failure: networkFailure(error, { host: url.host, timeoutMs: limit.aborted ? attemptMs : undefined }) };
    }
    const { status, headers, text } = received;
    const parsed = Date.parse(headers.date ?? '');
    const date = Number.isNaN(parsed) ? undefined : parsed;
    // `Retry-After` may be a date by the clock that wrote it; a runner's clock may be minutes off.
    if (status < 200 || status >= 300) return { failure: statusFailure(received, date ?? clock.now()) };
    try {
      if (text === undefined) throw new ShapeError(`larger than ${mostBytes.ofSuccess / 1_000_000} MB`);
      const body = parse(text);
      maskSecrets(body, mask);
      return { value: { status, value: spec.read(body, status, mayHaveActed), date, sentAt } };
    } catch (error) {
      return { failure: unreadableFailure(status, error) };
    }
  }

  /** Whether a failure may only mean that something that this step has created is not known yet. */
  function isNew({ method, path, query = {}, body = '', mayBeNone }: RequestSpec<unknown>, failed: Failed): boolean {
    const { status } = failed.failure;
    // After a delete whose response was lost, a 404 means that it is done.
    const isUnknown = status === 404 && !mayBeNone && !failed.mayHaveActed;
    if (!isUnknown && !(status === 422 && isChange(method))) return false;
    const texts = [path, ...Object.values(query), JSON.stringify(body)].map(String);
    return [...newUntil].some(([id, until]) => clock.now() < until && texts.some((text) => text.includes(id)));
  }

  return {
    request,
    clock,
    deadline: options.deadline,
    created: (id) => newUntil.set(id, clock.now() + newMs),
    sleep: (ms, doing) =>
      clock.sleep(ms, signal).catch((error: unknown) => {
        throw stoppedWhile(error, doing);
      }),
    close: () => closing.abort(new StoppedError('cancelled', 'The connection to the service was closed')),
  };
}

/** The URL of a request. `baseUrl` has no trailing slash; a path that leads out of it is a bug. */
function urlOf({ path, query = {} }: RequestSpec<unknown>, baseUrl: string): URL {
  const url = new URL(`${baseUrl}${path}`);
  if (!url.href.startsWith(`${baseUrl}/`)) throw new TypeError(`${path} leaves ${baseUrl}`);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url;
}

function parse(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new ShapeError('not JSON, or truncated');
  }
}
