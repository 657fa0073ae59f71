import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { LineReader } from './lines.ts';
import type { Ended, ProcessOptions } from './process.ts';
import { endMark, type StepRequest } from './stepper.ts';

/** Whatever past steps have left in memory goes with the process. */
const stepsPerProcess = 200;

/** A process that runs steps, and how many it has run. */
interface Stepper {
  child: ChildProcess;
  steps: number;
}

const idle: Stepper[] = [];

export type ReusedOptions = Pick<ProcessOptions, 'file' | 'args' | 'cwd' | 'env' | 'timeoutMs' | 'onLine'> & {
  /** for the process itself, whatever step it runs */
  processEnv: Record<string, string>;
};

/**
 * Whether a step could tell that it shares a process with earlier ones: Node.js reads these variables when it starts, and proxies are
 * for whole processes.
 */
export function needsOwnProcess(env: Record<string, string>): boolean {
  return Object.keys(env).some((name) => /^(NODE_.*|SSL_CERT_.*|TZ|LC_.*|LANGUAGE|(https?|no|all)_proxy)$/i.test(name));
}

/**
 * Runs a script, the last of `args`, as `runProcess` does, but in a process that has run others and will run more: starting Node.js and
 * loading its modules takes longer than most steps. A step that ends its process ends it here too.
 */
export async function runReused(options: ReusedOptions): Promise<Ended> {
  const { onLine, cwd, env } = options;
  const started = performance.now();
  const script = options.args.at(-1) ?? '';
  const stepper = idle.pop() ?? startStepper(options);
  const { child } = stepper;
  keepAlive(child, true);
  stepper.steps += 1;
  let late = false;
  const timer = setTimeout(() => {
    late = child.kill('SIGKILL');
  }, options.timeoutMs);
  const over = new AbortController();
  const closed = once(child, 'close', { signal: over.signal }) as Promise<[number | null, NodeJS.Signals | null]>;
  // once the step has ended, nothing waits for the process to end
  closed.catch(() => {});
  try {
    const output = Promise.all([
      untilMark(child.stdout as Readable, (line) => onLine('stdout', line)),
      untilMark(child.stderr as Readable, (line) => onLine('stderr', line)),
    ]);
    child.send({ script, cwd, env } satisfies StepRequest);
    const [stdout, stderr] = await output;
    const marked = stdout.after !== undefined && stderr.after !== undefined;
    const code = Number(/^ with (\d+)\n$/.exec(stdout.after ?? '')?.[1]);
    const ended: [number | null, NodeJS.Signals | null] = marked ? [code, null] : await closed;
    if (late)
      throw new Error(`the action was still running after ${options.timeoutMs} ms\n${stdout.text}${stderr.text}`);
    if (marked) release(stepper);
    return {
      code: ended[0],
      signal: ended[1],
      stdout: stdout.text,
      stderr: stderr.text,
      durationMs: performance.now() - started,
      sent: [],
    };
  } finally {
    over.abort();
    clearTimeout(timer);
  }
}

function startStepper({ file, args, processEnv }: ReusedOptions): Stepper {
  const child = fork(join(import.meta.dirname, 'stepper.ts'), {
    execPath: file,
    execArgv: args.slice(0, -1),
    cwd: tmpdir(),
    env: processEnv,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  child.stdout?.setEncoding('utf8');
  child.stderr?.setEncoding('utf8');
  return { child, steps: 0 };
}

/** After its last step, a process ends by itself. The idle ones end with this process, which they don't keep alive. */
function release(stepper: Stepper): void {
  keepAlive(stepper.child, false);
  if (stepper.steps < stepsPerProcess) idle.push(stepper);
  else stepper.child.disconnect();
}

function keepAlive(child: ChildProcess, isBusy: boolean): void {
  const change = isBusy ? 'ref' : 'unref';
  child[change]();
  child.channel?.[change]();
  for (const stream of [child.stdout, child.stderr] as unknown as { ref(): void; unref(): void }[]) stream[change]();
}

/** Reads up to the end of a step or of the process; `after` is the rest of the mark's line. */
function untilMark(stream: Readable, onLine: (line: string) => void): Promise<{ text: string; after?: string }> {
  return new Promise((resolve) => {
    const lines = new LineReader(onLine);
    let held = '';
    const done = (after?: string) => {
      stream.off('data', read).off('end', end);
      lines.end();
      resolve({ text: lines.text, ...(after === undefined ? {} : { after }) });
    };
    const end = () => {
      lines.add(held);
      done();
    };
    const read = (piece: string) => {
      held += piece;
      const mark = held.indexOf(endMark);
      // the mark may come in two pieces
      const sure = mark >= 0 ? mark : held.includes('\0') ? held.indexOf('\0') : held.length;
      lines.add(held.slice(0, sure));
      held = held.slice(sure);
      if (mark >= 0 && held.endsWith('\n')) done(held.slice(endMark.length));
    };
    stream.on('data', read).once('end', end);
  });
}
