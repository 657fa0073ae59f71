import { join } from 'node:path';
import { deadlineIn, systemClock } from '../../src/http/clock.ts';
import type { Command } from '../../src/rehearse/command.ts';
import { environmentFor, loadUri } from '../../src/rehearse/environment.ts';
import { type LockFound, withoutLiterals } from '../../src/rehearse/locks.ts';
import { type Observed, type ObserveOptions, observe } from '../../src/rehearse/observe.ts';
import { blockingModes } from '../../src/rehearse/observer.ts';
import { compileCache } from '../files.ts';
import type { Expected, Migration } from './migrations.ts';
import type { LoggedPostgres, LoggedStatement } from './postgres.ts';

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
  observed: ObservedWithGap;
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

/** What was observed, and the longest time between two samples, in milliseconds: of a lock that was shorter, nothing may have been seen. */
type ObservedWithGap = Observed & { longestGapMs: number };

interface Options {
  uri: string;
  script: string;
  /** Of a command that runs beside it. */
  load?: string;
  env?: NodeJS.ProcessEnv;
  onLine?: (line: string) => void;
}

/** How the action's own code runs a command against a database, and observes it. */
export function observing({ uri, script, load, env, onLine = () => {} }: Options): ObserveOptions {
  const command = (script: string, uri: string): Command => ({
    ...{ script, folder: process.cwd() },
    env: environmentFor({ ...process.env, ...env }, { uri }),
  });
  const { signal } = new AbortController();
  return {
    ...{ uri, onLine, clock: systemClock, deadline: deadlineIn(dayMs, { signal, clock: systemClock }) },
    limit: { ms: dayMs, by: 'timeout' },
    command: command(script, uri),
    load: load === undefined ? undefined : command(load, loadUri(uri)),
  };
}

export async function rehearseCommand(options: Options): Promise<ObservedWithGap> {
  let longestGapMs = 0;
  let last: number | undefined;
  const { observed } = await observe({
    ...observing(options),
    onSample({ at }) {
      longestGapMs = Math.max(longestGapMs, at - (last ?? at));
      last = at;
    },
  });
  return { ...observed, longestGapMs };
}

/** Longer than any rehearsal takes. */
const dayMs = 24 * 3_600_000;

/** The command that runs steps; see `client.ts`. */
export const client = `env NODE_NO_WARNINGS=1 NODE_COMPILE_CACHE='${compileCache}' '${process.execPath}' '${join(import.meta.dirname, 'client.ts')}'`;

/** Rehearses a migration on a fresh copy of a database, and compares what was measured with the server's log. */
export async function measure(options: {
  postgres: LoggedPostgres;
  template: string;
  migration: Migration;
  role?: string;
  script?: string;
}): Promise<Measured> {
  const { postgres, template, migration, role = 'app', script = client } = options;
  await postgres.query('postgres', 'DROP DATABASE IF EXISTS rehearsal');
  await postgres.query('postgres', `CREATE DATABASE rehearsal TEMPLATE ${template} STRATEGY file_copy OWNER app`);
  if (migration.before) await postgres.query('rehearsal', migration.before);
  await postgres.statements();
  const output: string[] = [];
  const observed = await rehearseCommand({
    uri: postgres.uri('rehearsal', role),
    ...{ script, onLine: (line) => output.push(line) },
    env: {
      STEPS: JSON.stringify(migration.steps.map((step) => (typeof step === 'string' ? { sql: step } : step))),
      // The sampler may have another role; the migration is run as ever.
      REAL_URL: postgres.uri('rehearsal'),
    },
  });
  const logged = await postgres.statements();
  const comparisons = Object.entries(migration.locks).map(([name, expected]): Comparison => {
    const table = `public.${name}`;
    const truthMs = migration.fails ? Number.NaN : trueMs(expected, logged);
    const found = observed.locks.find((one) => one.table === table && one.mode === expected.mode);
    return { table, expected, truthMs, found, errorMs: found && !migration.fails ? found.heldMs - truthMs : 0 };
  });
  const problems = [...lockProblems({ migration, observed, comparisons }), ...observed.gaps];
  if (observed.exitCode !== (migration.fails ? 1 : 0)) {
    problems.push(`exit code ${observed.exitCode}: ${output.slice(-20).join(' ')}`);
  }
  const told: [string, string[], string[]?][] = [
    ['rewritten', observed.rewritten.map(({ table }) => table), migration.rewritten],
    ['truncated', observed.rows.flatMap(({ table, truncated }) => (truncated ? table : [])), migration.truncated],
    [
      'lost',
      observed.losses.flatMap((one) => ((one.lost ?? 0) > 0.9 * (one.of ?? 0) ? one.table : [])),
      migration.lost,
    ],
    ['invalid', observed.invalidIndexes.map(({ index }) => index), migration.invalid],
  ];
  for (const [what, is, names = []] of told) {
    const wanted = names.map((name) => `public.${name}`);
    if (is.toSorted().join() !== wanted.toSorted().join()) problems.push(`${what}: ${is}, not ${wanted}`);
  }
  const inaccuracies = comparisons.flatMap(({ table, expected, truthMs, found, errorMs }) => {
    const allowed = allowedMs(truthMs, observed.longestGapMs);
    const isOff = found && Math.abs(errorMs) > allowed && !(expected.deletesFiles && errorMs < 0);
    if (!isOff) return [];
    return `${table}: ${found.heldMs.toFixed(0)} ms instead of ${truthMs.toFixed(0)} ms (±${allowed.toFixed(0)})`;
  });
  return { observed, comparisons, problems, inaccuracies };
}

/** How long a lock was held at most, by the log. */
function trueMs({ from, to }: Expected, logged: LoggedStatement[]): number {
  const times = logged.flatMap((taker) => {
    if (!taker.sql.startsWith(from)) return [];
    const isRelease = ({ sql, pid, end }: LoggedStatement) =>
      pid === taker.pid && end >= taker.end && sql.startsWith(to ?? '');
    return ((to === undefined ? taker : logged.find(isRelease))?.end ?? Number.NaN) - taker.start;
  });
  return times.length > 0 ? Math.max(...times) : Number.NaN;
}

/** What is wrong with the locks that were seen, as sentences. What fails has no duration in the log. */
function lockProblems({
  migration,
  observed,
  comparisons,
}: Pick<Measured, 'observed' | 'comparisons'> & { migration: Migration }) {
  const { longestGapMs, locks } = observed;
  const strength = (mode: string) => (blockingModes as readonly string[]).indexOf(mode);
  const problems: string[] = [];
  for (const { table, expected, truthMs, found } of comparisons) {
    const { mode, deletesFiles, from, names = from } = expected;
    if (!migration.fails && Number.isNaN(truthMs)) problems.push(`${table}: the log has no such statement`);
    if (!found && (truthMs > longestGapMs || migration.fails) && !deletesFiles)
      problems.push(`${table}: ${mode} not seen (${truthMs.toFixed(0)} ms)`);
    if (found && truthMs > 2 * longestGapMs && !found.statement?.includes(withoutLiterals(names)))
      problems.push(`${table}: names ${found.statement}, not ${names}`);
  }
  for (const { table, mode } of locks) {
    const expected = comparisons.find((one) => one.table === table)?.expected;
    if (!expected) problems.push(`${table}: ${mode}, though it is not locked`);
    else if (strength(mode) > strength(expected.mode)) problems.push(`${table}: ${mode} is too strong`);
  }
  return problems;
}
