import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { describeError } from '../postgres/connect.ts';
import { type Catalog, readCatalog } from './catalog.ts';
import { type Changes, changesBetween } from './changes.ts';
import { type Command, runCommand } from './command.ts';
import { type Load, LoadTracker } from './load.ts';
import { type LockFound, LockTracker } from './locks.ts';
import { createObserver, type Observer, type ObserverOptions, watch } from './observer.ts';

/** What a command did to a database. */
export interface Observed extends Changes {
  /** As a shell would give it. */
  exitCode: number;
  /** Why it was stopped, if it did not end by itself: the input that says when. */
  stoppedBy: Limit['by'] | undefined;
  durationMs: number;
  /** How much of that sessions of the database were reading from storage; 0 if the server doesn't measure it. */
  readMs: number;
  walBytes: number | undefined;
  /** The mean time between two samples of the locks; 0 if there were none. */
  sampledEveryMs: number;
  /** The longest time between two samples. */
  longestGapMs: number;
  /** The longest first. */
  locks: LockFound[];
  deadlocks: number;
  /** Whether the command has connected to the branch, as far as can be seen. */
  connected: boolean;
  /** What could not be observed, and why, as sentences. */
  gaps: string[];
  load: Load | undefined;
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

/** Runs a command and observes what it does to the database. The deadline's signal ends everything; then this throws its reason. */
export async function observe(
  options: ObserverOptions & {
    command: Command;
    /** Runs beside the command. */
    load?: Command | undefined;
    limit: Limit;
    onLine: (line: string) => void;
  },
): Promise<{ observed: Observed; before: Catalog; after: Catalog | undefined }> {
  const { command, load, deadline, clock, limit, onLine, onInfo } = options;
  const observer = createObserver(options);
  const gaps: string[] = [];
  const [ended, loadEnded] = [new AbortController(), new AbortController()];
  const until = (...signals: AbortSignal[]) => AbortSignal.any([deadline.signal, ...signals]);
  try {
    const before = await readCatalog(await observer.client(), { counts: true });
    const tracker = new LockTracker(before);
    const loading = new LoadTracker();
    const watching = watch({
      ...{ observer, gaps, signal: until(ended.signal) },
      onSample(sample) {
        tracker.add(sample);
        if (load) loading.add(sample, tracker);
      },
    });
    const loaded = load && runCommand({ command: load, signal: until(loadEnded.signal), onLine });
    // Whatever happens before it is waited for is reported then.
    loaded?.catch(() => {});
    if (loaded) {
      onInfo('Waiting until the load has connected');
      const isOver = new AbortController();
      await Promise.race([loaded.catch(() => {}), hasConnected(loading, until(isOver.signal))]);
      isOver.abort();
    }
    onInfo('Running the command');
    const started = performance.now();
    const run = await runCommand({ command, signal: deadline.signal, limit: { ...limit, clock }, onLine }).finally(
      () => {
        loadEnded.abort();
        ended.abort();
      },
    );
    const durationMs = performance.now() - started;
    const loadRun = await loaded;
    await watching;
    deadline.signal.throwIfAborted();
    const { after, changes } = await readAfter(observer, { before, gaps });
    deadline.signal.throwIfAborted();
    const grown = (count: (catalog: Catalog) => number) => (after ? count(after) - count(before) : 0);
    const deadlocks = grown((one) => one.deadlocks);
    const observed: Observed = {
      ...changes,
      exitCode: run.exitCode,
      stoppedBy: run.stopped ? limit.by : undefined,
      durationMs,
      readMs: grown((one) => one.readMs),
      walBytes: after && grown((one) => one.walPosition),
      sampledEveryMs: tracker.everyMs,
      longestGapMs: tracker.longestGapMs,
      locks: tracker.result(),
      deadlocks,
      // A session may be too short to be seen. The observer's own first one was there before; so were those of no load.
      connected: tracker.sawSession || (!load && grown((one) => one.sessions) > observer.opened() - 1),
      gaps,
      load: loadRun && {
        exitCode: loadRun.stopped ? undefined : loadRun.exitCode,
        ...{ connected: loading.connected, overlapped: loading.overlapped },
        ...{ waitedMs: loading.longest.ms, table: loading.longest.table },
        ...{ rollbacks: grown((one) => one.rollbacks), deadlocks },
      },
    };
    return { observed, before, after };
  } finally {
    ended.abort();
    loadEnded.abort();
    await observer.drop();
  }
}

/** Resolves once the load has connected, or it can't be waited for any longer. */
async function hasConnected(loading: LoadTracker, signal: AbortSignal): Promise<void> {
  for (let left = loadConnectsMs; left > 0 && !loading.connected && !signal.aborted; left -= 25) await delay(25);
}

/**
 * Ends the command's sessions on the server: when it is killed, its statements go on and keep their locks; and the server counts the rows
 * of a session when it ends. Spares sessions of roles that this one may not end, such as the service's own.
 */
const endSessions = `
SELECT pg_terminate_backend(pid, 2000) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND leader_pid IS NULL AND backend_type = 'client backend'
  AND pg_has_role(usesysid, 'USAGE')`;

const noChanges: Changes = { rewritten: [], rows: [], losses: [], invalidIndexes: [] };

/** What the database is like after the command. A lock, or a database that accepts no connection, must not use up the rest of the step's time. */
async function readAfter(
  observer: Observer,
  { before, gaps }: { before: Catalog; gaps: string[] },
): Promise<{ after?: Catalog; changes: Changes }> {
  const read = async (client: Client) => {
    await client.query(endSessions).catch(() => {});
    // The sizes of tables are read under a lock that an exclusive one blocks.
    await client.query(`SET lock_timeout = '5s'`);
    const after = await readCatalog(client, { counts: false });
    return { after, changes: await changesBetween(client, before, after) };
  };
  for (let attempt = 1; ; attempt++) {
    const isOver = AbortSignal.timeout(readMs);
    try {
      const limit = once(isOver, 'abort').then(() => Promise.reject(new Error('no response within 30s')));
      return await Promise.race([observer.client().then(read), limit]);
    } catch (error) {
      await observer.drop();
      const isGone = (error as { code?: unknown; cause?: { code?: unknown } }).cause?.code === '3D000';
      if (isGone) gaps.push("The command dropped the database, so what it did can't be measured.");
      if (attempt < 2 && !isGone) continue;
      if (!isGone) gaps.push(`The database could not be read after the command: ${describeError(error)}.`);
      return { changes: noChanges };
    }
  }
}
