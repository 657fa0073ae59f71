import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { type Clock, type Deadline, deadlineIn } from '../http/clock.ts';
import { describeError } from '../http/failures.ts';
import { connectWhenReady, type PostgresConnection } from '../postgres/connect.ts';

/** How often locks are sampled, if the round trip allows it: milliseconds. */
const intervalMs = 25;
/** How long it may take to connect again, in milliseconds, and how often that is tried. */
const reconnect = { ms: 10_000, most: 5 };

/** Modes that block other statements than changes of the schema, weakest first. */
export const blockingModes = ['ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock'] as const;
export type Mode = (typeof blockingModes)[number];

/** The `application_name` of this action's own sessions, and of those of the input `load`. */
const observerName = 'database-branch-action (rehearse)';
export const loadName = 'rehearsal-load';

/** A lock on a table that blocks others, or one of any kind that a session waits for. */
export interface Lock {
  pid: number;
  isLoad: boolean;
  /** What the session runs, or has run last; null without the right to see it. */
  query: string | null;
  /** The transaction, as the server names it: unique among all that are open. */
  transaction: string;
  relation: number | null;
  mode: string;
  granted: boolean;
  /** Whether it waits until another transaction has ended that reads a table. */
  awaitsReaders: boolean;
  /** Whether it is a session of the load that waits for one of the command. */
  isBehind: boolean;
}

/** What one look at the server has seen. */
export interface Sample {
  /** The server's clock, in milliseconds. */
  at: number;
  /** How many sessions the command and the load have: client sessions that are not the action's own. */
  ofCommand: number;
  ofLoad: number;
  locks: Lock[];
  /** Statements of the load that have failed, and whose transactions are still open. */
  failed: string[];
}

/**
 * One round trip. Sessions without a user or a database are the server's own; those of other databases only count if they have this role. A
 * session of another role shows nothing but its process to a role without `pg_monitor`, but every role sees all locks.
 */
const sampleQuery = {
  name: 'sample',
  text: `
WITH sessions AS MATERIALIZED (
  SELECT pid, application_name = '${loadName}' AS "isLoad", CASE WHEN state IS NOT NULL THEN query END AS query,
    state LIKE '%(aborted)' AS "hasFailed"
  FROM pg_stat_activity
  WHERE usesysid IS NOT NULL AND datid IS NOT NULL AND application_name <> '${observerName}'
    AND (leader_pid IS NULL OR leader_pid = pid) AND (datname = current_database() OR usename = current_user)
), locks AS MATERIALIZED (
  SELECT pid, "isLoad", query, virtualtransaction AS transaction, relation::int8, mode, granted,
    NOT granted AND locktype = 'virtualxid' AS "awaitsReaders",
    CASE WHEN "isLoad" AND NOT granted THEN pg_blocking_pids(pid) && ARRAY(SELECT pid FROM sessions WHERE NOT "isLoad")
      ELSE false END AS "isBehind"
  FROM pg_locks JOIN sessions USING (pid)
  WHERE NOT granted OR (locktype = 'relation' AND mode IN (${blockingModes.map((mode) => `'${mode}'`).join(', ')})
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
)
SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS at,
  (SELECT count(*)::int4 FROM sessions WHERE NOT "isLoad") AS "ofCommand",
  (SELECT count(*)::int4 FROM sessions WHERE "isLoad") AS "ofLoad",
  (SELECT coalesce(json_agg(query), '[]') FROM sessions WHERE "isLoad" AND "hasFailed") AS failed,
  (SELECT coalesce(json_agg(locks), '[]') FROM locks) AS locks`,
};

/** Where the action connects to. */
export interface ObserverOptions {
  /** The direct connection. */
  uri: string;
  deadline: Deadline;
  clock: Clock;
  /** Receives what is to be logged. */
  onLine: (line: string) => void;
}

/** The action's own connection. It is opened again if it is lost: a command may end all others, or restart the compute. */
export class Observer {
  readonly #options: ObserverOptions;
  #connection: PostgresConnection | undefined;
  /** How many connections there were. */
  opened = 0;

  constructor(options: ObserverOptions) {
    this.#options = options;
  }

  async client(): Promise<Client> {
    if (this.#connection) return this.#connection.client;
    const { uri, deadline, clock, onLine } = this.#options;
    const again = Math.min(reconnect.ms, deadline.remainingMs());
    const limit = this.opened === 0 ? deadline : deadlineIn(again, { signal: deadline.signal, clock });
    this.#connection = await connectWhenReady({ uri, clock, deadline: limit, feature: 'rehearse', onRetry: onLine });
    this.opened++;
    const { client } = this.#connection;
    // Whatever the role's or the database's own settings are; and no function of the user's may stand in for the server's.
    await client.query(
      `SET search_path = pg_catalog; SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET application_name = '${observerName}'`,
    );
    return client;
  }

  /** Closes the connection, after an error or at the end. */
  async close(): Promise<void> {
    const old = this.#connection;
    this.#connection = undefined;
    await old?.close();
  }

  /** Samples until the signal aborts, then once more. Never rejects: what could not be seen is added to `gaps`, as a sentence. */
  async watch(options: { signal: AbortSignal; onSample: (sample: Sample) => void; gaps: string[] }): Promise<void> {
    const { signal, onSample, gaps } = options;
    for (let failures = 0; ; ) {
      const isLast = signal.aborted;
      const started = performance.now();
      try {
        const { rows } = await (await this.client()).query<Sample>(sampleQuery);
        for (const sample of rows) onSample(sample);
        if (isLast) return;
      } catch (error) {
        await this.close();
        if (failures++ === 0) gaps.push(`Lock sampling was interrupted: ${describeError(error)}.`);
        if (signal.aborted || failures > reconnect.most) return;
      }
      const rest = intervalMs - (performance.now() - started);
      // Even a slow server is left a moment, so that the sampler is not what makes it slow.
      await delay(Math.max(1, rest), undefined, { signal }).catch(() => {});
    }
  }
}
