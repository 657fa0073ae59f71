import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalizeDiff } from '../../../src/api/schema.ts';
import { countChanges, parseDiff } from '../../../src/report/unified.ts';

const head = '--- a/neondb\n+++ b/neondb\n';

describe('a diff as the service gives it', () => {
  it.each([
    ['nothing', '', ''],
    ['blanks', '\n\n', ''],
    ['only the names', head, head],
    ['one line', `${head}@@ -1 +1 @@\n-a\n+b`, `${head}@@ -1 +1 @@\n-a\n+b\n`],
    ['CR LF', `${head}@@ -1 +1 @@\n-a\n+b\n`.replaceAll('\n', '\r\n'), `${head}@@ -1 +1 @@\n-a\n+b\n`],
    ['a CR that belongs to a function', `${head}@@ -1 +1 @@\n-a\r\n+a\n`, `${head}@@ -1 +1 @@\n-a\r\n+a\n`],
    [
      'lines that only tell one dump from another',
      `${head}@@ -1,3 +1,3 @@\n--- x\n+-- x\n`.replace('--- x\n+-- x', '-\\restrict aB1\n+\\restrict cD2\n x'),
      '',
    ],
    [
      'such lines beside a change',
      `${head}@@ -1,3 +1,3 @@\n-\\restrict a\n+\\restrict b\n \n-x\n+y\n@@ -9,1 +9,1 @@\n--- Dumped by pg_dump version 17.5\n+-- Dumped by pg_dump version 17.6\n`,
      `${head}@@ -1,3 +1,3 @@\n \\restrict b\n \n-x\n+y\n`,
    ],
    [
      'passwords',
      `${head}@@ -0,0 +1,3 @@\n+CREATE USER MAPPING FOR a SERVER s OPTIONS ("user" 'u', password 'it''s secret');\n+CREATE SUBSCRIPTION s CONNECTION 'host=h password=geheim dbname=d';\n+-- postgres://u:pa55@h/d\n`,
      `${head}@@ -0,0 +1,3 @@\n+CREATE USER MAPPING FOR a SERVER s OPTIONS ("user" 'u', password '***');\n+CREATE SUBSCRIPTION s CONNECTION 'host=h password=*** dbname=d';\n+-- ***\n`,
    ],
    [
      'a column named password',
      `${head}@@ -0,0 +1 @@\n+    password text DEFAULT 'x',\n`,
      `${head}@@ -0,0 +1 @@\n+    password text DEFAULT 'x',\n`,
    ],
  ])('%s', (_, given, expected) => {
    expect(normalizeDiff(given)).toBe(expected);
  });

  it('stays as it is once it is normal', () => {
    const line = fc
      .tuple(fc.constantFrom(' ', '+', '-', '@@ -1 +1 @@', '\\ No newline', ''), fc.string())
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const once = normalizeDiff(lines.join('\n'));
        return normalizeDiff(once) === once;
      }),
    );
  });
});

describe('a unified diff', () => {
  it('is taken apart by the counts in its heads', () => {
    const diff = `${head}@@ -1,3 +1,2 @@ x\n--- y\n a\n-b\n+c\n\\ No newline at end of file\n@@ -9 +8,2 @@\n z\n+++ w\n+ignored\n`;
    expect(parseDiff(diff)).toEqual([
      {
        oldStart: 1,
        newStart: 1,
        lines: [
          { kind: 'removed', text: '-- y' },
          { kind: 'same', text: 'a' },
          { kind: 'removed', text: 'b' },
          { kind: 'added', text: 'c' },
        ],
      },
      {
        oldStart: 9,
        newStart: 8,
        lines: [
          { kind: 'same', text: 'z' },
          { kind: 'added', text: '++ w' },
        ],
      },
    ]);
    expect(countChanges(diff)).toEqual({ added: 2, removed: 2 });
  });
});
