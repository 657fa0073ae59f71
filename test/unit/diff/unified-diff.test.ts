import { expect, it } from 'vitest';
import { unifiedDiff } from '../../../src/diff/unified-diff.ts';

it('is a unified diff with three lines of context', () => {
  const before = 'a\nb\nc\nd\n-- e\nf\n';
  const after = 'a\nb\nc\nd\nf\n++ g\n';
  const diff = unifiedDiff({ name: 'app', before, after });
  expect(diff).toBe('--- a/app\n+++ b/app\n@@ -2,5 +2,5 @@\n b\n c\n d\n--- e\n f\n+++ g\n');
  expect(unifiedDiff({ name: 'app', before, after: before })).toBe('');
});

it('gives up on large texts that have nothing in common', () => {
  const lines = (word: string) => Array.from({ length: 40_000 }, (_, i) => `${word} ${i}\n`).join('');
  const started = performance.now();
  expect(unifiedDiff({ name: 'app', before: lines('a'), after: lines('b') })).toBe(
    '--- a/app\n+++ b/app\nThe schemas are too large and too different for a diff of their lines.\n',
  );
  expect(performance.now() - started).toBeLessThan(20_000);
}, 30_000);
