import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filesBelow, ROOT, read } from '../files.ts';
import { REPOSITORY } from '../runner/repository.ts';
import { NODE } from '../runner/runner.ts';
import { placeholder } from './repository.ts';

const folders = ['.github', 'diff', 'docs', 'examples', 'manage', 'prune', 'rehearse', 'src', 'test', 'tools'];
const single = ['package.json', 'README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'action.yml'];
const paths = [...single, ...folders.flatMap((folder) => filesBelow(folder, /\.(md|ya?ml|ts|json)$/))];

describe('npm run docs -- --repository', () => {
  let copy = '';
  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), 'repository-'));
    for (const path of paths) cpSync(join(ROOT, path), join(copy, path));
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  });
  afterAll(() => rmSync(copy, { recursive: true }));

  const docs = (...args: string[]) => spawnSync(NODE, ['tools/docs/docs.ts', ...args], { cwd: copy, encoding: 'utf8' });
  const text = (path: string) => readFileSync(join(copy, path), 'utf8');
  const documents = paths.filter((path) => !/^(src|test|tools)\//.test(path));
  const having = (name: string) => documents.filter((path) => text(path).includes(name));
  const named = documents.filter((path) => read(path).includes(REPOSITORY));

  it.each(['database-branch', 'octo org/x', 'octo-/x', 'octo/..', 'octo/x/y'])('refuses %j', (name) => {
    const { status, stderr } = docs('--repository', name);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: `--repository: "${name}" is invalid; expected owner/name\n`,
    });
  });

  it('writes the name everywhere and leaves no placeholder', () => {
    expect(docs('--repository', 'octo-org/first')).toMatchObject({ status: 0, stderr: '' });
    const shown = paths.filter((path) => !/^(test|tools)\//.test(path));
    expect(shown.filter((path) => text(path).includes(placeholder))).toEqual([]);
    expect(having('octo-org/first')).toEqual(named);
    expect(JSON.parse(text('package.json'))).toMatchObject({ repository: 'github:octo-org/first' });
    expect(text('README.md')).toContain('uses: octo-org/first@v1');
    expect(text('README.md')).not.toContain('with the owner and name of');
  });

  it('writes another name over the first, but not over longer names', () => {
    writeFileSync(
      join(copy, 'docs/near.md'),
      'octo-org/first-aid x-octo-org/first octo-org/first. octo-org/first.js\n',
    );
    expect(docs('--repository', 'octo-org/second.js')).toMatchObject({ status: 0, stderr: '' });
    expect(text('docs/near.md')).toBe('octo-org/first-aid x-octo-org/first octo-org/second.js. octo-org/first.js\n');
    expect(having('octo-org/second.js')).toEqual(named);
  });

  it('is checked: a placeholder that is added later is named, and written over', () => {
    expect(docs('--check')).toMatchObject({ status: 0 });
    writeFileSync(join(copy, 'docs/near.md'), `uses: ${placeholder}@v1\n`);
    expect(docs('--check')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('out of date: docs/near.md\n'),
    });
    expect(docs()).toMatchObject({ status: 0, stdout: 'written: docs/near.md\n' });
    expect(text('docs/near.md')).toBe('uses: octo-org/second.js@v1\n');
  });
});
