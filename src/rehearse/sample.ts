import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';

/** How often locks are sampled, if the round trip allows it: milliseconds. */
export const intervalMs = 25;

/** Modes that block other statements than changes of the schema, weakest first. */
export const blockingModes = ['ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock'] as const;
export type Mode = (typeof blockingModes)[number];

/** The `application_name` of this action's own sessions, and of those of the input `load`. */
export const observerName = 'database-branch-action (rehearse)';
export const loadName = 'rehearsal-load';

/** A client session of the branch that is not the action's own. */
export interface Session {
  pid: number;
  isLoad: boolean;
  /** What it runs, or has run last; null without the right to see it. */
  query: string | null;
}

/** A lock on a table that blocks others, or that a session waits for: then of any mode, and perhaps on something else than a table. */
export interface Lock {
  pid: number;
  /** The transaction, as the server names it: unique among all that are open. */
  transaction: string;
  relation: number | null;
  mode: string;
  granted: boolean;
}

/** What one look at the server has seen. */
export interface Sample {
  /** The server's clock, in milliseconds. */
  at: number;
  sessions: Session[];
  locks: Lock[];
  /** Sessions that wait for a lock, and those that they wait for. */
  waits: { pid: number; blockers: number[] }[];
}

/**
 * One round trip. Sessions without a user are the server's own, such as autovacuum; those of other databases only count if they have this
 * role. A session of another role shows nothing but its process to a role without `pg_monitor`, but every role sees all locks.
 */
const sampleQuery = {
  name: 'sample',
  text: `
WITH sessions AS MATERIALIZED (
  SELECT pid, application_name = '${loadName}' AS "isLoad", CASE WHEN state IS NOT NULL THEN query END AS query
  FROM pg_stat_activity
  WHERE usesysid IS NOT NULL AND application_name <> '${observerName}' AND (leader_pid IS NULL OR leader_pid = pid)
    AND (datname = current_database() OR usename = current_user)
), locks AS MATERIALIZED (
  SELECT pid, virtualtransaction AS transaction, relation::int8, mode, granted FROM pg_locks JOIN sessions USING (pid)
  WHERE NOT granted OR (locktype = 'relation' AND mode IN (${blockingModes.map((mode) => `'${mode}'`).join(', ')})
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
)
SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS at,
  (SELECT coalesce(json_agg(sessions), '[]') FROM sessions) AS sessions,
  (SELECT coalesce(json_agg(locks), '[]') FROM locks) AS locks,
  (SELECT coalesce(json_agg(w), '[]') FROM (
    SELECT pid, pg_blocking_pids(pid) AS blockers FROM locks WHERE NOT granted GROUP BY pid) w) AS waits`,
};

/** Takes one sample. */
async function takeSample(client: Client): Promise<Sample> {
  const [row] = (await client.query<Sample>(sampleQuery)).rows;
  if (!row) throw new Error('The server returned no sample');
  return row;
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
