import { type Catalog, factsOf, type Relation, type RelationFacts } from './catalog.ts';
import { blockingModes, type Mode, type Sample, type Session } from './sample.ts';

/** The longest time for which one transaction has blocked a relation that existed before. */
export interface LockFound {
  relation: RelationFacts;
  mode: Mode;
  blocks: 'reads and writes' | 'writes';
  heldMs: number;
  /** The statement that took it, or if that is not known, the one that ran longest under it. */
  statement: string | undefined;
  /** Whether `statement` took the lock; else an earlier statement of its transaction did. */
  tookIt: boolean;
  /** The statement that ran longest under it, and for how long, if that is another one. */
  longest: { statement: string; ms: number } | undefined;
  /** How many transactions blocked the relation in this way. */
  times: number;
}

/** A session that waits for a lock which the command itself holds in another connection. */
export interface SelfWait {
  waiting: string | undefined;
  holder: string | undefined;
}

/** Which locks a period is about: all that block writes, or those that also block reads. */
type Track = 'writes' | 'reads';

interface Period {
  track: Track;
  relation: Relation;
  mode: Mode;
  pid: number;
  from: number;
  lastSeen: number;
  /** Known once it has ended. */
  until: number;
  taker: string | undefined;
  statements: Map<string, { from: number; until: number }>;
}

/** How long a session must wait for an idle one until it counts as waiting for itself, in milliseconds. */
const selfWaitMs = 3_000;

/** Follows the locks from sample to sample. Times are the server's; no clock of this machine matters. */
export class LockTracker {
  readonly #tables = new Map<number, Relation>();
  readonly #open = new Map<string, Period>();
  readonly #ended: Period[] = [];
  readonly #waitingSince = new Map<number, number>();
  readonly #onSelfWait: (wait: SelfWait) => void;
  #previous: Sample | undefined;
  #first: number | undefined;
  #samples = 0;
  /** The longest time between two samples, in milliseconds: of a lock that was shorter, nothing may have been seen. */
  longestGapMs = 0;
  /** Whether any session but the sampler's was there. */
  sawSession = false;
  /** The last statements that were seen, oldest first. */
  readonly statements: string[] = [];

  constructor(before: Catalog, onSelfWait: (wait: SelfWait) => void = () => {}) {
    for (const relation of before.relations.values()) {
      for (const oid of [relation.oid, ...relation.parts]) this.#tables.set(oid, relation);
    }
    this.#onSelfWait = onSelfWait;
  }

  /** The mean time between two samples, in milliseconds. */
  get everyMs(): number {
    if (this.#first === undefined || this.#previous === undefined || this.#samples < 2) return 0;
    return (this.#previous.at - this.#first) / (this.#samples - 1);
  }

  add(sample: Sample): void {
    const sessions = new Map(sample.sessions.map((one) => [one.pid, one]));
    const seen = new Set<string>();
    for (const lock of sample.locks) {
      const session = sessions.get(lock.pid);
      const relation = this.#tables.get(lock.relation);
      // Locks of the server's own processes are not the command's, and a parallel worker's are its leader's.
      if (!relation || !session || (session.leader !== undefined && session.leader !== session.pid)) continue;
      for (const track of tracksOf(lock.mode)) {
        const key = `${track} ${lock.pid} ${lock.transaction} ${relation.oid}`;
        seen.add(key);
        this.#see(key, { mode: lock.mode, track, relation, session, at: sample.at });
      }
    }
    for (const [key, period] of this.#open) {
      if (!seen.has(key)) this.#close(key, period, { at: sample.at, session: sessions.get(period.pid) });
    }
    this.#followWaits(sample, sessions);
    this.#noteStatements(sample);
    this.#first ??= sample.at;
    this.longestGapMs = Math.max(this.longestGapMs, sample.at - (this.#previous?.at ?? sample.at));
    this.#previous = sample;
    this.#samples++;
  }

  /** What was held, strongest mode first, then the longest. Locks that are still held end with the last sample. */
  result(): LockFound[] {
    for (const [key, period] of this.#open) this.#close(key, period, { at: this.#previous?.at ?? period.lastSeen });
    const byRelation = Map.groupBy(this.#ended, ({ relation }) => relation);
    const found = [...byRelation.values()].flatMap((periods) => this.#summarize(periods));
    return found.sort((a, b) => strength(b.mode) - strength(a.mode) || b.heldMs - a.heldMs);
  }

  #see(key: string, seen: { track: Track; relation: Relation; mode: Mode; session: Session; at: number }): void {
    const { track, relation, mode, session, at } = seen;
    const previousAt = this.#previous?.at;
    let period = this.#open.get(key);
    if (!period) {
      const { pid } = session;
      const taker = takerOf({ session, relation, mode, previousAt });
      const from = startOf({ session, at, previousAt, tookIt: taker !== undefined });
      const base = { track, relation, mode, pid, from, taker };
      period = { ...base, lastSeen: from, until: from, statements: new Map() };
      this.#open.set(key, period);
    }
    // What blocks reads has a period of its own; the other one is about the weaker mode, if there was one.
    const rank = (one: Mode) => (track === 'writes' && one === 'AccessExclusiveLock' ? -1 : strength(one));
    if (rank(mode) > rank(period.mode)) period.mode = mode;
    noteStatement(period, { session, at });
    period.lastSeen = at;
  }

  #close(key: string, period: Period, end: { at: number; session?: Session }): void {
    this.#open.delete(key);
    period.until = endOf(period, end);
    // What ran last ran until about then.
    const last = [...period.statements.values()].at(-1);
    if (last && last.until >= period.lastSeen) last.until = period.until;
    this.#ended.push(period);
  }

  /** At most two entries: the longest period that blocked reads, and the longest that blocked writes if that was longer. */
  #summarize(periods: Period[]): LockFound[] {
    const [reads, writes] = (['reads', 'writes'] as const).map((track) => periods.filter((one) => one.track === track));
    const [strong, all] = [longestOf(reads ?? []), longestOf(writes ?? [])];
    const noise = strong ? Math.max(2 * this.everyMs, heldMs(strong) * 0.1) : 0;
    return [
      ...(strong ? [found(strong, reads?.length ?? 0)] : []),
      ...(all && (!strong || heldMs(all) > heldMs(strong) + noise) ? [found(all, writes?.length ?? 0)] : []),
    ];
  }

  #followWaits({ at, waits }: Sample, sessions: Map<number, Session>): void {
    const waiting = new Set<number>();
    for (const { pid, blockers } of waits) {
      const holder = blockers.map((one) => sessions.get(one)).find((one) => one && isIdle(one));
      if (!holder) continue;
      waiting.add(pid);
      const since = this.#waitingSince.get(pid) ?? at;
      this.#waitingSince.set(pid, since);
      if (at - since < selfWaitMs || since < 0) continue;
      // Said once.
      this.#waitingSince.set(pid, Number.NEGATIVE_INFINITY);
      this.#onSelfWait({ waiting: sessions.get(pid)?.query, holder: holder.query });
    }
    for (const pid of this.#waitingSince.keys()) if (!waiting.has(pid)) this.#waitingSince.delete(pid);
  }

  #noteStatements({ sessions }: Sample): void {
    for (const { query, queryStart } of sessions) {
      this.sawSession = true;
      if (query === undefined || query === '' || queryStart === undefined) continue;
      if (this.statements.includes(query)) continue;
      this.statements.push(query);
      if (this.statements.length > mostStatements) this.statements.shift();
    }
  }
}

const mostStatements = 10;

/**
 * A strong lock is followed twice, as itself and as one that blocks writes: a transaction may block writes for long, and reads only
 * at its end.
 */
function tracksOf(mode: Mode): Track[] {
  return mode === 'AccessExclusiveLock' ? ['writes', 'reads'] : ['writes'];
}

function heldMs({ from, until }: Period): number {
  return Math.max(0, until - from);
}

function longestOf(periods: Period[]): Period | undefined {
  return [...periods].sort((a, b) => heldMs(b) - heldMs(a))[0];
}

function found(period: Period, times: number): LockFound {
  const [longest] = [...period.statements]
    .map(([statement, { from, until }]) => ({ statement, ms: until - from }))
    .sort((a, b) => b.ms - a.ms);
  const statement = period.taker ?? longest?.statement;
  return {
    relation: factsOf(period.relation),
    mode: period.mode,
    blocks: period.track === 'reads' ? 'reads and writes' : 'writes',
    heldMs: heldMs(period),
    statement,
    tookIt: period.taker !== undefined,
    longest: longest && longest.statement !== statement ? longest : undefined,
    times,
  };
}

function strength(mode: Mode): number {
  return blockingModes.indexOf(mode);
}

function isIdle({ state }: Session): boolean {
  return state?.startsWith('idle in transaction') ?? false;
}

/**
 * When a lock was taken, for the first sample that shows it: when its statement or transaction began, if that was after the previous
 * sample, which didn't show the lock yet; otherwise when the sample was taken.
 */
function startOf(options: { session: Session; at: number; previousAt: number | undefined; tookIt: boolean }): number {
  const { session, at, previousAt = Number.NEGATIVE_INFINITY, tookIt } = options;
  const { queryStart, transactionStart } = session;
  const [start] = [tookIt ? queryStart : undefined, transactionStart].filter(
    (time) => time !== undefined && time > previousAt,
  );
  return Math.min(at, start ?? at);
}

/** When it was released: before the sample that is the first without it, and before the session did anything else. */
function endOf(period: Period, end: { at: number; session?: Session }): number {
  const { session, at } = end;
  const isIdle = session?.state === 'idle';
  const events = [isIdle ? session?.stateChange : undefined, session?.transactionStart];
  const later = events.filter((time) => time !== undefined && time > period.lastSeen && time < at) as number[];
  return Math.min(at, ...later);
}

/**
 * The statement that took a lock, for the first sample that shows it; undefined if it is not known. It is certain if the session's
 * statement was already running at the previous sample, or is the first one of its transaction; it is likely if it is of a kind that
 * takes such locks, and names the relation.
 */
function takerOf(options: {
  session: Session;
  relation: Relation;
  mode: Mode;
  previousAt: number | undefined;
}): string | undefined {
  const { session, relation, mode, previousAt = Number.POSITIVE_INFINITY } = options;
  const { query, queryStart, transactionStart, state } = session;
  if (query === undefined || queryStart === undefined) return undefined;
  const isRunning = state === 'active';
  if (isRunning && (queryStart <= previousAt || queryStart === transactionStart)) return query;
  const sql = query.replace(comments, '');
  return canLock.test(sql) && !isTooWeak(sql, mode) && names(query, relation) ? query : undefined;
}

const comments = /^(?:\s|--[^\n]*\n|\/\*[\s\S]*?\*\/)*/;
/** A statement that takes a lock on a table by itself, and not as part of a change of rows; or several in one text. */
const canLock = /^(?:alter|create|drop|truncate|lock|reindex|cluster|vacuum|refresh|do|call)\b/i;
/** The strongest lock on a table of single statements that take none that blocks reads. */
const strongest: [RegExp, Mode][] = [
  [/^create\s+(?:unique\s+)?index\b[^;]*;?\s*$/i, 'ShareLock'],
  [/^create\s+(?:or\s+replace\s+)?(?:constraint\s+)?trigger\b[^;]*;?\s*$/i, 'ShareRowExclusiveLock'],
];

/** Whether a statement can't have taken a lock that is this strong. */
function isTooWeak(sql: string, mode: Mode): boolean {
  return strongest.some(([kind, most]) => strength(mode) > strength(most) && kind.test(sql));
}

function names(query: string, { name }: Relation): boolean {
  const bare = name.replace(/^.*?\.(?=[^.]+$)/, '').replaceAll('"', '');
  return query.toLowerCase().includes(bare.toLowerCase());
}

/** Notes the statement that a session runs under a lock, and since when. */
function noteStatement(period: Period, options: { session: Session; at: number }): void {
  const { session, at } = options;
  const { query, queryStart, state, stateChange } = session;
  if (query === undefined || queryStart === undefined) return;
  // Whatever ran in the sample before ended when this one began.
  const last = [...period.statements].at(-1);
  if (last && last[0] !== query && last[1].until >= period.lastSeen) {
    last[1].until = Math.max(last[1].until, Math.min(at, queryStart));
  }
  const until = state === 'active' ? at : Math.min(at, stateChange ?? at);
  const from = Math.max(period.from, queryStart);
  const known = period.statements.get(query);
  if (!known) period.statements.set(query, { from, until: Math.max(from, until) });
  else known.until = Math.max(known.until, until);
}
