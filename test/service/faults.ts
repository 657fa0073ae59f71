import type { Operation, OperationAction } from '@neon/sdk/raw';
import type { RecordedRequest } from './http/server.ts';

/** Which requests a fault meets. Every condition that is given has to hold. */
export interface FaultMatch {
  method?: string;
  /** Against the path below the base URL, without the query: `/projects/…/branches`. */
  path?: RegExp;
  when?: (request: RecordedRequest) => boolean;
  /** Which of the matching requests, counted from 1; default: every one. */
  nth?: number | number[] | 'all';
  /** How often at most. */
  times?: number;
}

/** What happens instead of, or to, the answer. */
export type FaultAction =
  /** This answer. `acted` lets the request take effect first: the change is made, and the client hears otherwise. */
  | { status: number; body?: unknown; text?: string; headers?: Record<string, string>; acted?: boolean }
  /** The connection is closed: before the request took effect, after it, or in the middle of the answer. */
  | { close: 'before' | 'after' | 'midway' }
  /** No answer ever comes; `after`: though the request took effect. */
  | { hang: 'before' | 'after' }
  /** The true answer, one byte every so many milliseconds; 0: one at a time, as fast as they go. */
  | { drip: number }
  /** The true answer's body, cut off after so many characters (default: half), with a length that fits. */
  | { truncate: number | 'half' }
  /** The true status with nothing in the body. */
  | { empty: true }
  /** A proxy's page; the request is not acted on. */
  | { html: number; headers?: Record<string, string> }
  | { redirect: string; status?: 301 | 302 | 303 | 307 | 308 }
  /** The connection is reset before the request took effect, and for so many milliseconds new ones are refused. */
  | { refuse: number }
  /** The request takes effect only after so many milliseconds, be the client still there or not. */
  | { late: number }
  /** The true answer later, in milliseconds. */
  | { delay: number }
  /** The true answer with another body: lies about a branch, an endpoint, a shape. */
  | { transform: (body: unknown, request: RecordedRequest) => unknown; status?: number };

export type Fault = FaultMatch & FaultAction;

/**
 * How an operation ends: `error` and `cancelled` for good; `recovers` fails first, with `retry_at`, and then finishes;
 * `failed` fails and stays so; `never` runs on for ever; `unknown` finishes, but reads of it answer 404.
 */
export interface OperationFault {
  action?: OperationAction;
  when?: (operation: Operation) => boolean;
  /** Which of the matching operations, counted from 1; default: every one. */
  nth?: number | number[] | 'all';
  times?: number;
  outcome: 'error' | 'cancelled' | 'recovers' | 'failed' | 'never' | 'unknown';
  message?: string;
  /** How often `recovers` fails first; default 1. */
  failures?: number;
  /** How long `recovers` waits before each new try, in milliseconds; default 50. */
  retryMs?: number;
  /** Whether a `never` keeps its branch locked (423); default true. */
  locks?: boolean;
}

interface Counted<T> {
  fault: T;
  seen: number;
  fired: number;
}

type Rule = { nth?: number | number[] | 'all'; times?: number };

/** Counts a match for every one of these faults, and answers the first that is up. */
function pick<T extends Rule>(matching: Counted<T>[]): T | undefined {
  let chosen: Counted<T> | undefined;
  for (const entry of matching) {
    entry.seen++;
    const { nth = 'all', times = Number.POSITIVE_INFINITY } = entry.fault;
    const up = nth === 'all' || (typeof nth === 'number' ? nth === entry.seen : nth.includes(entry.seen));
    if (up && entry.fired < times) chosen ??= entry;
  }
  if (chosen) chosen.fired++;
  return chosen?.fault;
}

/** What is to go wrong. Of several faults that are up, the first decides. */
export class FaultScript {
  #requests: Counted<Fault>[] = [];
  #operations: Counted<OperationFault>[] = [];

  /** Returns a function that takes the fault away again; `fired()` tells how often it struck. */
  add(fault: Fault): { remove: () => void; fired: () => number } {
    const entry: Counted<Fault> = { fault, seen: 0, fired: 0 };
    this.#requests.push(entry);
    return {
      remove: () => {
        this.#requests = this.#requests.filter((other) => other !== entry);
      },
      fired: () => entry.fired,
    };
  }

  /** How coming operations end. */
  operation(fault: OperationFault): { remove: () => void; fired: () => number } {
    const entry: Counted<OperationFault> = { fault, seen: 0, fired: 0 };
    this.#operations.push(entry);
    return {
      remove: () => {
        this.#operations = this.#operations.filter((other) => other !== entry);
      },
      fired: () => entry.fired,
    };
  }

  clear(): void {
    this.#requests = [];
    this.#operations = [];
  }

  forRequest(request: RecordedRequest): Fault | undefined {
    return pick(
      this.#requests.filter(
        ({ fault: { method, path, when } }) =>
          (method === undefined || method.toUpperCase() === request.method) &&
          (path === undefined || request.path.search(path) >= 0) &&
          (when === undefined || when(request)),
      ),
    );
  }

  forOperation(operation: Operation): OperationFault | undefined {
    return pick(
      this.#operations.filter(
        ({ fault: { action, when } }) =>
          (action === undefined || action === operation.action) && (when === undefined || when(operation)),
      ),
    );
  }
}
