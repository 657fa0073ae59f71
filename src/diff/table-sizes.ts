import { findConnection } from '../branch/connection.ts';
import { describeError } from '../http/failures.ts';
import { connectWhenReady } from '../postgres/connect.ts';
import type { TableSizes } from '../schema/review.ts';
import { requireEndpoint } from '../service/endpoints.ts';
import type { DiffStep, Sides } from './sides.ts';

/** Tables and materialized views with their indexes and TOAST; a partitioned table is as large as its partitions. */
const query = `
SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname) AS name,
  (SELECT sum(pg_total_relation_size(part)) FROM (SELECT c.oid UNION SELECT relid FROM pg_partition_tree(c.oid)) parts (part))::float8 AS bytes
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'm') AND c.relpersistence <> 't' AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'`;

/** Connects to a database of the branch and reads how large its tables are. The password is masked before anything else. */
export async function readTableSizes(step: DiffStep, sides: Sides, database: string): Promise<TableSizes> {
  const { api, log } = step;
  const endpoint = await requireEndpoint(sides, "the sizes of its tables can't be read (`ignore_below`)");
  const { uri } = await findConnection(step, sides, { endpoint, database });
  const { deadline, clock } = api;
  const { client, close } = await connectWhenReady({
    ...{ uri, deadline, clock },
    feature: 'ignore_below',
    onRetry: log.info,
  });
  try {
    await client.query("SET search_path = pg_catalog; SET statement_timeout = 0; SET lock_timeout = '10s'");
    const { rows } = await client.query<{ name: string; bytes: number }>(query);
    return new Map(rows.map(({ name, bytes }) => [name, bytes]));
  } catch (error) {
    if (deadline.signal.aborted) throw deadline.signal.reason;
    throw new Error(`Could not read the sizes of the tables (\`ignore_below\`): ${describeError(error)}`, {
      cause: error,
    });
  } finally {
    await close();
  }
}
