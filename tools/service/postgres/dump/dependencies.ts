import type pg from 'pg';
import type { Entry } from './entry.ts';

/** Rows that are written as a part of another one: the rule of a view, the array type of a type, the index of a constraint. */
const PARTS = `
  SELECT 'pg_rewrite ' || oid AS part, 'pg_class ' || ev_class AS whole FROM pg_rewrite
  UNION ALL SELECT 'pg_type ' || oid, 'pg_class ' || typrelid FROM pg_type WHERE typrelid <> 0
  UNION ALL SELECT 'pg_type ' || oid, 'pg_type ' || typelem FROM pg_type WHERE typelem <> 0
  UNION ALL SELECT 'pg_type ' || rngmultitypid, 'pg_type ' || rngtypid FROM pg_range
  UNION ALL SELECT 'pg_attrdef ' || oid, 'pg_class ' || adrelid FROM pg_attrdef
  UNION ALL SELECT 'pg_class ' || conindid, 'pg_constraint ' || oid FROM pg_constraint WHERE contype IN ('p', 'u', 'x')
  UNION ALL SELECT 'pg_constraint ' || oid, CASE WHEN contypid <> 0 THEN 'pg_type ' || contypid ELSE 'pg_class ' || conrelid END
    FROM pg_constraint WHERE contype IN ('c', 'n')`;

/** A sequence must not wait for the column that owns it, whose default calls the sequence. */
const DEPENDENCIES = `
  SELECT d.classid::regclass || ' ' || d.objid AS part, d.refclassid::regclass || ' ' || d.refobjid AS whole FROM pg_depend d
  WHERE d.refobjid >= 16384 AND d.deptype IN ('n', 'a', 'i', 'P', 'S')
    AND NOT (d.deptype = 'a' AND d.classid = 'pg_class'::regclass AND EXISTS (SELECT FROM pg_class WHERE oid = d.objid AND relkind = 'S'))
  ORDER BY 1, 2`;

interface Edge {
  part: string;
  whole: string;
}

/** Puts every entry after those that it depends on; otherwise the order stays the same. */
export async function inDependencyOrder(client: Pick<pg.Client, 'query'>, entries: Entry[]): Promise<Entry[]> {
  const known = new Map(entries.filter(({ id }) => id !== '').map((entry) => [entry.id, entry]));
  const wholes = new Map(
    (await client.query<Edge>(PARTS)).rows.map(({ part, whole }) => [part.replace('pg_catalog.', ''), whole]),
  );
  const entryOf = (id: string): Entry | undefined => {
    let place: string | undefined = id.replace('pg_catalog.', '');
    for (let depth = 0; place !== undefined && depth < 8; depth++) {
      const found = known.get(place);
      if (found) return found;
      place = wholes.get(place);
    }
    return undefined;
  };
  const needs = new Map<Entry, Set<Entry>>();
  for (const { part, whole } of (await client.query<Edge>(DEPENDENCIES)).rows) {
    const [from, to] = [entryOf(part), entryOf(whole)];
    if (!from || !to || from === to) continue;
    needs.set(from, (needs.get(from) ?? new Set()).add(to));
  }
  const done = new Set<Entry>();
  // Adds what an entry needs first. Objects that need each other keep their order.
  const begun = new Set<Entry>();
  const add = (entry: Entry): void => {
    if (begun.has(entry)) return;
    begun.add(entry);
    for (const needed of needs.get(entry) ?? []) add(needed);
    done.add(entry);
  };
  for (const entry of entries) add(entry);
  return [...done];
}
