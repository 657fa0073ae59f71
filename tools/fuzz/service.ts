import { text } from 'node:stream/consumers';
import { Dispatcher } from 'undici';
import { type Client, createClient } from '../../src/http/client.ts';
import { deadlineIn } from '../../src/http/clock.ts';
import { StoppedError } from '../../src/http/errors.ts';
import { FakeClock } from '../clock.ts';
import type { HttpRequest } from './account.ts';
import { isUnsent, type Sent } from './changes.ts';

const baseUrl = 'https://api.local.test/api/v2';
/** Virtual time that a command may take, in milliseconds. */
const timeoutMs = 120_000;
/** Virtual time that each request takes. */
const requestMs = 5;
/** A command that sends more requests than this is in an endless loop. */
const mostRequests = 5_000;

type Respond = (request: HttpRequest, url: URL) => Sent;

/** A dispatcher that responds to each request immediately, in this process. */
class RespondingDispatcher extends Dispatcher {
  readonly #respond: Respond;
  readonly #base: string;

  /** `base` is the prefix of every path. */
  constructor(base: string, respond: Respond) {
    super();
    this.#base = base;
    this.#respond = respond;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const controller = new Controller((error) => handler.onResponseError?.(controller, error));
    const { method, body } = options;
    const url = new URL(options.path, String(options.origin));
    const path = url.pathname.startsWith(this.#base) ? url.pathname.slice(this.#base.length) : url.pathname;
    const go = (payload: string) => {
      const sent = this.#respond({ method, path, query: url.searchParams, body: payload }, url);
      // As undici does: a request only starts on a connection.
      if (!isUnsent(sent)) handler.onRequestStart?.(controller, {});
      if (controller.aborted) return;
      if ('error' in sent) return void controller.abort(sent.error);
      // Some undici APIs read the raw headers, others the parsed ones.
      controller.rawHeaders = Object.entries(sent.headers).flat();
      handler.onResponseStart?.(controller, sent.status, sent.headers, '');
      if (!controller.aborted) handler.onResponseData?.(controller, Buffer.from(sent.text));
      if (!controller.aborted) handler.onResponseEnd?.(controller, {});
    };
    if (body === undefined || body === null || typeof body === 'string') queueMicrotask(() => go(body ?? ''));
    else void text(body as AsyncIterable<Uint8Array>).then(go);
    return true;
  }

  override close(): Promise<void>;
  override close(callback: () => void): void;
  override close(callback?: () => void): Promise<void> | void {
    return callback ? callback() : Promise.resolve();
  }

  override destroy(): Promise<void>;
  override destroy(error: Error | null): Promise<void>;
  override destroy(callback: () => void): void;
  override destroy(error: Error | null, callback: () => void): void;
  override destroy(first?: Error | null | (() => void), second?: () => void): Promise<void> | void {
    const callback = typeof first === 'function' ? first : second;
    return callback ? callback() : Promise.resolve();
  }
}

class Controller implements Dispatcher.DispatchController {
  aborted = false;
  reason: Error | null = null;
  paused = false;
  rawHeaders: string[] = [];
  rawTrailers = [];
  readonly #onAbort: (reason: Error) => void;

  constructor(onAbort: (reason: Error) => void) {
    this.#onAbort = onAbort;
  }

  abort(reason: Error): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.#onAbort(reason);
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
  }
}

/** A request and its response, or as much of it as was sent. */
export interface Exchange {
  to: 'service' | 'GitHub';
  request: HttpRequest;
  sent: Sent;
  /** When it was sent, in milliseconds since the epoch. */
  at: number;
}

export interface Line {
  api: Client;
  /** Creates connections to GitHub. */
  connectGitHub: () => Promise<Dispatcher>;
  clock: FakeClock;
  /** All exchanges, in order. */
  exchanges: Exchange[];
  /** Whether the step timed out. */
  stopped: () => boolean;
  /** Whether the command was stopped because of an endless loop of requests. */
  hangs: () => boolean;
}

/** A client of the service and a connection to GitHub with virtual time, which times out after `timeoutMs`. */
export function connect(options: {
  service: (request: HttpRequest) => Sent;
  gitHub?: (request: HttpRequest) => Sent;
  mask?: (secret: string) => void;
}): Line {
  const clock = new FakeClock();
  const controller = new AbortController();
  const deadline = deadlineIn(timeoutMs, { signal: controller.signal, clock });
  const stop = () => controller.abort(new StoppedError('timeout', 'The time for the step is over'));
  clock.onSleep = (ms) => {
    if (ms >= deadline.remainingMs()) stop();
  };
  const exchanges: Exchange[] = [];
  let requests = 0;
  const note = (to: Exchange['to'], respond: (request: HttpRequest) => Sent) => (request: HttpRequest) => {
    clock.pass(requestMs);
    requests++;
    const sent = respond(request);
    const exchange = { to, request, sent, at: clock.now() };
    exchanges.push(exchange);
    if (deadline.remainingMs() > 0 && requests <= mostRequests) return sent;
    stop();
    exchange.sent = { error: new Error('sent after the timeout') };
    return sent;
  };
  const api = createClient({
    baseUrl,
    apiKey: 'napi_key',
    deadline,
    clock,
    random: () => 1,
    dispatcher: new RespondingDispatcher(new URL(baseUrl).pathname, note('service', options.service)),
    ...(options.mask ? { mask: options.mask } : {}),
  });
  return {
    api,
    connectGitHub: async () => new RespondingDispatcher('', note('GitHub', options.gitHub ?? options.service)),
    clock,
    exchanges,
    stopped: () => controller.signal.aborted,
    hangs: () => requests > mostRequests,
  };
}

/** The requests, for a message. */
export function pathsIn(exchanges: Exchange[]): string {
  return exchanges.map(({ request }) => `${request.method} ${request.path}`).join(', ');
}

/** The JSON of a successful response; undefined for any other. */
export function jsonOf(sent: Sent): unknown {
  if ('error' in sent || sent.status < 200 || sent.status > 299) return undefined;
  try {
    // A byte order mark is not part of the JSON.
    return JSON.parse(sent.text.replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
}
