import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refuseDifferences } from '../../tools/build/build.ts';
import { filesBelow, ROOT, read } from '../../tools/files.ts';
import { NODE, runAction } from '../../tools/runner/runner.ts';

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
  it('names the files that differ, and how to update them', () => {
    const built = new Map(['index.js', 'same.js', 'added.js'].map((name) => [name, Buffer.from(name)]));
    const old = new Map(built);
    expect(() => refuseDifferences({ old, built })).not.toThrow();
    old.set('index.js', Buffer.from('old')).set('9999.index.js', Buffer.from('')).delete('added.js');
    expect(() => refuseDifferences({ old, built })).toThrow(': 9999.index.js, added.js, index.js. Run `npm run build`');
  });

  it('gives the committed files', () => {
    const build = spawnSync(NODE, ['tools/build/build.ts', '--check'], { cwd: ROOT, encoding: 'utf8' });
    expect(build).toMatchObject({ status: 0, stderr: '' });
  });
});
