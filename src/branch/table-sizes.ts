import type { Context } from '../context.ts';
import { connectWhenReady, describeError } from '../postgres/connect.ts';
import type { TableSize, TableSizes } from '../schema/review.ts';
import { nameAndId } from '../service/branches.ts';
import { listEndpoints, readWriteEndpoint } from '../service/endpoints.ts';
import { RefusedError } from '../service/errors.ts';
import { ownUri } from '../service/uri.ts';
import { findConnection } from './connection-details.ts';
import type { Sighting } from './sighting.ts';

/** Every table and materialized view. A partitioned table has the rows and the size of its partitions. */
const sizesQuery = `
SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname) AS name,
  CASE c.relkind WHEN 'p' THEN (SELECT sum(pg_total_relation_size(t.relid)) FROM pg_partition_tree(c.oid) t)
    ELSE pg_total_relation_size(c.oid) END::float8 AS bytes,
  CASE c.relkind WHEN 'p' THEN (SELECT CASE WHEN NOT bool_or(p.reltuples < 0) THEN sum(p.reltuples) END
      FROM pg_partition_tree(c.oid) t JOIN pg_class p ON p.oid = t.relid WHERE t.isleaf)
    ELSE nullif(c.reltuples, -1) END::float8 AS rows
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'm') AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_(catalog|toast|temp_)'`;

interface Row {
  name: string;
  /** Null for a table that was dropped meanwhile. */
  bytes: number | null;
  rows: number | null;
}

/** Connects to a database of the branch and reads how large its tables are. The password is masked before anything else. */
export async function readTableSizes(context: Context, seen: Sighting, database: string): Promise<TableSizes> {
  const { api, inputs, log, mask } = context;
  const endpoint = readWriteEndpoint(await listEndpoints(seen), seen.branch);
  if (!endpoint) {
    throw new RefusedError(
      `Branch ${nameAndId(seen.branch)} has no read-write compute endpoint, so the sizes of its tables can't be read (\`ignore_below\`). Run \`command: create\` with the same name to add an endpoint, or remove \`ignore_below\`.`,
    );
  }
  const found = await findConnection(context, seen, { endpoint, database });
  const uri = ownUri(found.uri, inputs.ssl);
  mask(uri);
  const { deadline, clock } = api;
  const { client, close } = await connectWhenReady({
    ...{ uri, deadline, clock },
    feature: 'ignore_below',
    onRetry: log.info,
  });
  try {
    // Whatever the role's own settings are; and no function of the user's may stand in for the server's.
    await client.query("SET search_path = pg_catalog; SET statement_timeout = 0; SET lock_timeout = '10s'");
    const { rows } = await client.query<Row>(sizesQuery);
    return new Map(
      rows.flatMap(({ name, bytes, rows }): [string, TableSize][] =>
        bytes === null ? [] : [[name, { bytes, rows: rows ?? undefined }]],
      ),
    );
  } catch (error) {
    if (deadline.signal.aborted) throw deadline.signal.reason;
    throw new Error(`Could not read the sizes of the tables (\`ignore_below\`): ${describeError(error)}`, {
      cause: error,
    });
  } finally {
    await close();
  }
}
