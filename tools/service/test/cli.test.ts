import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { ROOT } from '../../files.ts';
import { NODE } from '../../runner/runner.ts';

/** Through a pipe, because `/dev/stdout` cannot be opened if it is a socket. */
const bash = async (script: string) =>
  (await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', `{ ${script}\n} | cat`], { cwd: ROOT })).stdout;

it('npm run service -- --github: its printed commands comment on a pull request, close it, and prune its branch', async () => {
  const args = [join(ROOT, 'tools/service/cli.ts'), '--compute', 'none', '--github'];
  const service = spawn(NODE, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void service.kill('SIGKILL'));
  const exited = once(service, 'exit');
  let help = '';
  for await (const chunk of service.stdout.iterator({ destroyOnReturn: false })) {
    help += chunk;
    if (help.includes('/pulls/7')) break;
  }
  service.stdout.resume();
  const [variables = ''] = /^ {2}export .*$/m.exec(help) ?? [];
  const [step = ''] = /^ {2}INPUT_.* INPUT_COMMENT=true \\\n.*$/m.exec(help) ?? [];
  const [comments = '', close = ''] = help.match(/^ {2}curl -s -H 'Authorization: Bearer ghs_.*$/gm) ?? [];
  const run = (more: string) => bash(`${variables}\n${more} ${step.trim()}`);

  expect(await run('')).toContain('preview/pr-7');
  expect(await bash(comments)).toContain('preview/pr-7');
  expect(JSON.parse(await bash(close)).state).toBe('closed');
  expect(await run('INPUT_COMMAND=prune')).toContain('"name":"preview/pr-7"');

  service.kill('SIGINT');
  expect(await exited).toEqual([0, null]);
});

it.each([
  ['--port', 'x', /^--port: "x" is invalid; expected 0 to 65535\n$/],
  ['--prot', '1', /^Unknown option '--prot'/],
])('says what is wrong with %s %s, without a stack', async (option, value, message) => {
  const started = promisify(execFile)(NODE, [join(ROOT, 'tools/service/cli.ts'), option, value], { cwd: ROOT });
  const { code, stderr } = await started.then(
    () => ({ code: 0, stderr: '' }),
    (error: { code: number; stderr: string }) => error,
  );
  expect([code, stderr.includes('    at ')]).toEqual([1, false]);
  expect(stderr).toMatch(message);
});
