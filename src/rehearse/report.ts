import { ruleTexts } from '../schema/rule-texts.ts';
import { asSentence, capital, count, duration, listSome, size } from '../text/format.ts';
import { alert, code, folded, plain, sentence, table } from '../text/markdown.ts';
import type { Finding, RehearseFacts } from './facts.ts';
import { blocked, failures, ofLoad } from './gates.ts';
import { ownRules } from './inputs.ts';
import type { LockFound } from './locks.ts';
import type { Observed } from './observe.ts';

/** Rows that a table lists. */
const maxListed = 30;
/** Characters of a statement in a table. */
const statementLength = 160;
/** A lock that was held for less does not make a rehearsal anything but green, in milliseconds. */
const noticeableMs = 1_000;

/** What the rehearsal found, as one sentence without its period. */
export function resultOf(facts: RehearseFacts): string {
  const { observed } = facts;
  if (!observed) return '';
  const [first] = failures(facts);
  return (
    first?.replace(/\.$/, '') ??
    worst(facts) ??
    `The migration ran in ${duration(observed.durationMs)}; ${unseen(observed)}`
  );
}

/** The worst lock, or loss, of a rehearsal that passes. */
function worst({ observed, findings }: RehearseFacts): string | undefined {
  const [lock] = observed?.locks ?? [];
  const [finding] = findings.filter(({ level }) => level !== 'notice');
  if (finding?.level === 'destructive')
    return `${finding.rule} ${finding.object}${finding.detail && ` (${finding.detail})`}`;
  if (lock) return blocked(lock);
  return finding && `${finding.rule} ${finding.object}`;
}

function unseen({ sampledEveryMs, connected }: Observed): string {
  if (!connected) return 'nothing connected to the branch';
  return `no blocking lock was seen (sampled every ${Math.round(sampledEveryMs)} ms)`;
}

/** The report, as Markdown parts: the result, what was blocked, what else happened, and facts. */
export function reportOf(facts: RehearseFacts, docsUrl: string | undefined): string[] {
  const { observed, findings, ignored, incomplete, probe, afterwards } = facts;
  if (!observed) return [];
  const fails = failures(facts);
  const isSerious =
    !observed.connected ||
    observed.locks.some(({ heldMs }) => heldMs >= noticeableMs) ||
    findings.some(({ level }) => level !== 'notice');
  const mark = fails.length > 0 ? '❌' : isSerious ? '⚠️' : '✅';
  const notConnected = `Nothing connected to the branch. If the command uses another URL than \`DATABASE_URL\`, it has just migrated that database.`;
  return [
    `${mark} **${sentence(resultOf(facts))}**`,
    ...fails.slice(1).map((one) => `❌ ${sentence(one)}`),
    ...(observed.connected || fails.length > 0 ? [] : [alert('WARNING', sentence(notConnected))]),
    ...(fails.length > 0 ? [] : observed.gaps.map((gap) => alert('WARNING', sentence(gap)))),
    ...(observed.locks.length > 0 ? [lockTable(observed.locks)] : []),
    ...rewrites(observed),
    ...rowTable(observed),
    ...findingList(findings, docsUrl),
    ...(incomplete === undefined
      ? []
      : [alert('WARNING', `The schema could not be fully reviewed: ${sentence(asSentence(incomplete))}`)]),
    ...(ignored.length > 0
      ? [folded(`${count(ignored.length, 'ignored finding')} (<code>ignore_rules</code>)`, listed(ignored, docsUrl))]
      : []),
    ...loadSection(facts),
    ...(probe ? [probeLine(probe)] : []),
    ...(afterwards === 0 ? ['`then` succeeded.'] : []),
    factLine(facts, observed),
  ];
}

function lockTable(locks: LockFound[]): string {
  const body = locks.slice(0, maxListed).map((lock) => {
    const { rows, size: bytes, waitedMs, statement } = lock;
    const about =
      rows === undefined ? size(bytes) : `${count(Math.round(rows), 'row').replace(/^\d+/, numberOf)}, ${size(bytes)}`;
    const waited = waitedMs > 0 ? `, ${duration(waitedMs)} of it waiting` : '';
    return [
      `${code(lock.table)}<br>${about}`,
      `**${duration(lock.heldMs)}** (${lock.blocks}${waited})`,
      statement === undefined ? 'unknown' : code(statement, statementLength),
    ];
  });
  const more = locks.length - body.length;
  return `${table({ head: ['Table', 'Blocked', 'By'], body })}${more > 0 ? `\n\nand ${more} more in the output \`rehearsal\`` : ''}`;
}

const numberOf = (digits: string) => Number(digits).toLocaleString('en-US');

function rewrites({ rewritten }: Observed): string[] {
  if (rewritten.length === 0) return [];
  const all = rewritten.map((one) => `${code(one.table)} (${size(one.size)} → ${size(one.sizeAfter)})`);
  return [`**Rewritten**: ${listSome(all, maxListed)}`];
}

function rowTable({ rows }: Observed): string[] {
  if (rows.length === 0) return [];
  const body = rows
    .slice(0, maxListed)
    .map(({ table: name, inserted, updated, deleted, truncated }) => [
      code(name),
      ...[inserted, updated].map((one) => numberOf(String(one))),
      `${numberOf(String(deleted))}${truncated ? ', truncated' : ''}`,
    ]);
  return [table({ head: ['Rows of', 'Inserted', 'Updated', 'Deleted'], body })];
}

/** What only a rehearsal finds. */
const ownTexts: Record<keyof typeof ownRules, string> = {
  'delete-rows': 'rows that existed are gone',
  'invalid-index': 'a failed or interrupted build has left an index that no query uses; drop it and build it again',
};

function findingList(findings: Finding[], docsUrl: string | undefined): string[] {
  const [notices, others] = [
    findings.filter(({ level }) => level === 'notice'),
    findings.filter(({ level }) => level !== 'notice'),
  ];
  return [
    ...(others.length > 0 ? [listed(others, docsUrl)] : []),
    ...(notices.length > 0 ? [folded(count(notices.length, 'notice'), listed(notices, docsUrl))] : []),
  ];
}

function listed(findings: Finding[], docsUrl: string | undefined): string {
  const lines = findings.slice(0, maxListed).map(({ rule, level, object, detail }) => {
    const isOwn = (name: string): name is keyof typeof ownRules => name in ownRules;
    const page = isOwn(rule) ? 'rehearse.md' : 'schema-review.md';
    const name = docsUrl === undefined ? rule : `[${rule}](${docsUrl}/${page}#${rule})`;
    const why = isOwn(rule) ? ownTexts[rule] : ruleTexts[rule].why;
    return `- ${level === 'notice' ? '' : `**${capital(level)}**: `}${name} ${code(object)}${detail === '' ? '' : ` (${plain(detail)})`}: ${why}`;
  });
  const more = findings.length - lines.length;
  return [...lines, ...(more > 0 ? [`- and ${more} more in the output \`findings\``] : [])].join('\n');
}

function loadSection(facts: RehearseFacts): string[] {
  const { load } = facts.observed ?? {};
  if (!load) return [];
  const where = load.table === undefined ? '' : ` for ${code(load.table)}`;
  const waited =
    load.waitedMs > 0 ? `its sessions waited up to **${duration(load.waitedMs)}**${where}` : 'no session of it waited';
  const parts = [waited, load.deadlocks > 0 ? `**${count(load.deadlocks, 'deadlock')}**` : 'no deadlock'];
  if (load.rollbacks > 0) parts.push(`${count(load.rollbacks, 'transaction')} rolled back, the migration's included`);
  return [`**Under load**: ${parts.join('; ')}.`, ...ofLoad(facts).map((one) => alert('WARNING', sentence(one)))];
}

function probeLine({ outcome, givesUpMs }: NonNullable<RehearseFacts['probe']>): string {
  const head = '**If a table is being read**, the command';
  const after =
    givesUpMs === undefined ? '' : ` after ${duration(givesUpMs)}, by \`lock_timeout\` or a limit of its own`;
  if (outcome === 'waits')
    return `${head} waits without limit, and everything queues behind it. Set \`lock_timeout\`, and retry.`;
  if (outcome === 'gave up') return `${head} gives up${after}.`;
  return givesUpMs === undefined
    ? `${head} doesn't have to wait.`
    : `${head} gives up${after}; it retries, and gets through once the reader has gone.`;
}

function factLine({ branch, database }: RehearseFacts, observed: Observed): string {
  const { durationMs, readMs, walBytes, sampledEveryMs, longestGapMs, exitCode } = observed;
  const cold = readMs >= durationMs * 0.1 ? `, ${duration(readMs)} of it reading from storage` : '';
  const gap = longestGapMs > 2 * sampledEveryMs ? ` (longest gap: ${duration(longestGapMs)})` : '';
  const parts = [
    `Ran for ${duration(durationMs)}${cold} with exit code ${exitCode}`,
    walBytes === undefined ? '' : `wrote ${size(walBytes)} of WAL`,
    `locks sampled every ${Math.round(sampledEveryMs)} ms${gap}`,
    branch ? `on branch ${code(branch.name)}${database === undefined ? '' : `, database ${code(database)}`}` : '',
  ];
  return `<sub>${parts.filter(Boolean).join('; ')}.</sub>`;
}
