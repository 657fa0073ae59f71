import type { Client } from 'pg';
import type { TableSizes } from '../schema/review.ts';

/** A table, materialized view, view or sequence of a database, as the catalog has it at one moment. */
export interface Relation {
  oid: number;
  /** As SQL writes it: `public.users`. */
  name: string;
  kind: 'table' | 'partitioned table' | 'materialized view' | 'view' | 'sequence' | 'foreign table';
  /** The planner's estimate, or for small tables that have none the count; undefined if neither is known. */
  rows: number | undefined;
  /** Bytes, with indexes and TOAST; those of a partitioned table are in its partitions. */
  size: number;
  /** The file that it is stored in. It changes if and only if the table is rewritten or truncated. */
  file: number | undefined;
  /** Of its indexes and its TOAST table: a lock on one of them is a lock on the table. */
  parts: number[];
  /** The partitioned table that it is a partition of. */
  partitionOf: number | undefined;
  /** The names of its columns by their number, which a rename keeps. */
  columns: Map<number, string>;
  /** Its indexes that were built CONCURRENTLY: that takes several transactions, which shows in their catalog entries. */
  concurrent: string[];
}

/** What a report says of a relation: plain values. */
export type RelationFacts = Pick<Relation, 'name' | 'kind' | 'rows' | 'size'>;

/** Whether it has rows of its own, or its partitions have. */
export function hasRows({ kind }: Relation): boolean {
  return kind === 'table' || kind === 'partitioned table' || kind === 'materialized view';
}

export function factsOf({ name, kind, rows, size }: Relation): RelationFacts {
  return { name, kind, rows, size };
}

/** What a database has at one moment. */
export interface Catalog {
  relations: Map<number, Relation>;
  /** The position in the write-ahead log. */
  lsn: string;
  /** How many sessions have ended in this database since the server began to count. */
  sessions: number;
}

/** Up to this size, rows that the planner has no estimate of are counted: bytes. */
const countedBytes = 64_000_000;

/** Whatever the role's or the database's own settings are; and no function of the user's may stand in for the server's. */
export const sessionSettings = 'SET search_path = pg_catalog; SET statement_timeout = 0';

/** A relation that was dropped meanwhile has no size. */
const relationsQuery = `
SELECT * FROM (
SELECT c.oid::int8::float8 AS oid, quote_ident(n.nspname) || '.' || quote_ident(c.relname) AS name, c.relkind AS kind,
  c.reltuples::float8 AS rows, pg_relation_filenode(c.oid)::int8::float8 AS file,
  CASE WHEN c.relkind IN ('r', 'm', 'S') THEN pg_total_relation_size(c.oid) ELSE 0 END::float8 AS size,
  ARRAY(SELECT i.indexrelid::int8::float8 FROM pg_index i WHERE i.indrelid = c.oid
    UNION ALL SELECT c.reltoastrelid::int8::float8 WHERE c.reltoastrelid <> 0
    UNION ALL SELECT i.indexrelid::int8::float8 FROM pg_index i WHERE i.indrelid = c.reltoastrelid AND c.reltoastrelid <> 0) AS parts,
  (SELECT h.inhparent::int8::float8 FROM pg_inherits h WHERE h.inhrelid = c.oid AND c.relispartition) AS parent,
  (SELECT coalesce(json_object_agg(a.attnum, quote_ident(a.attname)), '{}') FROM pg_attribute a
    WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns,
  ARRAY(SELECT quote_ident(m.nspname) || '.' || quote_ident(x.relname) FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid
    JOIN pg_namespace m ON m.oid = x.relnamespace JOIN pg_attribute a ON a.attrelid = x.oid AND a.attnum = 1
    WHERE i.indrelid = c.oid AND i.xmin <> a.xmin) AS concurrent,
  c.relkind = 'r' AND c.reltuples < 0 AND has_table_privilege(c.oid, 'SELECT') AND NOT c.relforcerowsecurity
    AND (NOT c.relrowsecurity OR pg_has_role(c.relowner, 'USAGE')) AS countable
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'm', 'v', 'S', 'f') AND c.relpersistence <> 't'
  AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_(catalog|toast|temp_)'
) relations WHERE size IS NOT NULL ORDER BY oid`;

type RelationRow = Pick<Relation, 'oid' | 'name' | 'size' | 'parts' | 'concurrent'> & {
  kind: string;
  rows: number;
  file: number | null;
  parent: number | null;
  columns: Record<string, string>;
  countable: boolean;
};

const kinds: Record<string, Relation['kind']> = {
  r: 'table',
  p: 'partitioned table',
  m: 'materialized view',
  v: 'view',
  S: 'sequence',
  f: 'foreign table',
};

/** Reads the catalog. `counts`: whether small tables that the planner knows nothing about are counted. */
export async function readCatalog(client: Client, options: { counts: boolean }): Promise<Catalog> {
  const { rows } = await client.query<RelationRow>(relationsQuery);
  const small = rows.filter(({ countable, size }) => options.counts && countable && size <= countedBytes);
  const counted = await countRows(client, small);
  const relations = rows.map(({ kind, file, parent, columns, countable: _, ...row }): Relation => {
    const known = row.rows >= 0 && (kind === 'r' || kind === 'm') ? row.rows : undefined;
    return {
      ...row,
      kind: kinds[kind] ?? 'table',
      rows: kind === 'p' ? 0 : (counted.get(row.oid) ?? known),
      file: file ?? undefined,
      partitionOf: parent ?? undefined,
      columns: new Map(Object.entries(columns).map(([number, name]) => [Number(number), name])),
    };
  });
  const byOid = new Map(relations.map((one) => [one.oid, one]));
  addPartitions(byOid);
  const { rows: states } = await client.query<{ lsn: string; sessions: number }>(
    'SELECT pg_current_wal_insert_lsn()::text AS lsn, coalesce((SELECT sessions::float8 FROM pg_stat_database WHERE datname = current_database()), 0) AS sessions',
  );
  return { relations: byOid, lsn: states[0]?.lsn ?? '0/0', sessions: states[0]?.sessions ?? 0 };
}

/** The number of rows of each table, by OID; empty if they can't be read, because the report can do without. */
async function countRows(client: Client, tables: RelationRow[]): Promise<Map<number, number>> {
  if (tables.length === 0) return new Map();
  const one = ({ oid, name }: RelationRow) =>
    `SELECT ${oid}::float8 AS oid, count(*)::float8 AS rows FROM ONLY ${name}`;
  try {
    const { rows } = await client.query<{ oid: number; rows: number }>(tables.map(one).join(' UNION ALL '));
    return new Map(rows.map(({ oid, rows }) => [oid, rows]));
  } catch {
    return new Map();
  }
}

/** A partitioned table has the rows and the size of its partitions; the rows only if those of all partitions are known. */
function addPartitions(relations: Map<number, Relation>): void {
  for (const leaf of relations.values()) {
    if (leaf.kind === 'partitioned table') continue;
    const parentOf = ({ partitionOf = 0 }: Relation) => relations.get(partitionOf);
    for (let parent = parentOf(leaf); parent; parent = parentOf(parent)) {
      parent.size += leaf.size;
      parent.rows = parent.rows === undefined || leaf.rows === undefined ? undefined : parent.rows + leaf.rows;
    }
  }
}

/** Bytes of log between two positions. */
export function walBytes(before: string, after: string): number {
  const position = (lsn: string) => {
    const [high = '0', low = '0'] = lsn.split('/');
    return BigInt(`0x${high}`) * 0x1_0000_0000n + BigInt(`0x${low}`);
  };
  return Math.max(0, Number(position(after) - position(before)));
}

/** What was certainly renamed: tables, and columns, that have the same OID or number under another name. */
export function renamesBetween(
  before: Catalog,
  after: Catalog,
): { tables: Map<string, string>; columns: Map<string, string> } {
  const tables = new Map<string, string>();
  const columns = new Map<string, string>();
  for (const [oid, was] of before.relations) {
    const is = after.relations.get(oid);
    if (!is || !/table$/.test(was.kind)) continue;
    if (is.name !== was.name) tables.set(was.name, is.name);
    for (const [number, name] of was.columns) {
      const fresh = is.columns.get(number);
      if (fresh !== undefined && fresh !== name) columns.set(`${was.name}.${name}`, `${is.name}.${fresh}`);
    }
  }
  return { tables, columns };
}

/** How large tables were before, by the names that they have now. A new one is not among them. */
export function sizesBefore(before: Catalog, after: Catalog): TableSizes {
  return new Map(
    [...before.relations].flatMap(([oid, was]) => {
      const is = after.relations.get(oid);
      return is && hasRows(was) ? [[is.name, { rows: was.rows, bytes: was.size }] as const] : [];
    }),
  );
}

/** The indexes that were built CONCURRENTLY. `shareLocked`: tables, by their old names, that were seen with the lock of a plain build. */
export function builtConcurrently(before: Catalog, after: Catalog, shareLocked: Set<string>): Set<string> {
  const indexes = [...after.relations].flatMap(([oid, { concurrent }]) =>
    shareLocked.has(before.relations.get(oid)?.name ?? '') ? [] : concurrent,
  );
  return new Set(indexes);
}
