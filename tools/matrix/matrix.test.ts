import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';

it('`npm run matrix` reports its progress, and ends on SIGINT with what it has', async () => {
  const file = new URL('matrix.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [file, '--commands', 'delete', '--at-once', '2', 'by name'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const closed = once(child, 'close');
  const lines: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    if (lines.push(line) === 1) child.kill('SIGINT');
  }
  expect(await closed).toEqual([130, null]);
  expect(lines).toEqual([
    expect.stringMatching(/^\d+ of \d+ done, \d+ to play again, 0 failed$/),
    'Stopping; waiting for the runs that are in progress',
    expect.stringMatching(/^Stopped after \d+ of \d+ runs$/),
  ]);
});
