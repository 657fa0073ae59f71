import type { LockFound, SelfWait } from '../rehearse/locks.ts';
import type { Rehearsal, SizeChange } from '../rehearse/observe.ts';
import { findingsOf, type Result } from '../result.ts';
import { levelOf } from '../schema/rules.ts';
import { asSentence, count, duration, listMost, listSome, size } from '../text/format.ts';
import { oneLine } from '../text/inert.ts';
import { alert, code, fenced, folded, sentence, table } from '../text/markdown.ts';
import { countsOf, diffSection, ignoredIn } from './diff.ts';

/** Characters of a statement that a sentence shows. */
const statementLength = 120;
/** Locks that the error of a failed step names one by one. */
const maxNamed = 3;
/** Rows that a table lists. */
const maxListed = 30;
/** A lock that was held for less does not make a rehearsal anything but green, in milliseconds. */
const noticeableMs = 1_000;
/** Characters of a statement in a table. */
const listedLength = 160;

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
    names.length > 0 ? `${listMost(names, maxNamed)} ${names.length === 1 ? 'was' : 'were'} rewritten` : '',
    walBytes === undefined ? '' : `${size(walBytes)} of WAL was written`,
    findings && `findings of the schema review: ${findings}`,
  ];
  const verb = exitCode === 0 ? 'took' : `failed with exit code ${exitCode} after`;
  return `The command ${verb} ${duration(durationMs)}: ${parts.filter(Boolean).join('; ')}`;
}

function longestFirst({ locks }: Rehearsal): LockFound[] {
  return locks.toSorted((a, b) => b.heldMs - a.heldMs);
}

/** `public.users: reads and writes blocked for 2.4s (AccessExclusiveLock) by ALTER TABLE …`. */
export function lockIn({ relation, blocks, heldMs, mode, statement, tookIt }: LockFound): string {
  const by = statement === undefined ? '' : ` by ${tookIt ? short(statement) : before(short(statement))}`;
  return `${relation.name}: ${blocks} blocked for ${duration(heldMs)} (${mode})${by}`;
}

/** What has taken a lock, if only a later statement of its transaction is known. */
function before(statement: string): string {
  return `a statement that ran before ${statement} in the same transaction`;
}

/** Of a command that still runs, or of one that has ended. */
export function selfWaitIn({ waiting, holder }: SelfWait, { runs }: { runs: boolean }): string {
  const what = waiting === undefined ? 'a statement' : short(waiting);
  const last = holder === undefined ? '' : ` (last statement: ${short(holder)})`;
  const next = 'Make the command end that transaction first, or use a single connection.';
  return runs
    ? `The command is blocking itself: ${what} waits for a lock that another of the command's connections holds in an open transaction${last}. The command is stuck until that transaction ends. ${next}`
    : `The command blocked itself: ${what} waited for a lock that another of the command's connections held in an open transaction${last}. ${next}`;
}

/** What to say if the command has not connected to the branch. One that succeeded has connected somewhere else, if anywhere. */
export function notConnectedIn({ exitCode }: Rehearsal): string {
  const head = 'The command does not seem to have connected to the rehearsal branch';
  return exitCode === 0
    ? `${head}. Make it use \`DATABASE_URL\`. If its configuration points to another database, it has just migrated that one.`
    : `${head}: it may use a URL other than \`DATABASE_URL\`, or have failed to connect, for example with a TLS error.`;
}

/** Why the step fails, as sentences: the command failed, was stopped, or blocked a table for too long. */
export function rehearsalFailure(rehearsal: Rehearsal): string[] {
  const { exitCode, stoppedBy, durationMs, maxLockMs, selfWaits, output, gaps } = rehearsal;
  const sentences: string[] = [];
  const [wait] = selfWaits;
  if (stoppedBy !== undefined) {
    // More time does not help a command that blocks itself.
    const limit = stoppedBy === 'timeout' ? 'to leave the rest of `timeout` for the cleanup' : '`max_duration`';
    const next = wait ? '' : ` Make the command faster, or raise \`${stoppedBy}\`.`;
    sentences.push(
      `The command was stopped after ${duration(durationMs)} (${limit}), and ended with exit code ${exitCode}.${next}`,
    );
  } else if (exitCode !== 0) {
    const last = output.findLast((line) => errorLine.test(line)) ?? output.findLast((line) => line.trim() !== '');
    const why = last === undefined ? '' : `: ${oneLine(last, 300)}`;
    sentences.push(asSentence(`The command failed with exit code ${exitCode} (\`run\`)${why}`));
  }
  if (wait && sentences.length > 0) sentences.push(selfWaitIn(wait, { runs: false }));
  if (maxLockMs === undefined) return sentences;
  const long = tooLong(rehearsal);
  if (long.length > 0) {
    sentences.push(
      `${heldFor(long, maxLockMs)} (\`max_lock\`): ${listSome(long.map(lockIn), maxNamed, '; ')}. Change the migration, or raise \`max_lock\`.`,
    );
  }
  if (gaps.length > 0) {
    const so = long.length > 0 ? 'other locks may also exceed `max_lock`' : '`max_lock` could not be fully checked';
    const next = sentences.length > 0 ? '' : ' Run the step again.';
    sentences.push(`Not everything was observed, so ${so}. ${gaps.join(' ')}${next}`);
  }
  return sentences;
}

/** The locks that were held for longer than `max_lock` allows. */
function tooLong({ locks, maxLockMs = Number.POSITIVE_INFINITY }: Rehearsal): LockFound[] {
  return locks.filter(({ heldMs }) => heldMs > maxLockMs);
}

function heldFor(long: LockFound[], maxLockMs: number): string {
  return `${long.length === 1 ? 'A lock was' : 'Locks were'} held for longer than ${duration(maxLockMs)}`;
}

function short(statement: string): string {
  return `\`${oneLine(statement.replace(/\s+/g, ' '), statementLength).replaceAll('`', "'")}\``;
}

/** What a rehearsal found, as Markdown, worst first; one line if there is nothing to worry about. */
export function rehearsalSection(
  { rehearsal, diff }: Pick<Result, 'diff'> & { rehearsal: Rehearsal },
  docsUrl: string | undefined,
): string[] {
  const { durationMs, walBytes } = rehearsal;
  const wrote = walBytes === undefined ? '' : ` and wrote ${size(walBytes)} of WAL`;
  if (isGreen(rehearsal, diff)) {
    const [longest] = longestFirst(rehearsal);
    const lock = longest
      ? `The longest lock was ${duration(longest.heldMs)}, on ${code(longest.relation.name)}.`
      : `No table was blocked for longer than ${duration(rehearsal.longestGapMs)}.`;
    const accepted = diff?.databases.flatMap((one) => ignoredIn(one, docsUrl)) ?? [];
    return [`✅ The migration ran in ${duration(durationMs)}${wrote}. ${lock}`, ...accepted, cannotShow(rehearsal)];
  }
  const parts = [
    `${rehearsal.exitCode === 0 ? '' : `❌ **Exit code ${rehearsal.exitCode}**${rehearsal.stoppedBy ? ` (stopped by \`${rehearsal.stoppedBy}\`)` : ''}. `}The command took ${duration(durationMs)}${wrote}.`,
  ];
  const long = tooLong(rehearsal);
  if (long.length > 0 && rehearsal.maxLockMs !== undefined)
    parts.push(alert('CAUTION', `**${heldFor(long, rehearsal.maxLockMs)}**: the step fails (\`max_lock\`)`));
  parts.push(
    ...rehearsal.selfWaits.slice(0, 1).map((wait) => alert('WARNING', sentence(selfWaitIn(wait, { runs: false })))),
  );
  if (!rehearsal.connected) parts.push(alert('CAUTION', notConnectedIn(rehearsal)));
  parts.push(...rehearsal.gaps.map((gap) => alert('WARNING', sentence(gap))));
  parts.push(lockTable(rehearsal, diff));
  if (rehearsal.rewritten.length > 0) parts.push(`**Rewritten**: ${changes(rehearsal.rewritten)}`);
  if (rehearsal.resized.length > 0) parts.push(`**Resized**: ${changes(rehearsal.resized)}`);
  if (diff) parts.push(...diffSection(diff, docsUrl));
  parts.push(...failureSections(rehearsal), cannotShow(rehearsal));
  return parts;
}

function isGreen(rehearsal: Rehearsal, diff: Result['diff']): boolean {
  const { exitCode, locks, rewritten, gaps, connected, selfWaits } = rehearsal;
  const isFine = exitCode === 0 && connected && gaps.length + rewritten.length + selfWaits.length === 0;
  const serious = diff ? findingsOf(diff).filter(({ level }) => level !== 'notice') : [];
  const incomplete = diff?.databases.some((one) => one.incomplete !== undefined) ?? false;
  return (
    isFine &&
    !incomplete &&
    serious.length === 0 &&
    tooLong(rehearsal).length === 0 &&
    locks.every(({ heldMs }) => heldMs < noticeableMs)
  );
}

function lockTable(rehearsal: Rehearsal, diff: Result['diff']): string {
  const locks = longestFirst(rehearsal);
  const certain = rehearsal.unseen;
  const maybe = maybeLocked(diff, new Set([...locks, ...certain].map(({ relation }) => relation.name)));
  const short = `less than ${duration(2 * rehearsal.longestGapMs)}`;
  const rowsAndSize = ({ relation: { rows, size: bytes } }: Pick<LockFound, 'relation'>) => [
    rows === undefined ? '–' : rows.toLocaleString('en-US'),
    size(bytes),
  ];
  const rows = [
    ...locks.map((lock) => [
      code(lock.relation.name),
      ...rowsAndSize(lock),
      lock.blocks,
      `**${duration(lock.heldMs)}**${lock.times > 1 ? ` (longest of ${lock.times})` : ''}`,
      statementOf(lock),
    ]),
    ...certain.map((one) => [
      code(one.relation.name),
      ...rowsAndSize(one),
      'reads and writes',
      short,
      `no sample shows the lock; inferred from a change to the table: ${one.what}`,
    ]),
    ...maybe.map(([object, rule]) => [
      code(object),
      '–',
      '–',
      'maybe',
      short,
      `no sample shows a lock; inferred from the finding <code>${rule}</code>`,
    ]),
  ];
  if (rows.length === 0)
    return `No existing table was observed to be blocked (locks sampled every ${Math.round(rehearsal.sampledEveryMs)}ms).`;
  const shown = table({ head: ['Table', 'Rows', 'Size', 'Blocked', 'For', 'By'], body: rows.slice(0, maxListed) });
  const more = rows.length - maxListed;
  const where = locks.length > maxListed ? ' (see the output `rehearsal`)' : '';
  return more > 0 ? `${shown}\n\nand ${more} more${where}` : shown;
}

/** What the review says takes a lock, and was too short to be seen: by its object, the rule. */
function maybeLocked(diff: Result['diff'], seen: Set<string>): [string, string][] {
  const found = diff?.databases.flatMap((one) => one.findings) ?? [];
  const isSeen = (object: string) => [...seen].some((name) => object === name || object.startsWith(`${name}.`));
  return found
    .filter((one) => levelOf(one) === 'locking' && one.rule !== 'add-index' && !isSeen(one.object))
    .map(({ object, rule }) => [object, rule]);
}

function statementOf({ statement, tookIt, longest }: LockFound): string {
  if (statement === undefined) return 'unknown';
  const inTable = (sql: string) => code(sql.replace(/\s+/g, ' ').trim(), listedLength);
  if (!tookIt) return before(inTable(statement));
  if (!longest || longest.ms <= 0) return inTable(statement);
  return `${inTable(statement)}; while the lock was held, ${inTable(longest.statement)} ran for ${duration(longest.ms)}`;
}

function changes(all: SizeChange[]): string {
  const shown = all
    .slice(0, maxListed)
    .map(({ relation, sizeAfter }) => `${code(relation.name)} (${size(relation.size)} → ${size(sizeAfter)})`);
  return `${shown.join(', ')}${all.length > maxListed ? ` and ${all.length - maxListed} more` : ''}`;
}

/** Of a command that failed: what ran last, and what it wrote last. */
function failureSections({ exitCode, statements, output }: Rehearsal): string[] {
  if (exitCode === 0) return [];
  const lastOf = statements.length === 1 ? 'statement' : count(statements.length, 'statement');
  return [
    ...(statements.length > 0 ? [folded(`Last ${lastOf} seen`, fenced(statements.join(';\n'), 'sql'))] : []),
    ...(output.length > 0 ? [folded('End of the output', fenced(output.join('\n')))] : []),
  ];
}

/** What a rehearsal cannot show. */
function cannotShow({ sampledEveryMs, longestGapMs }: Rehearsal): string {
  const gap = longestGapMs > 2 * sampledEveryMs ? ` (longest gap: ${duration(longestGapMs)})` : '';
  return `<sub>Locks were sampled every ${Math.round(sampledEveryMs)}ms${gap}, so shorter locks may be missing. A rehearsal has no other traffic: in production, a lock also waits for running queries, and later queries queue behind it.<br>A rehearsal also can't show the effect of a warm cache, of production's compute size, or of retries with \`lock_timeout\`.</sub>`;
}
