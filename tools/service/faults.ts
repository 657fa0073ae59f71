import type { Operation, OperationAction } from '@neon/sdk/raw';
import type { RecordedRequest } from './http/recorded-request.ts';

/** Which requests a fault applies to. All given conditions must hold. */
export interface FaultMatch {
  method?: string;
  /** Tested against the path below the base URL, without the query: `/projects/…/branches`. */
  path?: RegExp;
  when?: (request: RecordedRequest) => boolean;
  /** Which of the matching requests, counted from 1; default all. */
  nth?: number | number[] | 'all';
  /** The maximum number of times. */
  times?: number;
}

/** What happens to the response. Durations are in milliseconds. */
export type FaultAction =
  /** This response instead. With `acted`, the request takes effect all the same. */
  | { status: number; body?: unknown; text?: string; headers?: Record<string, string>; acted?: boolean }
  /** Reset the connection before the request takes effect, after it, or in the middle of the response. */
  | { close: 'before' | 'after' | 'midway' }
  /** Never respond. With `after`, the request takes effect. */
  | { hang: 'before' | 'after' }
  /** Send the real response in many pieces, at this interval; 0 is as fast as possible. */
  | { drip: number }
  /** Send the first bytes of the real response body, with the matching content length. */
  | { truncate: number | 'half' }
  /** Send the real status with an empty body. */
  | { empty: true }
  /** Send a proxy's error page with this status; the request does not take effect. */
  | { html: number; headers?: Record<string, string> }
  | { redirect: string; status?: 301 | 302 | 303 | 307 | 308 }
  /** Reset all connections before the request takes effect, and refuse new ones for this long. */
  | { refuse: number }
  /** Let the request take effect only after this delay, even if the client has disconnected. */
  | { late: number }
  /** Let the request take effect at once and respond after this delay. */
  | { delay: number }
  /** Replace the body of the real response. */
  | { transform: (body: unknown, request: RecordedRequest) => unknown; status?: number };

export type Fault = FaultMatch & FaultAction;

/**
 * How an operation ends: in `error` or `cancelled`; `recovers` fails with `retry_at`, is retried and finishes; `never` keeps running;
 * `unknown` finishes, but reading it is a 404.
 */
export interface OperationFault {
  action?: OperationAction;
  when?: (operation: Operation) => boolean;
  /** Which of the matching operations, counted from 1; default all. */
  nth?: number | number[] | 'all';
  times?: number;
  outcome: 'error' | 'cancelled' | 'recovers' | 'never' | 'unknown';
  message?: string;
  /** How many attempts of `recovers` fail; default 1. */
  failures?: number;
  /** Backoff of `recovers` in milliseconds; default 50. `Infinity`: until `release()`. */
  retryMs?: number;
}

interface Counted<T> {
  fault: T;
  seen: number;
  fired: number;
}

type Rule = { nth?: number | number[] | 'all'; times?: number };

/** Counts a match for each of these faults and returns the first that is due. */
function pick<T extends Rule>(matching: Counted<T>[]): T | undefined {
  let chosen: Counted<T> | undefined;
  for (const entry of matching) {
    entry.seen++;
    const { nth = 'all', times = Number.POSITIVE_INFINITY } = entry.fault;
    const due = nth === 'all' || (typeof nth === 'number' ? nth === entry.seen : nth.includes(entry.seen));
    if (due && entry.fired < times) chosen ??= entry;
  }
  if (chosen) chosen.fired++;
  return chosen?.fault;
}

/** The scripted faults. If several are due, the first one applies. */
export class FaultScript {
  #requests: Counted<Fault>[] = [];
  #operations: Counted<OperationFault>[] = [];

  /** Adds a fault for requests. `fired()` returns how often it was applied. */
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

  /** Adds a fault for operations that start from now on. */
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
