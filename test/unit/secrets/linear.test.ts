import { expect, it } from 'vitest';
import { normalizeDiff } from '../../../src/api/schema.ts';
import { hasMarker } from '../../../src/github/marker.ts';
import { gitBranches, mentionsIn } from '../../../src/prune/mentions.ts';
import { code, fenced, plain } from '../../../src/report/markdown.ts';
import { findDestruction } from '../../../src/schema/destructive.ts';
import { typeChange } from '../../../src/schema/types.ts';
import { maskUris, withoutSecrets } from '../../../src/secrets/fields.ts';
import { createSecrets } from '../../../src/secrets/store.ts';
import { branchNameFromRef } from '../../../src/text/branch-name.ts';
import { oneLine } from '../../../src/text/inert.ts';

/** Texts that patterns of all kinds begin to match again and again; with `i`, no two parts are the same. */
const parts: (string | ((i: number) => string))[] = [
  'x1.',
  'https://x:',
  'https://x?',
  'a://b:@',
  'a=1&token',
  (i) => `a://b:${i}xx@c `,
  (i) => `a://b?token=${i}xx `,
  (i) => `${i}: xyz… `,
  '…',
  '\n',
  ' ',
  '::a',
  "'",
  "'a''",
  'password ',
  'password=',
  "password='",
  "password=''",
  "password 'a",
  "password ''a",
  '"a""',
  '\\',
  '` ',
  '(',
  '[]',
  '[1',
  '(1, ',
  '_',
  '-',
  '/',
  '#',
  '##[',
  '1',
  'GH-',
  'pr-1',
  'aA',
  'NOT ',
  'UNLOGGED ',
];
/** What stands around them. */
const around: [before: string, behind: string][] = [
  ['', ''],
  ['a://b?', '.'],
  ['x', '\nx'],
];

const looks: Record<string, (text: string) => unknown> = {
  maskUris: (text) => maskUris(text, () => {}),
  withoutSecrets: (text) => withoutSecrets({ text, [text]: 1 }),
  redact: (text) => {
    const secrets = createSecrets();
    secrets.add('xyz1x1.x1');
    maskUris(text, secrets.add);
    return secrets.redact(text);
  },
  oneLine: (text) => oneLine(text),
  plain: (text) => plain(text, Number.POSITIVE_INFINITY),
  code: (text) => code(text, Number.POSITIVE_INFINITY),
  fenced: (text) => fenced(text),
  normalizeDiff: (text) => normalizeDiff(`@@ -1 +1,2 @@\n+a ${text}\n+password ${text}\n+password = '${text}'\n`),
  hasMarker: (text) => hasMarker(text, { kind: 'diff', project: 'p', of: 'd' }),
  branchNameFromRef: (text) => branchNameFromRef(text),
  gitBranches: (text) => gitBranches([text]).has(text, [text]),
  mentionsIn: (text) => mentionsIn(text),
  typeChange: (text) => typeChange(text, `${text}(1)`),
  findDestruction: (text) => {
    const line = text.replaceAll('\n', ' ');
    const heads = [
      'CREATE',
      'CREATE TABLE',
      'CREATE TYPE',
      'ALTER TABLE',
      'ALTER TABLE a ALTER COLUMN',
      'ALTER SEQUENCE',
    ];
    const lines = [
      ' CREATE TABLE t (',
      `-    a integer DEFAULT ${line},`,
      `+    a ${line},`,
      `-    ${line} b`,
      `+    "${line} DEFAULT '${line}`,
      ...heads.map((head) => `+${head} ${line} OWNED BY x`),
      '+CREATE TYPE e AS ENUM (',
      `+    '${line}`,
    ];
    return findDestruction(`@@ -1,4 +1,12 @@\n${lines.join('\n')}\n`, `${text}\n${line}`);
  },
};

/**
 * The best of a few runs, in milliseconds of this thread on a processor: what others do on the machine is no part of it, but for
 * the caches that they take. One below `enough` will do.
 */
function timeOf(work: () => unknown, enough = 0): number {
  let best = Number.POSITIVE_INFINITY;
  for (let runs = 0; runs < 3 && best >= enough; runs++) {
    const start = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(start);
    best = Math.min(best, (user + system) / 1_000);
  }
  return best;
}

/** Below this, in milliseconds, a time says nothing. */
const least = 2;

/** How many times as long four times as much takes: about 4, or 16 where the time grows with the square. */
function growth(look: (count: number) => unknown, count: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 6 && best >= 10; tries++) {
    const long = timeOf(() => look(4 * count), 10 * least);
    best = Math.min(
      best,
      long < 10 * least
        ? 0
        : long /
            Math.max(
              least,
              timeOf(() => look(count)),
            ),
    );
  }
  return best;
}

it.each(Object.entries(looks))('%s takes a text of four times the length in about four times the time', (_, look) => {
  for (const part of parts) {
    const size = typeof part === 'string' ? 8_000 : 2_000;
    for (const [before, behind] of typeof part === 'string' ? around : around.slice(0, 1)) {
      const text = (count: number) =>
        `${before}${Array.from({ length: count }, (__, i) => (typeof part === 'string' ? part : part(i))).join('')}${behind}`;
      const texts = new Map([size, 4 * size].map((count) => [count, text(count)]));
      expect(
        growth((count) => look(texts.get(count) ?? ''), size),
        `of ${JSON.stringify(text(2))}…`,
      ).toBeLessThan(10);
    }
  }
});

it.each<[string, (i: number) => string]>([
  [
    'tables that go and come',
    (i) => `-CREATE TABLE a${i} (\n-    c integer\n-);\n+CREATE TABLE b${i} (\n+    c integer\n+);\n`,
  ],
  ['columns that go and come', (i) => `-    a${i} integer,\n+    b${i} integer,\n`],
])('findDestruction takes four times as many %s in about four times the time', (_, change) => {
  const diff = (count: number) => {
    const lines = Array.from({ length: count }, (__, i) => change(i)).join('');
    return `@@ -1,${lines.split('\n').length} +1,${lines.split('\n').length} @@\n CREATE TABLE t (\n${lines}`;
  };
  const diffs = new Map([2_000, 8_000].map((count) => [count, diff(count)]));
  expect(growth((count) => findDestruction(diffs.get(count) ?? ''), 2_000)).toBeLessThan(10);
});

it('findDestruction looks for tables in a large schema once, not for every hunk', () => {
  const diff = (count: number) =>
    Array.from({ length: count }, (_, i) => `@@ -${i + 2} +${i + 2} @@\n     c${i} integer,\n-    d integer\n`).join(
      '',
    );
  const schema = (count: number) =>
    `CREATE TABLE t (\n${Array.from({ length: count }, (_, i) => `    c${i} integer,\n`).join('')}`;
  expect(growth((count) => findDestruction(diff(count), schema(count)), 2_000)).toBeLessThan(10);
});
