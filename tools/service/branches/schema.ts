import { notFound } from '../http/errors.ts';
import type { Call, HandlerResponse } from '../http/router.ts';
import { parsePoint } from './checks.ts';

export async function getSchema({ state, params, query }: Call): Promise<HandlerResponse> {
  const record = state.branch(state.project(params.project_id), params.branch_id);
  const database = query.get('db_name') ?? '';
  if (!record.databases.has(database)) throw notFound('database');
  const point = parsePoint(state, query.get('lsn') ?? undefined, query.get('timestamp') ?? undefined);
  await state.compute.assertInHistory(record.branch.id, point);
  return { status: 200, body: { sql: await state.compute.schema(record.branch.id, database, point) } };
}
