import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { runCommand } from '../../src/rehearse/run.ts';

async function run(script: string, options: { stopAfterMs?: number; onLine?: (line: string) => void } = {}) {
  const lines: string[] = [];
  const started = performance.now();
  const ended = await runCommand({
    script,
    folder: tmpdir(),
    env: { PATH: process.env.PATH ?? '' },
    signal: options.stopAfterMs === undefined ? new AbortController().signal : AbortSignal.timeout(options.stopAfterMs),
    onLine(line) {
      lines.push(line);
      options.onLine?.(line);
    },
  });
  return { ...ended, lines, ms: performance.now() - started };
}

/** Whether a process is there, and not just waiting for its parent to notice that it has ended. */
async function isAlive(pid: number): Promise<boolean> {
  await delay(50);
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

it('runs as a `run:` step does: it ends at the first error, also within a pipe', async () => {
  expect(await run('echo one; false; echo two')).toMatchObject({ exitCode: 1, stopped: false, lines: ['one'] });
  expect(await run('false | cat; echo two')).toMatchObject({ exitCode: 1, lines: [] });
  expect(await run('exit 42')).toMatchObject({ exitCode: 42 });
  expect(await run('echo one\necho two')).toMatchObject({ exitCode: 0, lines: ['one', 'two'] });
});

it('gives the exit code of a signal as a shell does', async () => {
  expect(await run('kill -KILL $$')).toMatchObject({ exitCode: 137, stopped: false });
});

it('has an empty standard input', async () => {
  expect(await run('read answer || echo none')).toMatchObject({ exitCode: 0, lines: ['none'] });
});

it('passes on each line at once, whole, without escape sequences', async () => {
  const seen: number[] = [];
  const started = performance.now();
  const { lines } = await run(
    String.raw`printf '\033[31mred\033[0m\r\n'; printf 'half'; sleep 0.3; printf ' a line\n10%%\r50%%\r100%%\nlast'`,
    { onLine: () => seen.push(performance.now() - started) },
  );
  expect(lines).toEqual(['red', 'half a line', '100%', 'last']);
  expect(seen[0]).toBeLessThan((seen[1] ?? 0) - 200);
});

it('cuts a line that never ends', async () => {
  const { lines } = await run("head -c 100000 /dev/zero | tr '\\0' x; echo; echo next");
  expect(lines.map((line) => line.length)).toEqual([16_385, 4]);
  expect(lines[0]?.endsWith('x…')).toBe(true);
});

it('ends with SIGTERM, which a command may handle', async () => {
  const { exitCode, stopped, lines, ms } = await run(
    'trap "echo cleaned up; exit 3" TERM; echo began; sleep 30 & wait',
    {
      stopAfterMs: 300,
    },
  );
  expect({ exitCode, stopped, lines }).toEqual({ exitCode: 3, stopped: true, lines: ['began', 'cleaned up'] });
  expect(ms).toBeLessThan(3_000);
});

it('kills a command that ignores SIGTERM after 5 seconds', async () => {
  const { exitCode, stopped, ms } = await run('trap "" TERM; while true; do sleep 0.1; done', { stopAfterMs: 200 });
  expect({ exitCode, stopped }).toEqual({ exitCode: 137, stopped: true });
  expect(ms).toBeGreaterThan(5_000);
  expect(ms).toBeLessThan(8_000);
});

it('ends the children that a command leaves behind', async () => {
  const { exitCode, lines, ms } = await run('sleep 60 & echo $!');
  expect(exitCode).toBe(0);
  expect(ms).toBeLessThan(3_000);
  expect(await isAlive(Number(lines[0]))).toBe(false);
});

it('does not wait for a child that has left the process group', async () => {
  const { lines, ms } = await run('setsid sleep 60 & echo $!');
  expect(ms).toBeLessThan(4_000);
  try {
    process.kill(Number(lines[0]), 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
});

it('says why a command cannot be started', async () => {
  const folder = '/no/such/folder';
  const starting = runCommand({ script: 'true', folder, env: {}, onLine() {}, signal: new AbortController().signal });
  await expect(starting).rejects.toThrow('Could not start the command (`run`)');
});
