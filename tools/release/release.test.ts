import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { placeholder } from '../docs/repository.ts';
import { filesBelow, ROOT, read } from '../files.ts';
import { NODE } from '../runner/runner.ts';
import { notesFor } from './release.ts';
import { packagesIn, type Sbom } from './sbom.ts';

/** Those of the other actions. */
const folders = ['diff', 'manage', 'prune', 'rehearse'].filter((folder) => existsSync(join(ROOT, folder)));
const { name, version } = JSON.parse(read('package.json')) as { name: string; version: string };

describe('npm run release', () => {
  let copy = '';
  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), 'release-'));
    const paths = [
      'package.json',
      'package-lock.json',
      'README.md',
      'CONTRIBUTING.md',
      'CHANGELOG.md',
      'action.yml',
      'LICENSE',
      '.github',
    ];
    for (const path of [...paths, ...folders, 'docs', 'examples', 'tools', 'src', 'dist'])
      cpSync(join(ROOT, path), join(copy, path), {
        recursive: true,
        filter: (from) => !from.endsWith('node_modules'),
      });
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    change('package.json', (text) => text.replace(/github:[^"]+/, `github:${placeholder}`));
    change('CHANGELOG.md', (text) => text.replace(/^(## \[[\d.]+\] - ).*$/m, '$1unreleased'));
  });
  afterAll(() => rmSync(copy, { recursive: true }));

  const change = (path: string, by: (text: string) => string) =>
    writeFileSync(join(copy, path), by(readFileSync(join(copy, path), 'utf8')));
  const run = (script: string, env: Record<string, string> = {}, ...args: string[]) =>
    spawnSync(NODE, [script, ...args], { cwd: copy, encoding: 'utf8', env: { PATH: process.env.PATH, ...env } });
  const release = (env: Record<string, string>) => run('tools/release/release.ts', env);

  it('refuses, with every reason, and writes nothing', () => {
    const { status, stderr } = release({ TAG: 'v0.9.0' });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: [
        'Not ready to release:',
        `- the tag is v0.9.0, but package.json has version ${version}`,
        `- CHANGELOG.md has no section "[${version}] - <date>"`,
        '- the repository has no name; set it with `npm run docs -- --repository owner/name`',
        '',
      ].join('\n'),
    });
    expect(existsSync(join(copy, 'build'))).toBe(false);
  });

  it('refuses a placeholder that was added after the name was set, and another repository', () => {
    expect(run('tools/docs/docs.ts', {}, '--repository', 'octo-org/action').status).toBe(0);
    change('CHANGELOG.md', (text) => text.replace('unreleased', '2026-12-01'));
    change('docs/manage.md', (text) => `${text}\n${placeholder}\n`);
    const { stderr } = release({ TAG: `v${version}`, GITHUB_REPOSITORY: 'octo-org/fork' });
    expect(stderr.split('\n').slice(1, -1)).toEqual([
      '- package.json names the repository octo-org/action, but this is octo-org/fork',
      "- the repository's name is missing in docs/manage.md; run `npm run docs`",
    ]);
    expect(run('tools/docs/docs.ts').status).toBe(0);
  });

  // The archive is made with GNU tar, on Linux as in the workflow.
  const onLinux = it.runIf(process.platform === 'linux');

  onLinux('writes the archive, the bill of materials, the checksums and the notes', () => {
    const env = { TAG: `v${version}`, GITHUB_REPOSITORY: 'octo-org/action' };
    const folder = join(copy, 'build/release');
    const archive = `${name}-${version}.tar.gz`;
    expect(release(env)).toMatchObject({ status: 0, stderr: '' });
    expect(readdirSync(folder).sort()).toEqual(['SHA256SUMS', 'dist', 'notes.md', 'sbom.cdx.json', archive].sort());
    expect(execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: folder, encoding: 'utf8' })).toBe('');
    expect(readFileSync(join(folder, 'notes.md'), 'utf8')).toMatch(/^### Added\n/);
    const listed = execFileSync('tar', ['-tzf', archive], { cwd: folder, encoding: 'utf8' }).trim().split('\n');
    const files = [
      'action.yml',
      'LICENSE',
      'README.md',
      'CHANGELOG.md',
      ...[...folders, 'dist'].flatMap((folder) => filesBelow(folder, /./)),
    ];
    expect(listed.filter((path) => !path.endsWith('/')).sort()).toEqual(
      files.map((path) => `${name}-${version}/${path}`).sort(),
    );
    const first = readFileSync(join(folder, archive));
    expect(release(env).status).toBe(0);
    expect(readFileSync(join(folder, archive)).equals(first), 'the archive is reproducible').toBe(true);
  });

  onLinux('lists in the bill of materials exactly what the licence texts name', () => {
    const sbom = JSON.parse(readFileSync(join(copy, 'build/release/sbom.cdx.json'), 'utf8')) as Sbom;
    const packages = packagesIn(read('dist/licenses.txt'));
    expect(packages.length).toBeGreaterThan(20);
    expect(sbom.components.map((one) => one['bom-ref'])).toEqual(packages);
    expect(sbom.metadata.component.name).toBe(name);
  });
});

it.each([
  ['has a date', '## [1.2.0] - 2026-12-01\n\n### Added\n\n- x\n\n## [1.1.0] - 2026-11-01\n', '### Added\n\n- x'],
  ['is not released', '## [1.2.0] - unreleased\n\n- x\n', undefined],
  ['is missing', '## [1.20.0] - 2026-12-01\n\n- x\n', undefined],
])('the notes of a version: its section %s', (_, changelog, notes) => {
  expect(notesFor(changelog, '1.2.0')).toBe(notes);
});
