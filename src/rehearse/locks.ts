import { oneLine } from '../text/inert.ts';
import type { Catalog, Relation } from './catalog.ts';
import { blockingModes, type Mode, type Sample } from './observer.ts';

/** The longest time for which one transaction of the command has blocked a table that existed before. Times are milliseconds. */
export interface LockFound {
  table: string;
  rows: number | null;
  size: number;
  mode: Mode;
  blocks: 'reads and writes' | 'writes';
  /** From the first sample in which it was held or waited for (then everything queues behind it) to the transaction's end. */
  heldMs: number;
  /** How much of that it was only waited for. */
  waitedMs: number;
  /** What the session ran for the longest part of it, without literals: an earlier, brief statement may have taken the lock. */
  statement: string | undefined;
}

/** For how long a transaction has held a lock, or waited for it. */
interface Period {
  /** Undefined if a session of the load waits for something else than a table that existed. */
  relation: Relation | undefined;
  mode: string;
  isLoad: boolean;
  from: number;
  until: number;
  /** When it was first seen to be held; undefined if it was only waited for. */
  heldFrom: number | undefined;
  /** In how many samples the session has run each statement. */
  statements: Map<string, number>;
}

/** Follows locks from sample to sample: those of the command, and those that the load waits for behind it. Times are the server's. */
export class LockTracker {
  readonly #tables = new Map<number, Relation>();
  readonly #open = new Map<string, Period>();
  /** The longest one that has ended, of the load, or of a table and what it blocks. */
  readonly #longest = new Map<string, Period>();
  #first: number | undefined;
  #last = 0;
  #samples = 0;
  /** Whether a session of the command was seen, one of the load, and both at once. */
  sawCommand = false;
  sawLoad = false;
  overlapped = false;
  /** Without literals. */
  readonly failed = new Set<string>();

  constructor(before: Catalog) {
    for (const relation of before.relations.values()) {
      for (const oid of [relation.oid, ...relation.parts]) this.#tables.set(oid, relation);
    }
  }

  /** The mean time between two samples, in milliseconds. */
  get everyMs(): number {
    return this.#samples < 2 ? 0 : (this.#last - (this.#first ?? 0)) / (this.#samples - 1);
  }

  add({ at, ofCommand, ofLoad, locks, failed }: Sample): void {
    for (const sql of failed) this.failed.add(withoutLiterals(sql));
    this.sawCommand ||= ofCommand > 0;
    this.sawLoad ||= ofLoad > 0;
    this.overlapped ||= ofCommand > 0 && ofLoad > 0;
    const seen = new Set<string>();
    for (const { pid, isLoad, query, transaction, mode, granted, isBehind, ...lock } of locks) {
      const relation = this.#tables.get(lock.relation ?? 0);
      if (!(isLoad ? isBehind : relation !== undefined && isBlocking(mode))) continue;
      const key = [pid, transaction, relation?.oid, mode].join(' ');
      seen.add(key);
      const fresh: Period = { relation, mode, isLoad, from: at, until: at, heldFrom: undefined, statements: new Map() };
      const period = this.#open.get(key) ?? fresh;
      this.#open.set(key, period);
      if (granted) period.heldFrom ??= at;
      if (query) period.statements.set(query, (period.statements.get(query) ?? 0) + 1);
    }
    for (const [key, period] of this.#open) if (!seen.has(key)) this.#end(key, period, at);
    this.#first ??= at;
    this.#last = at;
    this.#samples++;
  }

  /** What the command has held or waited for, the longest first; and the longest wait of the load. What goes on ends with the last sample. */
  result(): { locks: LockFound[]; wait: { ms: number; table: string | undefined } } {
    for (const [key, period] of this.#open) this.#end(key, period, this.#last);
    const wait = this.#longest.get('load');
    const found = [...this.#longest.values()].flatMap(lockOf);
    // Whose reads are blocked for as long as its writes is listed once.
    const isCovered = ({ table, blocks, heldMs }: LockFound) =>
      blocks === 'writes' && found.some((one) => one.table === table && one.blocks !== blocks && one.heldMs >= heldMs);
    return {
      locks: found.filter((one) => !isCovered(one)).sort((a, b) => b.heldMs - a.heldMs || strength(b) - strength(a)),
      wait: { ms: wait ? msOf(wait) : 0, table: wait?.relation?.name },
    };
  }

  #end(key: string, period: Period, at: number): void {
    this.#open.delete(key);
    const { isLoad, relation, mode } = period;
    const about = isLoad ? 'load' : `${relation?.oid} ${blocksOf(mode)}`;
    const ended = { ...period, until: at };
    const longest = this.#longest.get(about);
    if (!longest || msOf(ended) > msOf(longest)) this.#longest.set(about, ended);
  }
}

const isBlocking = (mode: string): mode is Mode => blockingModes.some((one) => one === mode);
const blocksOf = (mode: string) => (mode === 'AccessExclusiveLock' ? 'reads and writes' : 'writes');
const strength = ({ mode }: LockFound) => blockingModes.indexOf(mode);
const msOf = ({ from, until }: Period) => until - from;

function lockOf(period: Period): LockFound[] {
  const { relation, mode, isLoad, from, heldFrom, until, statements } = period;
  if (isLoad || !relation || !isBlocking(mode)) return [];
  const { name: table, rows, size } = relation;
  const [sql] = [...statements].sort((a, b) => b[1] - a[1])[0] ?? [];
  const statement = sql && withoutLiterals(sql);
  const times = { heldMs: until - from, waitedMs: (heldFrom ?? until) - from };
  return [{ table, rows, size, mode, blocks: blocksOf(mode), ...times, statement }];
}

/** Characters of a statement. */
const statementLength = 300;

/** Comments, quoted names, and literals, of which the server may have cut off the last one. */
const tokens =
  /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|("[^"]*"?)|\be'(?:[^'\\]|\\[\s\S]|'')*'?|'[^']*'?|\$(\w*)\$[\s\S]*?(?:\$\2\$|$)/gi;

/** A statement without the values in it: rows never reach a report. */
export function withoutLiterals(sql: string): string {
  const shown = sql.replace(tokens, (token, name?: string) => name ?? (/^[-/]/.test(token) ? ' ' : "'…'"));
  return oneLine(shown.replace(/\s+/g, ' '), statementLength);
}
