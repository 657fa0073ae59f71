/**
 * Builds `dist`, which is what the runner runs: `tsc` to JavaScript, then ncc on that, all minified. No text of a bundle is edited.
 *
 *   node tools/build/build.ts           writes dist
 *   node tools/build/build.ts --check   says whether the committed dist is what the sources give, and writes nothing there
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { minifySync } from 'rolldown/utils';
import { licensesOf } from './licenses.ts';

/** Files of a few lines that call the bundle: each `src/<name>.cts` becomes `dist/<name>.js`. */
const entries = ['index', 'diff', 'manage', 'prune', 'rehearse', 'post'];

const root = dirname(dirname(import.meta.dirname));
const dist = join(root, 'dist');

type Files = Map<string, Buffer>;

/**
 * The files of dist, by name. All work happens in `scratch`, two levels below the root: ncc numbers modules by their path relative to the
 * folder it is started in, so that distance has to be the same everywhere for the bytes to be the same.
 */
function bundle(scratch: string): Files {
  const run = (tool: string, ...args: string[]) =>
    execFileSync(process.execPath, [join(root, 'node_modules', tool), ...args], { cwd: scratch, stdio: 'inherit' });
  const config = {
    extends: relative(scratch, join(root, 'tsconfig.json')),
    compilerOptions: { noEmit: false, rootDir: join(root, 'src'), outDir: 'js' },
    files: ['start.ts', 'entry.cts', ...entries.map((name) => `${name}.cts`)].map((file) => join(root, 'src', file)),
    include: [],
  };
  writeFileSync(join(scratch, 'tsconfig.json'), JSON.stringify(config));
  // Without `type: module`, ncc writes CommonJS, in which the SQL parser finds its WebAssembly.
  writeFileSync(join(scratch, 'package.json'), '{}');
  // Types are checked elsewhere.
  run('typescript/bin/tsc', '--project', 'tsconfig.json', '--noCheck');
  const options = ['--minify', '--no-cache', '--quiet', '--target', 'es2022', '--stats-out', 'stats.json'];
  run('@vercel/ncc/dist/ncc/cli.js', 'build', 'js/start.js', '--out', 'dist', ...options);
  const files: Files = new Map();
  for (const [name, bytes] of read(join(scratch, 'dist'))) {
    // ncc minifies only the main chunk.
    if (name === 'index.js') files.set('start.js', bytes);
    else files.set(name, Buffer.from(minified(name, bytes.toString())));
  }
  for (const name of entries) files.set(`${name}.js`, readFileSync(join(scratch, `js/${name}.cjs`)));
  return files
    .set('entry.cjs', readFileSync(join(scratch, 'js/entry.cjs')))
    .set('package.json', Buffer.from('{"type":"commonjs"}\n'))
    .set('libpg-query.wasm', readFileSync(join(root, 'node_modules/libpg-query/wasm/libpg-query.wasm')))
    .set('licenses.txt', Buffer.from(licensesOf(join(scratch, 'stats.json'))));
}

/** Without comments, blanks and long names, except the names in stack traces. */
function minified(name: string, text: string): string {
  const { code, errors } = minifySync(name, text, { mangle: { keepNames: { function: true, class: true } } });
  if (errors.length > 0) throw new Error(`${name}: ${errors.map(({ message }) => message).join('; ')}`);
  return code;
}

function read(folder: string): Files {
  return new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
}

/** Fails if the files in dist are not those of a new build, and names each that differs, is missing or is left over. */
export function refuseDifferences({ old, built }: { old: Files; built: Files }): void {
  const names = [...new Set([...old.keys(), ...built.keys()])];
  const different = names.filter((name) => !isDeepStrictEqual(old.get(name), built.get(name)));
  if (different.length === 0) return;
  const list = different.sort().join(', ');
  throw new Error(
    `dist is not what the sources give: ${list}. Run \`npm run build\` and commit dist with the sources.`,
  );
}

if (import.meta.main) {
  mkdirSync(join(root, 'build'), { recursive: true });
  const scratch = mkdtempSync(join(root, 'build', 'dist-'));
  try {
    const built = bundle(scratch);
    if (process.argv.includes('--check')) refuseDifferences({ old: read(dist), built });
    else {
      rmSync(dist, { recursive: true, force: true });
      mkdirSync(dist);
      for (const [name, bytes] of built) writeFileSync(join(dist, name), bytes);
    }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
