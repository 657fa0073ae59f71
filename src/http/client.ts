import { randomUUID } from 'node:crypto';
import type { Dispatcher } from 'undici';
import { maskSecrets } from '../secrets/fields.ts';
import { duration } from '../text/format.ts';
import { oneLine } from '../text/inert.ts';
import { changing, send } from './attempt.ts';
import { type Clock, systemClock } from './clock.ts';
import { remainingMs } from './deadline.ts';
import { createDispatcher } from './dispatcher.ts';
import { ApiError, type Failure, type RequestLine, StoppedError } from './errors.ts';
import type { Answer, RequestSpec } from './request.ts';
import { mayRepeat, pauseMs } from './retry.ts';

export interface ClientOptions {
  /** Base URL with its path and without a slash at the end: `https://host/api/v2`. */
  baseUrl: string;
  apiKey: string;
  /** Ends every request and every pause when it aborts; its reason is a `StoppedError`. */
  signal: AbortSignal;
  /** Milliseconds that one try of a request may take. */
  attemptMs?: number;
  /** Is told each secret in an answer before anyone else sees the answer. */
  mask?: (secret: string) => void;
  /** Whether the text of a field of this name is public, be there in it what looks like a secret. */
  isPublic?: (name: string) => boolean;
  /** Is told each pause before a repeated request, as one line. */
  onRetry?: (line: string) => void;
  /** Is told each request and its answer, without bodies, as one line. */
  onTrace?: (line: string) => void;
  userAgent?: string;
  clock?: Clock;
  random?: () => number;
  dispatcher?: Dispatcher;
}

/** The service's API, version 2, one request at a time. It knows HTTP, JSON, errors and repeats; it knows no kind of object. */
export interface Client {
  request<T>(spec: RequestSpec<T>): Promise<Answer<T>>;
  /** The same clock, signal and jitter for whoever waits between requests. */
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** `doing` says in a `StoppedError` what was going on: `waiting until …`. */
  sleep(ms: number, doing?: string): Promise<void>;
  /** The pause before the next try after a failure, told and slept; throws the failure where the step's time would be over. */
  pauseAfter(error: ApiError, tries: number): Promise<void>;
  close(): Promise<void>;
}

/** What one try has brought. */
type Attempt<T> = Omit<Answer<T>, 'mayHaveActedBefore'> | Failure;

const defaultAttemptMs = 30_000;

export function createClient(options: ClientOptions): Client {
  /** Ends what is still under way when the client is closed: one of several requests at once may have failed for all of them. */
  const closing = new AbortController();
  const signal = AbortSignal.any([options.signal, closing.signal]);
  const { clock = systemClock, random = Math.random, mask = () => {} } = options;
  const attemptMs = options.attemptMs ?? defaultAttemptMs;
  const dispatcher = options.dispatcher ?? createDispatcher(attemptMs);
  const base = new URL(options.baseUrl);
  /** Until when no request is sent, because one has met the rate limit; in milliseconds since the epoch. */
  let quietUntil = 0;
  const headers = {
    accept: 'application/json',
    // Without a word on it, a proxy may compress what nobody here unpacks.
    'accept-encoding': 'identity',
    authorization: `Bearer ${options.apiKey}`,
    'user-agent': options.userAgent ?? 'database-branch-action',
  };

  async function attempt<T>(spec: RequestSpec<T>, url: URL): Promise<Attempt<T>> {
    return send({
      url,
      method: spec.method,
      headers: { ...headers, 'x-request-id': randomUUID() },
      body: spec.body,
      read: (body, status) => {
        maskSecrets(body, mask, options.isPublic);
        return spec.read(body, status);
      },
      dispatcher,
      attemptMs,
      signal,
      now: clock.now,
    });
  }

  async function request<T>(spec: RequestSpec<T>): Promise<Answer<T>> {
    const url = new URL(`${options.baseUrl}${spec.path}`);
    if (url.origin !== base.origin || !url.pathname.startsWith(`${base.pathname.replace(/\/$/, '')}/`)) {
      throw new TypeError(`${spec.path} leaves ${options.baseUrl}`);
    }
    for (const [name, value] of Object.entries(spec.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const line: RequestLine = { goal: spec.goal, method: spec.method, path: oneLine(spec.path) };
    const repeat = spec.repeat ?? (spec.method === 'GET' || spec.method === 'DELETE' ? 'any' : 'safe');
    let mayHaveActed = false;
    const alike = new Map<string, number>();

    for (let tries = 1; ; tries++) {
      await quiet({ line, attempts: tries - 1, mayHaveActed });
      const started = clock.now();
      const mayAct: boolean = mayHaveActed || (changing(spec.method) && !signal.aborted);
      const outcome: Attempt<T> = await stoppable(`trying to ${spec.goal}`, () => attempt(spec, url), {
        mayHaveActed: mayAct,
      });
      const failed = 'kind' in outcome;
      options.onTrace?.(
        `${line.method} ${line.path} ${failed ? outcome.what : `answered ${outcome.status}`} after ${duration(clock.now() - started)}`,
      );
      if (!failed) return { ...outcome, mayHaveActedBefore: mayHaveActed };

      mayHaveActed ||= outcome.mayHaveActed;
      // A fault that lasts is one that comes again and again, not one after others that have passed.
      const fault = outcome.errno ?? outcome.kind;
      alike.set(fault, (alike.get(fault) ?? 0) + 1);
      const settles =
        spec.settling?.statuses.includes(outcome.status ?? 0) === true && clock.now() < spec.settling.until;
      const fail = () => new ApiError({ request: line, failure: outcome, attempts: tries, mayHaveActed });
      if (!settles && !mayRepeat({ failure: outcome, repeat, attempt: alike.get(fault) ?? 1 })) throw fail();

      const pause = settles ? settlingPauseMs(tries) : pauseMs({ failure: outcome, attempt: tries, random });
      // A rate limit is everybody's: requests that go on meanwhile would only be refused too.
      if (outcome.status === 429) quietUntil = Math.max(quietUntil, clock.now() + pause);
      await pauseOrFail({ error: fail(), pause });
    }
  }

  /** Waits for the end of a rate limit, or fails at once where the step ends before it does. */
  async function quiet(next: { line: RequestLine; attempts: number; mayHaveActed: boolean }): Promise<void> {
    const { line, ...before } = next;
    const left = quietUntil - clock.now();
    if (left <= 0) return;
    if (left >= remainingMs(options.signal, clock)) {
      const what = `was not sent: the service has answered 429 before, and asks for quiet for ${duration(left)}, until after the time for the step is over`;
      const failure: Failure = { kind: 'status', status: 429, what, retryAfterMs: left, mayHaveActed: false };
      throw new ApiError({ request: line, failure, ...before });
    }
    await stoppable(`trying to ${line.goal}`, () => clock.sleep(left, signal), before);
  }

  async function pauseOrFail({ error, pause }: { error: ApiError; pause: number }): Promise<void> {
    const { request: line, failure } = error;
    if (pause >= remainingMs(options.signal, clock))
      throw error.because(`the next try would be in ${duration(pause)}, after the time for the step is over`);
    options.onRetry?.(`${line.method} ${line.path} ${failure.what}; trying again in ${duration(pause)}`);
    await stoppable(`trying to ${line.goal}`, () => clock.sleep(pause, signal), error);
  }

  return {
    request,
    clock,
    signal: options.signal,
    sleep: (ms, doing) => stoppable(doing, () => clock.sleep(ms, signal)),
    pauseAfter: (error, tries) =>
      pauseOrFail({ error, pause: pauseMs({ failure: error.failure, attempt: tries, random }) }),
    close() {
      closing.abort(new StoppedError('cancelled', 'The connection to the service was closed'));
      return dispatcher.destroy();
    },
  };
}

/** Pauses while the service settles after a create: short, for it is a matter of moments. */
function settlingPauseMs(tries: number): number {
  return Math.min(2_000, 200 * 2 ** (tries - 1));
}

async function stoppable<T>(
  doing: string | undefined,
  work: () => Promise<T>,
  options: { mayHaveActed?: boolean } = {},
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw doing !== undefined && error instanceof StoppedError ? error.while(doing, options) : error;
  }
}
