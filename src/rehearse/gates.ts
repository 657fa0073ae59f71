import { inWords } from '../schema/rules.ts';
import { asSentence, count, duration, listSome } from '../text/format.ts';
import type { RehearseFacts } from './facts.ts';
import type { LockFound } from './locks.ts';
import type { Observed } from './observe.ts';

/** Locks and findings that an error names one by one. */
const maxNamed = 3;

/** What a command must connect with. */
const variables = '`DATABASE_URL`, `DIRECT_URL` or the `PG*` variables';

export const nothingConnected =
  'Nothing connected to the branch. If the command uses another URL than `DATABASE_URL`, it has just migrated that database.';

/** Why the step fails, as sentences, the most important first. Empty if it succeeds. */
export function failures(facts: RehearseFacts): string[] {
  const { observed, findings, gates, probe, incomplete, afterwards = 0 } = facts;
  if (!observed) return [];
  const { maxLockMs, failOn } = gates;
  const sentences = ofCommand(observed);
  const hasGate = maxLockMs !== undefined || failOn.length > 0;
  if (hasGate && !observed.connected) {
    sentences.push(`${nothingConnected} Make it use ${variables}: \`max_lock\` and \`fail_on\` can't be checked.`);
  }
  if (maxLockMs !== undefined) sentences.push(...ofLocks(observed, maxLockMs));
  if (maxLockMs !== undefined && probe?.outcome === 'waits') {
    sentences.push(
      'The command waits without limit for a table that is being read, and everything queues behind it (`probe_locks`, `max_lock`). Set `lock_timeout`, and retry.',
    );
  }
  // With a load, rows may be gone because of it.
  const failing = findings.filter(
    (one) => failOn.includes(one.level) && !(one.rule === 'delete-rows' && observed.load),
  );
  if (failing.length > 0) {
    const named = listSome(failing.map(inWords), maxNamed, '; ');
    sentences.push(`${named}: \`fail_on\`. Change the migration, or accept it with \`ignore_rules\`.`);
  }
  if (failOn.length > 0 && incomplete !== undefined) {
    sentences.push(`The schema could not be fully reviewed, so \`fail_on\` can't pass: ${asSentence(incomplete)}`);
  }
  if (hasGate) sentences.push(...ofLoad(observed));
  if (hasGate && observed.gaps.length > 0) {
    sentences.push(`Not everything was observed, so a gate can't pass. ${observed.gaps.join(' ')}`);
  }
  if (afterwards !== 0) sentences.push(`\`then\` failed with exit code ${afterwards}; the log has its output.`);
  return sentences;
}

function ofCommand({ exitCode, stoppedBy, durationMs }: Observed): string[] {
  const after = duration(durationMs);
  if (stoppedBy !== undefined) {
    return [
      `The command was stopped after ${after} (\`${stoppedBy}\`), and ended with exit code ${exitCode}. Make it faster, or raise \`${stoppedBy}\`.`,
    ];
  }
  if (exitCode === 0) return [];
  return [`The command (\`run\`) failed with exit code ${exitCode} after ${after}; the log has its output.`];
}

function ofLocks({ locks, load, deadlocks }: Observed, maxLockMs: number): string[] {
  const limit = `longer than \`max_lock\` (${duration(maxLockMs)})`;
  const long = locks.filter(({ heldMs }) => heldMs > maxLockMs).map(blocked);
  const sentences: string[] = [];
  if (deadlocks > 0) sentences.push(`The server had to resolve ${count(deadlocks, 'deadlock')} (\`max_lock\`).`);
  if (long.length > 0) {
    sentences.push(`${listSome(long, maxNamed, '; ')}: ${limit}. Change the migration, or raise \`max_lock\`.`);
  }
  if (load && load.waitedMs > maxLockMs) {
    const where = load.table === undefined ? '' : ` for ${load.table}`;
    sentences.push(`A session of the load waited ${duration(load.waitedMs)}${where}: ${limit}.`);
  }
  return sentences;
}

/** `public.users blocked for 2.4s (reads and writes)`. */
export function blocked({ table, heldMs, blocks }: LockFound): string {
  return `${table} blocked for ${duration(heldMs)} (${blocks})`;
}

/** What is wrong with the load itself, as sentences. */
export function ofLoad({ load }: Observed): string[] {
  if (!load) return [];
  if (!load.connected) return [`The load never connected to the branch. Make it use ${variables}.`];
  if (load.exitCode) return [`The load failed with exit code ${load.exitCode}; the log has its output.`];
  return load.overlapped ? [] : ['The load was not seen at the same time as the migration. Make it run longer.'];
}
