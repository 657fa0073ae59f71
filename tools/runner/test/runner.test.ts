import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pullRequest } from '../events.ts';
import { cancelSignals } from '../process.ts';
import { type RunOptions, runAction } from '../runner.ts';

const ACTION = `
name: Fake
description: prints what the test tells it to
inputs:
  code: { description: the main step, default: '' }
runs: { using: node24, main: dist/index.mjs }
`;

/** An action with code as its steps: `file(name, text)` appends to a command file, `env` is the environment. */
const SCRIPT = `
import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
const env = process.env;
const file = (name, text) => appendFileSync(env['GITHUB_' + name], text);
const AsyncFunction = (async () => {}).constructor;
await new AsyncFunction('env', 'file', 'delay', env.INPUT_CODE)(env, file, delay);
`;

let action = '';
beforeAll(() => {
  action = mkdtempSync(join(tmpdir(), 'fake-action-'));
  mkdirSync(join(action, 'dist'));
  writeFileSync(join(action, 'action.yml'), ACTION);
  writeFileSync(join(action, 'dist/index.mjs'), SCRIPT);
});
afterAll(() => rmSync(action, { recursive: true }));

function play(code: string, options: RunOptions = {}) {
  return runAction({ folder: action, ...options, inputs: { code, ...options.inputs } });
}

describe('a step', () => {
  it('has the environment of a runner and nothing from this process', async () => {
    const event = pullRequest({ number: 12, repository: 'acme/shop' });
    const run = await play('console.log(JSON.stringify(env)); console.log(process.cwd())', {
      event,
      env: { MINE: '1' },
    });
    const [env = '', cwd = ''] = run.stdout.split('\n');
    const variables: Record<string, string> = JSON.parse(env);
    expect(variables).toMatchObject({
      CI: 'true',
      GITHUB_ACTIONS: 'true',
      GITHUB_EVENT_NAME: 'pull_request',
      GITHUB_REF: 'refs/pull/12/merge',
      GITHUB_REPOSITORY: 'acme/shop',
      GITHUB_WORKSPACE: cwd,
      MINE: '1',
    });
    expect(Object.keys(variables).filter((name) => /^(npm_|VITEST|NODE)/i.test(name))).toEqual([]);
  });

  it('fails by its exit code, and by a malformed command file', async () => {
    expect(await play('process.exitCode = 3')).toMatchObject({ code: 3, conclusion: 'failure', faults: [] });
    const run = await play("file('OUTPUT', 'a=1\\nb<<E\\nnever ends\\n')");
    expect(run).toMatchObject({ code: 0, conclusion: 'failure', outputs: { a: '1' } });
    expect(run.faults).toEqual([expect.stringContaining("Matching delimiter not found 'E'")]);
  });
});

describe('cancelling', () => {
  it('continues with SIGTERM and SIGKILL', async () => {
    const stubborn =
      "process.on('SIGINT', () => {}); process.on('SIGTERM', () => {}); console.log('up'); await delay(60_000)";
    const run = await play(stubborn, { cancel: { at: /up/, signals: cancelSignals(0.02) } });
    expect(run).toMatchObject({ code: null, signal: 'SIGKILL', sent: ['SIGINT', 'SIGTERM', 'SIGKILL'] });
  });
});
