import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, read } from '../../tools/files.ts';
import { pullRequest } from '../../tools/runner/events.ts';
import { NODE } from '../../tools/runner/runner.ts';
import { scenario } from '../support/scenario.ts';

const scene = scenario();
let last = 700;
const fresh = () => ({ event: pullRequest({ number: ++last }), name: `preview/pr-${last}` });

describe('on a Node.js that is too old', () => {
  it.each([
    ['index.js', 1, /^::error title=Database Branch::Nothing was done: this action needs Node\.js 24 or later, but /],
    ['post.js', 0, /^::warning title=Database Branch::The post step did nothing: this action needs Node\.js 24 or /],
  ])('%s ends with a sentence before it loads anything', (file, status, said) => {
    const folder = mkdtempSync(join(tmpdir(), 'old-node-'));
    try {
      const older = join(folder, 'older.cjs');
      writeFileSync(
        older,
        `Object.defineProperty(process, 'versions', { value: { node: '20.11.0' } });
        Object.defineProperty(process, 'version', { value: 'v20.11.0' });`,
      );
      const run = spawnSync(NODE, ['--require', older, join(ROOT, 'dist', file)], { encoding: 'utf8' });
      expect(run).toMatchObject({ status, stderr: '', stdout: expect.stringMatching(said) });
      expect(run.stdout).toContain('v20.11.0');
      expect(run.stdout.trim().split('\n')).toHaveLength(1);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.each(['index.js', 'post.js'])('%s can be parsed', (file) => {
    const code = read(`dist/${file}`).replace(/\/\*[\s\S]*?\*\//g, '');
    expect(code).not.toMatch(/\bawait\b|\?\.(?!\d)|\?\?|\|\|=|&&=|#\w|^import\s|\bstatic\b|\d_\d/m);
  });
});

it('the post step loads the rest of the action only if the main step has left it something to do', () => {
  const folder = mkdtempSync(join(tmpdir(), 'post alone '));
  try {
    const alone = join(folder, 'post.mjs');
    copyFileSync(join(ROOT, 'dist/post.js'), alone);
    const post = (env: NodeJS.ProcessEnv) => spawnSync(NODE, [alone], { encoding: 'utf8', env });
    expect(post({})).toMatchObject({ status: 0, stdout: '', stderr: '' });
    expect(post({ STATE_ephemeral: '{}' }).stdout).toMatch(
      /^::warning title=Database Branch::The post step did nothing: could not load this action: .*start\.js/,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe('without a place for the outputs', () => {
  it.each([
    ['is not set', '', /the runner has not set it/],
    ['is missing', '/nowhere/output', /Missing file at path/],
    ['is not a file', tmpdir(), /EISDIR/],
  ])('the step fails, and writes the rest (GITHUB_OUTPUT %s)', async (_, path, said) => {
    const { event, name } = fresh();
    const run = await scene.fails({ event, env: { GITHUB_OUTPUT: path }, inputs: { export_env: 'true' } });
    expect(run.message).toMatch(/^Could not write the outputs \(GITHUB_OUTPUT\): /);
    expect(run.message).toMatch(said);
    expect(run.summary).toContain(name);
    expect(run.summary).toContain('Could not write the outputs');
    expect(run.env).toHaveProperty('DATABASE_URL');
    expect(run.stdout).not.toContain('::set-output');
    expect(scene.service.branch(name)).toBeDefined();
  });

  it('the error of the step itself comes first', async () => {
    const run = await scene.play({ ...fresh(), env: { GITHUB_OUTPUT: '' }, inputs: { timeout: 'x' } });
    expect(run.code).toBe(1);
    expect(run.annotations.error).toEqual([
      expect.stringContaining('timeout: "x" is invalid'),
      expect.stringContaining('Could not write the outputs'),
    ]);
  });
});

it.each([
  ['', /the runner has not set it/],
  ['/nowhere/env', /Missing file at path/],
])('without a place for environment variables, the outputs are written (%j)', async (path, said) => {
  const run = await scene.fails({ ...fresh(), env: { GITHUB_ENV: path }, inputs: { export_env: 'true' } });
  expect(run.message).toMatch(/^Could not write the environment variables \(GITHUB_ENV\): /);
  expect(run.message).toMatch(said);
  expect(run.outputs).toHaveProperty('db_url');
});

it('without a place for the summary, the step succeeds and says so', async () => {
  const missing = await scene.succeeds({ ...fresh(), env: { GITHUB_STEP_SUMMARY: '/nowhere/summary' } });
  expect(missing.annotations.warning).toEqual([expect.stringContaining('Could not write the job summary')]);
  const unset = await scene.succeeds({ ...fresh(), env: { GITHUB_STEP_SUMMARY: '' } });
  expect(unset.stdout).toContain('No job summary: the runner has not set GITHUB_STEP_SUMMARY');
  for (const run of [missing, unset]) expect(run.outputs).toHaveProperty('branch_id');
});
