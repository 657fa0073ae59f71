import { join } from 'node:path';
import { type Clock, deadlineIn, systemClock } from '../../src/http/clock.ts';
import { environmentFor } from '../../src/rehearse/environment.ts';
import type { LockFound } from '../../src/rehearse/locks.ts';
import { observe, type Rehearsal } from '../../src/rehearse/observe.ts';
import { compileCache } from '../files.ts';
import type { Expected, Migration } from './migrations.ts';
import type { LoggedPostgres, LoggedStatement } from './postgres.ts';
import { delayingProxy } from './proxy.ts';

/** What a rehearsal said of one lock, and what the server's log says. */
export interface Comparison {
  table: string;
  expected: Expected;
  /** Milliseconds, by the server's log. */
  truthMs: number;
  found: LockFound | undefined;
  /** The measured time less the true one, in milliseconds; 0 for a lock that was too short to be seen. */
  errorMs: number;
}

export interface Measured {
  rehearsal: Rehearsal;
  comparisons: Comparison[];
  /** What is not as it should be, as sentences. */
  problems: string[];
  /** Times that are further from the log's than they may be, as sentences. A machine that stalls while it measures has some. */
  inaccuracies: string[];
}

/** What a measured time may be off by, in milliseconds: a tenth, or the time between two samples, which a busy machine makes longer. */
function allowedMs(truthMs: number, gapMs: number): number {
  return Math.max(truthMs * 0.1, gapMs + 10);
}

/** Runs commands against a database with the action's own code. */
export function rehearseCommand(options: {
  uri: string;
  script: string;
  env?: NodeJS.ProcessEnv;
  signal?: AbortSignal;
  /** When the command is stopped, as `max_duration` does it; never by default. */
  stop?: () => Promise<unknown>;
  onLine?: (line: string) => void;
  onSelfWait?: () => void;
}): ReturnType<typeof observe> {
  const {
    uri,
    script,
    env = {},
    signal = new AbortController().signal,
    stop,
    onLine = () => {},
    onSelfWait = () => {},
  } = options;
  return observe({
    uri,
    script,
    folder: process.cwd(),
    env: environmentFor({
      env: { ...process.env, ...env },
      uri,
      id: 'measured',
      apiKey: undefined,
      gitHubToken: undefined,
    }),
    deadline: deadlineIn(Number.POSITIVE_INFINITY, { signal, clock: systemClock }),
    clock: stop ? stoppingClock(stop) : systemClock,
    limit: { ms: limitMs, by: 'max_duration' },
    maxLockMs: undefined,
    onLine,
    onInfo: () => {},
    onStart: () => {},
    onSelfWait,
  });
}

/** Longer than any rehearsal takes. */
const limitMs = 24 * 3_600_000;

/** A clock by which the limit of the command is reached when `stop` resolves, and not before. */
function stoppingClock(stop: () => Promise<unknown>): Clock {
  return {
    ...systemClock,
    sleep: (ms, signal) => (ms === limitMs ? stop().then(() => {}) : systemClock.sleep(ms, signal)),
  };
}

/** The command that runs steps; see `client.ts`. */
export const client = `env NODE_NO_WARNINGS=1 NODE_COMPILE_CACHE='${compileCache}' '${process.execPath}' '${join(import.meta.dirname, 'client.ts')}'`;

/** A migration that waits for itself goes on once that has been noticed. */
const endWaits = `
  SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

/** Measures as `measure` does, with a sampler whose round trips take `ms` milliseconds longer. */
export async function measureFromAfar(options: Parameters<typeof measure>[0] & { ms: number }): Promise<Measured> {
  const proxy = await delayingProxy(options.postgres.port, options.ms);
  try {
    return await measure({ ...options, port: proxy.port, script: `DATABASE_URL=$REAL_URL ${client}` });
  } finally {
    await proxy.close();
  }
}

/** Rehearses a migration on a fresh copy of a database, and compares what was measured with the server's log. */
export async function measure(options: {
  postgres: LoggedPostgres;
  template: string;
  migration: Migration;
  role?: string;
  port?: number;
  script?: string;
}): Promise<Measured> {
  const { postgres, template, migration, role = 'app', port = postgres.port, script = client } = options;
  await postgres.query('postgres', 'DROP DATABASE IF EXISTS rehearsal');
  await postgres.query('postgres', `CREATE DATABASE rehearsal TEMPLATE ${template} STRATEGY file_copy OWNER app`);
  if (migration.before) await postgres.query('rehearsal', migration.before);
  await postgres.statements();
  const { rehearsal } = await rehearseCommand({
    uri: postgres.uri('rehearsal', { role, port }),
    script,
    env: {
      STEPS: JSON.stringify(migration.steps.map((step) => (typeof step === 'string' ? { sql: step } : step))),
      // The sampler may have a delay in between, and another role; the migration is run as ever.
      REAL_URL: postgres.uri('rehearsal'),
    },
    onSelfWait: () => void postgres.query('rehearsal', endWaits),
  });
  const logged = await postgres.statements();
  const comparisons = Object.entries(migration.locks).map(([table, expected]) =>
    compare({ table, expected, logged, rehearsal, migration }),
  );
  return {
    rehearsal,
    comparisons,
    problems: problemsIn({ migration, rehearsal, comparisons }),
    inaccuracies: inaccuraciesIn({ rehearsal, comparisons }),
  };
}

function compare(options: {
  table: string;
  expected: Expected;
  logged: LoggedStatement[];
  rehearsal: Rehearsal;
  migration: Migration;
}): Comparison {
  const { table, expected, logged, rehearsal, migration } = options;
  const { from, to } = expected;
  // What failed has no duration in the log; the transaction then ends a little later, with the connection.
  const takers = logged.filter(({ sql }) => sql.startsWith(from));
  const truths = takers.map((taker) => {
    const release =
      to === undefined
        ? taker
        : logged.find(({ sql, pid, end }) => pid === taker.pid && end >= taker.end && sql.startsWith(to));
    return (release?.end ?? Number.NaN) - taker.start;
  });
  const truthMs = Math.max(...truths);
  const found = rehearsal.locks.find(({ relation, mode }) => relation.name === table && mode === expected.mode);
  const errorMs = migration.fails ? 0 : (found?.heldMs ?? truthMs) - truthMs;
  return { table, expected, truthMs, found, errorMs };
}

function problemsIn(options: { migration: Migration; rehearsal: Rehearsal; comparisons: Comparison[] }): string[] {
  const { migration, rehearsal, comparisons } = options;
  const { longestGapMs } = rehearsal;
  const problems: string[] = [];
  if (rehearsal.exitCode !== (migration.fails ? 1 : 0)) {
    problems.push(`exit code ${rehearsal.exitCode}: ${rehearsal.output.join(' ')}`);
  }
  for (const { table, expected, truthMs, found } of comparisons) {
    if (!migration.fails && Number.isNaN(truthMs)) problems.push(`${table}: the log has no such statement`);
    const isKnown = expected.deletesFiles && rehearsal.unseen.some(({ relation }) => relation.name === table);
    if (!found && !isKnown && (truthMs > longestGapMs || migration.fails))
      problems.push(`${table}: ${expected.mode} not seen (${truthMs.toFixed(0)} ms)`);
    if (found && truthMs > longestGapMs) {
      const named = expected.names ?? expected.from;
      const said = [found.statement, found.longest?.statement].filter(Boolean).join(' | ');
      if (!said.includes(named)) problems.push(`${table}: names ${said || 'no statement'}, not ${named}`);
    }
  }
  const expectedTables = Object.keys(migration.locks);
  for (const { relation, mode } of rehearsal.locks) {
    if (!expectedTables.includes(relation.name)) problems.push(`${relation.name}: ${mode}, though it is not locked`);
    else if (strength(mode) > strength(migration.locks[relation.name]?.mode ?? ''))
      problems.push(`${relation.name}: ${mode} is too strong`);
  }
  for (const { relation, what } of rehearsal.unseen) {
    if (!expectedTables.includes(relation.name)) problems.push(`${relation.name}: ${what}, though it is not locked`);
  }
  for (const [field, wanted] of [
    ['rewritten', migration.rewritten ?? []],
    ['resized', migration.resized],
  ] as const) {
    const names = rehearsal[field]
      .map(({ relation }) => relation.name)
      .sort()
      .join(', ');
    if (wanted && names !== [...wanted].sort().join(', ')) problems.push(`${field}: ${names || 'nothing'}`);
  }
  const waits = rehearsal.selfWaits.length > 0;
  if (waits !== (migration.waitsForItself ?? false))
    problems.push(waits ? 'waits for itself' : 'does not say that it waits for itself');
  return problems.concat(rehearsal.gaps);
}

function inaccuraciesIn(options: { rehearsal: Rehearsal; comparisons: Comparison[] }): string[] {
  const { rehearsal, comparisons } = options;
  return comparisons.flatMap(({ table, expected, truthMs, found, errorMs }) => {
    const allowed = allowedMs(truthMs, rehearsal.longestGapMs);
    const isOff = found && Math.abs(errorMs) > allowed && !(expected.deletesFiles && errorMs < 0);
    if (!isOff) return [];
    return `${table}: ${found.heldMs.toFixed(0)} ms instead of ${truthMs.toFixed(0)} ms (±${allowed.toFixed(0)})`;
  });
}

const modes = ['ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock'];
function strength(mode: string): number {
  return modes.indexOf(mode);
}
