import { expect, it } from 'vitest';
import { readPages } from '../../../src/http/pages.ts';

/** Reads a list whose pages are given by their cursors; the first one has none. */
async function read(
  list: Record<string, { items: number[]; next: string | undefined }>,
): Promise<{ items: number[]; asked: string[] }> {
  const asked: string[] = [];
  const page = async (cursor: string | undefined) => {
    asked.push(cursor ?? '');
    return list[cursor ?? ''] ?? { items: [], next: `${cursor}x` };
  };
  const items = await readPages(page);
  return { items, asked };
}

it('a list is read to its last page', async () => {
  expect(await read({ '': { items: [1], next: 'a' }, a: { items: [2], next: undefined } })).toEqual({
    items: [1, 2],
    asked: ['', 'a'],
  });
});

it('a page without items does not end a list that names another one', async () => {
  const list = { '': { items: [], next: 'a' }, a: { items: [], next: 'b' }, b: { items: [3], next: undefined } };
  expect(await read(list)).toEqual({ items: [3], asked: ['', 'a', 'b'] });
});

it('a cursor that was seen before ends a list, and so does one that the last page repeats', async () => {
  const loop = { '': { items: [1], next: 'a' }, a: { items: [2], next: 'b' }, b: { items: [3], next: 'a' } };
  expect((await read(loop)).asked).toEqual(['', 'a', 'b']);
  const last = { '': { items: [1], next: 'a' }, a: { items: [], next: 'a' } };
  expect((await read(last)).asked).toEqual(['', 'a']);
});
