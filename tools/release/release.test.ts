import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeDocuments } from '../docs/docs.ts';
import { placeholder } from '../docs/repository.ts';
import { filesBelow, ROOT, read } from '../files.ts';
import { archiveOf, release } from './release.ts';
import { packagesIn, type Sbom } from './sbom.ts';

const folders = ['diff', 'manage', 'prune', 'rehearse', 'dist'];
const archived = ['action.yml', 'LICENSE', 'README.md', 'CHANGELOG.md'];
const { name, version } = JSON.parse(read('package.json')) as { name: string; version: string };

describe('npm run release', () => {
  let copy = '';
  const change = (path: string, by: (text: string) => string) =>
    writeFileSync(join(copy, path), by(readFileSync(join(copy, path), 'utf8')));
  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), 'release-'));
    for (const path of ['package.json', 'package-lock.json', '.github', 'docs', 'examples', ...archived, ...folders])
      cpSync(join(ROOT, path), join(copy, path), { recursive: true });
    change('package.json', (text) => text.replace(/github:[^"]+/, `github:${placeholder}`));
    change('CHANGELOG.md', (text) => text.replace(/^(## \[[\d.]+\] - ).*$/m, '$1unreleased'));
  });
  afterAll(() => rmSync(copy, { recursive: true }));

  it('refuses, with every reason, and writes nothing', () => {
    expect(() => release(copy, { tag: 'v0.9.0', repository: undefined })).toThrow(
      [
        'Not ready to release:',
        `- the tag is v0.9.0, but package.json has version ${version}`,
        `- CHANGELOG.md has no section "[${version}] - <date>"`,
        '- the repository has no name; set it with `npm run docs -- --repository owner/name`',
      ].join('\n'),
    );
    writeDocuments(copy, { repository: 'octo-org/action' });
    change('CHANGELOG.md', (text) => text.replace('unreleased', '2026-12-01'));
    change('docs/manage.md', (text) => `${text}\n${placeholder}\n`);
    expect(() => release(copy, { tag: `v${version}`, repository: 'octo-org/fork' })).toThrow(
      [
        'Not ready to release:',
        '- package.json names the repository octo-org/action, but this is octo-org/fork',
        "- the repository's name is missing in docs/manage.md; run `npm run docs`",
      ].join('\n'),
    );
    expect(existsSync(join(copy, 'build'))).toBe(false);
  });

  // The archive is made with GNU tar, on Linux as in the workflow.
  it.runIf(process.platform === 'linux')(
    'writes the archive, the checksums, the notes, and the bill of materials of what is in dist',
    () => {
      writeDocuments(copy);
      release(copy, { tag: `v${version}`, repository: 'octo-org/action' });
      const folder = join(copy, 'build/release');
      const top = `${name}-${version}`;
      expect(readdirSync(folder).sort()).toEqual(
        ['SHA256SUMS', 'dist', 'notes.md', 'sbom.cdx.json', `${top}.tar.gz`].sort(),
      );
      execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: folder });
      expect(readFileSync(join(folder, 'notes.md'), 'utf8')).toMatch(/^### Added\n/);
      const listed = execFileSync('tar', ['-tzf', `${top}.tar.gz`], { cwd: folder, encoding: 'utf8' });
      expect(
        listed
          .split('\n')
          .filter((path) => /[^/]$/.test(path))
          .sort(),
      ).toEqual(
        [...archived, ...folders.flatMap((one) => filesBelow(one, /./))].map((path) => `${top}/${path}`).sort(),
      );
      const isReproducible = archiveOf(copy, top).equals(readFileSync(join(folder, `${top}.tar.gz`)));
      expect(isReproducible).toBe(true);

      const sbom = JSON.parse(readFileSync(join(folder, 'sbom.cdx.json'), 'utf8')) as Sbom;
      const packages = packagesIn(read('dist/licenses.txt'));
      expect(packages.length).toBeGreaterThan(20);
      expect(sbom.components.map((one) => one['bom-ref'])).toEqual(packages);
      expect(sbom.metadata.component.name).toBe(name);
    },
  );
});
