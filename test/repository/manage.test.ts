import { describe, expect, it } from 'vitest';
import { usualVerbs } from '../../src/manage/kind.ts';
import { kindOf, kinds } from '../../src/manage/kinds.ts';
import { read } from '../../tools/files.ts';

const page = read('docs/manage.md');

describe('docs/manage.md', () => {
  it('begins with the section that the README has, word for word', () => {
    const section = /<!-- newcomer:start -->\n(.*?)\n<!-- newcomer:end -->/s.exec(page)?.[1] ?? '';
    expect(section.trim().split('\n').length).toBeLessThanOrEqual(25);
    expect(read('README.md')).toContain(section.trim());
  });

  it('has every kind, with its verbs, its path and what it belongs to', () => {
    const [, table = ''] = page.split('| `resource` |');
    const rows = [...table.matchAll(/^\| (`.*?`) \| ([^|]*)\| ([^|]*) \| ([^|]*) \|$/gm)];
    const told = new Map<string, string[]>();
    for (const [, names = '', owner = '', verbsTold = '', paths = ''] of rows) {
      const all = (text: string) => [...text.matchAll(/`(.*?)`/g)].map(([, one = '']) => one);
      const but = verbsTold.startsWith('all except');
      const named = all(verbsTold);
      const has = usualVerbs.filter((verb) =>
        verbsTold.startsWith('all') ? !(but && named.includes(verb)) : named.includes(verb),
      );
      for (const [index, name] of all(names).entries()) {
        told.set(kindOf(name)?.one ?? name, [owner.trim(), has.join(), all(paths)[index] ?? '']);
      }
    }
    const known = kinds.map((kind) => {
      const owner = { account: 'the account', project: 'a project', branch: 'a branch' }[kind.owner];
      const before = {
        account: '',
        project: '/projects/{project_id}',
        branch: '/projects/{project_id}/branches/{branch_id}',
      };
      const collection = { path: `${before[kind.owner]}/${kind.segment}`, query: {} };
      const { path } = kind.objectRoute?.(collection, undefined) ?? collection;
      const has = usualVerbs.filter((verb) => kind.verbs.includes(verb));
      return [kind.one, [kind.segment === 'users' ? '' : owner, has.join(), path]] as const;
    });
    expect(told).toEqual(new Map(known));
  });
});
