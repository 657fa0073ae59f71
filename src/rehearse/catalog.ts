import type { Client } from 'pg';

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
    JOIN pg_namespace m ON m.oid = x.relnamespace WHERE i.indrelid = c.oid AND NOT i.indisvalid AND x.relkind = 'i') AS "invalidIndexes",
  pg_stat_get_tuples_inserted(c.oid)::float8 AS inserted, pg_stat_get_tuples_updated(c.oid)::float8 AS updated,
  pg_stat_get_tuples_deleted(c.oid)::float8 AS deleted,
  c.relkind = 'r' AND c.reltuples < 0 AS unknown
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'm', 'v', 'S', 'f') AND c.relpersistence <> 't'
  AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_(catalog|toast|temp_)'
) relations WHERE size IS NOT NULL ORDER BY oid`;

const stateQuery = `
SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 AS "walPosition", sessions::float8, deadlocks::float8,
  xact_rollback::float8 AS rollbacks, blk_read_time AS "readMs"
FROM pg_stat_database WHERE datname = current_database()`;

type RelationRow = Omit<Relation, 'kind' | 'rows' | 'file' | 'partitionOf' | 'columns'> & {
  kind: string;
  rows: number;
  file: number | null;
  parent: number | null;
  columns: Record<string, string>;
  unknown: boolean;
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
export async function readCatalog(client: Client, { counts }: { counts: boolean }): Promise<Catalog> {
  const { rows } = await client.query<RelationRow>(relationsQuery);
  const relations = new Map<number, Relation>();
  for (const { kind, file, parent, columns, unknown, ...row } of rows) {
    const known = row.rows >= 0 && (kind === 'r' || kind === 'm') ? row.rows : undefined;
    const counted = counts && unknown && row.size <= countedBytes ? await countRows(client, row.name) : known;
    relations.set(row.oid, {
      ...row,
      kind: kinds[kind] ?? 'table',
      rows: kind === 'p' ? 0 : counted,
      file: file ?? undefined,
      partitionOf: parent ?? undefined,
      columns: new Map(Object.entries(columns).map(([number, name]) => [Number(number), name])),
    });
  }
  addPartitions(relations);
  const state = (await client.query<Omit<Catalog, 'relations'>>(stateQuery)).rows[0];
  return { walPosition: 0, sessions: 0, deadlocks: 0, rollbacks: 0, readMs: 0, ...state, relations };
}

/** The number of rows of a table itself, without those that inherit from it; undefined if this role may not read all of them, or it takes too long. */
export async function countRows(client: Client, name: string): Promise<number | undefined> {
  try {
    // With row_security off, a policy that would hide rows is an error.
    await client.query(`SET row_security = off; SET statement_timeout = '10s'`);
    const { rows } = await client.query<{ rows: number }>(`SELECT count(*)::float8 AS rows FROM ONLY ${name}`);
    return rows[0]?.rows;
  } catch {
    return undefined;
  } finally {
    await client.query('SET statement_timeout = 0').catch(() => {});
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
