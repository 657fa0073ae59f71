import type { Client } from 'pg';
import type { Clock, Deadline } from '../http/clock.ts';
import { connectWhenReady, describeError, type PostgresConnection } from '../postgres/connect.ts';
import {
  type Catalog,
  factsOf,
  hasRows,
  type Relation,
  type RelationFacts,
  readCatalog,
  sessionSettings,
  walBytes,
} from './catalog.ts';
import { type LockFound, LockTracker, type SelfWait } from './locks.ts';
import { runCommand } from './run.ts';
import { sampleUntil } from './sample.ts';

/** What a command did to a database. */
export interface Rehearsal {
  /** As a shell would give it. */
  exitCode: number;
  /** Why it was stopped, if it did not end by itself: the input that says when. */
  stoppedBy: 'max_duration' | 'timeout' | undefined;
  durationMs: number;
  walBytes: number | undefined;
  /** The mean time between two samples of the locks; 0 if there were none. */
  sampledEveryMs: number;
  /** The longest time between two samples. */
  longestGapMs: number;
  /** Strongest mode first. */
  locks: LockFound[];
  /** How long a table may be blocked (`max_lock`), in milliseconds. */
  maxLockMs: number | undefined;
  /** Tables that, as the catalog shows, were locked against reads and writes, but were never sampled with such a lock. */
  unseen: UnseenLock[];
  /** Largest first. */
  rewritten: SizeChange[];
  /** Tables that grew or shrank by more than a tenth, and were not rewritten; the largest change first. */
  resized: SizeChange[];
  selfWaits: SelfWait[];
  /** The last statements that were seen, and the last lines that the command has written; oldest first. */
  statements: string[];
  output: string[];
  /** Whether the command has connected to the database, as far as can be seen. */
  connected: boolean;
  /** What could not be observed, and why, as sentences. */
  gaps: string[];
}

/** A lock that was shorter than the time between two samples. */
interface UnseenLock {
  /** As it was before. */
  relation: RelationFacts;
  what: 'dropped' | 'renamed' | 'rewritten or truncated' | 'columns changed';
}

export interface SizeChange {
  /** As it was before. */
  relation: RelationFacts;
  sizeAfter: number;
}

/** How many of the last lines of output are kept. */
const keptLines = 20;
/** A change of size that is worth mentioning: part of the table, and bytes. */
const noteworthy = { part: 0.1, bytes: 1_000_000 };

/** Runs a command and observes what it does to the database. The deadline's signal ends everything; then this throws its reason. */
export async function observe(options: {
  /** The direct connection. */
  uri: string;
  script: string;
  folder: string;
  env: Record<string, string>;
  deadline: Deadline;
  clock: Clock;
  /** When the command is stopped, in milliseconds after its start, and the input that says so. */
  limit: { ms: number; by: 'max_duration' | 'timeout' };
  /** `max_lock`, in milliseconds. */
  maxLockMs: number | undefined;
  onLine: (line: string) => void;
  onInfo: (line: string) => void;
  /** Connected, and about to start the command. */
  onStart: () => void;
  onSelfWait: (wait: SelfWait) => void;
}): Promise<{ rehearsal: Rehearsal; before: Catalog; after: Catalog | undefined }> {
  const { deadline, limit, onLine } = options;
  const connector = createConnector(options);
  const output: string[] = [];
  const selfWaits: SelfWait[] = [];
  const gaps: string[] = [];
  try {
    const client = await connector.client();
    const before = await readCatalog(client, { counts: true });
    const tracker = new LockTracker(before, (wait) => {
      selfWaits.push(wait);
      options.onSelfWait(wait);
    });
    const ended = new AbortController();
    const sampling = sample({ connector, tracker, signal: AbortSignal.any([ended.signal, deadline.signal]), gaps });
    const stop = new AbortController();
    options.clock.sleep(limit.ms, ended.signal).then(
      () => stop.abort(),
      () => {},
    );
    options.onStart();
    const started = performance.now();
    const run = await runCommand({
      ...options,
      signal: AbortSignal.any([stop.signal, deadline.signal]),
      onLine(line) {
        output.push(line);
        if (output.length > keptLines) output.shift();
        onLine(line);
      },
    }).finally(() => ended.abort());
    const durationMs = performance.now() - started;
    await sampling;
    if (deadline.signal.aborted) throw deadline.signal.reason;
    const after = await readAfter(connector, gaps);
    if (deadline.signal.aborted) throw deadline.signal.reason;
    const locks = tracker.result();
    const rehearsal: Rehearsal = {
      exitCode: run.exitCode,
      stoppedBy: run.stopped ? limit.by : undefined,
      durationMs,
      walBytes: after && walBytes(before.lsn, after.lsn),
      sampledEveryMs: tracker.everyMs,
      longestGapMs: tracker.longestGapMs,
      locks,
      maxLockMs: options.maxLockMs,
      unseen: after ? unseenLocks(before, after, locks) : [],
      ...(after ? sizeChanges(before, after) : { rewritten: [], resized: [] }),
      selfWaits,
      statements: tracker.statements,
      output,
      connected: tracker.sawSession || (after !== undefined && after.sessions > before.sessions),
      gaps,
    };
    return { rehearsal, before, after };
  } finally {
    await connector.drop();
  }
}

/** A connection that is opened again if it is lost: a command may end all others, or restart the compute. */
interface Connector {
  client(): Promise<Client>;
  /** Closes the connection, after an error or at the end. */
  drop(): Promise<void>;
}

function createConnector(options: {
  uri: string;
  deadline: Deadline;
  clock: Clock;
  onInfo: (line: string) => void;
}): Connector {
  let connection: PostgresConnection | undefined;
  return {
    async client() {
      if (connection) return connection.client;
      connection = await connectWhenReady({ ...options, feature: 'rehearse', onRetry: options.onInfo });
      await connection.client.query(
        `${sessionSettings}; SET lock_timeout = 0; SET application_name = 'database-branch-action (rehearse)'`,
      );
      return connection.client;
    },
    async drop() {
      const old = connection;
      connection = undefined;
      await old?.close();
    },
  };
}

async function sample(options: {
  connector: Connector;
  tracker: LockTracker;
  signal: AbortSignal;
  gaps: string[];
}): Promise<void> {
  const { connector, tracker, signal, gaps } = options;
  for (let failures = 0; ; failures++) {
    try {
      const client = await connector.client();
      await sampleUntil({ client, signal, onSample: (one) => tracker.add(one) });
      return;
    } catch (error) {
      await connector.drop();
      const isOver = signal.aborted || failures >= mostReconnects;
      if (isOver) gaps.push(`Lock sampling stopped early: ${describeError(error)}.`);
      else if (failures === 0) gaps.push(`Lock sampling was interrupted: ${describeError(error)}.`);
      if (isOver) return;
    }
  }
}

const mostReconnects = 5;

/**
 * Ends the command's sessions on the server: when it is killed, its statements go on and keep their locks. Spares sessions of roles that
 * this one may not end, such as the service's own.
 */
const endSessions = `
SELECT pg_terminate_backend(pid, 2000) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND leader_pid IS NULL AND backend_type = 'client backend'
  AND pg_has_role(usesysid, 'USAGE')`;
/** The sizes of tables are read under a lock that an exclusive one blocks. */
const lockTimeout = "SET lock_timeout = '5s'";

async function readAfter(connector: Connector, gaps: string[]): Promise<Catalog | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      const client = await connector.client();
      await client.query(endSessions).catch(() => {});
      await client.query(lockTimeout);
      return await readCatalog(client, { counts: false });
    } catch (error) {
      await connector.drop();
      if (attempt < 2) continue;
      gaps.push(`The database could not be read after the command: ${describeError(error)}.`);
      return undefined;
    }
  }
}

/** What only a change of the table itself does, under a lock that blocks all reads and writes. */
function unseenLocks(before: Catalog, after: Catalog, locks: LockFound[]): UnseenLock[] {
  const seen = new Set(
    locks.filter(({ blocks }) => blocks === 'reads and writes').map(({ relation }) => relation.name),
  );
  return [...before.relations].flatMap(([oid, was]) => {
    const what = hasRows(was) && !seen.has(was.name) ? whatHappened(was, after.relations.get(oid)) : undefined;
    return what ? [{ relation: factsOf(was), what }] : [];
  });
}

function whatHappened(was: Relation, is: Relation | undefined): UnseenLock['what'] | undefined {
  if (!is) return 'dropped';
  // A schema can be renamed without a lock on its tables.
  const bare = ({ name }: Relation) => /(?:"(?:[^"]|"")*"|[^".]*)$/.exec(name)?.[0];
  if (bare(is) !== bare(was)) return 'renamed';
  if (is.file !== was.file) return 'rewritten or truncated';
  const columns = ({ columns }: Relation) => JSON.stringify([...columns]);
  return columns(is) === columns(was) ? undefined : 'columns changed';
}

function sizeChanges(before: Catalog, after: Catalog): Pick<Rehearsal, 'rewritten' | 'resized'> {
  const rewritten: SizeChange[] = [];
  const resized: SizeChange[] = [];
  for (const [oid, relation] of before.relations) {
    const is = after.relations.get(oid);
    if (!is || (relation.kind !== 'table' && relation.kind !== 'materialized view')) continue;
    const change = { relation: factsOf(relation), sizeAfter: is.size };
    const difference = Math.abs(is.size - relation.size);
    if (relation.file !== is.file) rewritten.push(change);
    else if (difference > noteworthy.bytes && difference > relation.size * noteworthy.part) resized.push(change);
  }
  const differenceOf = ({ relation, sizeAfter }: SizeChange) => Math.abs(sizeAfter - relation.size);
  return {
    rewritten: rewritten.sort((a, b) => b.relation.size - a.relation.size),
    resized: resized.sort((a, b) => differenceOf(b) - differenceOf(a)),
  };
}
