import * as shape from '../http/shape.ts';
import { show } from '../text/inert.ts';
import { branchPath, type Project } from './branches.ts';
import type { Branch } from './types.ts';

/** What a rule is about, from the outside in, and what it does to it: the service's own field names. */
const place = ['database_name', 'schema_name', 'table_name', 'column_name'] as const;
const effect = ['masking_function', 'masking_value'] as const;

/** The rules by which an anonymized branch is masked, in the service's own form. */
export async function maskingRulesOf(options: Project & { branch: Branch }): Promise<shape.Json[]> {
  const { api, projectId, branch } = options;
  const { value } = await api.request({
    goal: `read the masking rules of branch ${show(branch.name)}`,
    method: 'GET',
    path: branchPath({ projectId, branchId: branch.id, rest: '/masking_rules' }),
    read: (body) => shape.list(shape.object(body, 'the answer').masking_rules, 'masking_rules', shape.object),
  });
  return value;
}

/** The columns, each as `database.schema.table.column`, that one of the wanted rules masks and none of the others does in the same way. */
export function columnsMaskedOtherwise(options: { wanted: shape.Json[]; there: shape.Json[] }): string[] {
  const { wanted, there } = options;
  const sameAs = (rule: shape.Json) => JSON.stringify([...place, ...effect].map((field) => rule[field] || null));
  const known = new Set(there.map(sameAs));
  const others = wanted.filter((rule) => !known.has(sameAs(rule)));
  return [...new Set(others.map((rule) => place.map((field) => String(rule[field] ?? '?')).join('.')))];
}
