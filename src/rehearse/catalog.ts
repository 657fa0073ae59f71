import type { Client } from 'pg';

/** A table or materialized view of a database, as the catalog has it at one moment. */
export interface Relation {
  oid: number;
  /** As SQL writes it: `public.users`. */
  name: string;
  kind: 'table' | 'partitioned table' | 'materialized view';
  /** The planner's estimate, or for small tables that have none the count; null if neither is known. */
  rows: number | null;
  /** Bytes, with indexes and TOAST; a partitioned table has the rows and the size of its partitions. */
  size: number;
  /** The file that it is stored in. It changes if and only if the table is rewritten or truncated. */
  file: number | null;
  /** Of its indexes and its TOAST table: a lock on one of them is a lock on the table. */
  parts: number[];
  /** The names of its columns by their number, which a rename keeps. */
  columns: Record<string, string>;
  /** Its indexes that are invalid, such as after a failed build. */
  invalidIndexes: string[];
  /** Rows that were ever inserted, updated and deleted, by the server's statistics, which also count what was rolled back. */
  inserted: number;
  updated: number;
  deleted: number;
}

/** What a database has at one moment. Its counters only ever grow. */
export interface Catalog {
  relations: Map<number, Relation>;
  /** The position in the write-ahead log, in bytes. */
  walPosition: number;
  /** Sessions of this database that have been opened. */
  sessions: number;
  deadlocks: number;
  rollbacks: number;
  /** How long its sessions have waited for reads from storage, in milliseconds; 0 unless the server measures it. */
  readMs: number;
}

/** Up to this size, rows that the planner has no estimate of are counted: bytes. */
const countedBytes = 64_000_000;

/** A relation that was dropped meanwhile has no size. */
const relationsQuery = `
SELECT * FROM (
SELECT c.oid::int8::float8 AS oid, quote_ident(n.nspname) || '.' || quote_ident(c.relname) AS name,
  CASE c.relkind WHEN 'r' THEN 'table' WHEN 'p' THEN 'partitioned table' ELSE 'materialized view' END AS kind,
  CASE WHEN c.relkind = 'p' THEN (SELECT CASE WHEN min(l.reltuples) >= 0 THEN sum(l.reltuples) END
    FROM pg_partition_tree(c.oid) t JOIN pg_class l ON l.oid = t.relid WHERE t.isleaf) WHEN c.reltuples >= 0 THEN c.reltuples END::float8 AS rows,
  pg_relation_filenode(c.oid)::int8::float8 AS file,
  CASE WHEN c.relkind <> 'p' THEN pg_total_relation_size(c.oid)
    ELSE (SELECT coalesce(sum(pg_total_relation_size(t.relid)), 0) FROM pg_partition_tree(c.oid) t WHERE t.isleaf) END::float8 AS size,
  ARRAY(SELECT i.indexrelid::int8::float8 FROM pg_index i WHERE i.indrelid = c.oid
    UNION ALL SELECT c.reltoastrelid::int8::float8 WHERE c.reltoastrelid <> 0
    UNION ALL SELECT i.indexrelid::int8::float8 FROM pg_index i WHERE i.indrelid = c.reltoastrelid AND c.reltoastrelid <> 0) AS parts,
  (SELECT coalesce(json_object_agg(a.attnum, quote_ident(a.attname)), '{}') FROM pg_attribute a
    WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns,
  ARRAY(SELECT quote_ident(m.nspname) || '.' || quote_ident(x.relname) FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid
    JOIN pg_namespace m ON m.oid = x.relnamespace WHERE i.indrelid = c.oid AND NOT i.indisvalid AND x.relkind = 'i') AS "invalidIndexes",
  pg_stat_get_tuples_inserted(c.oid)::float8 AS inserted, pg_stat_get_tuples_updated(c.oid)::float8 AS updated,
  pg_stat_get_tuples_deleted(c.oid)::float8 AS deleted,
  c.relkind = 'r' AND c.reltuples < 0 AS unknown
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'm') AND c.relpersistence <> 't'
  AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_(catalog|toast|temp_)'
) relations WHERE size IS NOT NULL ORDER BY oid`;

const stateQuery = `
SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 AS "walPosition", sessions::float8, deadlocks::float8,
  xact_rollback::float8 AS rollbacks, blk_read_time AS "readMs"
FROM pg_stat_database WHERE datname = current_database()`;

/** Reads the catalog. `counts`: whether small tables that the planner knows nothing about are counted. */
export async function readCatalog(client: Client, { counts }: { counts: boolean }): Promise<Catalog> {
  const { rows } = await client.query<Relation & { unknown: boolean }>(relationsQuery);
  for (const one of rows) {
    if (counts && one.unknown && one.size <= countedBytes) one.rows = await countRows(client, one.name);
  }
  const relations = new Map<number, Relation>(rows.map((one) => [one.oid, one]));
  const state = (await client.query<Omit<Catalog, 'relations'>>(stateQuery)).rows[0];
  return { walPosition: 0, sessions: 0, deadlocks: 0, rollbacks: 0, readMs: 0, ...state, relations };
}

/** The number of rows of a table itself, without those that inherit from it; null if this role may not read all of them, or it takes too long. */
export async function countRows(client: Client, name: string): Promise<number | null> {
  try {
    // With row_security off, a policy that would hide rows is an error.
    await client.query(`SET row_security = off; SET statement_timeout = '10s'`);
    const { rows } = await client.query<{ rows: number }>(`SELECT count(*)::float8 AS rows FROM ONLY ${name}`);
    return rows[0]?.rows ?? null;
  } catch {
    return null;
  } finally {
    await client.query('SET statement_timeout = 0').catch(() => {});
  }
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
    if (!is || was.kind === 'materialized view') continue;
    if (is.name !== was.name) tables.set(was.name, is.name);
    for (const [number, name] of Object.entries(was.columns)) {
      const fresh = is.columns[number];
      if (fresh !== undefined && fresh !== name) columns.set(`${was.name}.${name}`, `${is.name}.${fresh}`);
    }
  }
  return { tables, columns };
}
