import type { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { type Catalog, type Relation, rowCounter } from '../../../src/rehearse/catalog.ts';
import { changesBetween } from '../../../src/rehearse/changes.ts';

const table = (more: Partial<Relation> = {}): Relation => ({
  ...{ oid: 100, name: 'public.events', kind: 'table', rows: 100_000, size: 10 ** 9, file: 1, parts: [] },
  ...{ columns: { 1: 'id' }, invalidIndexes: [], inserted: 0, updated: 0, deleted: 0 },
  ...more,
});
const catalog = (relation: Relation, rollbacks = 0): Catalog => ({
  relations: new Map([[relation.oid, relation]]),
  ...{ walPosition: 0, sessions: 0, deadlocks: 0, rollbacks },
});

/** A server on which a table has so many rows. */
const serverWith = (rows: number) =>
  ({ query: async (text: string) => ({ rows: text.startsWith('SELECT') ? [{ rows }] : [] }) }) as unknown as Client;

/** What is lost of a large table that the planner says has 100,000 rows, and `left` afterwards. */
async function lossOf(after: Partial<Relation>, { left, rollbacks = 0 }: { left: number; rollbacks?: number }) {
  const { changes } = await changesBetween(serverWith(left), catalog(table()), catalog(table(after), rollbacks));
  return changes.losses.map(({ lost, of }) => [lost, of]);
}

describe('the rows of a table that is too large to be counted before', () => {
  it('are lost as the statistics say if nothing was rolled back, however old the estimate is', async () => {
    expect(await lossOf({ deleted: 5_000 }, { left: 103_000 })).toEqual([[5_000, 100_000]]);
  });

  it('are lost if they are missing, if something was rolled back', async () => {
    expect(await lossOf({ deleted: 5_000 }, { left: 100_000, rollbacks: 1 })).toEqual([]);
    expect(await lossOf({ deleted: 5_000 }, { left: 96_000, rollbacks: 1 })).toEqual([[4_000, 100_000]]);
  });

  it('are not lost in a copy under its name that has as many as the estimate, or nearly', async () => {
    expect(await lossOf({ oid: 200, file: 2 }, { left: 99_000 })).toEqual([]);
    expect(await lossOf({ oid: 200, file: 2 }, { left: 50_000 })).toEqual([[50_000, 100_000]]);
  });
});

it('counting ends once the time for all tables is over', async () => {
  const sent: string[] = [];
  const query = async (text: string) => {
    sent.push(text);
    return { rows: [{ rows: 1 }] };
  };
  const count = rowCounter({ query } as unknown as Client);
  const { now } = performance;
  try {
    let at = 0;
    // Each look at the clock is five seconds after the one before.
    performance.now = () => (at += 5_000);
    const counted = [];
    for (let n = 0; n < 5; n++) counted.push(await count(table()));
    expect(counted).toEqual([1, 1, 1, null, null]);
  } finally {
    performance.now = now;
  }
  const limits = sent.flatMap((text) => /row_security.*statement_timeout = (\d+)/.exec(text)?.[1] ?? []);
  expect(limits).toEqual(['15000', '10000', '5000']);
});
