import { describe, expect, it } from 'vitest';
import { keep, logKept } from '../../../src/prune/kept.ts';
import { stale } from './prune-context.ts';

function logged(number: number): string[] {
  const lines: string[] = [];
  const kept = Array.from({ length: number }, (_, index) => ({
    branch: stale(`br-${index}`, { name: `preview/${index}` }).branch,
    ...(index % 4 === 2 ? keep.excluded : keep.open(index)),
  }));
  logKept({ info: (line) => void lines.push(line) }, kept);
  return lines;
}

describe('the branches that are kept', () => {
  it('have one line each', () => {
    expect(logged(0)).toEqual([]);
    expect(logged(3).slice(1)).toEqual([
      'Kept branch "preview/1" (br-1): pull request #1 is open',
      'Kept branch "preview/2" (br-2): it matches `exclude_pattern`',
    ]);
  });

  it('are counted by reason after the first 50, the most frequent first', () => {
    const lines = logged(90);
    expect(lines).toHaveLength(51);
    expect(lines.at(-1)).toBe(
      'Kept 40 more branches: 30 because the pull request is open, 10 because it matches `exclude_pattern`',
    );
  });
});
