import * as shape from '../http/shape.ts';
import { hidePasswords } from '../secrets/sql.ts';
import { show } from '../text/inert.ts';
import { branchPath, type Project, type Settling } from './branches.ts';
import type { Branch } from './types.ts';

/**
 * How the schema of one database of a branch differs from the same database of its base, as a unified diff in which `+` is what
 * the branch has and `-` what the base has; empty where they agree.
 */
export async function compareSchema(
  options: Project & {
    branch: Branch;
    base: Pick<Branch, 'id' | 'name'>;
    database: string;
    settling?: Settling | undefined;
  },
): Promise<string> {
  const { api, projectId, branch, base, database, settling } = options;
  const answer = await api.request({
    goal: `compare database ${show(database)} of branch ${show(branch.name)} with that of ${show(base.name)}`,
    method: 'GET',
    path: branchPath({ projectId, branchId: branch.id, rest: '/compare_schema' }),
    query: { base_branch_id: base.id, db_name: database },
    settling,
    read: (body) => shape.optionalString(shape.object(body, 'the answer').diff, 'diff') ?? '',
  });
  return normalizeDiff(answer.value);
}

/** The whole schema of one database of a branch, as SQL. */
export async function readSchema(options: Project & { branch: Branch; database: string }): Promise<string> {
  const { api, projectId, branch, database } = options;
  const answer = await api.request({
    goal: `read the schema of database ${show(database)} of branch ${show(branch.name)}`,
    method: 'GET',
    path: branchPath({ projectId, branchId: branch.id, rest: '/schema' }),
    query: { db_name: database },
    read: (body) => shape.optionalString(shape.object(body, 'the answer').sql, 'sql') ?? '',
  });
  return answer.value;
}

/** Lines of a dump that differ from one dump to the next, whatever the schema. */
const noise = /^[+-](\\(un)?restrict \S+|-- Dumped (from|by) .*)$/;

/**
 * The same diff for the same difference: line feeds, no lines that only tell one dump from another, no passwords, and nothing at
 * all where nothing differs.
 */
export function normalizeDiff(diff: string): string {
  const lines = (/[^\r]\n/.test(diff) ? diff : diff.replaceAll('\r\n', '\n')).replace(/(?<!\n)\n+$/, '').split('\n');
  const first = lines.findIndex((line) => line.startsWith('@@ '));
  if (first < 0) return diff.trim() === '' ? '' : `${hidePasswords(lines.join('\n'))}\n`;
  const hunks: string[][] = [];
  for (const line of lines.slice(first)) {
    if (line.startsWith('@@ ')) hunks.push([]);
    // Some tools write an unchanged blank line without the blank that marks it.
    hunks.at(-1)?.push(line === '' ? ' ' : line);
  }
  const kept = hunks.map(withoutNoise).filter((hunk) => hunk.some((line) => /^[+-]/.test(line)));
  if (kept.length === 0) return '';
  return `${hidePasswords([...lines.slice(0, first), ...kept.flat()].join('\n'))}\n`;
}

/** As many such lines on either side are the same lines: they become one that has not changed, so that the counts stay right. */
function withoutNoise(hunk: string[]): string[] {
  const [removed, added] = ['-', '+'].map((side) => hunk.filter((line) => line[0] === side && noise.test(line)).length);
  if (removed !== added || removed === 0) return hunk;
  return hunk.flatMap((line) => (!noise.test(line) ? [line] : line[0] === '-' ? [] : [` ${line.slice(1)}`]));
}
