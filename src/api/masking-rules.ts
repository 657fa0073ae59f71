import * as shape from '../http/shape.ts';
import { show } from '../text/inert.ts';
import { branchPath, type Project } from './project.ts';
import type { Branch } from './types.ts';

/** What a rule is about, from database to column, and what it does: the service's own field names. */
const place = ['database_name', 'schema_name', 'table_name', 'column_name'] as const;
const effect = ['masking_function', 'masking_value'] as const;

/** The rules of an anonymized branch, in the service's own form. */
export async function maskingRulesOf(options: Project & { branch: Branch }): Promise<shape.Json[]> {
  const { api, projectId, branch } = options;
  const { value } = await api.request({
    goal: `read the masking rules of branch ${show(branch.name)}`,
    method: 'GET',
    path: branchPath({ projectId, branchId: branch.id, rest: '/masking_rules' }),
    read: (body) => shape.list(shape.object(body, 'the response').masking_rules, 'masking_rules', shape.object),
  });
  return value;
}

/** Columns, as `database.schema.table.column`, that a wanted rule masks and no existing rule masks in the same way. */
export function columnsMaskedDifferently(options: { wanted: shape.Json[]; existing: shape.Json[] }): string[] {
  const { wanted, existing } = options;
  const keyOf = (rule: shape.Json) => JSON.stringify([...place, ...effect].map((field) => rule[field] || null));
  const known = new Set(existing.map(keyOf));
  const others = wanted.filter((rule) => !known.has(keyOf(rule)));
  return [...new Set(others.map((rule) => place.map((field) => String(rule[field] ?? '?')).join('.')))];
}
