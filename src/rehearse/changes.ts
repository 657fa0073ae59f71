import type { Client } from 'pg';
import { type Catalog, countRows } from './catalog.ts';

/** A table that was stored anew: by a rewrite, not by a TRUNCATE that has left nothing. */
export interface Rewrite {
  table: string;
  rows: number | null;
  size: number;
  sizeAfter: number;
}

/** What the command did to the rows of a table that existed. The numbers also count what was rolled back. */
export interface RowChange {
  table: string;
  inserted: number;
  updated: number;
  deleted: number;
  truncated: boolean;
}

/** Rows of a table that existed and are gone. */
export interface Loss {
  table: string;
  /** Null if all of them are gone and nobody knows how many there were. */
  lost: number | null;
  /** How many there were. */
  of: number | null;
}

export interface Changes {
  rewritten: Rewrite[];
  rows: RowChange[];
  losses: Loss[];
  /** Indexes that are invalid and were not before, each with its table. */
  invalidIndexes: { index: string; table: string }[];
}

/** What a command has done to the tables that existed before it. What seems to be a loss of rows is confirmed by counting them. */
export async function changesBetween(client: Client, before: Catalog, after: Catalog): Promise<Changes> {
  const changes: Changes = { rewritten: [], rows: [], losses: [], invalidIndexes: [] };
  const byName = new Map([...after.relations.values()].map((one) => [one.name, one]));
  for (const [oid, was] of before.relations) {
    // A table that was created anew under its old name has lost its rows, too.
    const is = after.relations.get(oid) ?? byName.get(was.name);
    if (!is || was.kind === 'partitioned table') continue;
    const known = new Set(was.invalidIndexes);
    const invalid = is.invalidIndexes.filter((index) => !known.has(index));
    changes.invalidIndexes.push(...invalid.map((index) => ({ index, table: is.name })));
    const isSame = is.oid === oid;
    const isNewFile = is.file !== was.file;
    const { name: table, rows, size } = was;
    const done = {
      inserted: isSame ? is.inserted - was.inserted : 0,
      updated: isSame ? is.updated - was.updated : 0,
      deleted: isSame ? is.deleted - was.deleted : 0,
    };
    const mayHaveLost = was.kind === 'table' && (rows ?? 1) > 0 && (isNewFile || done.deleted > 0);
    const left = mayHaveLost ? await countRows(client, is.name) : null;
    // A rewrite keeps all rows; what a TRUNCATE leaves was inserted after it.
    const truncated = isSame && isNewFile && left !== null && left <= done.inserted;
    if (isSame && isNewFile && left !== 0) changes.rewritten.push({ table, rows, size, sizeAfter: is.size });
    if (was.kind !== 'table') continue;
    if (truncated || done.inserted + done.updated + done.deleted > 0) changes.rows.push({ table, ...done, truncated });
    const lost = isSame && !truncated ? deletedOf(done, { rows, left }) : truncated ? rows : missing({ rows, left });
    if (mayHaveLost && lost !== 0) changes.losses.push({ table, lost, of: rows });
  }
  changes.rewritten.sort((a, b) => b.size - a.size);
  return changes;
}

interface Counts {
  rows: number | null;
  left: number | null;
}

/** How many rows a DELETE has removed: the statistics also count what was rolled back, so no more than are missing. */
function deletedOf({ inserted, deleted }: Pick<RowChange, 'inserted' | 'deleted'>, { rows, left }: Counts): number {
  if (rows === null || left === null) return deleted;
  return Math.max(0, Math.min(deleted, Math.round(rows + inserted - left)));
}

function missing({ rows, left }: Counts): number {
  return Math.max(0, (rows ?? 0) - (left ?? rows ?? 0));
}
