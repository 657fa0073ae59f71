import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { parse } from 'acorn';

/** Packages that are bundled from a copy without what is never used, and those that import them: each must be in the bundle once. */
const copied = ['@actions/core', '@actions/github', '@actions/http-client', 'undici'];

/** Stands for the folder of the bundle; see `build.ts`. */
export const bundleFolder = 'BUNDLE_FOLDER';

/** A change to the copy of a package. The packages have no way to leave out what it leaves out. */
interface Edit {
  /** A file, or a folder with all its files. */
  path: string;
  /** What is replaced: text that must be in one file at least, or a whole file. */
  from: string | RegExp | 'all';
  to: string;
}

const edits: Edit[] = [
  // An HTTP client for ID tokens, and a way to start processes.
  {
    path: '@actions/core/lib/oidc-utils.js',
    from: 'all',
    to: "export class OidcClient { static getIDToken() { throw new Error('left out by tools/build/slim.ts'); } }\n",
  },
  { path: '@actions/core/lib/platform.js', from: 'all', to: 'export {};\n' },
  // It loads fs/promises, and with it readline. The action appends to the summary's file itself.
  { path: '@actions/core/lib/summary.js', from: 'all', to: 'export const summary = {}, markdownSummary = summary;\n' },
  // All of `os` for the end of a line.
  {
    path: '@actions/core/lib',
    from: "import * as os from 'os';",
    to: String.raw`const os = { EOL: process.platform === 'win32' ? '\r\n' : '\n' };`,
  },
  // The client of GitHub's toolkit gets connections of ours. Its own would bring all of undici along.
  {
    path: '@actions/github/node_modules/@actions/http-client/lib/index.js',
    from: 'all',
    to: 'exports.HttpClient = class { getAgent() {} getAgentDispatcher() {} };\n',
  },
  { path: 'undici/index.js', from: 'all', to: 'exports.fetch = undefined;\n' },
  // An experimental HTTP parser that nobody turns on here.
  {
    path: 'undici/lib/dispatcher/parser-h1.js',
    from: 'all',
    to: 'module.exports = { getMiloEnabled: () => false };\n',
  },
  // Needed only to say what is wrong.
  ...['core', 'dispatcher', 'api'].map((folder) => ({
    path: `undici/lib/${folder}`,
    from: "const assert = require('node:assert')",
    to: "const assert = (isTrue, message) => isTrue || require('node:assert')(isTrue, message)",
  })),
  // Node.js's own HTTP: a kind of body that no request here has, and the default of a limit.
  {
    path: 'undici/lib/core/util.js',
    from: "const { IncomingMessage } = require('node:http')",
    to: 'class IncomingMessage {}',
  },
  {
    path: 'undici/lib/dispatcher/client.js',
    from: "const http = require('node:http')",
    to: 'const http = { maxHeaderSize: 16_384 }',
  },
  // A tree and a table of all common headers, to spell them in lower case. Without them, undici calls `toLowerCase`.
  { path: 'undici/lib/core/tree.js', from: 'all', to: 'module.exports = { tree: { lookup: () => undefined } };\n' },
  { path: 'undici/lib/core/constants.js', from: 'all', to: 'module.exports = { headerNameLowerCasedRecord: {} };\n' },
  // Forms, and with them all of `fetch`: no request here has one as its body.
  ...['core/request.js', 'dispatcher/client-h1.js', 'dispatcher/client-h2.js'].map((file) => ({
    path: `undici/lib/${file}`,
    from: /require\('\.\.\/web\/(fetch\/formdata|fetch\/body\.js|webidl)'\)/g,
    to: "(() => { throw new Error('left out by tools/build/slim.ts') })()",
  })),
  // The parser as a file next to the bundle. In the bundle it would be parsed as text of twice its size.
  ...['llhttp', 'llhttp_simd'].map((name) => ({
    path: `undici/lib/llhttp/${name}-wasm.js`,
    from: 'all' as const,
    to: `module.exports = require('node:fs').readFileSync(${bundleFolder} + '/${name}.wasm');\n`,
  })),
];

/** Loaded only once a service speaks HTTP/2, because it brings a large part of Node.js with it. */
const onDemand = 'undici/lib/dispatcher/client-h2.js';

/** Puts copies of packages next to the compiled sources, where the bundler finds them first. Returns files that belong next to the bundle. */
export function slimPackages(options: { from: string; to: string }): Map<string, Buffer> {
  const { from, to } = options;
  for (const name of copied) cpSync(join(from, name), join(to, name), { recursive: true });
  const require = createRequire(join(from, 'undici/lib/'));
  const files = new Map<string, Buffer>();
  for (const name of ['llhttp', 'llhttp_simd'])
    files.set(`${name}.wasm`, require(`./llhttp/${name}-wasm.js`) as Buffer);
  for (const edit of edits) apply(to, edit);
  keepOnly(to, require('./llhttp/constants.js') as Record<string, unknown>);
  const loaded = onDemand.replace('.js', '-loaded.js');
  cpSync(join(to, onDemand), join(to, loaded));
  writeFileSync(join(to, onDemand), `module.exports = (...args) => require('./${basename(loaded)}')(...args);\n`);
  return files;
}

function apply(packages: string, { path, from, to }: Edit): void {
  const place = join(packages, path);
  const isFolder = statSync(place).isDirectory();
  const files = isFolder ? readdirSync(place).map((name) => join(place, name)) : [place];
  let found = false;
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    const changed = from === 'all' ? to : text.replace(from, () => to);
    if (changed === text) continue;
    found = true;
    writeFileSync(file, changed);
  }
  if (!found) throw new Error(`${path} does not have ${from} any more; see tools/build/slim.ts`);
}

/** Two of the parser's tables are used; computing the others takes as long as reading all inputs. */
function keepOnly(packages: string, constants: Record<string, unknown>): void {
  const used = ['ERROR', 'TYPE'];
  const parser = readFileSync(join(packages, 'undici/lib/dispatcher/client-h1.js'), 'utf8');
  for (const [, name] of parser.matchAll(/(?<!\/)\bconstants\.(\w+)/g))
    if (name && !used.includes(name)) throw new Error(`undici uses llhttp's constant ${name}; see tools/build/slim.ts`);
  const kept = used.map((name) => `exports.${name} = ${JSON.stringify(constants[name])};\n`);
  writeFileSync(join(packages, 'undici/lib/llhttp/constants.js'), kept.join(''));
}

/** The file of the bundle with the module that is loaded on demand: CommonJS, so that undici can go on without waiting for it. */
const onDemandFile = 'http2.cjs';

/**
 * Puts the functions that the bundle's modules are into parentheses. V8 would read each twice otherwise: to find where it ends, and once
 * more when it is called, which happens to nearly all. The one that is loaded on demand becomes a file of its own: V8 reads whatever is
 * in `start.js`, even what is never called.
 */
export function compiledOnce(text: string): Record<string, string> {
  const { body } = parse(text, { ecmaVersion: 'latest', sourceType: 'module' });
  let onDemand: string | undefined;
  for (const statement of body) {
    const first = statement.type === 'VariableDeclaration' ? statement.declarations[0]?.init : undefined;
    if (first?.type !== 'ObjectExpression') continue;
    let wrapped = '';
    let end = 0;
    for (const property of first.properties) {
      if (property.type !== 'Property' || property.value.type !== 'ArrowFunctionExpression') continue;
      const { params, body: block, start } = property.value;
      if (block.type !== 'BlockStatement') continue;
      const names = params.map((one) => text.slice(one.start, one.end)).join(',');
      const code = text.slice(block.start, block.end);
      wrapped += text.slice(end, start);
      end = property.value.end;
      if (code.includes('function connectH2(')) {
        onDemand = `module.exports=function(${names})${code};\n`;
        wrapped += `(...e)=>process.getBuiltinModule("module").createRequire(import.meta.url)("./${onDemandFile}")(...e)`;
      } else wrapped += `(function(${names})${code})`;
    }
    if (onDemand === undefined) break;
    return { 'start.js': wrapped + text.slice(end), [onDemandFile]: onDemand };
  }
  throw new Error('ncc writes modules in another way; see tools/build/slim.ts');
}
