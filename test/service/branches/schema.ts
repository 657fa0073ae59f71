import { createTwoFilesPatch } from 'diff';
import { notFound, unprocessable } from '../http/errors.ts';
import type { Answer, Call } from '../http/router.ts';
import type { BranchRecord } from '../state.ts';
import { checkedPoint } from './create.ts';

interface Wanted {
  record: BranchRecord;
  database: string;
  lsn: string | null;
  timestamp: string | null;
}

async function read({ state }: Call, { record, database, lsn, timestamp }: Wanted): Promise<string> {
  if (!record.databases.has(database)) throw notFound('database');
  const point = checkedPoint(state, lsn ?? undefined, timestamp ?? undefined);
  await state.compute.checkPoint(record.branch.id, point);
  return state.compute.schema(record.branch.id, database, point);
}

export async function getSchema(call: Call): Promise<Answer> {
  const { state, params, query } = call;
  const record = state.branch(state.project(params.project_id), params.branch_id);
  const database = query.get('db_name') ?? '';
  const sql = await read(call, { record, database, lsn: query.get('lsn'), timestamp: query.get('timestamp') });
  return { status: 200, body: { sql } };
}

/** How the branch's schema differs from that of its base, by default its parent; empty where it does not. */
export async function compareSchemas(call: Call): Promise<Answer> {
  const { state, params, query } = call;
  const project = state.project(params.project_id);
  const record = state.branch(project, params.branch_id);
  const baseId = query.get('base_branch_id') ?? record.branch.parent_id;
  if (baseId === undefined) throw unprocessable('the branch has no parent to be compared with');
  const base = state.branch(project, baseId);
  const database = query.get('db_name') ?? '';
  const before = await read(call, {
    record: base,
    database,
    lsn: query.get('base_lsn'),
    timestamp: query.get('base_timestamp'),
  });
  const after = await read(call, { record, database, lsn: query.get('lsn'), timestamp: query.get('timestamp') });
  return { status: 200, body: { diff: unifiedDiff(database, before, after) } };
}

function unifiedDiff(name: string, before: string, after: string): string {
  if (before === after) return '';
  const patch = createTwoFilesPatch(`a/${name}`, `b/${name}`, before, after, '', '', { context: 3 });
  // The package puts a ruler above the two names, which `diff -u` and the service do not have.
  return patch.slice(patch.indexOf('--- '));
}
