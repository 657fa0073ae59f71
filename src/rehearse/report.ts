import { ruleTexts } from '../schema/rule-texts.ts';
import { asSentence, capital, count, duration, listSome, size } from '../text/format.ts';
import { alert, code, folded, plain, sentence, table } from '../text/markdown.ts';
import type { Finding, RehearseFacts } from './facts.ts';
import { blocked, failures, inWords, ofLoad } from './gates.ts';
import type { ownRules } from './inputs.ts';
import type { Load } from './load.ts';
import type { LockFound } from './locks.ts';
import type { Observed } from './observe.ts';
import type { Probe } from './probe.ts';

/** Rows that a table lists. */
const maxListed = 30;
/** Characters of a statement in a table. */
const statementLength = 160;
/** A lock that was held for less does not make a rehearsal anything but green, in milliseconds. */
const noticeableMs = 1_000;

/** What the rehearsal found, as one sentence without its period: why it fails, or its worst lock or loss. */
export function resultOf(facts: RehearseFacts): string {
  const { observed, findings } = facts;
  if (!observed) return '';
  const [first] = failures(facts);
  if (first !== undefined) return first.replace(/\.$/, '');
  const [lock] = observed.locks;
  const [finding] = findings.filter(({ level }) => level !== 'notice');
  if (finding?.level === 'destructive') return inWords(finding);
  if (lock) return blocked(lock);
  if (finding) return inWords(finding);
  const seen = observed.connected
    ? `no blocking lock was seen (sampled every ${Math.round(observed.sampledEveryMs)} ms)`
    : 'nothing connected to the branch';
  return `The migration ran in ${duration(observed.durationMs)}; ${seen}`;
}

/** The report, as Markdown parts: the result, what was blocked, what else happened, and facts. */
export function reportOf(facts: RehearseFacts, docsUrl: string | undefined): string[] {
  const { observed, findings, ignored, incomplete, probe, afterwards } = facts;
  if (!observed) return [];
  const [first, ...others] = failures(facts);
  const serious = findings.filter(({ level }) => level !== 'notice');
  const notices = findings.filter(({ level }) => level === 'notice');
  const isGreen = observed.connected && serious.length === 0 && (observed.locks[0]?.heldMs ?? 0) < noticeableMs;
  const warnings = first === undefined ? [...observed.gaps, ...ofLoad(observed)] : [];
  if (first === undefined && !observed.connected) {
    warnings.push('If the command uses another URL than `DATABASE_URL`, it has just migrated that database.');
  }
  if (incomplete !== undefined) warnings.push(`The schema could not be fully reviewed: ${asSentence(incomplete)}`);
  const { locks, rewritten, rows, load } = observed;
  const when = (condition: unknown, part: () => string) => (condition ? [part()] : []);
  const list = (some: Finding[], name: string) => folded(count(some.length, name), listed(some, docsUrl));
  return [
    `${first === undefined ? (isGreen ? '✅' : '⚠️') : '❌'} **${sentence(resultOf(facts))}**`,
    ...others.map((one) => `❌ ${sentence(one)}`),
    ...warnings.map((one) => alert('WARNING', sentence(one))),
    ...when(locks.length > 0, () => lockTable(locks)),
    ...when(rewritten.length > 0, () => rewrites(rewritten)),
    ...when(rows.length > 0, () => rowTable(rows)),
    ...when(serious.length > 0, () => listed(serious, docsUrl)),
    ...when(notices.length > 0, () => list(notices, 'notice')),
    ...when(ignored.length > 0, () => list(ignored, 'ignored finding')),
    ...(load ? [underLoad(load)] : []),
    ...(probe ? [`**If a table is being read**, the command ${ifRead(probe)}`] : []),
    ...when(afterwards === 0, () => '`then` succeeded.'),
    factLine(facts, observed),
  ];
}

/** `1,000`. */
export const grouped = (number: number) => Math.round(number).toLocaleString('en-US');

function lockTable(locks: LockFound[]): string {
  const body = locks
    .slice(0, maxListed)
    .map(({ table: name, rows, size: bytes, heldMs, waitedMs, ...lock }) => [
      `${code(name)}<br>${rows === null ? '' : `${grouped(rows)} ${rows === 1 ? 'row' : 'rows'}, `}${size(bytes)}`,
      `**${duration(heldMs)}** (${lock.blocks}${waitedMs > 0 ? `, ${duration(waitedMs)} of it waiting` : ''})`,
      lock.statement === undefined ? 'unknown' : code(lock.statement, statementLength),
    ]);
  const more = locks.length - body.length;
  const shown = table({ head: ['Table', 'Blocked', 'By'], body });
  return more > 0 ? `${shown}\n\nand ${more} more in the output \`rehearsal\`` : shown;
}

function rewrites(rewritten: Observed['rewritten']): string {
  const all = rewritten.map((one) => `${code(one.table)} (${size(one.size)} → ${size(one.sizeAfter)})`);
  return `**Rewritten**: ${listSome(all, maxListed)}`;
}

function rowTable(rows: Observed['rows']): string {
  const body = rows
    .slice(0, maxListed)
    .map(({ table: name, inserted, updated, deleted, truncated }) => [
      ...[code(name), grouped(inserted), grouped(updated)],
      `${grouped(deleted)}${truncated ? ', truncated' : ''}`,
    ]);
  return table({ head: ['Rows of', 'Inserted', 'Updated', 'Deleted'], body });
}

/** What only a rehearsal finds. */
const ownTexts: Record<keyof typeof ownRules, string> = {
  'delete-rows': 'rows that existed are gone',
  'invalid-index': 'a failed or interrupted build has left an index that no query uses; drop it and build it again',
};

function listed(findings: Finding[], docsUrl: string | undefined): string {
  const lines = findings.slice(0, maxListed).map(({ rule, level, object, detail }) => {
    const [page, why] =
      rule === 'delete-rows' || rule === 'invalid-index'
        ? ['rehearse.md', ownTexts[rule]]
        : ['diff.md', ruleTexts[rule].why];
    const name = docsUrl === undefined ? rule : `[${rule}](${docsUrl}/${page}#${rule})`;
    const mark = level === 'notice' ? '' : `**${capital(level)}**: `;
    return `- ${mark}${name} ${code(object)}${detail === '' ? '' : ` (${plain(detail)})`}: ${why}`;
  });
  const more = findings.length - lines.length;
  return [...lines, ...(more > 0 ? [`- and ${more} more in the output \`findings\``] : [])].join('\n');
}

function underLoad({ waitedMs, table: name, deadlocks, rollbacks }: Load): string {
  const where = name === undefined ? '' : ` for ${code(name)}`;
  const parts = [
    waitedMs > 0 ? `its sessions waited up to **${duration(waitedMs)}**${where}` : 'no session of it waited',
    deadlocks > 0 ? `**${count(deadlocks, 'deadlock')}**` : 'no deadlock',
  ];
  if (rollbacks > 0) parts.push(`${count(rollbacks, 'transaction')} rolled back, the migration's included`);
  return `**Under load**: ${parts.join('; ')}.`;
}

function ifRead({ outcome, givesUpMs }: Probe): string {
  if (outcome === 'waits')
    return 'waits without limit, and everything queues behind it. Set `lock_timeout`, and retry.';
  if (givesUpMs === undefined) return outcome === 'gave up' ? 'gives up at once.' : "doesn't have to wait.";
  const gaveUp = `gives up after ${duration(givesUpMs)}, by \`lock_timeout\` or a limit of its own`;
  return outcome === 'gave up' ? `${gaveUp}.` : `${gaveUp}; it retries, and gets through once the reader has gone.`;
}

function factLine({ branch, database = '' }: RehearseFacts, observed: Observed): string {
  const { durationMs, readMs, walBytes, sampledEveryMs, longestGapMs, exitCode } = observed;
  const cold = readMs >= durationMs * 0.1 ? `, ${duration(readMs)} of it reading from storage` : '';
  const gap = longestGapMs > 2 * sampledEveryMs ? ` (longest gap: ${duration(longestGapMs)})` : '';
  const parts = [
    `Ran for ${duration(durationMs)}${cold} with exit code ${exitCode}`,
    walBytes === undefined ? '' : `wrote ${size(walBytes)} of WAL`,
    `locks sampled every ${Math.round(sampledEveryMs)} ms${gap}`,
    branch ? `on branch ${code(branch.name)}, database ${code(database)}` : '',
  ];
  return `<sub>${parts.filter(Boolean).join('; ')}.</sub>`;
}
