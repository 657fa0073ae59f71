import * as shape from '../http/shape.ts';
import { show } from '../text/inert.ts';
import { branchPath, get, type Project } from './project.ts';
import type { Branch } from './types.ts';

/** A point in the history of a branch; at most one of the two, and its current state without. */
export interface Point {
  timestamp?: string;
  lsn?: string;
}

/** The whole schema of one database of a branch, as SQL, with its passwords. */
export function readSchema(
  options: Project & { branch: Pick<Branch, 'id' | 'name'>; point?: Point; database: string },
): Promise<string> {
  const { api, branch, point, database } = options;
  return get(api, {
    goal: `read the schema of database ${show(database)} of branch ${show(branch.name)}`,
    path: branchPath(options, '/schema'),
    query: { db_name: database, timestamp: point?.timestamp, lsn: point?.lsn },
    read: (from) => shape.optionalString(from.sql, 'sql') ?? '',
  });
}
