import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { describeError } from '../http/failures.ts';
import type { KnownRenames } from '../schema/renames.ts';
import { type Catalog, readCatalog } from './catalog.ts';
import { type Changes, changesBetween, noChanges } from './changes.ts';
import { type Command, runCommand } from './command.ts';
import { type LockFound, LockTracker } from './locks.ts';
import { Observer, type ObserverOptions, type Sample } from './observer.ts';

/** How a command ended. */
export interface Ending {
  /** As a shell would give it. */
  exitCode: number;
  /** Why it was stopped, if it did not end by itself: the input that says when. */
  stoppedBy: Limit['by'] | undefined;
}

/** What a command did to a database. */
export interface Observed extends Changes, Ending {
  durationMs: number;
  walBytes: number | undefined;
  /** The mean time between two samples of the locks; 0 if there were none. */
  sampledEveryMs: number;
  /** The longest first. */
  locks: LockFound[];
  deadlocks: number;
  /** Whether the command has connected to the branch, as far as can be seen. */
  connected: boolean;
  /** What could not be observed, and why, as sentences. */
  gaps: string[];
  load: Load | undefined;
}

/** How the command of the input `load` fared beside the migration. */
export interface Load {
  /** Undefined if it ran until it was ended. */
  exitCode: number | undefined;
  /** Whether it has connected to the branch in time. */
  connected: boolean;
  /** Whether its sessions and those of the command were seen at the same time. */
  overlapped: boolean;
  /** How long one of its sessions has waited for the command, in milliseconds; and for which table, if that is known. */
  waitedMs: number;
  table: string | undefined;
  /** Statements that were seen to fail, without literals: only those in transactions can be. */
  failed: string[];
  /** Transactions of all sessions that were rolled back, and deadlocks, by the server's counters. */
  rollbacks: number;
  deadlocks: number;
}

/** When a command is stopped, in milliseconds after its start, and the input that says so. */
export interface Limit {
  ms: number;
  by: 'max_duration' | 'timeout';
}

/** How long the load may take to connect, in milliseconds. */
const loadConnectsMs = 30_000;
/** How long the database may take to say what it is like after the command, in milliseconds. */
const readMs = 30_000;

export interface ObserveOptions extends ObserverOptions {
  command: Command;
  limit: Limit;
  /** Runs beside the command. */
  load?: Command | undefined;
  /** Also receives each sample. */
  onSample?: (sample: Sample) => void;
}

/** Runs a command and observes what it does to the database. The deadline's signal ends everything; then this throws its reason. */
export async function observe(options: ObserveOptions): Promise<{ observed: Observed; renames?: KnownRenames }> {
  const { command, load, limit, onLine, onSample } = options;
  const { signal } = options.deadline;
  const observer = new Observer(options);
  const gaps: string[] = [];
  const ended = new AbortController();
  const untilEnd = AbortSignal.any([signal, ended.signal]);
  try {
    const client = await observer.client();
    const before = await readCatalog(client, { counts: true });
    const tracker = new LockTracker(before);
    const watching = observer.watch({
      ...{ gaps, signal: untilEnd },
      onSample(sample) {
        tracker.add(sample);
        onSample?.(sample);
      },
    });
    const loading = load && runCommand({ command: load, signal: untilEnd, onLine });
    if (loading) {
      onLine('Waiting until the load has connected');
      const isOver = loading.then(() => true);
      for (let left = loadConnectsMs; left > 0 && !tracker.sawLoad; left -= 25) {
        if (await Promise.race([isOver, delay(25, false)])) break;
      }
      signal.throwIfAborted();
    }
    const loadConnected = tracker.sawLoad;
    onLine('Running the command');
    const started = performance.now();
    const run = await runCommand({ command, signal, limitMs: limit.ms, onLine });
    const durationMs = performance.now() - started;
    ended.abort();
    const [loadEnded] = await Promise.all([loading, watching]);
    const { after, renames, changes } = await readAfter(observer, { before, gaps });
    signal.throwIfAborted();
    const grown = (count: (catalog: Catalog) => number) => (after ? count(after) - count(before) : 0);
    const deadlocks = grown((one) => one.deadlocks);
    const { locks, wait } = tracker.result();
    const observed: Observed = {
      ...changes,
      exitCode: run.exitCode,
      stoppedBy: run.stopped ? limit.by : undefined,
      durationMs,
      walBytes: after && grown((one) => one.walPosition),
      sampledEveryMs: tracker.everyMs,
      locks,
      deadlocks,
      // A session may be too short to be seen. The observer's own first one was there before; so were those of no load.
      connected: tracker.sawCommand || (!load && grown((one) => one.sessions) > observer.opened - 1),
      gaps,
      load: loadEnded && {
        exitCode: loadEnded.stopped ? undefined : loadEnded.exitCode,
        ...{ connected: loadConnected, overlapped: tracker.overlapped },
        ...{ waitedMs: wait.ms, table: wait.table, failed: [...tracker.failed], deadlocks },
        rollbacks: grown((one) => one.rollbacks),
      },
    };
    return { observed, renames };
  } finally {
    ended.abort();
    await observer.close();
  }
}

/**
 * Ends the command's sessions on the server: when it is killed, its statements go on and keep their locks; and the server counts the rows
 * of a session when it ends. Spares sessions of roles that this one may not end, such as the service's own.
 */
const endSessions = `
SELECT pg_terminate_backend(pid, 2000) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND leader_pid IS NULL AND backend_type = 'client backend'
  AND pg_has_role(usesysid, 'USAGE')`;

/** What the database is like after the command. Neither a lock nor a failed connection may use up the rest of the step's time. */
async function readAfter(
  observer: Observer,
  { before, gaps }: { before: Catalog; gaps: string[] },
): Promise<{ after?: Catalog; renames?: KnownRenames; changes: Changes }> {
  const read = async (client: Client) => {
    await client.query(endSessions).catch(() => {});
    // The sizes of tables are read under a lock that an exclusive one blocks.
    await client.query(`SET lock_timeout = '5s'`);
    const after = await readCatalog(client, { counts: false });
    return { after, ...(await changesBetween(client, before, after)) };
  };
  // The command may have ended the old connection.
  await observer.close();
  const limit = delay(readMs, undefined, { ref: false }).then(() =>
    Promise.reject(new Error('no response within 30s')),
  );
  try {
    return await Promise.race([observer.client().then(read), limit]);
  } catch (error) {
    gaps.push(`The database could not be read after the command: ${describeError(error)}.`);
    return { changes: noChanges() };
  }
}
