import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needsOwnProcess, runReused } from '../reused.ts';
import { NODE } from '../runner.ts';

let folder = '';
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'steps-')));
});
afterAll(() => rmSync(folder, { recursive: true }));

let scripts = 0;
/** Writes a script as `index.cjs` of a folder of its own. */
function script(code: string): string {
  const home = join(folder, `${scripts++}`);
  mkdirSync(home);
  writeFileSync(join(home, 'index.cjs'), code);
  return join(home, 'index.cjs');
}

async function run(path: string, options: { env?: Record<string, string>; timeoutMs?: number } = {}) {
  const lines: string[] = [];
  const ended = await runReused({
    file: NODE,
    args: [path],
    cwd: folder,
    env: { PID: '1', ...options.env },
    processEnv: {},
    timeoutMs: options.timeoutMs ?? 20_000,
    onLine: (stream, line) => lines.push(`${stream}: ${line}`),
  });
  return { ...ended, lines };
}

describe('steps that share a process', () => {
  it('do share one, one at a time', async () => {
    const pid = script('console.log(process.pid)');
    const one = await run(pid);
    expect((await run(pid)).stdout).toBe(one.stdout);
    const [two, three] = await Promise.all([run(pid), run(pid)]);
    expect(two?.stdout).not.toBe(three?.stdout);
  });

  it('each get their own environment, folder and listeners, and a fresh entry module', async () => {
    const path = script(`
      let seen = 0;
      console.log(++seen, process.cwd(), JSON.stringify(process.env), process.listenerCount('SIGINT'));
      process.on('SIGINT', () => {});
      process.chdir('/');
    `);
    for (const name of ['ONE', 'TWO']) {
      const { stdout, stderr, code: status } = await run(path, { env: { [name]: 'x' } });
      expect({ stdout, stderr, status }).toEqual({
        stdout: `1 ${folder} {"PID":"1","${name}":"x"} 0\n`,
        stderr: '',
        status: 0,
      });
    }
  });

  it('may end the process, or break it', async () => {
    expect(await run(script("console.log('x'); process.exit(5)"))).toMatchObject({ code: 5, stdout: 'x\n' });
    const broken = await run(script("throw new Error('broken')"));
    expect(broken).toMatchObject({ code: 1, stdout: '' });
    expect(broken.stderr).toContain('Error: broken');
    expect(await run(script("process.kill(process.pid, 'SIGKILL')"))).toMatchObject({ code: null, signal: 'SIGKILL' });
  });
});

it.each([
  ['NODE_EXTRA_CA_CERTS', true],
  ['https_proxy', true],
  ['NO_PROXY', true],
  ['TZ', true],
  ['INPUT_NODE', false],
  ['PATH', false],
])('%s in the environment needs a process of its own: %s', (name, expected) => {
  expect(needsOwnProcess({ [name]: 'x' })).toBe(expected);
});
