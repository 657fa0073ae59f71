import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { compileCache, ROOT } from '../../../tools/files.ts';
import { parseCommandFile } from '../../../tools/runner/command-files.ts';
import { NODE } from '../../../tools/runner/runner.ts';
import { type OtherStep, ScriptFailed } from '../../../tools/runner/workflow/play.ts';

export interface Script {
  step: OtherStep;
  code: number;
  /** both streams */
  output: string;
  summary: string;
}

/**
 * Runs the scripts of a workflow for real, as GitHub's runner does on Linux: each in a bash of its own, in this repository, with the
 * pinned Node.js. Packages are not installed again, and other actions do nothing. `done` collects what has run.
 */
export function scripts(options: { env?: Record<string, string>; path?: string[]; done: Script[] }) {
  return async (step: OtherStep): Promise<Record<string, string> | undefined> => {
    if (step.run === undefined || step.run === 'npm ci') return undefined;
    const folder = mkdtempSync(join(tmpdir(), 'script-'));
    try {
      const files = { GITHUB_OUTPUT: join(folder, 'output'), GITHUB_STEP_SUMMARY: join(folder, 'summary') };
      for (const path of Object.values(files)) writeFileSync(path, '');
      const path = [...(options.path ?? []), dirname(NODE), process.env.PATH ?? ''].join(':');
      const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run], {
        cwd: ROOT,
        env: {
          HOME: folder,
          TMPDIR: tmpdir(),
          NODE_COMPILE_CACHE: compileCache,
          NO_COLOR: '1',
          ...options.env,
          ...files,
          ...step.env,
          PATH: path,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
        // a group of its own, so that a script that hangs is ended with everything it has started
        detached: true,
      });
      const timer = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), 150_000);
      let output = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk));
      // Not `close`: what a step leaves running may keep the streams open.
      const [code] = (await once(child, 'exit')) as [number | null];
      clearTimeout(timer);
      options.done.push({ step, code: code ?? 1, output, summary: readFileSync(files.GITHUB_STEP_SUMMARY, 'utf8') });
      if (code !== 0) throw new ScriptFailed(`${step.run}\n${output}`);
      const { pairs, error } = parseCommandFile(readFileSync(files.GITHUB_OUTPUT, 'utf8'));
      if (error) throw new Error(error);
      return Object.fromEntries(pairs);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
}
