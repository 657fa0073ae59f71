import { describe, expect, it } from 'vitest';
import type { Catalog, Relation } from '../../../src/rehearse/catalog.ts';
import { renamesBetween, walBytes } from '../../../src/rehearse/catalog.ts';
import { LockTracker, type SelfWait } from '../../../src/rehearse/locks.ts';
import type { HeldLock, Sample, Session } from '../../../src/rehearse/sample.ts';

const relation = (oid: number, name: string, more: Partial<Relation> = {}): Relation => ({
  ...{ oid, name, kind: 'table', rows: 10, size: 8192, file: oid, parts: [oid + 1], partitionOf: undefined },
  columns: new Map([[1, 'id']]),
  concurrent: [],
  ...more,
});
const catalog = (...relations: Relation[]): Catalog => ({
  relations: new Map(relations.map((one) => [one.oid, one])),
  lsn: '0/0',
  sessions: 0,
});
const users = relation(100, 'public.users');

const session = (more: Partial<Session> = {}): Session => ({
  ...{ pid: 1, leader: undefined, state: 'active', query: 'ALTER TABLE users ADD a int' },
  ...{ queryStart: 0, transactionStart: 0, stateChange: 0, ...more },
});
const lock = (more: Partial<HeldLock> = {}): HeldLock => ({
  ...{ pid: 1, transaction: '3/1', relation: 100, mode: 'AccessExclusiveLock', ...more },
});

function track(...samples: (Partial<Sample> & { at: number })[]) {
  const waits: SelfWait[] = [];
  const tracker = new LockTracker(catalog(users, relation(200, 'public.orders')), (wait) => waits.push(wait));
  for (const sample of samples) tracker.add({ sessions: [], locks: [], waits: [], ...sample });
  const found = tracker.result().map(({ relation: { name }, mode, blocks, heldMs, statement, tookIt }) => {
    return { name, mode, blocks, heldMs, statement, tookIt };
  });
  return { tracker, waits, found };
}

describe('a lock', () => {
  it('is held from the statement that took it to the end of its transaction', () => {
    const begun = session({ queryStart: 110, transactionStart: 110 });
    const { found } = track(
      { at: 100 },
      { at: 125, sessions: [begun], locks: [lock()] },
      { at: 1_000, sessions: [begun], locks: [lock()] },
      { at: 1_025, sessions: [session({ state: 'idle', stateChange: 1_010, queryStart: 110 })] },
    );
    expect(found).toMatchObject([{ name: 'public.users', heldMs: 900, blocks: 'reads and writes', tookIt: true }]);
  });

  it('ends with the first sample without it if the server does not say when', () => {
    const unknown = session({ query: undefined, queryStart: undefined, transactionStart: undefined, state: undefined });
    const { found } = track(
      { at: 100 },
      { at: 125, sessions: [unknown], locks: [lock()] },
      { at: 150, sessions: [unknown] },
    );
    expect(found).toMatchObject([{ heldMs: 25, statement: undefined, tookIt: false }]);
  });

  it('is one of the table if it is on an index, and none if the relation is new, or its holder is not a client', () => {
    const samples = (relation: number, sessions: Session[]) =>
      track({ at: 0 }, { at: 50, sessions, locks: [lock({ relation })] }, { at: 75 }).found.map(({ name }) => name);
    expect(samples(101, [session()])).toEqual(['public.users']);
    expect(samples(999, [session()])).toEqual([]);
    expect(samples(100, [])).toEqual([]);
    expect(samples(100, [session({ leader: 7 })])).toEqual([]);
  });

  it('is not said to be taken by a statement that only ran under it', () => {
    const update = session({ query: 'UPDATE users SET a = 1', queryStart: 120, transactionStart: 105 });
    const { found } = track({ at: 100 }, { at: 125, sessions: [update], locks: [lock()] }, { at: 150 });
    expect(found).toMatchObject([{ statement: 'UPDATE users SET a = 1', tookIt: false }]);
  });

  it.each([
    ['CREATE INDEX ON users (id)', 'AccessExclusiveLock', false],
    ['-- fast\nCREATE UNIQUE INDEX i ON users (id);\n', 'AccessExclusiveLock', false],
    ['CREATE INDEX ON users (id)', 'ShareLock', true],
    ['CREATE OR REPLACE TRIGGER t BEFORE UPDATE ON users EXECUTE FUNCTION f()', 'AccessExclusiveLock', false],
    ['CREATE TRIGGER t BEFORE UPDATE ON users EXECUTE FUNCTION f()', 'ShareRowExclusiveLock', true],
    ['CREATE INDEX ON users (id); ALTER TABLE users ADD b int', 'AccessExclusiveLock', true],
    ['CREATE POLICY p ON users USING (true)', 'AccessExclusiveLock', true],
  ] as const)('is only said to be taken by a statement that takes such a lock: %s, %s', (query, mode, tookIt) => {
    const later = session({ query, queryStart: 120, transactionStart: 105 });
    const { found } = track({ at: 100 }, { at: 125, sessions: [later], locks: [lock({ mode })] }, { at: 150 });
    expect(found[0]).toMatchObject({ mode, statement: query, tookIt });
  });

  it('has a second entry if writes were blocked for longer than reads', () => {
    const share = lock({ mode: 'ShareLock' });
    const { found } = track(
      { at: 0 },
      { at: 100, sessions: [session()], locks: [share] },
      { at: 900, sessions: [session()], locks: [share, lock()] },
      { at: 1_000, sessions: [session()], locks: [share, lock()] },
      { at: 1_100 },
    );
    expect(found).toMatchObject([
      { mode: 'AccessExclusiveLock', blocks: 'reads and writes', heldMs: 200 },
      { mode: 'ShareLock', blocks: 'writes', heldMs: 1_000 },
    ]);
  });

  it('of several transactions is the longest, not their sum', () => {
    const samples = [1, 2, 3].flatMap((number) => [
      { at: number * 1_000, sessions: [session()], locks: [lock({ transaction: `3/${number}` })] },
      { at: number * 1_000 + number * 100 },
    ]);
    const { found } = track({ at: 0 }, ...samples);
    expect(found).toMatchObject([{ heldMs: 300 }]);
  });
});

describe('a command that waits for itself', () => {
  const holder = session({ pid: 1, state: 'idle in transaction', query: 'ALTER TABLE users ADD a int' });
  const waiting = session({ pid: 2, query: 'CREATE INDEX ON users (id)' });
  const samples = (holder: Session, until: number) =>
    Array.from({ length: until / 500 + 1 }, (_, index) => ({
      at: index * 500,
      sessions: [holder, waiting],
      waits: [{ pid: 2, blockers: [1] }],
    }));

  it('is recognized once, after three seconds', () => {
    expect(track(...samples(holder, 2_500)).waits).toEqual([]);
    expect(track(...samples(holder, 6_000)).waits).toEqual([{ waiting: waiting.query, holder: holder.query }]);
  });

  it('is not assumed while the other connection is at work', () => {
    expect(track(...samples(session(), 6_000)).waits).toEqual([]);
  });
});

it('a rename is certain: the same OID, or the same number of a column, under another name', () => {
  const before = catalog(users, relation(300, 'public.v', { kind: 'view' }));
  const after = catalog(
    relation(100, 'public.members', {
      columns: new Map([
        [1, 'key'],
        [2, 'fresh'],
      ]),
    }),
    relation(300, 'public.w', { kind: 'view' }),
  );
  const { tables, columns } = renamesBetween(before, after);
  expect([...tables]).toEqual([['public.users', 'public.members']]);
  expect([...columns]).toEqual([['public.users.id', 'public.members.key']]);
});

it('the log is measured in bytes, also beyond four gigabytes', () => {
  expect(walBytes('0/FFFFFF00', '1/100')).toBe(512);
});
