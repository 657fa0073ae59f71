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

/** Runs a file of `dist` on a Node.js that says it has this version. */
function onNode(version: string, file: string, env: NodeJS.ProcessEnv = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'old-node-'));
  try {
    const older = join(folder, 'older.cjs');
    writeFileSync(
      older,
      `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });
      Object.defineProperty(process, 'version', { value: 'v${version}' });`,
    );
    return spawnSync(NODE, ['--require', older, join(ROOT, 'dist', file)], { encoding: 'utf8', env });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('on a Node.js that is too old', () => {
  it('both files end with a sentence before they load anything', () => {
    const version = '22.18.0';
    const main = onNode(version, 'index.js');
    expect(main).toMatchObject({ status: 1, stderr: '' });
    expect(main.stdout).toBe(
      `::error title=Database Branch::Nothing was done, because this action needs Node.js 22.19 or later, but the runner has v${version}. Update GitHub's runner to 2.327.1 or later; on any other, use an image or a host with a newer Node.js.\n`,
    );
    const post = onNode(version, 'post.js');
    expect(post).toMatchObject({ status: 0, stderr: '' });
    expect(post.stdout).toBe(
      `::warning title=Database Branch::The post step did nothing, because this action needs Node.js 22.19 or later, but the runner has v${version}. If the main step created a branch to be deleted when the job ends, the branch may still exist; delete it manually.\n`,
    );
  });

  it('22.19.0 is new enough', () => {
    expect(onNode('22.19.0', 'index.js').stdout).toContain('invalid inputs');
    expect(onNode('22.19.0', 'post.js')).toMatchObject({ status: 0, stdout: '', stderr: '' });
  });

  it.each(['index.js', 'post.js', 'entry.cjs'])('%s can be parsed', (file) => {
    const code = read(`dist/${file}`).replace(/\/\*[\s\S]*?\*\//g, '');
    expect(code).not.toMatch(/\bawait\b|\?\.(?!\d)|\?\?|\|\|=|&&=|#\w|^import\s|\bstatic\b|\d_\d/m);
  });
});

it('the post step loads the rest of the action only if the main step has left it something to do', () => {
  const folder = mkdtempSync(join(tmpdir(), 'post alone '));
  try {
    for (const file of ['post.js', 'entry.cjs']) copyFileSync(join(ROOT, 'dist', file), join(folder, file));
    const post = (env: NodeJS.ProcessEnv) => spawnSync(NODE, [join(folder, 'post.js')], { encoding: 'utf8', env });
    expect(post({})).toMatchObject({ status: 0, stdout: '', stderr: '' });
    expect(post({ STATE_ephemeral: '{}' }).stdout).toMatch(
      /^::warning title=Database Branch::The post step could not be loaded, so the branch that its main step created may still exist; delete it manually\. .*start\.js/,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe('without a place for the outputs', () => {
  it.each([
    ['is not set', '', /the runner has not set GITHUB_OUTPUT\./],
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
  ['', /the runner has not set GITHUB_ENV\./],
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
