import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../http/clock.ts';

/** How long processes have after SIGTERM, until SIGKILL, in milliseconds. */
const graceMs = 5_000;
/** How long the pipes of a command that has ended may stay open, which a process outside of its group can do, in milliseconds. */
const drainMs = 500;
const pollMs = 25;

/** A command that an input sets. */
export interface Command {
  script: string;
  /** The working directory. */
  folder: string;
  env: Record<string, string>;
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
  limit?: { ms: number; clock: Clock };
  /** Another time until SIGKILL, in milliseconds. */
  graceMs?: number;
}): Promise<Ended> {
  const { signal, limit } = options;
  const child = await start(options.command);
  const closed = Promise.all([child.stdout, child.stderr].map((stream) => readLines(stream, options.onLine)));
  const { pid = 0 } = child;
  // A second signal to the action ends it at once; nothing may run on then.
  const killAtExit = () => send(pid, 'SIGKILL');
  process.once('exit', killAtExit);
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= stopGroup(pid, options.graceMs ?? graceMs);
  };
  const ended = new AbortController();
  limit?.clock.sleep(limit.ms, ended.signal).then(stop, () => {});
  try {
    const exited = new Promise<number>((resolve) => {
      child.once('exit', (code, by) => resolve(code ?? 128 + (by === null ? 0 : constants.signals[by])));
    });
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const exitCode = await exited;
    const stopped = stopping !== undefined;
    stop();
    await stopping;
    await Promise.race([closed, delay(drainMs)]);
    return { exitCode, stopped };
  } finally {
    ended.abort();
    signal.removeEventListener('abort', stop);
    process.off('exit', killAtExit);
    child.stdout?.destroy();
    child.stderr?.destroy();
  }
}

/** Colors, cursor movements and titles of a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with one
const escapeSequence = /\u001b(?:\[[\d;:?<=>]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\^_])/g;

/** Calls `onLine` for each whole line of a stream, so that a secret in one can be recognized; resolves once the stream has closed. */
async function readLines(stream: Readable | null, onLine: (line: string) => void): Promise<void> {
  if (!stream) return;
  // A pipe that breaks has no more lines.
  stream.on('error', () => {});
  const lines = createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY });
  lines.on('line', (line) => onLine(line.replace(escapeSequence, '').trimEnd()));
  await once(lines, 'close');
}

/** Bash with the options of a `run:` step, else any shell. */
const shells = [
  ['bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c'],
  ['sh', '-e', '-c'],
];

async function start({ script, folder, env }: Command): Promise<ChildProcess> {
  let problem: unknown;
  for (const [shell = '', ...args] of shells) {
    const child = spawn(shell, [...args, script], {
      cwd: folder,
      env,
      // Standard input is empty, so that a tool that asks a question does not wait for a response forever.
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    try {
      await new Promise((resolve, reject) => {
        child.once('spawn', resolve);
        child.once('error', reject);
      });
      return child;
    } catch (error) {
      problem = error;
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') break;
    }
  }
  const { code, message } = problem as NodeJS.ErrnoException;
  const advice = code === 'ENOENT' ? '. Check that the runner has bash or sh' : '';
  throw new Error(`Could not start the command: ${message}${advice}`);
}

/** Ends all processes of a group, at the latest after `graceMs` milliseconds; resolves once there are none, or they were killed. */
async function stopGroup(pid: number, graceMs: number): Promise<void> {
  if (!send(pid, 'SIGTERM')) return;
  if (!(await reached(() => !send(pid, 0), graceMs))) send(pid, 'SIGKILL');
}

/** Sends a signal to all processes of a group; returns whether there were any. */
const send = process.platform === 'win32' ? sendOnWindows : sendToGroup;

/**
 * Whether a condition holds within some milliseconds. Counted in short delays: on a machine that stalls, only one of them is lost, not what
 * the command could still do, or has written, in the meantime.
 */
async function reached(condition: () => boolean, ms: number): Promise<boolean> {
  for (let left = ms; left > 0; left -= pollMs) {
    await delay(pollMs);
    if (condition()) return true;
  }
  return false;
}

function sendToGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch (error) {
    // A process of another user (`sudo`) can't be ended, but it can't reach the branch once that is gone.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Windows has no process groups; a tree of processes can only be killed while its root is there. */
function sendOnWindows(pid: number, signal: NodeJS.Signals | 0): boolean {
  if (signal === 0) return false;
  return spawnSync('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore' }).status === 0;
}
