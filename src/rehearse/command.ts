import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';

/** How long processes have after SIGTERM, until SIGKILL, in milliseconds. */
const graceMs = 5_000;
/** How long the pipes of a command that has ended may stay open, which a process outside of its group can do, in milliseconds. */
const drainMs = 500;
const pollMs = 25;

/** Windows has no groups of processes: there, only the shell itself is ended. */
const hasGroups = process.platform !== 'win32';

/** A command that an input sets. */
export interface Command {
  script: string;
  /** The working directory. */
  folder: string;
  env: NodeJS.ProcessEnv;
}

/** How a command ended. */
export interface Ended {
  /** As a shell would give it: 128 and the signal's number for a command that a signal ended. */
  exitCode: number;
  /** Whether the signal or the limit stopped it, and it did not end by itself. */
  stopped: boolean;
}

/**
 * Runs shell commands as a `run:` step does, in a process group of its own that ends with them: once the signal aborts, or if processes
 * remain, the group gets SIGTERM, and SIGKILL after 5 seconds. Never outlives this process.
 */
export async function runCommand(options: {
  command: Command;
  /** Receives each line of output, without escape sequences, as it is written. */
  onLine: (line: string) => void;
  signal: AbortSignal;
  /** When it is stopped, too: milliseconds after its start. */
  limitMs?: number;
}): Promise<Ended> {
  const { command, signal, limitMs, onLine } = options;
  const child = await start(command);
  const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const closed = Promise.all([child.stdout, child.stderr].map((stream) => readLines(stream, onLine)));
  const { pid = 0 } = child;
  // A second signal to the action ends it at once; nothing may run on then.
  const killAtExit = () => send(pid, 'SIGKILL');
  process.once('exit', killAtExit);
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= stopGroup(pid);
  };
  const timer = limitMs === undefined ? undefined : setTimeout(stop, limitMs);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const [code, by] = await exit;
  const stopped = stopping !== undefined;
  stop();
  await stopping;
  await Promise.race([closed, delay(drainMs)]);
  clearTimeout(timer);
  signal.removeEventListener('abort', stop);
  process.off('exit', killAtExit);
  child.stdout.destroy();
  child.stderr.destroy();
  return { exitCode: code ?? 128 + (by === null ? 0 : constants.signals[by]), stopped };
}

/** Calls `onLine` for each whole line of a stream, so that a secret in one can be recognized; resolves once the stream has closed. */
async function readLines(stream: Readable, onLine: (line: string) => void): Promise<void> {
  // A pipe that breaks has no more lines.
  stream.on('error', () => {});
  const lines = createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY });
  lines.on('line', (line) => onLine(stripVTControlCharacters(line).trimEnd()));
  await once(lines, 'close');
}

/** Bash with the options of a `run:` step, else any shell. */
const shells = [
  ['bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c'],
  ['sh', '-e', '-c'],
];

async function start({ script, folder, env }: Command): Promise<ChildProcessByStdio<null, Readable, Readable>> {
  let message = '';
  for (const [shell = '', ...args] of shells) {
    const child = spawn(shell, [...args, script], {
      cwd: folder,
      env,
      // Standard input is empty, so that a tool that asks a question does not wait for a response forever.
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: hasGroups,
    });
    try {
      await once(child, 'spawn');
      return child;
    } catch (error) {
      ({ message } = error as Error);
    }
  }
  throw new Error(`Could not start the command: ${message}. Check that the runner has bash or sh`);
}

/** Ends all processes of a group; resolves once there are none, or they were killed. */
async function stopGroup(pid: number): Promise<void> {
  if (!send(pid, 'SIGTERM')) return;
  // Counted in short delays: of a machine that stalls, only one of them is lost.
  for (let left = graceMs; left > 0; left -= pollMs) {
    await delay(pollMs);
    if (!send(pid, 0)) return;
  }
  send(pid, 'SIGKILL');
}

/** Sends a signal to all processes of a group; returns whether there were any. */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(hasGroups ? -pid : pid, signal);
  } catch (error) {
    // A process of another user (`sudo`) can't be ended, but it can't reach the branch once that is gone.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
