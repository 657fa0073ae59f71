/**
 * The whole check, or some tests.
 *
 *   npm test                    types, lint, documents and all tests; one of them builds dist and compares
 *   npm test -- FILE…           only these test files (a part of their path is enough); builds nothing
 *   npm test -- FILE -t NAME    only the tests of that name; any option of vitest works
 *   npm run test:all            with attacks in full size; takes the same options
 *   npm run test:unit           the fast tests: our code in this process, no server, no bundle
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { compileCache } from './files.ts';
import { folderInMemory } from './memory.ts';

const root = dirname(import.meta.dirname);
const vitest = ['vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts'];

/** Runs a script of a package, or of `tools`, with this very Node.js. With `held`, its output comes at its end, in one piece. */
async function run([script = '', ...args]: string[], { held = false } = {}): Promise<boolean> {
  const path = script.startsWith('tools/') ? script : join('node_modules', script);
  const stdio = held ? 'pipe' : 'inherit';
  const child = spawn(process.execPath, [path, ...args], { cwd: root, stdio: ['inherit', stdio, stdio] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => (output += text));
  const [status] = await once(child, 'close');
  process.stdout.write(output);
  if (status !== 0) process.exitCode = 1;
  return status === 0;
}

/** Runs what needs no process, types, lint and documents up to the first failure, while the other tests wait for theirs. */
async function runAll(): Promise<void> {
  const tests = run([...vitest, '--project', 'processes']);
  const others = [
    ['typescript/bin/tsc'],
    ['@biomejs/biome/bin/biome', 'ci', '--colors=off', '.'],
    ['tools/docs/docs.ts', '--check'],
  ];
  const units = run([...vitest, '--project', 'unit', '--maxWorkers=1'], { held: true });
  for (const one of others) if (!(await run(one, { held: true }))) break;
  await Promise.all([tests, units]);
}

const [first, ...others] = process.argv.slice(2);
const isAll = first === '--all';
const args = isAll || first === undefined ? others : [first, ...others];
if (isAll) process.env.TEST_SIZE = 'full';
// Unit tests wait for nothing: each further process would only load their modules once more.
const isUnit = args[0] === '--project' && args[1] === 'unit' && !args.some((one) => one.startsWith('--maxWorkers'));
const workers = isUnit ? [`--maxWorkers=${availableParallelism()}`] : [];
const memory = folderInMemory();
if (memory !== undefined) process.env.TMPDIR ??= memory;
process.env.NODE_COMPILE_CACHE ??= compileCache;
if (args.length > 0) await run([...vitest, ...workers, ...args]);
else await runAll();
