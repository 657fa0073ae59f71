import { describe, expect, it } from 'vitest';
import { ruleNames } from '../../src/schema/rules.ts';
import { exists, read } from '../../tools/files.ts';

const text = read('CONTRIBUTING.md');
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

describe('CONTRIBUTING.md', () => {
  it('names only npm scripts that exist, and every one of them', () => {
    const named = [...text.matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
    const missing = Object.keys(scripts).filter(
      (name) => !text.includes(`npm ${name === 'test' ? '' : 'run '}${name}`),
    );
    expect(missing).toEqual([]);
  });

  it('names only files that exist', () => {
    const paths = [...text.matchAll(/`((?:src|test|tools|docs)\/[\w./-]*|[A-Z]+\.md|action\.yml)`/g)].map(
      ([, path = '']) => path,
    );
    expect(paths.length).toBeGreaterThan(15);
    expect(paths.filter((path) => !path.includes('NAME') && !exists(path))).toEqual([]);
  });
});

it.each(['src/schema/rules.ts', 'src/schema/rule-texts.ts', 'docs/diff.md'])(
  '%s has every rule of the schema review',
  (path) => {
    const content = read(path);
    expect(ruleNames.filter((name) => !content.includes(name))).toEqual([]);
  },
);
