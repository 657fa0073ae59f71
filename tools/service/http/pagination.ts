import { badRequest } from './errors.ts';

/** The `limit` of a list request. */
export function parseLimit(value: string | null, { fallback, max }: { fallback: number; max: number }): number {
  if (value === null) return fallback;
  const limit = Number(value);
  if (!Number.isInteger(limit) || limit < 1 || limit > max)
    throw badRequest(`"limit" is not a number from 1 to ${max}`);
  return limit;
}

/** One page of a list whose cursor is the ID of the last object on the page before; `next` is missing on the last page. */
export function pageAfter<T extends { id?: unknown }>(
  all: T[],
  cursor: string | null,
  limit: number,
): { page: T[]; next?: unknown } {
  const start = cursor ? all.findIndex(({ id }) => id === cursor) + 1 : 0;
  const page = all.slice(start, start + limit);
  return start + limit < all.length ? { page, next: page.at(-1)?.id } : { page };
}
