import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { compileCache, ROOT } from '../files.ts';
import { NODE } from '../runner/runner.ts';

let folder = '';
let temp = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'demo-'));
  temp = join(folder, 'tmp');
  mkdirSync(temp);
  // Postgres does not run as root: if the tests do, it runs as another user, who must have access
  for (const path of [folder, temp]) chmodSync(path, 0o777);
});
afterEach(() => rmSync(folder, { recursive: true }));

const demo = (root: string) =>
  spawnSync(NODE, [join(root, 'tools/demo/index.ts')], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: temp, NODE_COMPILE_CACHE: compileCache },
    encoding: 'utf8',
  });

it('the demo passes all checks and leaves no files', () => {
  const { status, stdout, stderr } = demo(ROOT);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(/\nAll \d\d checks passed in [\d.]+ s\.\n$/);
  expect(stdout).not.toContain('✗');
  expect(readdirSync(temp)).toEqual([]);
});

it('the demo fails if the action does not do what it says', () => {
  for (const path of ['tools', 'test', 'src', 'action.yml', 'package.json'])
    cpSync(join(ROOT, path), join(folder, path), { recursive: true, filter: (from) => !from.endsWith('node_modules') });
  // with them, the new cluster that Postgres starts from
  for (const path of ['node_modules', 'build']) symlinkSync(join(ROOT, path), join(folder, path));
  mkdirSync(join(folder, 'dist'));
  // claims success and does nothing
  writeFileSync(join(folder, 'dist/index.js'), "console.log('Created branch');\n");
  const { status, stdout, stderr } = demo(folder);
  expect(status).toBe(1);
  expect(stdout).toContain('✗ created=true, branch_name=preview/pr-7');
  expect(stderr).toContain('The demo was aborted');
  expect(readdirSync(temp)).toEqual([]);
});
