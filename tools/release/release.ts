/**
 * Writes what a release publishes to build/release: the notes, an archive of the action, its bill of materials, their checksums, and
 * dist, so that each of its files can be attested.
 *
 *   TAG=v1.2.3 node tools/release/release.ts
 *
 * Fails, and writes nothing, if the tag, the changelog or the repository's name is not ready.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { placeholder, renamed, repositoryOf } from '../docs/repository.ts';
import { sbomOf } from './sbom.ts';

const root = dirname(dirname(import.meta.dirname));

/** The folders of the actions beside the one at the root, each with an `action.yml`. */
const folders = ['diff', 'manage', 'prune', 'rehearse'].filter((name) => existsSync(join(root, name, 'action.yml')));
/** What the runner and a reader need. */
const archived = ['action.yml', ...folders, 'dist', 'LICENSE', 'README.md', 'CHANGELOG.md'];

/** The section of the changelog about a version, without its heading; undefined if it has none with a date. */
export function notesFor(changelog: string, version: string): string | undefined {
  const sections = changelog.split(/^## /m).slice(1);
  const found = sections.find((section) => section.startsWith(`[${version}] - `));
  if (found === undefined || !/^\[[^\]]+\] - \d{4}-\d{2}-\d{2}\n/.test(found)) return undefined;
  return found.slice(found.indexOf('\n')).trim();
}

function problemsOf(options: { tag: string; version: string; notes: string | undefined }): string[] {
  const { tag, version, notes } = options;
  const name = repositoryOf(root);
  const here = process.env.GITHUB_REPOSITORY;
  const problems: string[] = [];
  if (tag !== `v${version}`)
    problems.push(`the tag is ${tag || 'not set (TAG)'}, but package.json has version ${version}`);
  if (!notes) problems.push(`CHANGELOG.md has no section "[${version}] - <date>"`);
  if (name === placeholder)
    problems.push('the repository has no name; set it with `npm run docs -- --repository owner/name`');
  else if (here !== undefined && here.toLowerCase() !== name.toLowerCase())
    problems.push(`package.json names the repository ${name}, but this is ${here}`);
  const stale = [...renamed({ root, to: name }).keys()];
  if (stale.length > 0) problems.push(`the repository's name is missing in ${stale.join(', ')}; run \`npm run docs\``);
  return problems;
}

function main(tag: string): void {
  const { version, name } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, string>;
  const notes = notesFor(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version ?? '');
  const problems = problemsOf({ tag, version: version ?? '', notes });
  if (problems.length > 0) throw new Error(`Not ready to release:\n- ${problems.join('\n- ')}`);
  const folder = join(root, 'build/release');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const write = (file: string, content: string | Buffer) => writeFileSync(join(folder, file), content);
  // The same bytes from the same commit: no times, no owners, a fixed order.
  const constant = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mode=go+rX-w', '--mtime=@0'];
  const inside = `--transform=s,^,${name}-${version}/,`;
  const tar = execFileSync('tar', ['--create', ...constant, inside, ...archived], {
    cwd: root,
    maxBuffer: 256 * 1024 ** 2,
  });
  write(`${name}-${version}.tar.gz`, gzipSync(tar, { level: 9 }));
  write('sbom.cdx.json', `${JSON.stringify(sbomOf(root), undefined, 2)}\n`);
  cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true });
  write('SHA256SUMS', checksums(folder));
  write('notes.md', `${notes}\n`);
  console.log(`written: build/release (${name} ${version})`);
}

/** As `sha256sum --check` reads them. */
function checksums(folder: string): string {
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  const sum = (file: string) =>
    createHash('sha256')
      .update(readFileSync(join(folder, file)))
      .digest('hex');
  return files
    .map(({ name }) => `${sum(name)}  ${name}\n`)
    .sort()
    .join('');
}

if (import.meta.main) {
  try {
    main(process.env.TAG ?? '');
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
