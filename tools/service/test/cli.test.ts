import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { ROOT } from '../../files.ts';
import { NODE } from '../../runner/runner.ts';

const CLI = join(ROOT, 'tools/service/cli.ts');

/** Starts the service like `npm run service`. It ends with the test, whatever fails. */
async function startCli(args: string[]) {
  const child = spawn(NODE, [CLI, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  let output = '';
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    output += chunk;
    if (output.includes('dist/index.js')) break;
  }
  child.stdout.resume();
  const field = (name: string) => new RegExp(`^ +${name} +(\\S+)$`, 'm').exec(output)?.[1] ?? '';
  return { child, field, exited };
}

/** Whether a process has this text in its command line. */
function isInUse(text: string): boolean {
  return readdirSync('/proc').some((name) => {
    try {
      return Number(name) > 0 && readFileSync(join('/proc', name, 'cmdline'), 'utf8').includes(text);
    } catch {
      return false;
    }
  });
}

it.runIf(process.platform === 'linux').each(['SIGKILL', 'SIGINT'] as const)(
  'leaves no process and no file when it is stopped with %s',
  async (signal) => {
    const { child, field, exited } = await startCli([]);
    const folder = dirname(field('certificate'));
    expect([existsSync(folder), isInUse(folder)]).toEqual([true, true]);
    child.kill(signal);
    expect(await exited).toEqual(signal === 'SIGKILL' ? [null, signal] : [0, null]);
    while (existsSync(folder) || isInUse(folder)) await sleep(10);
  },
);

it('accepts the given API key', async () => {
  const { child, field, exited } = await startCli(['--compute', 'none', '--key', 'my-own-key']);
  const response = await fetch(`${field('base URL')}/projects/${field('project ID')}`, {
    headers: { authorization: 'Bearer my-own-key' },
  });
  expect(response.status).toBe(200);
  child.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
});

it('says what is wrong with an option, without a stack', async () => {
  await expect(promisify(execFile)(NODE, [CLI, '--port', 'x'])).rejects.toMatchObject({
    code: 1,
    stderr: '--port: "x" is invalid; expected 0 to 65535\n',
  });
});
