/**
 * `npm run mutation`: changes the sources in small ways, one at a time, and counts how many changes the unit tests notice.
 *
 *   npm run mutation -- http service/uri.ts   only these folders or files of src; by default the folders below
 *   npm run mutation -- --shard 2/4         the second quarter of the files, to spread an hour over several machines
 *
 * Writes build/mutation/report.html and, for the survivors, report.json. A mutant that an earlier run has tested is tested
 * again only if its code or the tests that run it have changed; to forget earlier runs, delete build/mutation.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { filesBelow, ROOT } from '../files.ts';

const folders = ['http', 'service', 'branch', 'commands', 'inputs', 'prune', 'schema', 'text'];

/** The files of one shard: every n-th, so that each has some of every folder. */
export function filesOf(chosen: string[], shard = '1/1'): string[] {
  const [, index, count] = (/^([1-9]\d*)\/([1-9]\d*)$/.exec(shard) ?? []).map(Number);
  if (!index || !count || index > count)
    throw new Error(`--shard: "${shard}" is invalid; expected a value such as 2/4`);
  const files = chosen.flatMap((path) =>
    path.endsWith('.ts')
      ? filesBelow(`src/${dirname(path)}`, /\.ts$/).filter((file) => file === `src/${path}`)
      : filesBelow(`src/${path}`, /\.ts$/),
  );
  if (files.length === 0) throw new Error(`src has no ${chosen.join(', ')}`);
  return files.filter((_, position) => position % count === index - 1);
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { shard: { type: 'string' }, concurrency: { type: 'string', default: '2' } },
  });
  const files = filesOf(positionals.length > 0 ? positionals : folders, values.shard);
  const stryker = join(import.meta.dirname, 'node_modules/@stryker-mutator/core/bin/stryker.js');
  if (!existsSync(stryker)) throw new Error('First install what this needs: npm ci --prefix tools/mutation');
  const build = join(ROOT, 'build/mutation');
  mkdirSync(build, { recursive: true });
  const config = join(build, 'stryker.config.json');
  writeFileSync(
    config,
    JSON.stringify({
      mutate: files,
      testRunner: 'vitest',
      plugins: ['@stryker-mutator/vitest-runner'],
      vitest: { configFile: 'tools/mutation/vitest.config.ts' },
      // Texts are checked where they matter; every other change of one would survive.
      mutator: { excludedMutations: ['StringLiteral'] },
      coverageAnalysis: 'perTest',
      // Changes of what runs only once, when a module is loaded, would need every test each: 92% of the time for 15% of the changes.
      ignoreStatic: true,
      incremental: true,
      incrementalFile: 'build/mutation/incremental.json',
      concurrency: Number(values.concurrency),
      tempDirName: 'build/mutation/sandbox',
      ignorePatterns: ['/dist', '/docs', '/examples', '/build'],
      reporters: ['progress-append-only', 'clear-text', 'html', 'json'],
      htmlReporter: { fileName: 'build/mutation/report.html' },
      jsonReporter: { fileName: 'build/mutation/report.json' },
      thresholds: { high: 95, low: 85, break: 85 },
      allowConsoleColors: false,
      // It would be rewritten with TypeScript's programming interface, which version 7 does not have. Nothing needs that.
      tsconfigFile: 'none',
      disableTypeChecks: false,
    }),
  );
  // Most mutants are noticed by the tests of their own folder, which are few. The rest are tested again, with all tests.
  const near = [...new Set(files.map((file) => file.split('/')[1]))].filter((folder) =>
    existsSync(join(ROOT, `test/unit/${folder}`)),
  );
  for (const tests of [...(near.length > 0 ? [near.join()] : []), '*']) {
    console.log(`\nWith the tests in test/unit/${tests}`);
    const { status, error } = spawnSync(process.execPath, [stryker, 'run', config], {
      cwd: ROOT,
      stdio: 'inherit',
      env: { ...process.env, MUTATION_TESTS: tests },
    });
    if (error) throw error;
    process.exitCode = status ?? 1;
    if (status === null) break;
  }
}
