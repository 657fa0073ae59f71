import type { Client } from 'pg';
import { expect, it } from 'vitest';
import { readCatalog } from '../../../src/rehearse/catalog.ts';

/** A client of a database that has these relations. */
function clientOf(
  relations: { oid: number; name: string; kind: string; rows: number; size: number; parent?: number }[],
) {
  const rest = { file: null, parts: [], columns: {}, invalidIndexes: [], unknown: false, parent: null };
  const query = async (sql: string) => ({
    rows: /pg_class/.test(sql) ? relations.map((one) => ({ ...rest, ...one })) : [],
  });
  return { query } as unknown as Client;
}

it('adds up the sizes of all partitions, and their rows if all are known', async () => {
  const whole = { oid: 1, name: 'public.p', kind: 'p', rows: -1, size: 0 };
  const nested = { ...whole, oid: 2, name: 'public.p2', parent: 1 };
  const leaf = { oid: 3, name: 'public.p21', kind: 'r', rows: 5, size: 10, parent: 2 };
  const sizesWith = async (rows: number) => {
    const other = { ...leaf, oid: 4, name: 'public.p1', rows, parent: 1 };
    const catalog = await readCatalog(clientOf([whole, nested, leaf, other]), { counts: false });
    return Object.fromEntries(
      [...catalog.relations.values()].map(({ name, rows, size }) => [name, { rows, bytes: size }]),
    );
  };
  expect(await sizesWith(7)).toMatchObject({
    'public.p': { rows: 12, bytes: 20 },
    'public.p2': { rows: 5, bytes: 10 },
  });
  expect(await sizesWith(-1)).toMatchObject({ 'public.p': { rows: undefined, bytes: 20 }, 'public.p2': { rows: 5 } });
});
