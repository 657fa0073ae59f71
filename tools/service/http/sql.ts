import type { IncomingMessage } from 'node:http';
import pg from 'pg';
import { findAddress } from '../objects/endpoint-record.ts';
import type { State } from '../state.ts';

/** SQL over HTTP, as the package `@neondatabase/serverless` sends it: one query, or several as a transaction. */
interface Query {
  query: string;
  params?: unknown[];
}

/** Runs the queries in a request to `/sql` on the endpoint in its header `Neon-Connection-String`. */
export async function runSql(
  state: State,
  { headers }: IncomingMessage,
  raw: string,
): Promise<{ status: number; body: unknown }> {
  const header = (name: string): string => headers[`neon-${name}`]?.toString() ?? '';
  const uri = URL.parse(header('connection-string'));
  const address = uri && findAddress(state, uri.hostname, uri.port);
  if (!address) return { status: 400, body: { message: 'Neon-Connection-String names no endpoint of this service' } };
  const client = new pg.Client({
    ...address,
    user: decodeURIComponent(uri.username),
    password: decodeURIComponent(uri.password),
    database: decodeURIComponent(uri.pathname.slice(1)),
  });
  try {
    const body = JSON.parse(raw) as Query | { queries: Query[] };
    await client.connect();
    if (!('queries' in body)) return { status: 200, body: await run(client, body) };
    await client.query(`BEGIN ${modes(header)}`);
    const results: unknown[] = [];
    for (const query of body.queries) results.push(await run(client, query));
    await client.query('COMMIT');
    return { status: 200, body: { results } };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const { name: _, ...fields } = error as Error & Record<string, unknown>;
    return { status: 400, body: { ...fields, message: error.message } };
  } finally {
    await client.end().catch(() => {});
  }
}

function modes(header: (name: string) => string): string {
  const level = /^(ReadUncommitted|ReadCommitted|RepeatableRead|Serializable)$/.exec(
    header('batch-isolation-level'),
  )?.[1];
  return [
    level && `ISOLATION LEVEL ${level.replace(/(?<=[a-z])(?=[A-Z])/, ' ')}`,
    header('batch-read-only') === 'true' && 'READ ONLY',
    header('batch-deferrable') === 'true' && 'DEFERRABLE',
  ]
    .filter(Boolean)
    .join(' ');
}

/** The rows as arrays of text: the client parses them by the types in `fields`. */
async function run(client: pg.Client, { query, params }: Query): Promise<unknown> {
  const { command, rowCount, rows, fields } = await client.query({
    text: query,
    ...(params && params.length > 0 && { values: params }),
    rowMode: 'array',
    types: { getTypeParser: () => (text: unknown) => text },
  });
  return { command, rowCount, rows, fields, rowAsArray: true };
}
