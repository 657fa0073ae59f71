import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';

/** How often locks are sampled, if the round trip allows it: milliseconds. */
export const intervalMs = 25;

/** Modes that block other statements than changes of the schema, weakest first. */
export const blockingModes = ['ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock'] as const;
export type Mode = (typeof blockingModes)[number];

/** One client session of the database. Times are the server's, in milliseconds; without the right to see them, undefined. */
export interface Session {
  pid: number;
  /** Of a parallel worker: the session that it works for. */
  leader: number | undefined;
  state: string | undefined;
  query: string | undefined;
  queryStart: number | undefined;
  /** When the open transaction began. */
  transactionStart: number | undefined;
  stateChange: number | undefined;
}

export interface HeldLock {
  pid: number;
  /** The transaction, as the server names it: unique among all that are open. */
  transaction: string;
  relation: number;
  mode: Mode;
}

/** What one look at the server has seen. */
export interface Sample {
  /** The server's clock, in milliseconds. */
  at: number;
  sessions: Session[];
  locks: HeldLock[];
  /** Sessions that wait for a lock, and those that they wait for. */
  waits: { pid: number; blockers: number[] }[];
}

const ms = (time: string) => `extract(epoch FROM ${time}) * 1000`;

/**
 * One round trip. Sessions without a user are the server's own, such as autovacuum; a session of another role shows nothing but its
 * process to a role without `pg_monitor`, but every role sees all locks. There may be thousands of them, so they come without field names.
 */
const sampleQuery = {
  name: 'sample',
  text: `
WITH locks AS MATERIALIZED (
  SELECT pid, virtualtransaction, relation, mode, granted FROM pg_locks
  WHERE pid <> pg_backend_pid() AND (NOT granted OR (locktype = 'relation'
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND mode IN (${blockingModes.map((mode) => `'${mode}'`).join(', ')})))
)
SELECT (${ms('clock_timestamp()')})::float8 AS at,
  (SELECT coalesce(json_agg(json_build_array(pid, virtualtransaction, relation::int8, mode)), '[]') FROM locks WHERE granted) AS locks,
  (SELECT coalesce(json_agg(json_build_object('pid', pid, 'blockers', pg_blocking_pids(pid))), '[]')
    FROM (SELECT DISTINCT pid FROM locks WHERE NOT granted) w) AS waits,
  (SELECT coalesce(json_agg(json_strip_nulls(json_build_object('pid', pid, 'leader', leader_pid, 'state', state,
      'query', CASE WHEN state IS NOT NULL THEN query END, 'queryStart', ${ms('query_start')},
      'transactionStart', ${ms('xact_start')}, 'stateChange', ${ms('state_change')}))), '[]')
    FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND usesysid IS NOT NULL) AS sessions`,
};

type SampleRow = Omit<Sample, 'locks'> & { locks: [pid: number, transaction: string, relation: number, mode: Mode][] };

/** Takes one sample. */
async function takeSample(client: Client): Promise<Sample> {
  const { rows } = await client.query<SampleRow>(sampleQuery);
  const [row] = rows;
  if (!row) throw new Error('The server returned no sample');
  const locks = row.locks.map(([pid, transaction, relation, mode]) => ({ pid, transaction, relation, mode }));
  return { ...row, locks };
}

/** Samples until the signal aborts, then once more. Rejects if the connection is lost. */
export async function sampleUntil(options: {
  client: Client;
  signal: AbortSignal;
  onSample: (sample: Sample) => void;
}): Promise<void> {
  const { client, signal, onSample } = options;
  for (;;) {
    const isLast = signal.aborted;
    const started = performance.now();
    onSample(await takeSample(client));
    if (isLast) return;
    const rest = intervalMs - (performance.now() - started);
    // Even a slow server is left a moment, so that the sampler is not what makes it slow.
    await delay(Math.max(1, rest), undefined, { signal }).catch(() => {});
  }
}
