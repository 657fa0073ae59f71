/**
 * Writes what a release publishes to build/release: the notes, an archive of the action, its bill of materials, their checksums, and
 * dist, so that each of its files can be attested.
 *
 *   TAG=v1.2.3 node tools/release/release.ts
 *
 * Fails, and writes nothing, if the tag, the changelog or the repository's name is not ready.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { runCommand } from '../command.ts';
import { placeholder, renamed, repositoryOf } from '../docs/repository.ts';
import { ROOT } from '../files.ts';
import { sbomOf } from './sbom.ts';

/** What the runner and a reader need. */
const archived = [
  ...['action.yml', 'diff', 'manage', 'prune', 'rehearse', 'dist'],
  ...['LICENSE', 'README.md', 'CHANGELOG.md'],
];

interface Release {
  tag: string;
  /** `owner/name` of the repository that publishes it */
  repository: string | undefined;
}

/** The section of the changelog about a version, without its heading; undefined if it has none with a date. */
function notesFor(changelog: string, version: string): string | undefined {
  const sections = changelog.split(/^## /m).slice(1);
  const found = sections.find((section) => section.startsWith(`[${version}] - `));
  if (found === undefined || !/^\[[^\]]+\] - \d{4}-\d{2}-\d{2}\n/.test(found)) return undefined;
  return found.slice(found.indexOf('\n')).trim();
}

function problemsOf(root: string, options: Release & { version: string; notes: string | undefined }): string[] {
  const { tag, version, notes, repository } = options;
  const name = repositoryOf(root);
  const stale = [...renamed({ root, to: name }).keys()];
  return [
    tag !== `v${version}` && `the tag is ${tag || 'not set (TAG)'}, but package.json has version ${version}`,
    !notes && `CHANGELOG.md has no section "[${version}] - <date>"`,
    name === placeholder && 'the repository has no name; set it with `npm run docs -- --repository owner/name`',
    name !== placeholder &&
      (repository ?? name).toLowerCase() !== name.toLowerCase() &&
      `package.json names the repository ${name}, but this is ${repository}`,
    stale.length > 0 && `the repository's name is missing in ${stale.join(', ')}; run \`npm run docs\``,
  ].filter((problem) => problem !== false);
}

/** The archive: the same bytes from the same commit, without times and owners, in a fixed order. */
export function archiveOf(root: string, folder: string): Buffer {
  const constant = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mode=go+rX-w', '--mtime=@0'];
  const args = ['--create', ...constant, `--transform=s,^,${folder}/,`, ...archived];
  return gzipSync(execFileSync('tar', args, { cwd: root, maxBuffer: 256 * 1024 ** 2 }), { level: 9 });
}

/** Writes `build/release` below `root`. */
export function release(root: string, { tag, repository }: Release): void {
  const { version = '', name } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, string>;
  const notes = notesFor(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version);
  const problems = problemsOf(root, { tag, repository, version, notes });
  if (problems.length > 0) throw new Error(`Not ready to release:\n- ${problems.join('\n- ')}`);
  const folder = join(root, 'build/release');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const write = (file: string, content: string | Buffer) => writeFileSync(join(folder, file), content);
  write(`${name}-${version}.tar.gz`, archiveOf(root, `${name}-${version}`));
  write('sbom.cdx.json', `${JSON.stringify(sbomOf(root), undefined, 2)}\n`);
  write('SHA256SUMS', execFileSync('sha256sum', readdirSync(folder), { cwd: folder }));
  cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true });
  write('notes.md', `${notes}\n`);
}

if (import.meta.main)
  await runCommand(() => {
    const { TAG: tag = '', GITHUB_REPOSITORY: repository } = process.env;
    release(ROOT, { tag, repository });
    console.log('written: build/release');
  });
