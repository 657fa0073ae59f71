import type { Repeat } from './retry.ts';

export interface RequestSpec<T> {
  /** What it is for, as a clause after «Could not»: `create branch "x"`. */
  goal: string;
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Below the base URL, with its variable parts already encoded. */
  path: string;
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
  /** Default: `any` for GET and DELETE, `safe` for the rest. */
  repeat?: Repeat;
  /** Statuses that pass by themselves here, such as a 404 for a branch that was just made, until `until` (ms since the epoch). */
  settling?: { statuses: number[]; until: number };
  /** Reads the answer's body, which is undefined where it is empty; throws a `ShapeError` where it is not what it should be. */
  read: (body: unknown, status: number) => T;
}

export interface Answer<T> {
  status: number;
  value: T;
  /** The service's clock when it answered, in milliseconds since the epoch. */
  date: number | undefined;
  /** Whether an earlier try of this request may have taken effect already. */
  mayHaveActedBefore: boolean;
}
