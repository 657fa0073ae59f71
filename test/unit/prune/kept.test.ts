import { expect, it } from 'vitest';
import { keep, logKept } from '../../../src/prune/kept.ts';
import { stale } from './prune-context.ts';

function logged(number: number): { titles: string[]; lines: string[] } {
  const titles: string[] = [];
  const lines: string[] = [];
  const kept = Array.from({ length: number }, (_, index) => ({
    branch: stale(`br-${index}`, { name: `preview/${index}` }).branch,
    ...(index % 4 === 2 ? keep.excluded : keep.open(index)),
  }));
  const group = (title: string, all: string[]) => {
    titles.push(title);
    lines.push(...all);
  };
  logKept({ group }, kept);
  return { titles, lines };
}

it('every branch that is kept has a line, in a group', () => {
  expect(logged(0)).toEqual({ titles: [], lines: [] });
  const { titles, lines } = logged(90);
  expect(titles).toEqual(['Kept 90 branches']);
  expect(lines).toHaveLength(90);
  expect(lines.slice(1, 3)).toEqual([
    'Kept branch "preview/1" (br-1): pull request #1 is open',
    'Kept branch "preview/2" (br-2): it matches `exclude_pattern`',
  ]);
});
