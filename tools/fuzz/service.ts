import { type Client, createClient } from '../../src/http/client.ts';
import { deadlineIn } from '../../src/http/clock.ts';
import { StoppedError } from '../../src/http/errors.ts';
import type { Fetch } from '../../src/http/transport.ts';
import { FakeClock } from '../clock.ts';
import type { HttpRequest } from './account.ts';
import type { Sent } from './changes.ts';

const baseUrl = 'https://api.local.test/api/v2';
/** Virtual time that a command may take, in milliseconds. */
const timeoutMs = 120_000;
/** Virtual time that each request takes. */
const requestMs = 5;
/** A command that sends more requests than this is in an endless loop. */
const mostRequests = 5_000;

/** A `fetch` that responds to each request immediately, in this process. `base` is the prefix of every path. */
function respondingFetch(base: string, respond: (request: HttpRequest) => Sent): Fetch {
  return async (address, { method, body = '' }) => {
    const url = new URL(address);
    const path = url.pathname.startsWith(base) ? url.pathname.slice(base.length) : url.pathname;
    const sent = respond({ method, path, query: url.searchParams, body });
    if ('error' in sent) throw new TypeError('fetch failed', { cause: sent.error });
    const { status, headers, text } = sent;
    return { status, headers: new Headers(headers), body: new Blob([text]).stream() };
  };
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
  connectGitHub: () => Promise<Fetch>;
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
    fetch: respondingFetch(new URL(baseUrl).pathname, note('service', options.service)),
    ...(options.mask ? { mask: options.mask } : {}),
  });
  return {
    api,
    connectGitHub: async () => respondingFetch('', note('GitHub', options.gitHub ?? options.service)),
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
