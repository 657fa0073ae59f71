import { expect, it } from 'vitest';
import { hasMarker } from '../../../src/github/comment.ts';
import { gitBranches, mentionsIn } from '../../../src/prune/names.ts';
import { maskSecrets } from '../../../src/secrets/fields.ts';
import { hidePasswords } from '../../../src/secrets/passwords.ts';
import { createSecrets } from '../../../src/secrets/store.ts';
import { ignoreRules } from '../../../src/step/values.ts';
import { branchNameFromRef } from '../../../src/text/branch-name.ts';
import { oneLine, withoutCommands } from '../../../src/text/inert.ts';
import { code, fenced, plain } from '../../../src/text/markdown.ts';

/** Parts of texts that patterns start to match again and again; `#` stands for another number each time. */
const parts = [
  ...['x1.', 'https://x:', 'a://b:@', 'a=1&token', 'a://b:#xx@c ', 'a://b?token=#xx ', '#: xyz… ', '…', '\n', ' '],
  ...['::a', "'", "'a''", 'password ', 'password=', "password='", "password=''", "password 'a", "E'\\", '"a""', '\\'],
  ...['` ', '(', '[]', '(1, ', '_', '-', '/', '##[', '1', 'GH-', 'pr-1', 'aA', '"'],
];

const searches: Record<string, (text: string) => unknown> = {
  maskSecrets: (text) => maskSecrets({ uri: text, secret: { value: text }, [text]: text }, () => {}),
  redact(text) {
    const secrets = createSecrets();
    // As many secrets as a large response may have, of the length that secrets have.
    for (const word of ['xyz1x1.x1', ...text.split(/\s+/, 500)]) secrets.add(word.slice(0, 200));
    return secrets.redact(text);
  },
  redactAfterCut(text) {
    const secrets = createSecrets();
    secrets.add('napi_secret');
    return secrets.redact(`…${text}`);
  },
  hidePasswords: (text) => hidePasswords(text),
  oneLine: (text) => withoutCommands(oneLine(text)),
  plain: (text) => plain(text),
  code: (text) => code(text),
  fenced: (text) => fenced(text),
  hasMarker: (text) => hasMarker(text, { kind: 'diff', project: 'p', of: 'd' }),
  branchNameFromRef: (text) => branchNameFromRef(text),
  // A name has at most 256 characters.
  gitBranches: (text) => gitBranches([text]).find([text.slice(0, 256)], ''),
  mentionsIn: (text) => mentionsIn(text),
  ignoreRules: (text) => ignoreRules(`grant:x${text.replaceAll(/[,\n]/g, '')}`),
};

/** The least time of some runs, in milliseconds of this thread's CPU time, so that other work on the machine hardly counts. */
function timeOf(work: () => unknown, runs: number): number {
  const times = Array.from({ length: runs }, () => {
    const start = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(start);
    return (user + system) / 1_000;
  });
  return Math.min(...times);
}

it.each(Object.entries(searches))('%s takes about four times as long for four times the text', (_, search) => {
  for (const part of parts) {
    const text = (count: number) => Array.from({ length: count }, (__, i) => part.replace('#', String(i))).join('');
    const count = Math.ceil(2_000 / Math.sqrt(part.length));
    const [short, long] = [text(count), text(4 * count)];
    // Four times the time is linear, 16 times quadratic; shorter times than 20 ms are noise.
    let [least, most] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let tries = 0; tries < 6; tries++) {
      most = Math.min(
        most,
        timeOf(() => search(long), 1),
      );
      if (most < 20) break;
      least = Math.min(
        least,
        timeOf(() => search(short), 3),
      );
      if (most / Math.max(2, least) < 10) break;
    }
    if (most >= 20) expect(most / Math.max(2, least), JSON.stringify(text(2))).toBeLessThan(12);
  }
});
