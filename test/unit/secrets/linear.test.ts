import { expect, it } from 'vitest';
import { countChanges } from '../../../src/diff/unified-diff.ts';
import { hasMarker } from '../../../src/github/comment.ts';
import { gitBranches, mentionsIn } from '../../../src/prune/names.ts';
import { maskSecrets } from '../../../src/secrets/fields.ts';
import { hidePasswords } from '../../../src/secrets/passwords.ts';
import { createSecrets } from '../../../src/secrets/store.ts';
import { ignoreRules } from '../../../src/step/values.ts';
import { branchNameFromRef } from '../../../src/text/branch-name.ts';
import { oneLine, withoutCommands } from '../../../src/text/inert.ts';
import { code, fenced, plain } from '../../../src/text/markdown.ts';

/** Parts of texts that patterns start to match again and again; with `i`, no two parts are the same. */
const parts: (string | ((i: number) => string))[] = [
  'x1.',
  'https://x:',
  'https://x?',
  'a://b:@',
  'a=1&token',
  ';password={',
  '\nAuthorization: ',
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
  '"',
  '("',
];
/** Text around them. */
const around: [before: string, after: string][] = [
  ['', ''],
  ['a://b?', '.'],
  ['x', '\nx'],
];

const searches: Record<string, (text: string) => unknown> = {
  maskSecrets: (text) => maskSecrets({ uri: text, secret: { value: text }, [text]: text }, () => {}),
  redact: (text) => {
    const secrets = createSecrets();
    secrets.add('xyz1x1.x1');
    // As many secrets as a large response may have, of the length that secrets have.
    for (const word of text.split(/\s+/, 500)) secrets.add(word.slice(0, 200));
    return secrets.redact(text);
  },
  hidePasswords: (text) => hidePasswords(text),
  oneLine: (text) => withoutCommands(oneLine(text)),
  plain: (text) => plain(text, Number.POSITIVE_INFINITY),
  code: (text) => code(text, Number.POSITIVE_INFINITY),
  fenced: (text) => fenced(text),
  hasMarker: (text) => hasMarker(text, { kind: 'diff', project: 'p', of: 'd' }),
  branchNameFromRef: (text) => branchNameFromRef(text),
  gitBranches: (text) => gitBranches([text]).has(text, text),
  mentionsIn: (text) => mentionsIn(text),
  ignoreRules: (text) => ignoreRules(`grant:x${text.replaceAll(/[,\n]/g, '')}`),
  countChanges: (text) => countChanges(`@@ -1 +1,9 @@\n+${text}`),
};

/** How long it takes, in milliseconds of this thread's CPU time, so that other work on the machine hardly counts. */
function timeOf(work: () => unknown): number {
  const start = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1_000;
}

/** Shorter times, in milliseconds, are noise. */
const least = 2;

/**
 * How much longer four times as much takes: about 4 times if the time is linear, 16 times if it is quadratic. Compares the best of several
 * runs of each, and stops when that is certainly linear.
 */
function growth(search: (count: number) => unknown, count: number): number {
  let [long, short] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let tries = 0; tries < 18; tries++) {
    long = Math.min(
      long,
      timeOf(() => search(4 * count)),
    );
    if (long < 10 * least) return 0;
    // A short time that is too long would hide a quadratic one.
    for (let runs = 0; runs < (tries === 0 ? 3 : 1); runs++) {
      short = Math.min(
        short,
        timeOf(() => search(count)),
      );
    }
    if (long / Math.max(least, short) < 10) break;
  }
  return long / Math.max(least, short);
}

/**
 * How many times a part is in the short text. A search that starts anew at each part and reads to the end takes as long for any part, then:
 * as long as for 2,000 single characters, which is enough to notice it. At night there are that many of each.
 */
const partsOf = (part: string): number =>
  process.env.TEST_SIZE === 'full' ? 2_000 : Math.ceil(2_000 / Math.sqrt(part.length));

it.each(Object.entries(searches))('%s takes about four times as long for four times the text', (_, search) => {
  for (const part of parts) {
    const size = partsOf(typeof part === 'string' ? part : part(0));
    for (const [before, after] of typeof part === 'string' ? around : around.slice(0, 1)) {
      const text = (count: number) =>
        `${before}${Array.from({ length: count }, (__, i) => (typeof part === 'string' ? part : part(i))).join('')}${after}`;
      const texts = new Map([size, 4 * size].map((count) => [count, text(count)]));
      expect(
        growth((count) => search(texts.get(count) ?? ''), size),
        `of ${JSON.stringify(text(2))}…`,
      ).toBeLessThan(12);
    }
  }
});
