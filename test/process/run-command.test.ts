import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../../src/rehearse/command.ts';

async function run(script: string, options: { signal?: AbortSignal; onLine?: (line: string) => void } = {}) {
  const lines: string[] = [];
  const { signal = new AbortController().signal } = options;
  const ended = await runCommand({
    command: { script, folder: tmpdir(), env: { PATH: process.env.PATH ?? '' } },
    signal,
    onLine(line) {
      lines.push(line);
      options.onLine?.(line);
    },
  });
  return { ...ended, lines };
}

/** A folder that is removed after the test. */
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'command-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Resolves once a process has ended. */
async function ended(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await delay(10);
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
  const seen = join(newFolder(), 'seen');
  // The command goes on once its first line has been seen.
  const until = `until [ -e '${seen}' ]; do sleep 0.01; done`;
  const { lines } = await run(
    String.raw`printf '\033[31mred\033[0m\r\n'; printf 'half'; ${until}; printf ' a line\nlast'`,
    { onLine: () => writeFileSync(seen, '') },
  );
  expect(lines).toEqual(['red', 'half a line', 'last']);
});

it('ends with SIGTERM, which a command may handle', async () => {
  const stop = new AbortController();
  const script = 'trap "echo cleaned up; exit 3" TERM; echo began; while true; do sleep 0.1; done';
  const result = await run(script, { signal: stop.signal, onLine: () => stop.abort() });
  expect(result).toMatchObject({ exitCode: 3, stopped: true });
  // The shell may also say that `sleep` was terminated.
  expect(result.lines).toContain('cleaned up');
});

it('kills a command that ignores SIGTERM after 5 seconds', async () => {
  const stop = new AbortController();
  const script = 'trap "" TERM; echo began; while true; do sleep 0.1; done';
  const ended = await run(script, { signal: stop.signal, onLine: () => stop.abort() });
  expect(ended).toMatchObject({ exitCode: 137, stopped: true });
});

it('ends the children that a command leaves behind', async () => {
  const { exitCode, lines } = await run('sleep 3600 & echo $!');
  expect(exitCode).toBe(0);
  await ended(Number(lines[0]));
});

it('does not wait for a child that has left the process group', async () => {
  const left = join(newFolder(), 'left');
  const { lines } = await run(
    `setsid bash -c 'echo $$; touch "${left}"; exec sleep 3600' & until [ -e '${left}' ]; do sleep 0.01; done`,
  );
  process.kill(Number(lines[0]), 'SIGKILL');
});

it('says why a command cannot be started', async () => {
  const folder = '/no/such/folder';
  const starting = runCommand({
    command: { script: 'true', folder, env: {} },
    onLine() {},
    signal: new AbortController().signal,
  });
  await expect(starting).rejects.toThrow('Could not start the command');
});
