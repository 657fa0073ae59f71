import { Dispatcher } from 'undici';
import { type Client, createClient, setDeadline } from '../../src/api/client.ts';
import { StoppedError } from '../../src/api/errors.ts';
import { FakeClock } from '../support/clock.ts';
import type { Asked } from './account.ts';
import type { Sent } from './changes.ts';

const baseUrl = 'https://api.local.test/api/v2';
/** Longest virtual time of one command, and of one request, in milliseconds. */
export const timeoutMs = 120_000;
const requestMs = 5;
/** More requests than this in one command go round in circles. */
const mostRequests = 5_000;

/** The client's connection: gives each request its answer at once, in this process. */
class Answering extends Dispatcher {
  readonly #answer: (asked: Asked) => Sent;

  constructor(answer: (asked: Asked) => Sent) {
    super();
    this.#answer = answer;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const controller = new Controller((error) => handler.onResponseError?.(controller, error));
    queueMicrotask(() => {
      handler.onRequestStart?.(controller, {});
      if (controller.aborted) return;
      const url = new URL(options.path, String(options.origin));
      const path = url.pathname.slice(new URL(baseUrl).pathname.length);
      const sent = this.#answer({ method: options.method, path, query: url.searchParams });
      if (controller.aborted) return;
      if ('error' in sent) return void controller.abort(sent.error);
      handler.onResponseStart?.(controller, sent.status, sent.headers, '');
      if (!controller.aborted) handler.onResponseData?.(controller, Buffer.from(sent.text));
      if (!controller.aborted) handler.onResponseEnd?.(controller, {});
    });
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
  rawHeaders = [];
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

export interface Line {
  api: Client;
  clock: FakeClock;
  /** `METHOD path` of every request, in order. */
  asked: string[];
  /** Whether the requests went round in circles, and were ended by force. */
  hangs: () => boolean;
}

/** A client of the service whose time passes by itself: `timeoutMs` after its start, everything ends. */
export function connect(answer: (asked: Asked) => Sent): Line {
  const clock = new FakeClock();
  const controller = new AbortController();
  const deadline = clock.now() + timeoutMs;
  setDeadline(controller.signal, deadline);
  const stop = () => controller.abort(new StoppedError('timeout', 'The time for the step is over'));
  clock.onSleep = (ms) => {
    if (clock.now() + ms >= deadline) stop();
  };
  const asked: string[] = [];
  const dispatcher = new Answering((one) => {
    asked.push(`${one.method} ${one.path}`);
    clock.pass(requestMs);
    if (clock.now() >= deadline || asked.length > mostRequests) stop();
    return answer(one);
  });
  const api = createClient({
    baseUrl,
    apiKey: 'napi_key',
    signal: controller.signal,
    clock,
    random: () => 1,
    dispatcher,
  });
  return { api, clock, asked, hangs: () => asked.length > mostRequests };
}
