import { describe, expect, it } from 'vitest';
import { type Catalog, type Relation, renamesBetween } from '../../../src/rehearse/catalog.ts';
import { withoutLiterals } from '../../../src/rehearse/facts.ts';
import { LoadTracker } from '../../../src/rehearse/load.ts';
import { LockTracker } from '../../../src/rehearse/locks.ts';
import type { Lock, Sample, Session } from '../../../src/rehearse/sample.ts';

const relation = (oid: number, name: string, more: Partial<Relation> = {}): Relation => ({
  ...{ oid, name, kind: 'table', rows: 10, size: 8192, file: oid, parts: [oid + 1] },
  ...{ columns: { 1: 'id' }, invalidIndexes: [], inserted: 0, updated: 0, deleted: 0 },
  ...more,
});
const catalog = (...relations: Relation[]): Catalog => ({
  relations: new Map(relations.map((one) => [one.oid, one])),
  ...{ walPosition: 0, sessions: 0, deadlocks: 0, rollbacks: 0, readMs: 0 },
});
const tables = catalog(relation(100, 'public.users'), relation(200, 'public.orders'));

const alter = 'ALTER TABLE users ADD a int';
const session = (more: Partial<Session> = {}): Session => ({ pid: 1, isLoad: false, query: alter, ...more });
const lock = (more: Partial<Lock> = {}): Lock => ({
  ...{ pid: 1, transaction: '3/1', relation: 100, mode: 'AccessExclusiveLock', granted: true },
  ...more,
});
type Partly = Partial<Sample> & { at: number };
const full = (sample: Partly): Sample => ({ sessions: [session()], locks: [], waits: [], ...sample });

function track(...samples: Partly[]) {
  const tracker = new LockTracker(tables);
  for (const sample of samples) tracker.add(full(sample));
  return tracker;
}

describe('a lock', () => {
  it('counts from the first sample in which it is held or waited for to the first without it', () => {
    const waiting = [lock({ granted: false })];
    const tracker = track({ at: 0, locks: waiting }, { at: 500, locks: [lock()] }, { at: 800 }, { at: 1_000 });
    expect(tracker.result()).toMatchObject([
      { table: 'public.users', heldMs: 800, waitedMs: 500, blocks: 'reads and writes', statement: alter },
    ]);
    expect(tracker).toMatchObject({ everyMs: 1_000 / 3, longestGapMs: 500, sawSession: true });
  });

  it('that was never granted was only waited for', () => {
    const waiting = [lock({ granted: false })];
    const found = track({ at: 0, locks: waiting }, { at: 100, locks: waiting }, { at: 125 }).result();
    expect(found).toMatchObject([{ heldMs: 125, waitedMs: 125 }]);
  });

  it('names the statement that ran longest under it', () => {
    const sessions = [session({ query: 'UPDATE users' })];
    const locks = [lock()];
    const found = track({ at: 0, locks }, { at: 25, locks, sessions }, { at: 50, locks, sessions }).result();
    expect(found[0]?.statement).toBe('UPDATE users');
  });

  it('that blocks writes for longer than reads is told twice, the longest transaction first', () => {
    const share = lock({ mode: 'ShareLock' });
    const found = track(
      { at: 0, locks: [share] },
      { at: 100, locks: [share, lock()] },
      { at: 200 },
      { at: 300, locks: [lock({ transaction: '3/2' })] },
      { at: 350 },
    ).result();
    expect(found.map(({ mode, blocks, heldMs }) => [mode, blocks, heldMs])).toEqual([
      ['ShareLock', 'writes', 200],
      ['AccessExclusiveLock', 'reads and writes', 100],
    ]);
  });

  it('is one of the table if it is on its index; none if the table is new, the lock weak, or its holder not the command', () => {
    expect(track({ at: 0, locks: [lock({ relation: 201 })] }).result()).toMatchObject([{ table: 'public.orders' }]);
    for (const other of [{ relation: 999 }, { relation: null }, { pid: 7 }, { mode: 'RowExclusiveLock' }])
      expect(track({ at: 0, locks: [lock(other)] }).result()).toEqual([]);
    const load = track({ at: 0, sessions: [session({ isLoad: true })], locks: [lock()] });
    expect([load.result(), load.sawSession]).toEqual([[], false]);
  });
});

describe('a load', () => {
  const load = (...samples: Partly[]) => {
    const loading = new LoadTracker();
    const tracker = new LockTracker(tables);
    for (const sample of samples) loading.add(full(sample), tracker);
    return loading;
  };
  const sessions = [session(), session({ pid: 2, isLoad: true }), session({ pid: 3, isLoad: true })];
  const locks = [2, 3].map((pid) => lock({ pid, granted: false, mode: 'AccessShareLock' }));

  it('waits for the command directly, or behind others who do', () => {
    const waits = [
      { pid: 2, blockers: [3] },
      { pid: 3, blockers: [2, 1] },
    ];
    const found = load({ at: 0, sessions, locks, waits }, { at: 300, sessions, locks, waits }, { at: 400, sessions });
    expect(found).toMatchObject({ connected: true, overlapped: true, longest: { ms: 400, table: 'public.users' } });
  });

  it('that waits for itself does not wait for the command', () => {
    const waits = [
      { pid: 2, blockers: [3] },
      { pid: 3, blockers: [2] },
    ];
    const found = load({ at: 0, sessions, locks, waits }, { at: 300, sessions, locks, waits });
    expect(found.longest).toEqual({ ms: 0, table: undefined });
  });
});

it('knows tables and columns that were renamed by what a rename keeps', () => {
  const after = catalog(relation(100, 'public.members', { columns: { 1: 'key' } }), relation(300, 'public.new'));
  expect(renamesBetween(tables, after)).toEqual({
    tables: new Map([['public.users', 'public.members']]),
    columns: new Map([['public.users.id', 'public.members.key']]),
  });
});

it.each([
  ["INSERT INTO a VALUES (1, 'x y', E'it\\'s')", "INSERT INTO a VALUES (1, '…', '…')"],
  ["SELECT 'it''s'", "SELECT '…''…'"],
  [`UPDATE "o'brien" -- don't\n  SET x = 'a`, `UPDATE "o'brien" SET x = '…'`],
  ['DO $$ BEGIN x $$; SELECT $a$b', 'DO $$…$$; SELECT $$…$$'],
])('a statement is shown without the values in it: %s', (sql, shown) => {
  expect(withoutLiterals(sql)).toBe(shown);
});
