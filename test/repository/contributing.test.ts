import { describe, expect, it } from 'vitest';
import { inputs } from '../../src/lifecycle/inputs.ts';
import { kinds } from '../../src/manage/kinds.ts';
import { ruleNames } from '../../src/schema/rules.ts';
import { exists, filesBelow, read } from '../../tools/files.ts';

const text = read('CONTRIBUTING.md');
const checklists = new Map(
  text
    .split(/^### /m)
    .slice(1)
    .map((section) => [section.split('\n')[0] ?? '', section]),
);

/** Names of one sort, and the files that must list every one of them. */
interface Lists {
  /** Each with the other spellings that also count. */
  names: string[][];
  files: string[];
}

const lists: Record<string, Lists> = {
  'Add an input': {
    names: Object.keys(inputs).map((name) => [name]),
    files: ['action.yml', 'docs/reference.md'],
  },
  'Add a kind': {
    names: kinds
      .filter(({ name }) => name !== 'branch')
      .map(({ name, many }) => [name, many, name.replaceAll(' ', '_'), many.replaceAll(' ', '_')]),
    files: ['src/manage/kinds.ts', 'test/command/manage/kinds.test.ts', 'docs/manage.md'],
  },
  'Add a rule': {
    names: ruleNames.map((name) => [name]),
    files: [...['src/schema/rules.ts', 'src/schema/rule-texts.ts'], ...['test/review/migrations.ts', 'docs/diff.md']],
  },
};

/** Whether a text has a name in quotes, as a key, as a heading, or in a list such as `one, two and three.` */
function isIn(content: string, name: string): boolean {
  return new RegExp(
    `(['"\`])${name}\\1|^\\s*${name}[:,]|^#+ ${name}$|(?:,| and| or) ${name}(?=[,.;:)]|$| and | or )`,
    'im',
  ).test(content);
}

const lacking = (path: string, names: string[][]) => {
  const content = read(path);
  return names.filter((spellings) => !spellings.some((name) => isIn(content, name))).map(([name = '']) => name);
};

/** Whether `lacking` has none, without a look for the rest once one is missing. */
const hasAll = (path: string, names: string[][]) => {
  const content = read(path);
  return names.every((spellings) => spellings.some((name) => isIn(content, name)));
};

describe('CONTRIBUTING.md', () => {
  it('has the checklists', () => {
    expect([...checklists.keys()]).toEqual(['Add an input', 'Add a kind', 'Add a rule']);
  });

  it('names only npm scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = [...text.matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  it('names every npm script', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    expect(
      Object.keys(scripts).filter((name) => !text.includes(`npm ${name === 'test' ? '' : 'run '}${name}`)),
    ).toEqual([]);
  });

  it('names variables that the file beside them has', () => {
    const steps = [...checklists.values()].flatMap((section) => section.split(/^(?=\d+\. )/m).slice(1));
    const missing = steps.flatMap((step) => {
      const files = [...step.matchAll(/`([\w./-]+\.ts)`/g)].map(([, path = '']) => read(path)).join('\n');
      const variables = [...step.matchAll(/`([a-z]+[A-Z]\w*|[A-Z]{3,}|readers|kinds|examples|commented)`/g)];
      return variables
        .filter(([, name = '']) => files !== '' && !new RegExp(`\\b${name}\\b`).test(files))
        .map(([name]) => name);
    });
    expect(missing).toEqual([]);
  });
});

describe.each([...checklists])('the checklist %s', (title, section) => {
  const paths = [...section.matchAll(/`((?:src|test|tools|docs|dist)(?:\/[\w./-]*)?|[A-Z]+\.md|action\.yml)`/g)].map(
    ([, path = '']) => path,
  );

  it('names files that exist', () => {
    expect(paths.filter((path) => !exists(path))).toEqual([]);
  });

  const { names, files } = lists[title] ?? { names: [], files: [] };

  it.each(files)('names %s, which has every name', (path) => {
    expect(paths).toContain(path);
    const next = path === 'docs/reference.md' ? ': run `npm run docs`' : `; see "${title}" in CONTRIBUTING.md`;
    expect(lacking(path, names), `${path} lacks names${next}`).toEqual([]);
  });

  it('names every file that lists them all', () => {
    if (names.length === 0) return;
    const all = [
      'README.md',
      'CHANGELOG.md',
      'action.yml',
      ...['src', 'test', 'tools', 'docs'].flatMap((folder) => filesBelow(folder, /\.(ts|md|ya?ml)$/)),
    ];
    const old = 'src/inputs/fields.ts';
    expect(all.filter((path) => path !== old && !paths.includes(path) && hasAll(path, names))).toEqual([]);
  });
});
