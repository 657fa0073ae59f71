import { duration, listSome } from '../text/format.ts';
import { oneLine } from '../text/inert.ts';
import type { Finding, RehearseFacts } from './facts.ts';
import type { LockFound } from './locks.ts';

/** Locks and findings that an error names one by one. */
const maxNamed = 3;

/** What the command must connect with. */
const variables = '`DATABASE_URL`, `DIRECT_URL` or the `PG*` variables';

/** Why the step fails, as sentences, the most important first. Empty if it succeeds. */
export function failures(facts: RehearseFacts): string[] {
  const { observed, gates, probe, afterwards = 0 } = facts;
  if (!observed) return [];
  const hasGate = gates.maxLockMs !== undefined || gates.failOn.length > 0;
  const sentences = [
    ...ofCommand(facts),
    ...(hasGate && !observed.connected
      ? [
          `Nothing connected to the branch, so there is nothing to check: \`max_lock\` and \`fail_on\` fail the step. Make the command use ${variables}; if it uses another URL, it has just migrated that database.`,
        ]
      : []),
    ...(gates.maxLockMs === undefined ? [] : ofLocks(facts, gates.maxLockMs)),
    ...ofFindings(facts),
    ...(hasGate && observed.load ? ofLoad(facts) : []),
  ];
  if (hasGate && observed.gaps.length > 0) {
    sentences.push(`Not everything was observed, so a gate can't pass. ${observed.gaps.join(' ')}`);
  }
  if (gates.maxLockMs !== undefined && probe?.outcome === 'waits') {
    sentences.push(
      'The command waits without limit for a table that is being read, and everything queues behind it (`probe_locks`, `max_lock`). Set `lock_timeout`, and retry.',
    );
  }
  if (afterwards !== 0) sentences.push(`\`then\` failed with exit code ${afterwards}; the log has its output.`);
  return sentences;
}

function ofCommand({ observed }: RehearseFacts): string[] {
  if (!observed || (observed.exitCode === 0 && observed.stoppedBy === undefined)) return [];
  const { exitCode, stoppedBy, durationMs } = observed;
  if (stoppedBy === undefined) {
    return [
      `The command (\`run\`) failed with exit code ${exitCode} after ${duration(durationMs)}; the log has its output.`,
    ];
  }
  const limit = stoppedBy === 'timeout' ? 'to leave the rest of `timeout` for the cleanup' : '`max_duration`';
  return [
    `The command was stopped after ${duration(durationMs)} (${limit}), and ended with exit code ${exitCode}. Make it faster, or raise \`${stoppedBy}\`.`,
  ];
}

/** The locks that blocked a table for longer than `max_lock`. */
export function tooLong({ observed, gates: { maxLockMs = Number.POSITIVE_INFINITY } }: RehearseFacts): LockFound[] {
  return observed?.locks.filter(({ heldMs }) => heldMs > maxLockMs) ?? [];
}

/** `public.users blocked for 2.4s (reads and writes)`. */
export function blocked({ table, heldMs, blocks }: LockFound): string {
  return `${table} blocked for ${duration(heldMs)} (${blocks})`;
}

function ofLocks(facts: RehearseFacts, maxLockMs: number): string[] {
  const { observed } = facts;
  if (!observed) return [];
  const { load, deadlocks } = observed;
  const limit = `longer than \`max_lock\` (${duration(maxLockMs)})`;
  const long = tooLong(facts);
  const sentences: string[] = [];
  if (deadlocks > 0)
    sentences.push(
      `The server has resolved ${deadlocks === 1 ? 'a deadlock' : `${deadlocks} deadlocks`} (\`max_lock\`).`,
    );
  if (long.length > 0)
    sentences.push(
      `${listSome(long.map(blocked), maxNamed, '; ')}: ${limit}. Change the migration, or raise \`max_lock\`.`,
    );
  if (load && load.waitedMs > maxLockMs) {
    const where = load.table === undefined ? '' : ` for ${load.table}`;
    sentences.push(`A session of the load waited ${duration(load.waitedMs)}${where}: ${limit}.`);
  }
  return sentences;
}

/** The findings that fail the step. With a load, rows may be gone because of it. */
export function failing({ findings, gates, observed }: RehearseFacts): Finding[] {
  const counts = ({ rule }: Finding) => rule !== 'delete-rows' || !observed?.load;
  return findings.filter((one) => gates.failOn.includes(one.level) && counts(one));
}

function ofFindings(facts: RehearseFacts): string[] {
  const { gates, incomplete } = facts;
  if (gates.failOn.length === 0) return [];
  const found = failing(facts);
  const named = listSome(
    found.map(
      ({ rule, object, detail }) =>
        `${rule} ${oneLine(object, 200)}${detail === '' ? '' : ` (${oneLine(detail, 120)})`}`,
    ),
    maxNamed,
    '; ',
  );
  return [
    ...(found.length > 0 ? [`${named}: \`fail_on\`. Change the migration, or accept it with \`ignore_rules\`.`] : []),
    ...(incomplete === undefined
      ? []
      : [`The schema could not be fully reviewed, so \`fail_on\` can't pass: ${incomplete}.`]),
  ];
}

/** What is wrong with the load itself, as sentences. */
export function ofLoad({ observed }: RehearseFacts): string[] {
  const { load } = observed ?? {};
  if (!load) return [];
  if (!load.connected) return [`The load never connected to the branch. Make it use ${variables}.`];
  if (load.exitCode) return [`The load failed with exit code ${load.exitCode}; the log has its output.`];
  return load.overlapped ? [] : ['The load was not seen at the same time as the migration. Make it run longer.'];
}
