import { expect, it } from 'vitest';
import { countChanges } from '../../../src/schema/unified.ts';

it.each([
  ['a count of 1, which is left out', '@@ -1 +1 @@\n-a\n+b\n', 1, 1],
  ['added lines only', '@@ -0,0 +1,2 @@\n+a\n+b\n', 2, 0],
  ['removed lines only', '@@ -1,2 +0,0 @@\n-a\n-b\n', 0, 2],
  ['context, which may be an empty line', '@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n--- d\n+++ d\n', 1, 1],
  ['a missing line break', '@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n', 1, 1],
  ['changed lines that begin like the head of a file', '@@ -1 +1 @@\n--- a\n+++ b\n', 1, 1],
  ['the head of the next file', '@@ -1 +1 @@\n-a\n+b\n--- c\n+++ c\n@@ -1 +1,2 @@\n c\n+d\n', 2, 1],
  ['counts of several digits', `@@ -100,10 +200,11 @@\n${' x\n'.repeat(10)}+y\n--- a\n+++ b\n`, 1, 0],
  ['a hunk in the text', ' @@ -1 +1 @@\n-a\n+b\n', 0, 0],
  ['lines outside a hunk', '+a\n-b\n', 0, 0],
  ['no diff', '', 0, 0],
])('a unified diff may have %s', (_, diff, added, removed) => {
  expect(countChanges(diff)).toEqual({ added, removed });
});
