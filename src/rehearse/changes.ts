import type { Client } from 'pg';
import type { KnownRenames } from '../schema/renames.ts';
import { type Catalog, type Relation, rowCounter } from './catalog.ts';

/** A table that was stored anew: by a rewrite, not by a TRUNCATE. */
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
  const renames: KnownRenames = { tables: new Map(), columns: new Map(), again: [] };
  const countRows = rowCounter(client);
  const hasRolledBack = after.rollbacks > before.rollbacks;
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
    const { name: table, rows, isCounted, size } = was;
    const done = {
      inserted: isSame ? is.inserted - was.inserted : 0,
      updated: isSame ? is.updated - was.updated : 0,
      deleted: isSame ? is.deleted - was.deleted : 0,
    };
    const mayHaveLost = was.kind === 'table' && rows !== 0 && (isNewFile || done.deleted > 0);
    const left = mayHaveLost ? await countRows(is) : null;
    // A rewrite keeps all rows; what a TRUNCATE leaves was inserted after it.
    const truncated = isSame && isNewFile && left !== null && left <= done.inserted;
    if (isSame && isNewFile && rows !== 0 && !truncated)
      changes.rewritten.push({ table, rows, size, sizeAfter: is.size });
    if (was.kind !== 'table') continue;
    if (truncated || done.inserted + done.updated + done.deleted > 0) changes.rows.push({ table, ...done, truncated });
    const missing = rows === null || left === null ? undefined : Math.max(0, Math.round(rows + done.inserted - left));
    // Statistics also count what was rolled back. An estimate may be off by a tenth: then a table is analyzed again.
    const deleted = isCounted || hasRolledBack ? Math.min(done.deleted, missing ?? done.deleted) : done.deleted;
    const copied = missing !== undefined && (isCounted || missing > Number(rows) / 10) ? missing : 0;
    const lost = truncated ? rows : isSame ? deleted : copied;
    if (mayHaveLost && lost !== 0) changes.losses.push({ table, lost, of: rows });
  }
  changes.rewritten.sort((a, b) => b.size - a.size);
  return { changes, renames };
}

/** What has the same OID or number under another name was certainly renamed; a column with another number is another one. */
function addRenames({ tables, columns, again }: KnownRenames, was: Relation, is: Relation): void {
  if (is.name !== was.name) tables.set(was.name, is.name);
  for (const [number, name] of Object.entries(was.columns)) {
    const old = `${is.name}.${name}`;
    const fresh = is.columns[number];
    if (fresh !== undefined && fresh !== name) columns.set(old, `${is.name}.${fresh}`);
    if (fresh === undefined && Object.values(is.columns).includes(name)) again.push(old);
  }
}
