import { notFound } from '../http/errors.ts';
import { pageAfter, parseLimit } from '../http/pagination.ts';
import type { Call, HandlerResponse } from '../http/router.ts';

export function listOperations({ state, params, query }: Call): HandlerResponse {
  const limit = parseLimit(query.get('limit'), { fallback: 1_000, max: 1_000 });
  const newestFirst = state.project(params.project_id).operations.all();
  const { page, next } = pageAfter(newestFirst, query.get('cursor'), limit);
  return { status: 200, body: { operations: page, ...(next !== undefined && { pagination: { cursor: next } }) } };
}

export function getOperation({ state, params }: Call): HandlerResponse {
  const operation = state.project(params.project_id).operations.get(params.operation_id ?? '');
  if (!operation) throw notFound('operation');
  return { status: 200, body: { operation } };
}
