import { asSentence, count, duration, findingInWords, listSome } from '../text/format.ts';
import type { RehearseFacts } from './facts.ts';
import type { LockFound } from './locks.ts';
import type { Ending, Observed } from './observe.ts';

/** Locks and findings that an error names one by one. */
const maxNamed = 3;

/** What a command must connect with. */
const variables = '`DATABASE_URL`, `DIRECT_URL` or the `PG*` variables';

/** Why the step fails, as sentences, the most important first. Empty if it succeeds. */
export function failures(facts: RehearseFacts): string[] {
  const { observed, findings, maxLockMs, failOn, probe, unprobed, incomplete, afterwards } = facts;
  if (!observed) return [];
  const sentences = ofCommand('The command (`run`)', observed, ` after ${duration(observed.durationMs)}`);
  const hasGate = maxLockMs !== undefined || failOn.length > 0;
  if (maxLockMs !== undefined) {
    sentences.push(...ofLocks(observed, maxLockMs));
    if (unprobed) sentences.push(`${unprobed} \`max_lock\` can't be checked.`);
    if (probe?.outcome === 'waits')
      sentences.push(
        'The command waits without limit for a table that is being read, and everything queues behind it (`probe_locks`, `max_lock`). Set `lock_timeout`, and retry.',
      );
  }
  // With a load, rows may be gone because of it.
  const failing = findings.filter(
    (one) => failOn.includes(one.level) && !(one.rule === 'delete-rows' && observed.load),
  );
  if (failing.length > 0) {
    const named = listSome(failing.map(findingInWords), maxNamed, '; ');
    sentences.push(
      `${named}, which fails the step (\`fail_on\`). Change the migration, or accept it with \`ignore_rules\`.`,
    );
  }
  if (failOn.length > 0 && incomplete !== undefined) {
    sentences.push(`The schema could not be fully reviewed, so \`fail_on\` can't pass: ${asSentence(incomplete)}`);
  }
  const unseen = unseenBy(observed);
  if (hasGate && unseen.length > 0) {
    sentences.push([...unseen, "`max_lock` and `fail_on` can't be checked."].join(' '));
  }
  if (afterwards) sentences.push(...ofCommand('`then`', afterwards));
  return sentences;
}

function ofCommand(what: string, { exitCode, stoppedBy }: Ending, after = ''): string[] {
  if (stoppedBy !== undefined) {
    const next = `Make it faster, or raise \`${stoppedBy}\`.`;
    return [`${what} was stopped${after} (\`${stoppedBy}\`), and ended with exit code ${exitCode}. ${next}`];
  }
  return exitCode === 0 ? [] : [`${what} failed with exit code ${exitCode}${after}; the log has its output.`];
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

/** Why a rehearsal that finds nothing proves nothing, as sentences: a gate can't be checked then. */
export function unseenBy({ connected, gaps, load }: Observed): string[] {
  const unseen = [...gaps];
  if (!connected) {
    unseen.unshift(
      `Nothing connected to the branch. Unless the log has an error, the command has just migrated another database. Make it use ${variables}.`,
    );
  }
  if (load && !load.connected)
    unseen.push(
      `No session of the load was seen within 30 s. Make it use ${variables}, and keep the \`application_name\` in PGAPPNAME.`,
    );
  else if (load?.exitCode) unseen.push(`The load failed with exit code ${load.exitCode}; the log has its output.`);
  else if (load && connected && !load.overlapped) {
    unseen.push('The load was not seen at the same time as the migration. Make it run longer.');
  }
  return unseen;
}
