import { pageSize } from '../branches/read.ts';
import { notFound } from '../http/errors.ts';
import type { Answer, Call } from '../http/router.ts';

/** Newest first; the cursor is the ID of the last operation on the page before. */
export function listOperations({ state, params, query }: Call): Answer {
  const all = state.project(params.project_id).operations.all();
  const limit = pageSize(query.get('limit'), { fallback: 1_000, most: 1_000 });
  const cursor = query.get('cursor');
  const start = cursor ? all.findIndex(({ id }) => id === cursor) + 1 : 0;
  const page = all.slice(start, start + limit);
  const last = page.at(-1);
  const more = start + limit < all.length;
  return { status: 200, body: { operations: page, ...(last && more && { pagination: { cursor: last.id } }) } };
}

export function getOperation({ state, params }: Call): Answer {
  const operation = state.project(params.project_id).operations.get(params.operation_id ?? '');
  if (!operation) throw notFound('operation');
  return { status: 200, body: { operation } };
}
