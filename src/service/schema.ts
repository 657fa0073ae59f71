import type { RetryWindow } from '../http/request.ts';
import * as shape from '../http/shape.ts';
import { show } from '../text/inert.ts';
import { type About, branchPath, get, type Project } from './project.ts';
import type { Branch } from './types.ts';

/** A point in the history of a branch; at most one of the two, and its current state without. */
export interface Point {
  timestamp?: string;
  lsn?: string;
}

/**
 * How the schema of one database of a branch differs from the same database of its base: a unified diff in which `+` is what the
 * branch has and `-` what the base has; empty if they are the same. It may have passwords in it.
 */
export async function compareSchema(
  options: About & { base: Pick<Branch, 'id' | 'name'>; basePoint: Point; database: string },
): Promise<string> {
  const { api, projectId, branch, base, basePoint, database, window } = options;
  const diff = await get(api, {
    goal: `compare database ${show(database)} of branch ${show(branch.name)} with branch ${show(base.name)}`,
    path: branchPath({ projectId, branchId: branch.id, rest: '/compare_schema' }),
    query: {
      base_branch_id: base.id,
      db_name: database,
      base_timestamp: basePoint.timestamp,
      base_lsn: basePoint.lsn,
    },
    window,
    read: (from) => shape.optionalString(from.diff, 'diff') ?? '',
  });
  return normalizeDiff(diff);
}

/** The whole schema of one database of a branch, as SQL, with its passwords. */
export function readSchema(
  options: Project & {
    branch: Pick<Branch, 'id' | 'name'>;
    point?: Point;
    database: string;
    window?: RetryWindow;
  },
): Promise<string> {
  const { api, projectId, branch, point, database, window } = options;
  return get(api, {
    goal: `read the schema of database ${show(database)} of branch ${show(branch.name)}`,
    path: branchPath({ projectId, branchId: branch.id, rest: '/schema' }),
    query: { db_name: database, timestamp: point?.timestamp, lsn: point?.lsn },
    window,
    read: (from) => shape.optionalString(from.sql, 'sql') ?? '',
  });
}

/** Lines that differ from one dump to the next, whatever the schema. */
const noise = /^[+-](\\(un)?restrict \S+|-- Dumped (from|by) .*)$/;

/**
 * A diff that is always the same for the same difference: with line feeds, and without lines that differ between any two dumps;
 * empty if nothing differs.
 */
export function normalizeDiff(diff: string): string {
  const lines = (/[^\r]\n/.test(diff) ? diff : diff.replaceAll('\r\n', '\n')).replace(/(?<!\n)\n+$/, '').split('\n');
  const first = lines.findIndex((line) => line.startsWith('@@ '));
  if (first < 0) return diff.trim() === '' ? '' : `${lines.join('\n')}\n`;
  const hunks: string[][] = [];
  for (const line of lines) {
    if (line.startsWith('@@ ')) hunks.push([]);
    // Some tools write an unchanged empty line without the space that marks it.
    hunks.at(-1)?.push(line === '' ? ' ' : line);
  }
  const kept = hunks.map(withoutNoise).filter((hunk) => hunk.some((line) => /^[+-]/.test(line)));
  if (kept.length === 0) return '';
  return `${[...lines.slice(0, first), ...kept.flat()].join('\n')}\n`;
}

/** If both sides have the same number of such lines, each pair becomes one unchanged line, so that the counts stay right. */
function withoutNoise(hunk: string[]): string[] {
  const [removed, added] = ['-', '+'].map((side) => hunk.filter((line) => line[0] === side && noise.test(line)).length);
  if (removed !== added) return hunk;
  return hunk.flatMap((line) => (!noise.test(line) ? [line] : line[0] === '-' ? [] : [` ${line.slice(1)}`]));
}
