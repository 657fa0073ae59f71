import { ruleTexts } from '../schema/rule-texts.ts';
import { asSentence, capital, count, duration, findingInWords, listSome, size } from '../text/format.ts';
import { alert, code, folded, plain, sentence, table } from '../text/markdown.ts';
import type { Finding, RehearseFacts } from './facts.ts';
import { blocked, failures, unseenBy } from './gates.ts';
import type { LockFound } from './locks.ts';
import type { Load, Observed } from './observe.ts';
import type { Probe } from './probe.ts';

/** Rows that a table lists. */
const maxListed = 30;
/** A shorter lock leaves a rehearsal green, in milliseconds. */
const noticeableMs = 1_000;

/** What the rehearsal found, as one sentence without its period: why it fails, or its worst lock or loss. */
export function resultOf(facts: RehearseFacts): string {
  const { observed, findings } = facts;
  if (!observed) return '';
  const [first] = failures(facts);
  if (first !== undefined) return first.replace(/\.$/, '');
  const [lock] = observed.locks;
  const [finding] = findings;
  if (lock && finding?.level !== 'destructive') return blocked(lock);
  if (finding && finding.level !== 'notice') return findingInWords(finding);
  const seen = observed.connected
    ? `no blocking lock was seen (sampled every ${Math.round(observed.sampledEveryMs)} ms)`
    : 'nothing connected to the branch';
  return `The migration ran in ${duration(observed.durationMs)}; ${seen}`;
}

/** The result, and why else the step fails, as Markdown. */
export function resultLines(facts: RehearseFacts): string[] {
  const { observed, findings } = facts;
  const failed = failures(facts);
  const isGreen =
    observed?.connected &&
    findings.every(({ level }) => level === 'notice') &&
    (observed.locks[0]?.heldMs ?? 0) < noticeableMs;
  return [
    `${failed.length > 0 ? '❌' : isGreen ? '✅' : '⚠️'} **${sentence(resultOf(facts))}**`,
    ...failed.slice(1).map((one) => `❌ ${sentence(one)}`),
  ];
}

/** What is below the result, as Markdown: what was blocked, what else happened, and facts. */
export function detailsOf(facts: RehearseFacts): string[] {
  const { observed, findings, ignored, incomplete, probe, unprobed, maxLockMs, afterwards } = facts;
  if (!observed) return [];
  const { locks, rewritten, rows, load } = observed;
  const rewrites = rewritten.map((one) => `${code(one.table)} (${size(one.size)} → ${size(one.sizeAfter)})`);
  const warnings =
    incomplete === undefined ? [] : [`The schema could not be fully reviewed: ${asSentence(incomplete)}`];
  if (failures(facts).length === 0) warnings.push(...unseenBy(observed));
  if (unprobed && maxLockMs === undefined) warnings.push(unprobed);
  return [
    ...warnings.map((one) => alert('WARNING', sentence(one))),
    locks.length > 0 && lockTable(locks),
    rewrites.length > 0 && `**Rewritten**: ${listSome(rewrites, maxListed)}`,
    rows.length > 0 && rowTable(rows),
    findings.length > 0 && findingTable(findings, load),
    ignored.length > 0 && folded(count(ignored.length, 'ignored finding'), findingTable(ignored, load)),
    load && underLoad(load),
    probe && `**If a table is being read**, the command ${ifRead(probe)}`,
    afterwards?.exitCode === 0 && !afterwards.stoppedBy && '`then` succeeded.',
    factLine(facts, observed),
  ].filter((part) => typeof part === 'string');
}

/** `1,000`. */
export const grouped = (number: number) => Math.round(number).toLocaleString('en-US');

/** A table of the first ones, and how many more there are in the outputs. */
function tableOf<T>(all: T[], head: string[], row: (one: T) => string[]): string {
  const shown = table({ head, body: all.slice(0, maxListed).map(row) });
  const more = all.length - maxListed;
  return more > 0 ? `${shown}\n\nand ${more} more in the outputs` : shown;
}

function lockTable(locks: LockFound[]): string {
  return tableOf(
    locks,
    ['Table', 'Blocked', 'Longest statement'],
    ({ heldMs, waitedMs, blocks, statement, ...lock }) => [
      `${code(lock.table)}<br>${lock.rows === null ? '' : `${grouped(lock.rows)} rows, `}${size(lock.size)}`,
      `**${duration(heldMs)}** (${blocks}${waitedMs > 0 ? `, ${duration(waitedMs)} of it waiting` : ''})`,
      statement === undefined ? 'unknown' : code(statement),
    ],
  );
}

function rowTable(rows: Observed['rows']): string {
  return tableOf(rows, ['Rows of', 'Inserted', 'Updated', 'Deleted'], (one) => [
    ...[code(one.table), grouped(one.inserted), grouped(one.updated)],
    `${grouped(one.deleted)}${one.truncated ? ', truncated' : ''}`,
  ]);
}

function findingTable(findings: Finding[], load?: Load): string {
  return tableOf(findings, ['Finding', 'Object', 'What happens'], ({ rule, level, object, detail }) => {
    const what = `${code(object)}${detail === '' ? '' : `<br>${plain(detail)}`}`;
    const why = rule === 'delete-rows' && load ? ' With `load`, that does not fail the step.' : '';
    return [`**${capital(level)}**<br>${rule}`, what, whyOf(rule) + why];
  });
}

/** Why a rule matters. */
function whyOf(rule: Finding['rule']): string {
  if (rule === 'delete-rows') return 'Rows that existed are gone.';
  if (rule === 'invalid-index')
    return 'A failed build has left an index that no query uses; drop it and build it again.';
  return ruleTexts[rule].why;
}

function underLoad({ waitedMs, table: name, failed, deadlocks, rollbacks }: Load): string {
  const where = name === undefined ? '' : ` for ${code(name)}`;
  const parts = [
    waitedMs > 0 ? `its sessions waited up to **${duration(waitedMs)}**${where}` : 'no session of it waited',
    deadlocks > 0 ? `**${count(deadlocks, 'deadlock')}**` : 'no deadlock',
  ];
  if (failed.length > 0) parts.push(`failed statements: ${listSome(failed.map(code), maxListed)}`);
  if (rollbacks > 0) parts.push(`${count(rollbacks, 'transaction')} rolled back, the migration's included`);
  return `**Under load**: ${parts.join('; ')}.`;
}

function ifRead({ outcome, givesUpMs }: Probe): string {
  if (outcome === 'waits')
    return 'waits without limit, and everything queues behind it. Set `lock_timeout`, and retry.';
  if (givesUpMs === undefined)
    return outcome === 'gave up' ? 'fails without waiting; the log says why.' : "doesn't have to wait.";
  const next = outcome === 'got through' ? '; it retries, and gets through once the reader has gone' : '';
  return `gives up after ${duration(givesUpMs)}, by \`lock_timeout\` or a limit of its own${next}.`;
}

function factLine({ branch = '', database = '' }: RehearseFacts, observed: Observed): string {
  const { durationMs, walBytes, sampledEveryMs, exitCode } = observed;
  const parts = [
    `Ran for ${duration(durationMs)} with exit code ${exitCode}`,
    walBytes === undefined ? '' : `wrote ${size(walBytes)} of WAL`,
    `locks sampled every ${Math.round(sampledEveryMs)} ms`,
    `on branch ${code(branch)}, database ${code(database)}`,
  ];
  return `<sub>${parts.filter(Boolean).join('; ')}.</sub>`;
}
