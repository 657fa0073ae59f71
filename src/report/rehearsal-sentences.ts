import type { LockFound, SelfWait } from '../rehearse/locks.ts';
import type { Rehearsal } from '../rehearse/observe.ts';
import type { Result } from '../result.ts';
import { asSentence, duration, listSome, size } from '../text/format.ts';
import { oneLine } from '../text/inert.ts';
import { countsOf } from './review-sentences.ts';

/** Characters of a statement that a sentence shows. */
const statementLength = 120;
/** Locks that the error of a failed step names one by one. */
const maxNamed = 3;

/** A line of a command's output that says what went wrong; a stack trace or advice often follows it. */
const errorLine = /error: /i;

/** What a rehearsal found, as one sentence. */
export function rehearsalIn({ rehearsal, diff }: Required<Pick<Result, 'rehearsal' | 'diff'>>): string {
  const { durationMs, walBytes, exitCode, rewritten } = rehearsal;
  const [longest] = longestFirst(rehearsal);
  const names = rewritten.map(({ relation }) => relation.name);
  const findings = countsOf(diff.databases.flatMap((one) => one.findings));
  const parts = [
    longest ? `${longest.relation.name} was blocked for ${duration(longest.heldMs)}` : 'no blocked table was observed',
    names.length > 0 ? `${listSome(names, maxNamed)} ${names.length === 1 ? 'was' : 'were'} rewritten` : '',
    `${size(walBytes)} of WAL`,
    findings,
  ];
  const verb = exitCode === 0 ? 'took' : `failed with exit code ${exitCode} after`;
  return `The command ${verb} ${duration(durationMs)}: ${parts.filter(Boolean).join('; ')}`;
}

export function longestFirst({ locks }: Rehearsal): LockFound[] {
  return locks.toSorted((a, b) => b.heldMs - a.heldMs);
}

/** `public.users: reads and writes blocked for 2.4s (AccessExclusiveLock) by ALTER TABLE …`. */
export function lockIn({ relation, blocks, heldMs, mode, statement, tookIt }: LockFound): string {
  const earlier = tookIt ? '' : ' (lock taken by an earlier statement of the same transaction)';
  const by = statement === undefined ? '' : ` by ${short(statement)}${earlier}`;
  return `${relation.name}: ${blocks} blocked for ${duration(heldMs)} (${mode})${by}`;
}

export function selfWaitIn({ waiting, holder }: SelfWait): string {
  const what = waiting === undefined ? 'a statement' : short(waiting);
  const last = holder === undefined ? '' : ` (last statement: ${short(holder)})`;
  return `The command is blocking itself: ${what} waits for a lock held by another of its connections, in an open transaction${last}. It is stuck until that transaction ends. Make the command end that transaction first, or use a single connection.`;
}

/** What to say if the command has not connected to the branch. One that succeeded has connected somewhere else, if anywhere. */
export function notConnectedIn({ exitCode }: Rehearsal): string {
  const head = 'The command does not seem to have connected to the rehearsal branch';
  return exitCode === 0
    ? `${head}. Make it use \`DATABASE_URL\`. If its configuration points to another database, it has just migrated that one.`
    : `${head}: it may use another URL than \`DATABASE_URL\`, or have failed to connect, for example with a TLS error.`;
}

/** Why the step fails, as sentences: the command failed, was stopped, or blocked a table for too long. */
export function rehearsalFailure(rehearsal: Rehearsal, limits: { maxLockMs: number | undefined }): string[] {
  const { exitCode, stoppedBy, durationMs, locks, selfWaits, output, gaps } = rehearsal;
  const { maxLockMs } = limits;
  const sentences: string[] = [];
  if (stoppedBy !== undefined) {
    sentences.push(
      `The command was stopped after ${duration(durationMs)} (\`${stoppedBy}\`), and ended with exit code ${exitCode}.`,
    );
  } else if (exitCode !== 0) {
    const last = output.findLast((line) => errorLine.test(line)) ?? output.findLast((line) => line.trim() !== '');
    const why = last === undefined ? '' : `: ${oneLine(last, 300)}`;
    sentences.push(asSentence(`The command failed with exit code ${exitCode} (\`run\`)${why}`));
  }
  const [wait] = selfWaits;
  if (wait && sentences.length > 0) sentences.push(selfWaitIn(wait));
  if (maxLockMs === undefined) return sentences;
  const long = locks.filter(({ heldMs }) => heldMs > maxLockMs);
  if (long.length > 0) {
    sentences.push(
      `A lock was held for longer than ${duration(maxLockMs)} (\`max_lock\`): ${listSome(long.map(lockIn), maxNamed, '; ')}.`,
    );
  }
  if (gaps.length > 0) {
    const so = long.length > 0 ? 'other locks may also exceed `max_lock`' : '`max_lock` could not be fully checked';
    sentences.push(`Not everything was observed, so ${so}: ${gaps.join(' ')}`);
  }
  return sentences;
}

export function short(statement: string): string {
  return `\`${oneLine(statement.replace(/\s+/g, ' '), statementLength).replaceAll('`', "'")}\``;
}
