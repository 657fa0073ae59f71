import { maskSecrets } from '../secrets/fields.ts';
import { duration } from '../text/format.ts';
import { oneLine } from '../text/inert.ts';
import { createAttempt } from './attempt.ts';
import { type Clock, type Deadline, systemClock } from './clock.ts';
import { ApiError, type Failure, type RequestLine, StoppedError } from './errors.ts';
import { type ApiResponse, isChange, type RequestSpec, type RetryWindow, urlOf } from './request.ts';
import { type Failed, requestSchedule, retry, stoppedWhile } from './retry.ts';
import type { Fetch } from './transport.ts';

export interface ClientOptions {
  /** Base URL with its path and without a trailing slash: `https://host/api/v2`. */
  baseUrl: string;
  apiKey: string;
  deadline: Deadline;
  /** Milliseconds that one attempt of a request may take. */
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

const defaultAttemptMs = 30_000;
/** How long parts of the service may not know a new object, in milliseconds. */
const propagationMs = 10_000;

export function createClient(options: ClientOptions): Client {
  /** Ends what is still in flight when the client is closed: one of several parallel requests may have failed for all of them. */
  const closing = new AbortController();
  const { clock = systemClock, random = Math.random, mask = () => {}, onRetry, onTrace, fetch } = options;
  const deadline: Deadline = {
    ...options.deadline,
    signal: AbortSignal.any([options.deadline.signal, closing.signal]),
  };
  const attemptMs = options.attemptMs ?? defaultAttemptMs;
  /** Until when no request is sent, because one has met the rate limit; in milliseconds since the epoch. */
  let limitedUntil = 0;
  /** Until when an object that this step has created may be unknown, by ID; in milliseconds since the epoch. */
  const newUntil = new Map<string, number>();
  const headers = {
    accept: 'application/json',
    // Compressing takes longer than sending these few bytes.
    'accept-encoding': 'identity',
    authorization: `Bearer ${options.apiKey}`,
    'user-agent': 'database-branch-action',
  };

  async function request<T>(spec: RequestSpec<T>): Promise<ApiResponse<T>> {
    const { method } = spec;
    const url = urlOf(spec, options.baseUrl);
    const line: RequestLine = { goal: spec.goal, method, path: oneLine(spec.path) };
    const prefix = `${line.method} ${line.path}: `;
    const schedule = requestSchedule({
      method,
      window: spec.mayBeNone ? undefined : windowFor(spec),
      now: () => clock.now(),
      random,
    });

    const withoutResponse = (value: T, status = 0): ApiResponse<T> => ({
      status,
      value,
      date: undefined,
      sentAt: clock.now(),
    });
    const toError = ({ failure, attempts, mayHaveActed }: Failed, why?: string) => {
      const sent = failure.kind === 'not-sent' ? attempts - 1 : attempts;
      return new ApiError({ request: line, failure, attempts: sent, mayHaveActed, why });
    };

    return retry<ApiResponse<T>>({
      doing: `trying to ${spec.goal}`,
      changes: isChange(method),
      async before(mayHaveActed) {
        const limit = await waitForRateLimit();
        if (limit) return { failure: limit };
        const instead = await spec.beforeAttempt?.(mayHaveActed);
        return instead ? { value: withoutResponse(instead.done) } : undefined;
      },
      attempt: createAttempt({
        ...{ url, method, body: spec.body, headers },
        read(body, status, mayHaveActed) {
          maskSecrets(body, mask);
          return spec.read(body, status, mayHaveActed);
        },
        ...{ fetch, attemptMs, signal: deadline.signal, now: clock.now },
        onTrace: onTrace && ((what) => onTrace(prefix + what)),
      }),
      delayMs(failure, attempts) {
        const delay = schedule.delayMs(failure, attempts);
        // A rate limit applies to all requests: parallel ones would be rejected too.
        if (failure.status === 429 && delay !== undefined) {
          limitedUntil = Math.max(limitedUntil, clock.now() + delay);
        }
        return delay;
      },
      resendMs: schedule.resendMs,
      async recover(failed) {
        const { failure } = failed;
        if (failure.kind === 'not-sent') return undefined;
        const recovery = await spec.recover?.(toError(failed));
        const isDone = typeof recovery === 'object' && 'done' in recovery;
        return isDone ? { done: withoutResponse(recovery.done, failure.status) } : recovery;
      },
      toError,
      deadline,
      clock,
      onRetry: onRetry && ((what) => onRetry(prefix + what)),
    });
  }

  /** The propagation window of what a request is about. */
  function windowFor({ method, path, query = {}, body = '' }: RequestSpec<unknown>): RetryWindow {
    const texts = [path, ...Object.values(query), JSON.stringify(body)];
    const known = [...newUntil].filter(([id]) => texts.some((text) => String(text).includes(id)));
    return {
      statuses: isChange(method) ? [404, 422] : [404],
      until: Math.max(0, ...known.map(([, until]) => until)),
    };
  }

  function sleep(ms: number, doing?: string): Promise<void> {
    return clock.sleep(ms, deadline.signal).catch((error: unknown) => {
      throw stoppedWhile(error, doing);
    });
  }

  /** Waits for the end of a rate limit; a failure if the step ends before it does. */
  async function waitForRateLimit(): Promise<Failure | undefined> {
    const leftMs = limitedUntil - clock.now();
    if (leftMs <= 0) return undefined;
    if (leftMs >= deadline.remainingMs()) {
      const what = `the request was not sent, because the service is rate-limiting requests (429) for another ${duration(leftMs)}, and the step has less time left than that`;
      return { kind: 'not-sent', status: 429, what, retryAfterMs: leftMs, mayHaveActed: false };
    }
    await clock.sleep(leftMs, deadline.signal);
    return undefined;
  }

  return {
    request,
    clock,
    deadline: options.deadline,
    created: (id) => newUntil.set(id, clock.now() + propagationMs),
    sleep,
    close() {
      closing.abort(new StoppedError('cancelled', 'The connection to the service was closed'));
    },
  };
}
