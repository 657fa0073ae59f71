import type { AnnotationData, Branch } from '@neon/sdk/raw';
import { badRequest } from '../http/errors.ts';
import { parseLimit } from '../http/pagination.ts';
import type { Call, HandlerResponse } from '../http/router.ts';
import type { BranchRecord, ProjectRecord } from '../state.ts';

type SortField = 'name' | 'created_at' | 'updated_at';

const sortField = (value: string | null): SortField => {
  if (value === null) return 'updated_at';
  if (value === 'name' || value === 'created_at' || value === 'updated_at') return value;
  throw badRequest('"sort_by" must be name, created_at or updated_at');
};

/** A cursor names the last branch seen instead of an offset, so pages stay correct while branches are added and deleted. */
const encodeCursor = (key: string[]): string => Buffer.from(JSON.stringify(key)).toString('base64url');

function decodeCursor(cursor: string): [string, string] {
  try {
    const key: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (Array.isArray(key) && typeof key[0] === 'string' && typeof key[1] === 'string') return [key[0], key[1]];
  } catch {
    // Falls through to the error below.
  }
  throw badRequest('invalid cursor');
}

const matchesSearch = ({ name, id }: Branch, search: string | null): boolean =>
  search === null || name.includes(search) || id.includes(search);

function visibleBranches(project: ProjectRecord, search: string | null): BranchRecord[] {
  const records: BranchRecord[] = [];
  for (const record of project.branches.values()) {
    if (record.propagation.lists > 0) record.propagation.lists--;
    else if (matchesSearch(record.branch, search)) records.push(record);
  }
  return records;
}

export function listBranches({ state, params, query }: Call): HandlerResponse {
  const project = state.project(params.project_id);
  const field = sortField(query.get('sort_by'));
  const order = query.get('sort_order') ?? 'desc';
  if (order !== 'asc' && order !== 'desc') throw badRequest('"sort_order" must be asc or desc');
  const max = state.settings.pageSize ?? 10_000;
  const limit = Math.min(parseLimit(query.get('limit'), { fallback: max, max: 10_000 }), max);

  const sign = order === 'asc' ? 1 : -1;
  const compare = (a: [string, string], b: [string, string]): number => {
    const [first, second] = a[0] === b[0] ? [a[1], b[1]] : [a[0], b[0]];
    return first === second ? 0 : first < second ? -sign : sign;
  };
  const keyOf = ({ branch }: BranchRecord): [string, string] => [branch[field], branch.id];
  let records = visibleBranches(project, query.get('search')).sort((a, b) => compare(keyOf(a), keyOf(b)));
  const cursor = query.get('cursor');
  if (cursor !== null && cursor !== '') {
    const after = decodeCursor(cursor);
    records = records.filter((record) => compare(keyOf(record), after) > 0);
  }
  const page = records.slice(0, limit);
  const last = page.at(-1);
  const annotations: Record<string, AnnotationData> = {};
  for (const { branch, annotation } of page) if (annotation) annotations[branch.id] = annotation;
  return {
    status: 200,
    body: {
      branches: page.map(({ branch }) => branch),
      annotations,
      pagination: {
        ...(last && records.length > limit && { next: encodeCursor(keyOf(last)) }),
        sort_by: field,
        sort_order: order.toUpperCase(),
      },
    },
  };
}

export function getBranch({ state, params }: Call): HandlerResponse {
  const { branch, annotation } = state.branch(state.project(params.project_id), params.branch_id);
  const none: AnnotationData = { object: { type: 'console/branch', id: branch.id }, value: {} };
  return { status: 200, body: { branch, annotation: annotation ?? none } };
}
