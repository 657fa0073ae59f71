import { describe, expect, it } from 'vitest';
import { countChanges, hideInDiff, isDiffOf, withObjects } from '../../../src/schema/unified-diff.ts';
import { hidePasswords } from '../../../src/secrets/sql.ts';

it.each([
  ['a count of 1, which is left out', '@@ -1 +1 @@\n-a\n+b\n', 1, 1],
  ['added lines only', '@@ -0,0 +1,2 @@\n+a\n+b\n', 2, 0],
  ['removed lines only', '@@ -1,2 +0,0 @@\n-a\n-b\n', 0, 2],
  ['context, which may be an empty line', '@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n--- d\n+++ d\n', 1, 1],
  [
    'comments, empty lines and commas, which do not count',
    '@@ -1,3 +1,6 @@\n-    a text\n+    a text,\n+    b text\n+\n+-- Name: x; Type: TABLE\n c\n d\n',
    1,
    0,
  ],
  ['a missing line break', '@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n', 1, 1],
  ['changed lines that begin like the head of a file', '@@ -1 +1 @@\n--- a\n+++ b\n', 1, 0],
  ['the head of the next file', '@@ -1 +1 @@\n-a\n+b\n--- c\n+++ c\n@@ -1 +1,2 @@\n c\n+d\n', 2, 1],
  ['counts of several digits', `@@ -100,10 +200,11 @@\n${' x\n'.repeat(10)}+y\n--- a\n+++ b\n`, 1, 0],
  ['a hunk in the text', ' @@ -1 +1 @@\n-a\n+b\n', 0, 0],
  ['lines outside a hunk', '+a\n-b\n', 0, 0],
  ['no diff', '', 0, 0],
])('a unified diff may have %s', (_, diff, added, removed) => {
  expect(countChanges(diff)).toEqual({ added, removed });
});

it('names the object of each hunk', () => {
  const entry = (name: string, sql: string) =>
    `--\n-- Name: ${name}; Type: TABLE; Schema: public; Owner: app\n--\n\n${sql}\n`;
  const after = `${entry('a', 'CREATE TABLE public.a (\n    x text,\n    y text\n);')}${entry('b', 'CREATE TABLE public.b ();')}`;
  const diff = `--- a/app\n+++ b/app\n@@ -5,3 +5,4 @@ text\n CREATE TABLE public.a (\n     x text,\n+    y text\n );\n@@ -8,0 +9,5 @@\n+--\n+-- Name: b; Type: TABLE; Schema: public; Owner: app\n+--\n+\n+CREATE TABLE public.b ();\n`;
  const heads = withObjects(diff, after)
    .split('\n')
    .filter((line) => line.startsWith('@@'));
  expect(heads).toEqual(['@@ -5,3 +5,4 @@ TABLE public.a', '@@ -8,0 +9,5 @@ TABLE public.b']);
  expect(withObjects(diff, '')).toContain('@@ -5,3 +5,4 @@ text');
});

it.each([
  ['the same two schemas', '@@ -1,2 +1,2 @@\n a\n-b\n+c\n', 'a\nb\n', 'a\nc\n', true],
  [
    'schemas that differ in comments and white space',
    '@@ -1,2 +1,2 @@\n a\n-b\n---x\n+c\n',
    'a\r\n  b\n',
    'a\nc',
    true,
  ],
  ['nothing, without a difference', '', 'a\n-- at noon\n\\restrict x\n', 'a\n-- at one\n\\restrict y\n', true],
  ['a schema that lacks a removed line', '@@ -1,2 +1,1 @@\n a\n-b\n', 'a\n', 'a\n', false],
  ['a schema that lacks an added line', '@@ -1,1 +1,2 @@\n a\n+b\n', 'a\n', 'a\n', false],
  ['schemas that differ, without a difference', '', '', 'a\n', false],
])('a diff of %s', (_, diff, before, after, expected) => {
  expect(isDiffOf(diff, before, after)).toBe(expected);
});

describe('a diff without passwords', () => {
  const shown = (diff: string, before: string, after: string) => {
    const hidden = (sql: string) => ({ sql, hidden: hidePasswords(sql) });
    return hideInDiff(diff, { before: hidden(before), after: hidden(after), hide: hidePasswords });
  };
  const after = "CREATE SERVER s OPTIONS (\n    password 'one\ntwo\nthree',\n    note 'four'\n);\nSELECT 1;";
  const before = after.replace('two', 'old');

  it('knows a password whose beginning is not in the hunk', () => {
    const head = '--- a/app\n+++ b/app\n@@ -3,2 +3,2 @@ SERVER s\n';
    expect(shown(`${head}-old\n+two\n three',\n`, before, after)).toBe(`${head}-***\n+***\n ***',\n`);
    expect(shown('', before, after)).toBe('');
  });

  it('hides no line that only looks like a part of it', () => {
    const same = `${after}\ntwo\nthree',`;
    const diff = "@@ -7,0 +7,2 @@\n+two\n+three',\n";
    expect(shown(diff, before, same)).toBe(diff);
  });

  it('finds the line of a diff whose numbers are wrong', () => {
    expect(shown('@@ -1,1 +1,1 @@\n-old\n+two\r\n', before, after)).toBe('@@ -1,1 +1,1 @@\n-***\n+***\n');
  });

  it('has no password behind the end of a hunk either', () => {
    const diff = "@@ -1,1 +1,1 @@\n-old\n+two\n+OPTIONS (password 'S3cret')\n";
    expect(shown(diff, before, after)).toBe("@@ -1,1 +1,1 @@\n-***\n+***\n+OPTIONS (password '***')\n");
  });

  it('reads what neither schema has by itself', () => {
    const diff = (value: string) => `@@ -0,0 +1,3 @@\n+ALTER ROLE a PASSWORD\n+    '${value}';\n+next\n`;
    expect(shown(diff('S3cret'), '', '')).toBe(diff('***'));
  });
});
