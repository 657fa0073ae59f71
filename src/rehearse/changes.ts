import type { Client } from 'pg';
import type { KnownRenames } from '../schema/renames.ts';
import { type Catalog, countRows, type Relation } from './catalog.ts';

/** A table that was stored anew: by a rewrite, not by a TRUNCATE that has left nothing. */
export interface Rewrite {
  table: string;
  rows: number | null;
  size: number;
  sizeAfter: number;
}

/** What the command did to the rows of a table that existed. The numbers also count what was rolled back. */
export interface RowChange extends Pick<Relation, 'inserted' | 'updated' | 'deleted'> {
  table: string;
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

export const noChanges = (): Changes => ({ rewritten: [], rows: [], losses: [], invalidIndexes: [] });

/** What a command has done to the tables that existed before it. What seems to be a loss of rows is confirmed by counting them. */
export async function changesBetween(
  client: Client,
  before: Catalog,
  after: Catalog,
): Promise<{ changes: Changes; renames: KnownRenames }> {
  const changes = noChanges();
  const renames: KnownRenames = { tables: new Map(), columns: new Map() };
  const byName = new Map([...after.relations.values()].map((one) => [one.name, one]));
  for (const [oid, was] of before.relations) {
    // A table that was created anew under its old name has lost its rows, too.
    const is = after.relations.get(oid) ?? byName.get(was.name);
    if (!is) continue;
    const isSame = is.oid === oid;
    if (isSame && was.kind !== 'materialized view') addRenames(renames, was, is);
    if (was.kind === 'partitioned table') continue;
    const invalid = is.invalidIndexes.filter((index) => !was.invalidIndexes.includes(index));
    changes.invalidIndexes.push(...invalid.map((index) => ({ index, table: is.name })));
    const isNewFile = is.file !== was.file;
    const { name: table, rows, size } = was;
    const done = {
      inserted: isSame ? is.inserted - was.inserted : 0,
      updated: isSame ? is.updated - was.updated : 0,
      deleted: isSame ? is.deleted - was.deleted : 0,
    };
    const mayHaveLost = was.kind === 'table' && rows !== 0 && (isNewFile || done.deleted > 0);
    const left = mayHaveLost ? await countRows(client, is.name) : null;
    // A rewrite keeps all rows; what a TRUNCATE leaves was inserted after it.
    const truncated = isSame && isNewFile && left !== null && left <= done.inserted;
    if (isSame && isNewFile && left !== 0) changes.rewritten.push({ table, rows, size, sizeAfter: is.size });
    if (was.kind !== 'table') continue;
    if (truncated || done.inserted + done.updated + done.deleted > 0) changes.rows.push({ table, ...done, truncated });
    // Statistics also count the rows of a DELETE that was rolled back, and the rows there were are an estimate: it is the smaller number.
    const missing = rows === null || left === null ? undefined : Math.max(0, Math.round(rows + done.inserted - left));
    const deleted = Math.min(done.deleted, missing ?? done.deleted);
    const lost = truncated ? rows : isSame ? deleted : (missing ?? 0);
    if (lost !== 0) changes.losses.push({ table, lost, of: rows });
  }
  changes.rewritten.sort((a, b) => b.size - a.size);
  return { changes, renames };
}

/** What has the same OID or number under another name was certainly renamed. */
function addRenames({ tables, columns }: KnownRenames, was: Relation, is: Relation): void {
  if (is.name !== was.name) tables.set(was.name, is.name);
  for (const [number, name] of Object.entries(was.columns)) {
    const fresh = is.columns[number];
    if (fresh !== undefined && fresh !== name) columns.set(`${is.name}.${name}`, `${is.name}.${fresh}`);
  }
}
