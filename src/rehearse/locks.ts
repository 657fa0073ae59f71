import type { Catalog, Relation } from './catalog.ts';
import { blockingModes, type Lock, type Mode, type Sample } from './sample.ts';

/** The longest time for which one transaction of the command has blocked a table that existed before. Times are milliseconds. */
export interface LockFound {
  table: string;
  rows: number | null;
  size: number;
  mode: Mode;
  blocks: 'reads and writes' | 'writes';
  /** From the first sample in which it was held or waited for, because everything queues behind it then, to the transaction's end. */
  heldMs: number;
  /** How much of that it was only waited for. */
  waitedMs: number;
  /** What the session ran for the longest part of it: a transaction may hold a lock that an earlier, brief statement has taken. */
  statement: string | undefined;
}

/** For how long one transaction has blocked one table. */
interface Period {
  relation: Relation;
  blocks: LockFound['blocks'];
  mode: Mode;
  from: number;
  /** When it was first seen to be held; undefined if it was only waited for. */
  heldFrom: number | undefined;
  until: number;
  /** In how many samples the session has run each statement. */
  statements: Map<string, number>;
}

/** Follows the locks of the command from sample to sample. Times are the server's; no clock of this machine matters. */
export class LockTracker {
  readonly #tables = new Map<number, Relation>();
  readonly #open = new Map<string, Period>();
  readonly #ended: Period[] = [];
  #first: number | undefined;
  #last = 0;
  #samples = 0;
  /** The longest time between two samples, in milliseconds: of a lock that was shorter, nothing may have been seen. */
  longestGapMs = 0;
  /** Whether a session of the command was seen. */
  sawSession = false;

  constructor(before: Catalog) {
    for (const relation of before.relations.values()) {
      for (const oid of [relation.oid, ...relation.parts]) this.#tables.set(oid, relation);
    }
  }

  /** The mean time between two samples, in milliseconds. */
  get everyMs(): number {
    return this.#samples < 2 ? 0 : (this.#last - (this.#first ?? 0)) / (this.#samples - 1);
  }

  /** The table that a lock is on; undefined if it did not exist before. */
  tableOf({ relation }: Pick<Lock, 'relation'>): string | undefined {
    return this.#tables.get(relation ?? 0)?.name;
  }

  add({ at, sessions, locks }: Sample): void {
    const own = new Map(sessions.filter(({ isLoad }) => !isLoad).map((one) => [one.pid, one]));
    if (own.size > 0) this.sawSession = true;
    const seen = new Set<string>();
    for (const lock of locks) {
      const session = own.get(lock.pid);
      const relation = this.#tables.get(lock.relation ?? 0);
      if (!relation || !session || !isBlocking(lock.mode)) continue;
      for (const blocks of whatBlocks(lock.mode)) {
        const key = `${blocks} ${lock.pid} ${lock.transaction} ${relation.oid}`;
        const fresh = {
          relation,
          blocks,
          mode: lock.mode,
          from: at,
          heldFrom: undefined,
          until: at,
          statements: new Map(),
        };
        const period: Period = this.#open.get(key) ?? fresh;
        this.#open.set(key, period);
        seen.add(key);
        const { statements } = period;
        if (session.query) statements.set(session.query, (statements.get(session.query) ?? 0) + 1);
        if (lock.granted) period.heldFrom ??= at;
        if (rank(lock.mode, blocks) > rank(period.mode, blocks)) period.mode = lock.mode;
      }
    }
    for (const [key, period] of this.#open) {
      if (!seen.has(key)) this.#close(key, period, at);
    }
    this.longestGapMs = Math.max(this.longestGapMs, at - (this.#first === undefined ? at : this.#last));
    this.#first ??= at;
    this.#last = at;
    this.#samples++;
  }

  /** What was held or waited for, the longest first. Locks that are still held end with the last sample. */
  result(): LockFound[] {
    for (const [key, period] of this.#open) this.#close(key, period, this.#last);
    const byRelation = Map.groupBy(this.#ended, ({ relation }) => relation);
    const found = [...byRelation.values()].flatMap(longestOf);
    return found.sort((a, b) => b.heldMs - a.heldMs || strength(b.mode) - strength(a.mode));
  }

  #close(key: string, period: Period, at: number): void {
    this.#open.delete(key);
    this.#ended.push({ ...period, until: at });
  }
}

/** A lock that blocks reads is followed twice: a transaction may block writes for long, and reads only at its end. */
function whatBlocks(mode: Mode): Period['blocks'][] {
  return mode === 'AccessExclusiveLock' ? ['writes', 'reads and writes'] : ['writes'];
}

function isBlocking(mode: string): mode is Mode {
  return blockingModes.some((one) => one === mode);
}

function strength(mode: Mode): number {
  return blockingModes.indexOf(mode);
}

/** What blocks reads has a period of its own; the other one is about the weaker mode, if there was one. */
function rank(mode: Mode, blocks: Period['blocks']): number {
  return blocks === 'writes' && mode === 'AccessExclusiveLock' ? -1 : strength(mode);
}

const msOf = ({ from, until }: Period) => until - from;

/** Of one table: the longest period that blocked reads and writes, and the longest that blocked writes if that was longer. */
function longestOf(periods: Period[]): LockFound[] {
  const longest = (blocks: Period['blocks']) =>
    periods.filter((one) => one.blocks === blocks).sort((a, b) => msOf(b) - msOf(a))[0];
  const [all, writes] = [longest('reads and writes'), longest('writes')];
  const isLonger = writes && (!all || msOf(writes) > msOf(all));
  return [all, isLonger ? writes : undefined].flatMap((one) => (one ? found(one) : []));
}

function found(period: Period): LockFound {
  const { relation, mode, blocks, from, heldFrom, until, statements } = period;
  const { name: table, rows, size } = relation;
  const [statement] = [...statements].sort((a, b) => b[1] - a[1])[0] ?? [];
  return { table, rows, size, mode, blocks, heldMs: until - from, waitedMs: (heldFrom ?? until) - from, statement };
}
