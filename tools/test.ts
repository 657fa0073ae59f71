/**
 * The whole check, or some tests.
 *
 *   npm test                    types, lint, documents, then all tests; one of them builds dist and compares
 *   npm test -- FILE…           only these test files (a part of their path is enough); builds nothing
 *   npm test -- FILE -t NAME    only the tests of that name; any option of vitest works
 *   npm run test:all            with attacks in full size; takes the same options
 *   npm run test:unit           the fast tests: our code in this process, no server, no bundle
 */
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { compileCache } from './files.ts';
import { folderInMemory } from './memory.ts';

const root = dirname(import.meta.dirname);
const vitest = ['vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts'];

/** Runs a script of a package, or of `tools`, with this very Node. */
function run([script = '', ...args]: string[]): boolean {
  const path = script.startsWith('tools/') ? script : join('node_modules', script);
  const { status, error } = spawnSync(process.execPath, [path, ...args], { cwd: root, stdio: 'inherit' });
  if (error) throw error;
  return status === 0;
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
const steps =
  args.length > 0
    ? [[...vitest, ...workers, ...args]]
    : [
        ['typescript/bin/tsc'],
        ['@biomejs/biome/bin/biome', 'ci', '--colors=off', '.'],
        ['tools/docs/docs.ts', '--check'],
        vitest,
      ];
if (!steps.every(run)) process.exitCode = 1;
