import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fromReadme } from './plays.ts';
import { missing, runners } from './runners.ts';

it('the workflow that is played is in the README', () => {
  expect(fromReadme('Preview')).toContain('on_missing_key: skip');
});

it('a runner that is not installed is named, with the way to install it', () => {
  expect(missing(runners.act, '/nowhere/act')).toMatch(
    /^nektos\/act is not installed: .*go install github\.com\/nektos\/act/,
  );
});

it.each([[[]], [['jenkins']], [['gitea-server']]])('%j prints the usage and fails', (args) => {
  const run = spawnSync(process.execPath, [join(import.meta.dirname, 'index.ts'), ...args], { encoding: 'utf8' });
  expect(run).toMatchObject({
    status: 1,
    stderr: '',
    stdout: expect.stringMatching(/^npm run runners -- act\|forgejo\|gitea/),
  });
});
