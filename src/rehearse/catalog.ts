import type { Client } from 'pg';

/** A table or materialized view of a database, as the catalog has it at one moment. */
export interface Relation {
  oid: number;
  /** As SQL writes it: `public.users`. */
  name: string;
  kind: 'table' | 'partitioned table' | 'materialized view';
  /** The count of a small table, else the planner's estimate; null if neither is known. */
  rows: number | null;
  isCounted?: boolean;
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

/** What a database has at one moment, and counters that only ever grow. */
export interface Catalog {
  relations: Map<number, Relation>;
  /** The position in the write-ahead log, in bytes. */
  walPosition: number;
  /** Sessions of this database that have been opened. */
  sessions: number;
  deadlocks: number;
  rollbacks: number;
}

/** Up to this size, the rows of a table are counted before the command: bytes. */
const countedBytes = 64_000_000;
/** How long counting may take in all, in milliseconds. */
const countingMs = 15_000;

const relationsQuery = `
SELECT c.oid::int8::float8 AS oid, quote_ident(n.nspname) || '.' || quote_ident(c.relname) AS name,
  CASE c.relkind WHEN 'r' THEN 'table' WHEN 'p' THEN 'partitioned table' ELSE 'materialized view' END AS kind,
  stored.rows, stored.size, pg_relation_filenode(c.oid)::int8::float8 AS file,
  ARRAY(SELECT i.indexrelid::int8::float8 FROM pg_index i WHERE i.indrelid IN (c.oid, nullif(c.reltoastrelid, 0))
    UNION ALL SELECT c.reltoastrelid::int8::float8 WHERE c.reltoastrelid <> 0) AS parts,
  (SELECT coalesce(json_object_agg(a.attnum, quote_ident(a.attname)), '{}') FROM pg_attribute a
    WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns,
  ARRAY(SELECT quote_ident(m.nspname) || '.' || quote_ident(x.relname) FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid
    JOIN pg_namespace m ON m.oid = x.relnamespace WHERE i.indrelid = c.oid AND NOT i.indisvalid AND x.relkind = 'i') AS "invalidIndexes",
  pg_stat_get_tuples_inserted(c.oid)::float8 AS inserted, pg_stat_get_tuples_updated(c.oid)::float8 AS updated,
  pg_stat_get_tuples_deleted(c.oid)::float8 AS deleted
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace CROSS JOIN LATERAL (
  SELECT CASE WHEN min(l.reltuples) >= 0 THEN sum(l.reltuples) END::float8 AS rows, coalesce(sum(pg_total_relation_size(l.oid)), 0)::float8 AS size
  FROM (SELECT c.oid WHERE c.relkind <> 'p' UNION SELECT relid FROM pg_partition_tree(c.oid) WHERE isleaf) leaf JOIN pg_class l USING (oid)) stored
WHERE c.relkind IN ('r', 'p', 'm') AND c.relpersistence <> 't'
  AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_(catalog|toast|temp_)'
ORDER BY c.oid`;

const countersQuery = `
SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 AS "walPosition", sessions::float8, deadlocks::float8,
  xact_rollback::float8 AS rollbacks
FROM pg_stat_database WHERE datname = current_database()`;

/** Reads the catalog. `counts`: whether the rows of small tables are counted. */
export async function readCatalog(client: Client, { counts }: { counts: boolean }): Promise<Catalog> {
  const { rows } = await client.query<Relation>(relationsQuery);
  const countRows = rowCounter(client);
  for (const one of rows.toSorted((a, b) => a.size - b.size)) {
    if (!counts || one.kind !== 'table' || one.size > countedBytes) continue;
    const counted = await countRows(one);
    if (counted !== null) Object.assign(one, { rows: counted, isCounted: true });
  }
  const [counters] = (await client.query<Omit<Catalog, 'relations'>>(countersQuery)).rows;
  if (!counters) throw new Error('The server has no statistics of the database');
  return { ...counters, relations: new Map(rows.map((one) => [one.oid, one])) };
}

/**
 * Counts the rows of one table after another, without those that inherit from it; null if this role may not read all, or the time for all
 * of them is over.
 */
export function rowCounter(client: Client): (of: Relation) => Promise<number | null> {
  let leftMs = countingMs;
  return async ({ kind, name }) => {
    if (leftMs < 1) return null;
    const began = performance.now();
    try {
      // With row_security off, a policy that would hide rows is an error.
      await client.query(`SET row_security = off; SET statement_timeout = ${Math.ceil(leftMs)}`);
      const from = kind === 'table' ? `ONLY ${name}` : name;
      const { rows } = await client.query<{ rows: number }>(`SELECT count(*)::float8 AS rows FROM ${from}`);
      return rows[0]?.rows ?? null;
    } catch (error) {
      // Without a code, it is the connection's error.
      if (!Object(error).code) throw error;
      return null;
    } finally {
      leftMs -= performance.now() - began;
      await client.query('SET statement_timeout = 0').catch(() => {});
    }
  };
}
