import { expect, it } from 'vitest';
import { countChanges, unifiedDiff } from '../../../src/diff/unified-diff.ts';

it('is a unified diff with three lines of context', () => {
  const before = 'a\nb\nc\nd\n-- e\nf\n';
  const after = 'a\nb\nc\nd\nf\n++ g\n';
  const diff = unifiedDiff({ name: 'app', before, after });
  expect(diff).toBe('--- a/app\n+++ b/app\n@@ -2,5 +2,5 @@\n b\n c\n d\n--- e\n f\n+++ g\n');
  expect(countChanges(diff ?? '')).toEqual({ added: 1, removed: 1 });
  expect(unifiedDiff({ name: 'app', before, after: before })).toBe('');
  expect(countChanges('')).toEqual({ added: 0, removed: 0 });
});

it('gives up on large texts that have nothing in common', () => {
  const lines = (word: string) => Array.from({ length: 40_000 }, (_, i) => `${word} ${i}\n`).join('');
  const started = performance.now();
  expect(unifiedDiff({ name: 'app', before: lines('a'), after: lines('b') })).toBeUndefined();
  expect(performance.now() - started).toBeLessThan(20_000);
}, 30_000);
