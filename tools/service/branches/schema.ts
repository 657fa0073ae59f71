import { createTwoFilesPatch } from 'diff';
import { notFound, unprocessable } from '../http/errors.ts';
import type { Call, HandlerResponse } from '../http/router.ts';
import type { BranchRecord } from '../state.ts';
import { parsePoint } from './checks.ts';

interface SchemaQuery {
  record: BranchRecord;
  database: string;
  lsn: string | null;
  timestamp: string | null;
}

async function readSchema({ state }: Call, { record, database, lsn, timestamp }: SchemaQuery): Promise<string> {
  if (!record.databases.has(database)) throw notFound('database');
  const point = parsePoint(state, lsn ?? undefined, timestamp ?? undefined);
  await state.compute.assertInHistory(record.branch.id, point);
  return state.compute.schema(record.branch.id, database, point);
}

export async function getSchema(call: Call): Promise<HandlerResponse> {
  const { state, params, query } = call;
  const record = state.branch(state.project(params.project_id), params.branch_id);
  const database = query.get('db_name') ?? '';
  const sql = await readSchema(call, { record, database, lsn: query.get('lsn'), timestamp: query.get('timestamp') });
  return { status: 200, body: { sql } };
}

/** A unified diff against the base branch, by default the parent; empty if the schemas are equal. */
export async function compareSchemas(call: Call): Promise<HandlerResponse> {
  const { state, params, query } = call;
  const project = state.project(params.project_id);
  const record = state.branch(project, params.branch_id);
  const baseId = query.get('base_branch_id') ?? record.branch.parent_id;
  if (baseId === undefined) throw unprocessable('the branch has no parent to compare with');
  const base = state.branch(project, baseId);
  const database = query.get('db_name') ?? '';
  const before = await readSchema(call, {
    record: base,
    database,
    lsn: query.get('base_lsn'),
    timestamp: query.get('base_timestamp'),
  });
  const after = await readSchema(call, { record, database, lsn: query.get('lsn'), timestamp: query.get('timestamp') });
  return { status: 200, body: { diff: unifiedDiff(database, before, after) } };
}

function unifiedDiff(name: string, before: string, after: string): string {
  if (before === after) return '';
  const patch = createTwoFilesPatch(`a/${name}`, `b/${name}`, before, after, '', '', { context: 3 });
  // Removes the separator line above the file names, which neither `diff -u` nor the real service prints.
  return patch.slice(patch.indexOf('--- '));
}
