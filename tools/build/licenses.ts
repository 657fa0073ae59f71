import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A part of the bundle, or all of it, in webpack's statistics. */
interface Module {
  /** path of the file; null for what Node itself brings */
  nameForCondition?: string | null;
  /** what it is made of */
  modules?: Module[];
}

/**
 * The licences of all packages in the bundle, as one text; most of them ask to go along with every copy. ncc has an option for
 * it, which writes the file once for each chunk, so that only the last chunk's packages are left in it.
 */
export function licensesOf(statsFile: string): string {
  const folders = new Set<string>();
  const visit = (module: Module): void => {
    const [folder] = /^.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+/.exec(module.nameForCondition ?? '') ?? [];
    if (folder !== undefined) folders.add(folder);
    for (const inner of module.modules ?? []) visit(inner);
  };
  visit(JSON.parse(readFileSync(statsFile, 'utf8')) as Module);
  // two folders may hold the same version of a package
  const entries = new Set([...folders].map(licenseOf));
  return `${[...entries].sort().join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

/** What a package carries that is not a package of its own: code compiled to WebAssembly. The texts are in `licenses/`. */
const carried: Record<string, string[]> = {
  undici: ['llhttp'],
  'libpg-query': ['libpg_query', 'postgresql', 'protobuf-c', 'xxhash', 'emscripten'],
};

function licenseOf(folder: string): string {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>;
  const head = `${manifest.name} ${manifest.version}\n${manifest.license ?? 'licence not stated'}`;
  const files = readdirSync(folder).filter((name) => /^(licen[cs]e|copying|notice)/i.test(name) && !/\.js$/.test(name));
  const read = (name: string) => readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n').trim();
  const texts = files.length > 0 ? files.sort().map(read) : [licenseIn(read('README.md'))];
  if (texts.some((text) => text === '')) throw new Error(`${folder} has no text of its licence`);
  const name = String(manifest.name);
  return [head, ...texts, ...(carried[name] ?? []).map(carriedText)].join('\n\n');
}

function carriedText(name: string): string {
  return `It carries ${readFileSync(join(import.meta.dirname, 'licenses', `${name}.txt`), 'utf8').trim()}`;
}

/** The section of a README about the licence. */
function licenseIn(readme: string): string {
  const [, text = ''] = readme.split(/^#+ licen[cs]e\s*$/im);
  return (text.split(/^#/m)[0] ?? '').trim();
}
