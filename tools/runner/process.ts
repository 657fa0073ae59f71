import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { eachLine } from './lines.ts';

/** What a kill point can observe of its process. */
interface Running {
  /** Resolves with the first line on stdout, past or future, that matches. */
  line(pattern: RegExp): Promise<string>;
}

export interface Cancellation {
  /** when: at a line on stdout, or when the function's promise resolves */
  at: RegExp | ((running: Running) => Promise<unknown>);
  /** sent one after the other until the process has ended */
  signals: { signal: NodeJS.Signals; afterMs: number }[];
}

/**
 * The runner's signals when a job is cancelled: SIGINT, SIGTERM and SIGKILL, with GitHub's delays. `ratio` shortens them.
 * https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-cancellation
 */
export function cancelSignals(ratio = 1): Cancellation['signals'] {
  return [
    { signal: 'SIGINT', afterMs: 0 },
    { signal: 'SIGTERM', afterMs: 7_500 * ratio },
    { signal: 'SIGKILL', afterMs: 2_500 * ratio },
  ];
}

/** No warning: the runner or the machine has died. */
export const killed: Cancellation['signals'] = [{ signal: 'SIGKILL', afterMs: 0 }];

export interface ProcessOptions {
  file: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
  /** `Infinity` for no limit */
  timeoutMs: number;
  cancel?: Cancellation | undefined;
  /** Keeps signals of the terminal from it, such as that of Ctrl+C: it only gets those of `cancel`. */
  ownGroup?: boolean | undefined;
  onLine: (stream: 'stdout' | 'stderr', line: string) => void;
}

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  durationMs: number;
  /** the signals sent */
  sent: NodeJS.Signals[];
}

/** Runs a process to its end. After `timeoutMs` it is killed, which is an error with its whole output. */
export async function runProcess(options: ProcessOptions): Promise<Ended> {
  const started = performance.now();
  const child = spawn(options.file, options.args, {
    cwd: options.cwd,
    env: options.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: options.ownGroup === true && process.platform !== 'win32',
  });
  const lines: string[] = [];
  const waiting = new Set<{ pattern: RegExp; found: (line: string) => void }>();
  const sent: NodeJS.Signals[] = [];
  const over = new AbortController();

  const reading = Promise.all([
    eachLine(child.stdout, (line) => {
      options.onLine('stdout', line);
      lines.push(line);
      for (const wait of waiting) if (wait.pattern.test(line)) wait.found(line);
    }),
    eachLine(child.stderr, (line) => options.onLine('stderr', line)),
  ]);
  const line = (pattern: RegExp): Promise<string> => {
    const past = lines.find((text) => pattern.test(text));
    if (past !== undefined) return Promise.resolve(past);
    return new Promise((found) => waiting.add({ pattern, found }));
  };
  const cancel = async ({ at, signals }: Cancellation): Promise<void> => {
    await (at instanceof RegExp ? line(at) : at({ line }));
    for (const { signal, afterMs } of signals) {
      if (afterMs > 0) await delay(afterMs, undefined, { signal: over.signal });
      if (over.signal.aborted || !child.kill(signal)) return;
      sent.push(signal);
    }
  };

  let late = false;
  const timer = Number.isFinite(options.timeoutMs)
    ? setTimeout(() => {
        late = child.kill('SIGKILL');
      }, options.timeoutMs)
    : undefined;
  // A kill point may fail, which fails the test, or never come, if the process ends before.
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const failed = new Promise<never>((_, reject) => {
    if (options.cancel)
      cancel(options.cancel).catch((error: unknown) => {
        if (!over.signal.aborted) reject(error);
      });
  });
  try {
    const [code, signal] = await Promise.race([ended, failed]);
    const [stdout, stderr] = await reading;
    if (late) throw new Error(`the action was still running after ${options.timeoutMs} ms\n${stdout}${stderr}`);
    return { code, signal, stdout, stderr, durationMs: performance.now() - started, sent };
  } finally {
    over.abort();
    clearTimeout(timer);
    child.kill('SIGKILL');
  }
}
