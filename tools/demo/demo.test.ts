import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { compileCache, ROOT } from '../files.ts';
import { NODE } from '../runner/runner.ts';

it('the demo passes all checks and leaves no files', () => {
  const temp = mkdtempSync(join(tmpdir(), 'demo-'));
  onTestFinished(() => rmSync(temp, { recursive: true }));
  // Postgres does not run as root: if the tests do, it runs as another user, who must have access
  chmodSync(temp, 0o777);
  const { status, stdout, stderr } = spawnSync(NODE, [join(ROOT, 'tools/demo/index.ts')], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: temp, NODE_COMPILE_CACHE: compileCache },
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(/\nAll \d\d checks passed in [\d.]+ s\.\n$/);
  expect(stdout).not.toContain('✗');
  expect(readdirSync(temp)).toEqual([]);
});
