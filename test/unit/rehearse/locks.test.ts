import type { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import type { Catalog, Relation } from '../../../src/rehearse/catalog.ts';
import { changesBetween } from '../../../src/rehearse/changes.ts';
import { LockTracker, withoutLiterals } from '../../../src/rehearse/locks.ts';
import type { Lock, Sample } from '../../../src/rehearse/observer.ts';

const relation = (oid: number, name: string, more: Partial<Relation> = {}): Relation => ({
  ...{ oid, name, kind: 'table', rows: 10, size: 8192, file: oid, parts: [oid + 1] },
  ...{ columns: { 1: 'id' }, invalidIndexes: [], inserted: 0, updated: 0, deleted: 0 },
  ...more,
});
const catalog = (...relations: Relation[]): Catalog => ({
  relations: new Map(relations.map((one) => [one.oid, one])),
  ...{ walPosition: 0, sessions: 0, deadlocks: 0, rollbacks: 0 },
});
const tables = catalog(relation(100, 'public.users'), relation(200, 'public.orders'));

const alter = 'ALTER TABLE users ADD a int';
const lock = (more: Partial<Lock> = {}): Lock => ({
  ...{ pid: 1, isLoad: false, query: alter, transaction: '3/1', relation: 100, mode: 'AccessExclusiveLock' },
  ...{ granted: true, isBehind: false, awaitsReaders: false },
  ...more,
});

function track(...samples: (Partial<Sample> & { at: number })[]) {
  const tracker = new LockTracker(tables);
  for (const sample of samples) tracker.add({ ofCommand: 1, ofLoad: 0, locks: [], failed: [], ...sample });
  return tracker;
}

describe('a lock', () => {
  const found = (...samples: Parameters<typeof track>) => track(...samples).result().locks;

  it('counts from the first sample in which it is held or waited for to the first without it', () => {
    const waiting = [lock({ granted: false })];
    const tracker = track({ at: 0, locks: waiting }, { at: 500, locks: [lock()] }, { at: 800 }, { at: 1_000 });
    expect(tracker.result().locks).toMatchObject([
      { table: 'public.users', heldMs: 800, waitedMs: 500, blocks: 'reads and writes', statement: alter },
    ]);
    expect(tracker).toMatchObject({ everyMs: 1_000 / 3, sawCommand: true, sawLoad: false });
  });

  it('that was never granted was only waited for', () => {
    const waiting = [lock({ granted: false })];
    const [one] = found({ at: 0, locks: waiting }, { at: 100, locks: waiting }, { at: 125 });
    expect(one).toMatchObject({ heldMs: 125, waitedMs: 125 });
  });

  it('names the statement that ran longest under it', () => {
    const locks = [lock({ query: 'UPDATE users' })];
    const [one] = found({ at: 0, locks: [lock()] }, { at: 25, locks }, { at: 50, locks });
    expect(one?.statement).toBe('UPDATE users');
  });

  it('that blocks writes for longer than reads is told twice, the longest transaction first', () => {
    const share = lock({ mode: 'ShareLock' });
    const all = found(
      { at: 0, locks: [share] },
      { at: 100, locks: [share, lock()] },
      { at: 200 },
      { at: 300, locks: [lock({ transaction: '3/2' })] },
      { at: 350 },
    );
    expect(all.map(({ mode, blocks, heldMs }) => [mode, blocks, heldMs])).toEqual([
      ['ShareLock', 'writes', 200],
      ['AccessExclusiveLock', 'reads and writes', 100],
    ]);
  });

  it('that blocks writes for no longer than reads is told once', () => {
    const locks = [lock({ mode: 'ShareLock' }), lock()];
    expect(found({ at: 0, locks }, { at: 50 }).map(({ mode }) => mode)).toEqual(['AccessExclusiveLock']);
  });

  it('is one of the table if it is on its index; none if the table is new, the lock weak, or its holder not the command', () => {
    expect(found({ at: 0, locks: [lock({ relation: 201 })] })).toMatchObject([{ table: 'public.orders' }]);
    for (const other of [{ relation: 999 }, { relation: null }, { mode: 'RowExclusiveLock' }, { isLoad: true }])
      expect(found({ at: 0, locks: [lock(other)] })).toEqual([]);
  });
});

it('a load waits if it is behind the command', () => {
  const wait = { isLoad: true, granted: false, mode: 'AccessShareLock' };
  const locks = [lock({ ...wait, pid: 2, isBehind: true }), lock({ ...wait, pid: 3, relation: 200 })];
  const tracker = track({ at: 0, ofLoad: 2, locks }, { at: 300, ofLoad: 2, locks }, { at: 400 });
  expect(tracker.result()).toEqual({ locks: [], wait: { ms: 400, table: 'public.users' } });
  expect(tracker).toMatchObject({ sawLoad: true, overlapped: true });
});

it('knows tables and columns that were renamed by what a rename keeps', async () => {
  const after = catalog(relation(100, 'public.members', { columns: { 1: 'key' } }), relation(300, 'public.new'));
  // Nothing has to be counted.
  const { renames } = await changesBetween({} as Client, tables, after);
  expect(renames).toEqual({
    tables: new Map([['public.users', 'public.members']]),
    columns: new Map([['public.members.id', 'public.members.key']]),
    again: [],
  });
});

it.each([
  ["INSERT INTO a VALUES (1, 'x y', E'it\\'s')", "INSERT INTO a VALUES (1, '…', '…')"],
  ["SELECT 'it''s'", "SELECT '…''…'"],
  [`UPDATE "o'brien" -- don't\n  SET x = 'a`, `UPDATE "o'brien" SET x = '…'`],
  ['DO $$ BEGIN x $$; SELECT $a$b', "DO '…'; SELECT '…'"],
])('a statement is shown without the values in it: %s', (sql, shown) => {
  expect(withoutLiterals(sql)).toBe(shown);
});
