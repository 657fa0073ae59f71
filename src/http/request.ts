import type { ApiError } from './errors.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** What to do about a failure that is not retried by itself: it has happened after all (`done`), or is sent again; else it stays a failure. */
export type Recovery<T> = { done: T } | 'resend' | undefined;

/** Decides about a failure. The error says whether this attempt (`failure.mayHaveActed`) or any so far (`mayHaveActed`) may have acted. */
export type Recover<T> = (error: ApiError) => Promise<Recovery<T>>;

export interface RequestSpec<T> {
  /** What the request is for, as a clause after "Could not": `create branch "x"`. */
  goal: string;
  method: Method;
  /** Below the base URL, its variable parts already encoded. */
  path: string;
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
  /** A 404 usually means that there is none, so it is not retried, however new the object in the path. */
  mayBeNone?: boolean;
  /**
   * Called right before each attempt, after every delay. What it throws ends the request. `mayHaveActed`: an earlier attempt may already have
   * taken effect. `previous`: what came back last.
   */
  beforeAttempt?: (mayHaveActed: boolean, previous?: string) => Promise<void>;
  /** Called with each failure of an attempt that the client would not retry by itself. What it throws ends the request. */
  recover?: Recover<T>;
  /**
   * Reads the response body, which is undefined if it is empty. `mayHaveActed`: an earlier attempt may already have taken effect. Throws a
   * `ShapeError` if the body is not as documented.
   */
  read: (body: unknown, status: number, mayHaveActed: boolean) => T;
}

export interface ApiResponse<T> {
  /** 0 if there was no response, and `recover` knew the result. */
  status: number;
  value: T;
  /** The service's clock when it responded, in milliseconds since the epoch. */
  date: number | undefined;
  /** When the attempt that got the response was sent, by the runner's clock. What the response says may be as old as that. */
  sentAt: number;
}

export function isChange(method: string): boolean {
  return method !== 'GET';
}

/** Whether a request with this method is idempotent: sending it twice does no harm. */
export function isIdempotent(method: string): boolean {
  return method === 'GET' || method === 'DELETE';
}
