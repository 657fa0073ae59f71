/**
 * Builds `dist`, which is what the runner runs: `tsc` to JavaScript, then ncc on that.
 *
 *   node tools/build/build.ts           writes dist
 *   node tools/build/build.ts --check   says whether the committed dist is what the sources give, and writes nothing there
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { minifySync } from 'rolldown/utils';
import { licensesOf, readStats } from './licenses.ts';
import { bundleFolder, compiledOnce, slimPackages } from './slim.ts';

const root = dirname(dirname(import.meta.dirname));
const dist = join(root, 'dist');

/** Runs a tool of ours with this very Node, its output going straight through; anything but success ends the build. */
function run(tool: string, args: string[], cwd: string): void {
  const { status, signal, error } = spawnSync(process.execPath, [join(root, 'node_modules', tool), ...args], {
    cwd,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${tool} ended with ${signal ?? `exit code ${status}`}`);
}

/**
 * The bundle's files, by name. All work happens in `scratch`, two levels below the root: ncc numbers modules by their path
 * relative to the folder it is started in, so that distance has to be the same everywhere for the bytes to be the same.
 */
function bundle(scratch: string): Map<string, Buffer> {
  const compiled = join(scratch, 'js');
  const bundled = join(scratch, 'dist');
  const config = {
    extends: relative(scratch, join(root, 'tsconfig.json')),
    compilerOptions: { noEmit: false, rootDir: join(root, 'src'), outDir: compiled },
    files: ['index.ts', 'post.ts'].map((file) => join(root, 'src', file)),
    include: [],
  };
  writeFileSync(join(scratch, 'tsconfig.json'), JSON.stringify(config));
  // ncc makes a module of it, rather than CommonJS, by the nearest package.json
  writeFileSync(join(scratch, 'package.json'), '{"type":"module"}\n');
  const assets = slimPackages({ from: join(root, 'node_modules'), to: join(scratch, 'node_modules') });
  run('typescript/bin/tsc', ['--project', 'tsconfig.json'], scratch);
  // The two entry points are a few lines each; all else is in the bundle that they share.
  run(
    '@vercel/ncc/dist/ncc/cli.js',
    ['build', 'js/start.js', '--out', bundled, '--minify', '--no-cache', '--stats-out', 'stats.json'],
    scratch,
  );
  const licenses = licensesOf(readStats(join(scratch, 'stats.json')));
  const files = new Map(assets);
  for (const [name, bytes] of read(bundled)) {
    const text = () => withFolderNames(withBuiltins(bytes.toString()));
    if (name === 'index.js') files.set(name, Buffer.from(inAscii(text())));
    else files.set(name, name.endsWith('.js') ? Buffer.from(inAscii(minified(name, text()))) : bytes);
  }
  const start = files.get('index.js');
  if (!start) throw new Error('ncc wrote no index.js');
  for (const [name, text] of Object.entries(compiledOnce(start.toString()))) files.set(name, Buffer.from(text));
  return files
    .set('index.js', readFileSync(join(compiled, 'index.js')))
    .set('post.js', readFileSync(join(compiled, 'post.js')))
    .set('libpg-query.wasm', readFileSync(join(root, 'node_modules/libpg-query/wasm/libpg-query.wasm')))
    .set('licenses.txt', Buffer.from(licenses));
}

/** As ncc minifies the main chunk, which it does to no other: without comments, blanks and long names, except those in stack traces. */
function minified(name: string, text: string): string {
  const keepNames = { function: true, class: true };
  const { code, errors } = minifySync(name, text, { module: true, compress: false, mangle: { keepNames } });
  if (errors.length > 0) throw new Error(`${name}: ${errors.map(({ message }) => message).join('; ')}`);
  return code;
}

/** With escapes instead of other characters: one `…` is enough for V8 to keep the whole file in two bytes per character. */
function inAscii(text: string): string {
  if (/\\[^\0-\x7f]|String\.raw/.test(text)) throw new Error('An escape would be misread; see tools/build/build.ts');
  return text.replace(/[^\0-\x7f]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Names that ncc does not give to the bundle: its folder, and that folder as CommonJS calls it, from which the SQL parser reads its
 * WebAssembly.
 */
function withFolderNames(text: string): string {
  const names: Record<string, string> = {
    [bundleFolder]: 'import.meta.dirname',
    __dirname: 'import.meta.dirname',
    __filename: 'import.meta.filename',
  };
  const used = Object.keys(names).filter((name) => text.includes(name));
  return [...used.map((name) => `const ${name}=${names[name]};\n`), text].join('');
}

/** ncc makes a `require` for each of Node.js's own modules, which loads the machinery behind it; Node.js hands them out without. */
function withBuiltins(text: string): string {
  const changed = text
    .replace(/\w+\(import\.meta\.url\)\("([\w:/]+)"\)/g, (_, name) => `process.getBuiltinModule("${name}")`)
    .replace(/^import\{createRequire as \w+\}from"module";/, '');
  if (changed.includes('createRequire'))
    throw new Error('ncc writes createRequire in another way; see tools/build/build.ts');
  return changed;
}

function read(folder: string): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(relative(folder, path), readFileSync(path));
  }
  return files;
}

/**
 * ncc writes absolute paths for some uses of `import.meta` and `__dirname`; such a bundle works on one machine only. And git
 * turns CR LF into LF here, so that a file with one would never agree again in a fresh clone.
 */
function refuseUnportable(files: Map<string, Buffer>): void {
  for (const [name, bytes] of files) {
    if (!name.endsWith('.wasm') && bytes.includes('\r\n'))
      throw new Error(`dist/${name} has a CR LF in it, which git does not keep`);
    for (const path of ['src', 'build', 'node_modules'].map((folder) => join(root, folder))) {
      if (bytes.includes(path) || bytes.includes(pathToFileURL(path).href))
        throw new Error(`dist/${name} has the absolute path ${path} in it`);
    }
  }
}

type Files = Map<string, Buffer>;

/** Fails if the files in dist are not those of a new build, and names each that differs. */
export function refuseDifferences({ old, built }: { old: Files; built: Files }): void {
  const lines: string[] = [];
  for (const [name, bytes] of built) {
    const before = old.get(name);
    if (!before) lines.push(`missing: dist/${name}`);
    else if (!before.equals(bytes)) lines.push(`differs: dist/${name}`);
  }
  for (const name of old.keys()) if (!built.has(name)) lines.push(`left over: dist/${name}`);
  if (lines.length === 0) return;
  throw new Error(
    `dist is not what the sources give:\n  ${lines.sort().join('\n  ')}\nRun \`npm run build\` and commit dist with the sources.`,
  );
}

/** Only files that differ are touched, each in one step: a run that has dist open never sees half a file. */
function write(files: Map<string, Buffer>, old: Map<string, Buffer>, scratch: string): void {
  for (const [name, bytes] of files) {
    if (old.get(name)?.equals(bytes)) continue;
    const fresh = join(scratch, 'fresh');
    writeFileSync(fresh, bytes);
    mkdirSync(dirname(join(dist, name)), { recursive: true });
    renameSync(fresh, join(dist, name));
  }
  for (const name of old.keys()) if (!files.has(name)) rmSync(join(dist, name));
}

function main(args: string[]): void {
  const unknown = args.filter((arg) => arg !== '--check');
  if (unknown.length > 0) throw new Error(`unknown argument ${unknown.join(' ')}; there is only --check`);
  mkdirSync(join(root, 'build'), { recursive: true });
  const scratch = mkdtempSync(join(root, 'build', 'dist-'));
  try {
    const files = bundle(scratch);
    refuseUnportable(files);
    mkdirSync(dist, { recursive: true });
    const old = read(dist);
    if (args.includes('--check')) {
      refuseDifferences({ old, built: files });
      console.log(`dist agrees with the sources (${files.size} files)`);
    } else write(files, old, scratch);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  try {
    main(process.argv.slice(2));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
