import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pullRequest } from '../events.ts';
import { cancelSignals, killed } from '../process.ts';
import { actionOf, REPOSITORY } from '../repository.ts';
import { type RunOptions, runAction } from '../runner.ts';

const ACTION = `
name: Fake
description: prints what the test tells it to
inputs:
  code: { description: the main step, default: '' }
  post code: { description: the post step, default: '' }
  plain-name: { description: no default }
  github_token: { description: a token, default: '\${{ github.token }}' }
runs: { using: node24, main: dist/index.mjs, post: dist/index.mjs }
`;

/** An action with code as its steps: `file(name, text)` appends to a command file, `env` is the environment. */
const SCRIPT = `
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
const env = process.env;
const file = (name, text) => appendFileSync(env['GITHUB_' + name], text);
const code = env.STATE_main ? env.INPUT_POST_CODE : env.INPUT_CODE;
if (!env.STATE_main) file('STATE', 'main=1\\n');
const AsyncFunction = (async () => {}).constructor;
await new AsyncFunction('env', 'file', 'delay', 'readFileSync', 'writeFileSync', code)(env, file, delay, readFileSync, writeFileSync);
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

it.each([
  ['OWNER/REPO@v1', 'lifecycle'],
  ['OWNER/REPO/diff@0123abc', 'diff'],
  ['./', 'lifecycle'],
  ['./prune', 'prune'],
  ['OWNER/REPO/other@v1', undefined],
  ['actions/checkout@v5', undefined],
  [undefined, undefined],
])('%s is the action %s', (uses, name) => {
  expect(actionOf(uses?.replace('OWNER/REPO', REPOSITORY))).toBe(name);
});

describe('a step', () => {
  it('gets every input, with its default or empty', async () => {
    const run = await play(
      "console.log(JSON.stringify(Object.entries(env).filter(([name]) => name.startsWith('INPUT_')).sort()))",
      { token: 'ghs_other', inputs: { 'post code': '//' } },
    );
    const inputs = Object.fromEntries(JSON.parse(run.stdout));
    expect(inputs).toMatchObject({ INPUT_GITHUB_TOKEN: 'ghs_other', INPUT_POST_CODE: '//', 'INPUT_PLAIN-NAME': '' });
    expect(Object.keys(inputs)).toHaveLength(4);
  });

  it('is that of its own action.yml, which may have no post step', async () => {
    const folder = join(action, 'sub');
    mkdirSync(folder);
    writeFileSync(
      join(folder, 'action.yml'),
      'inputs: { code: {}, mine: { default: x } }\nruns: { main: ../dist/index.mjs }',
    );
    const run = await play('console.log(env.INPUT_MINE, env.INPUT_POST_CODE)', { folder, post: true });
    expect([run.stdout, run.post]).toEqual(['x undefined\n', undefined]);
  });

  it('cannot have an unknown input', async () => {
    await expect(play('', { inputs: { cod: '' } })).rejects.toThrow("unexpected input 'cod'");
  });

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

  it('reads its event from a file', async () => {
    const event = pullRequest({ number: 12 });
    const run = await play("console.log(readFileSync(env.GITHUB_EVENT_PATH, 'utf8'))", { event });
    expect(JSON.parse(run.stdout)).toEqual(event.payload);
  });

  it('writes outputs, variables, state, a path and a summary', async () => {
    const run = await play(`
      file('OUTPUT', 'a<<E\\n1\\n2\\nE\\nb=3\\n'); file('ENV', 'X=y\\n'); file('STATE', 's=t\\n');
      file('PATH', '/opt/bin\\n'); file('STEP_SUMMARY', '# Hello\\n');
      writeFileSync(env.RUNNER_TEMP + '/answer.json', '{}');`);
    expect(run).toMatchObject({
      code: 0,
      conclusion: 'success',
      outputs: { a: '1\n2', b: '3' },
      env: { X: 'y' },
      state: { main: '1', s: 't' },
      path: ['/opt/bin'],
      summary: '# Hello\n',
      post: undefined,
    });
    expect(Object.values(run.files)).toEqual(['{}']);
    expect(Object.keys(run.files)[0]).toMatch(/_temp\/answer\.json$/);
  });

  it('fails by its exit code, and by a malformed command file', async () => {
    expect(await play('process.exitCode = 3')).toMatchObject({ code: 3, conclusion: 'failure', faults: [] });
    const run = await play("file('OUTPUT', 'a=1\\nb<<E\\nnever ends\\n')");
    expect(run).toMatchObject({ code: 0, conclusion: 'failure', outputs: { a: '1' } });
    expect(run.faults).toEqual([expect.stringContaining("Matching delimiter not found 'E'")]);
  });

  it("fails if its summary is larger than GitHub's limit", async () => {
    const run = await play("file('STEP_SUMMARY', 'x'.repeat(1024 * 1024 + 1))");
    expect(run.faults).toEqual([expect.stringContaining('1048577 bytes')]);
  });

  it('has a line end at a carriage return', async () => {
    const run = await play("console.log('title\\r::set-output name=a::evil')");
    expect(run.outputs).toEqual({ a: 'evil' });
  });

  it('may print a line in pieces', async () => {
    const run = await play(
      "for (const part of ['::no', 'tice::ä', '\\r', '\\nx']) { process.stdout.write(part); await delay(20); }",
    );
    expect(run.annotations.notice).toEqual(['ä']);
    expect(run.log.map((line) => line.text)).toEqual(['::notice::ä', 'x']);
  });

  it('is killed if it hangs, and its output is in the error', async () => {
    await expect(play("console.log('here'); await delay(60_000)", { timeoutMs: 8_000 })).rejects.toThrow(
      /still running after 8000 ms\nhere/,
    );
  });
});

describe('secrets', () => {
  it('are found in the summary', async () => {
    const run = await play("file('STEP_SUMMARY', 'key s3cr3t')");
    expect(run.leaks(['s3cr3t'])).toEqual([{ where: 'summary', form: 'raw', text: 'key s3cr3t' }]);
  });

  it('cannot be job outputs', async () => {
    const run = await play(
      "console.log('::add-mask::s3cr3t'); file('OUTPUT', 'url=x:s3cr3t@y\\nhost=y\\nkey=k3y\\n')",
      {
        secrets: ['k3y'],
      },
    );
    expect(run.jobOutputs).toEqual({ host: 'y' });
  });

  it("include the workflow's own token", async () => {
    const run = await play('console.log(env.INPUT_GITHUB_TOKEN)', { token: 'ghs_mine' });
    expect([run.stdout, run.maskedLog()]).toEqual(['ghs_mine\n', '***']);
  });
});

describe('the post step', () => {
  it('runs after a failure with the same inputs, the state and the exported variables', async () => {
    const run = await play("file('STATE', 'id=br-1\\n'); file('ENV', 'X=y\\n'); process.exit(1)", {
      post: true,
      inputs: { 'post code': 'console.log(env.STATE_id, env.X, env.INPUT_GITHUB_TOKEN)', github_token: 't0k' },
    });
    expect(run.conclusion).toBe('failure');
    expect(run.post).toMatchObject({ conclusion: 'success', stdout: 'br-1 y t0k\n' });
  });

  it('runs after the rest of the job, with the same masks', async () => {
    const order: string[] = [];
    const run = await play("console.log('::add-mask::s3cr3t')", {
      post: true,
      inputs: { 'post code': "console.log('s3cr3t')" },
      between: (main) => order.push(main.conclusion),
    });
    expect(order).toEqual(['success']);
    expect(run.post?.maskedLog()).toBe('***');
    expect(run.post?.leaks(['s3cr3t'])).toEqual([]);
  });
});

describe('cancelling', () => {
  it('interrupts at a line', async () => {
    const run = await play(
      "process.on('SIGINT', () => process.exit(130)); console.log('working'); await delay(60_000)",
      {
        cancel: { at: /^working$/, signals: cancelSignals(10) },
      },
    );
    expect(run).toMatchObject({ code: 130, signal: null, sent: ['SIGINT'], conclusion: 'failure' });
  });

  it('continues with SIGTERM and SIGKILL', async () => {
    const stubborn =
      "process.on('SIGINT', () => {}); process.on('SIGTERM', () => {}); console.log('up'); await delay(60_000)";
    const run = await play(stubborn, { cancel: { at: /up/, signals: cancelSignals(0.02) } });
    expect(run).toMatchObject({ code: null, signal: 'SIGKILL', sent: ['SIGINT', 'SIGTERM', 'SIGKILL'] });
  });

  it("kills when the test's promise resolves, and still runs the post step", async () => {
    const run = await play("file('STATE', 'id=7\\n'); console.log('saved'); await delay(60_000)", {
      post: true,
      inputs: { 'post code': 'console.log(env.STATE_id)' },
      cancel: {
        at: async (running) => {
          await running.line(/saved/);
          expect(running.pid).toBeGreaterThan(0);
        },
        signals: killed,
      },
    });
    expect(run).toMatchObject({ code: null, signal: 'SIGKILL', conclusion: 'failure' });
    expect(run.post?.code).toBe(0);
  });

  it('does nothing if the step has ended before', async () => {
    const run = await play('', { cancel: { at: /never/, signals: killed } });
    expect(run).toMatchObject({ code: 0, sent: [] });
  });

  it('fails the test if its promise rejects', async () => {
    const at = () => Promise.reject(new Error('no such request'));
    await expect(play('await delay(60_000)', { cancel: { at, signals: killed } })).rejects.toThrow('no such request');
  });
});

it('runs in parallel, and removes its folders', async () => {
  const folders = await Promise.all(
    Array.from({ length: 4 }, (_, number) => play(`file('OUTPUT', 'home=' + env.HOME + '\\nn=${number}\\n')`)),
  );
  expect(folders.map((run) => run.outputs.n)).toEqual(['0', '1', '2', '3']);
  for (const run of folders) expect(existsSync(run.outputs.home ?? '/')).toBe(false);
  expect(readdirSync(action).sort()).toEqual(['action.yml', 'dist', 'sub']);
});
