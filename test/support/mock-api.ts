import { type Client, type ClientOptions, createClient } from '../../src/http/client.ts';
import { deadlineIn } from '../../src/http/clock.ts';
import { StoppedError } from '../../src/http/errors.ts';
import type { Fetch } from '../../src/http/transport.ts';
import { FakeClock } from '../../tools/clock.ts';

/** One response, or the lack of one. */
export interface Reply {
  status?: number;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent unchanged. */
  text?: string;
  headers?: Record<string, string>;
  /** No response: the error with which the connection ends. */
  error?: Error;
}

export interface Sent {
  method: string;
  /** With its query. */
  path: string;
  origin: string;
  headers: Record<string, string>;
  body: unknown;
}

export interface MockApi {
  api: Client;
  clock: FakeClock;
  sent: Sent[];
  masked: string[];
  /** The lines of the log. */
  retries: string[];
  traces: string[];
  /** Ends the step, as its timeout or a cancelled job does. */
  stop(reason?: 'timeout' | 'cancelled'): void;
}

export const origin = 'https://api.local.test';
const base = '/api/v2';

/**
 * The client with a scripted service: each request gets the next reply, and the last one is repeated. `timeoutMs` is the
 * time for the step, by the clock that only sleeping moves.
 */
export function mockApi(
  replies: Reply[] | ((request: Sent, nth: number) => Reply),
  options: { timeoutMs?: number } & Partial<ClientOptions> = {},
): MockApi {
  const { timeoutMs, ...rest } = options;
  const clock = new FakeClock();
  const sent: Sent[] = [];
  const controller = new AbortController();
  const stop = (reason: 'timeout' | 'cancelled' = 'timeout') =>
    controller.abort(new StoppedError(reason, reason === 'timeout' ? 'The time is over' : 'The step was cancelled'));
  const { signal } = controller;
  const deadline = deadlineIn(timeoutMs ?? Number.POSITIVE_INFINITY, { signal, clock });
  clock.onSleep = (ms) => {
    if (ms >= deadline.remainingMs()) stop();
  };
  const next = (request: Sent): Reply => {
    sent.push(request);
    const reply = typeof replies === 'function' ? replies(request, sent.length) : replies[sent.length - 1];
    const last = typeof replies === 'function' ? undefined : replies.at(-1);
    const chosen = reply ?? last;
    if (!chosen) throw new Error('The script has no reply');
    return chosen;
  };
  const masked: string[] = [];
  const retries: string[] = [];
  const traces: string[] = [];
  const api = createClient({
    baseUrl: `${origin}${base}`,
    apiKey: 'napi_secretkey',
    deadline,
    clock,
    random: () => 1,
    mask: (secret) => masked.push(secret),
    onRetry: (line) => retries.push(line),
    onTrace: (line) => traces.push(line),
    fetch: scriptedFetch(next),
    ...rest,
  });
  return { api, clock, sent, masked, retries, traces, stop };
}

/** A `fetch` whose responses come from the script. */
export function scriptedFetch(next: (request: Sent) => Reply): Fetch {
  return async (url, { method, headers, body }) => {
    const { origin, pathname, search } = new URL(url);
    const reply = next({ method, path: `${pathname}${search}`, origin, headers, body: json(body) });
    if (reply.error) throw reply.error;
    const text = reply.text ?? (reply.body === undefined ? '' : JSON.stringify(reply.body));
    return new Response(text === '' ? null : text, { status: reply.status ?? 200, headers: reply.headers ?? {} });
  };
}

function json(body: unknown): unknown {
  return typeof body === 'string' && body !== '' ? JSON.parse(body) : undefined;
}
