import type { ApiError } from './errors.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/**
 * What to do about a failure that is not retried by itself: it has happened after all (`done`), send it again after the usual delay
 * (`resend`), or `after` so many milliseconds. `doing` says what the request is waiting for then. Undefined: it stays a failure.
 */
export type Recovery<T> = { done: T } | 'resend' | { after: number; doing?: string } | undefined;

/** Decides about a failure. The error says whether this attempt (`failure.mayHaveActed`) or any so far (`mayHaveActed`) may have acted. */
export type Recover<T> = (error: ApiError) => Promise<Recovery<T>>;

export type BeforeAttempt<T = never> = (mayHaveActed: boolean) => Promise<{ done: T } | undefined> | Promise<void>;

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
   * Called right before each attempt, after every delay. If it throws, the request ends with that error; if it returns something, nothing
   * is sent and that is the result. `mayHaveActed`: an earlier attempt may already have taken effect.
   */
  beforeAttempt?: BeforeAttempt<T>;
  /** Called with each failure of an attempt that the client would not retry by itself. What it throws ends the request. */
  recover?: Recover<T>;
  /** For a change that must not be sent again if its response is lost: how to find out whether it took effect, as a clause of the error. */
  ifLost?: string;
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

/** Whether a request with this method changes something. */
export function isChange(method: string): boolean {
  return method !== 'GET';
}

/** The URL of a request. `baseUrl` has a path and no trailing slash; a path that leads out of it is a bug. */
export function urlOf(spec: Pick<RequestSpec<unknown>, 'path' | 'query'>, baseUrl: string): URL {
  const base = new URL(baseUrl);
  const url = new URL(`${baseUrl}${spec.path}`);
  if (url.origin !== base.origin || !url.pathname.startsWith(`${base.pathname.replace(/\/$/, '')}/`)) {
    throw new TypeError(`${spec.path} leaves ${baseUrl}`);
  }
  for (const [name, value] of Object.entries(spec.query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url;
}
