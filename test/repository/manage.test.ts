import { describe, expect, it } from 'vitest';
import { kindOf, kinds, usualVerbs } from '../../src/manage/kinds.ts';
import { requestOf } from '../../src/manage/routes.ts';
import { read } from '../../tools/files.ts';

const page = read('docs/manage.md');

describe('docs/manage.md', () => {
  it('begins with the section that the README has, word for word', () => {
    const section = /<!-- newcomer:start -->\n(.*?)\n<!-- newcomer:end -->/s.exec(page)?.[1] ?? '';
    expect(section.trim().split('\n').length).toBeLessThanOrEqual(25);
    expect(read('README.md')).toContain(section.trim());
  });

  it('has every kind, with its verbs and its path', () => {
    const [, table = ''] = page.split('| `resource` |');
    const rows = [...table.matchAll(/^\| (`.*?`) \| ([^|]*) \| ([^|]*) \|$/gm)];
    const told = new Map<string, string[]>();
    for (const [, names = '', verbsTold = '', paths = ''] of rows) {
      const all = (text: string) => [...text.matchAll(/`(.*?)`/g)].map(([, one = '']) => one);
      const but = verbsTold.startsWith('all except');
      const named = all(verbsTold);
      const has = usualVerbs.filter((verb) =>
        verbsTold.startsWith('all') ? !(but && named.includes(verb)) : named.includes(verb),
      );
      for (const [index, name] of all(names).entries()) {
        told.set(kindOf(name)?.one ?? name, [has.join(), all(paths)[index] ?? '']);
      }
    }
    const known = kinds.map((kind) => {
      const { path } = requestOf({
        kind,
        verb: 'list',
        owners: { projectId: '{project_id}', branchId: '{branch_id}' },
      });
      const has = usualVerbs.filter((verb) => kind.verbs.includes(verb));
      return [kind.one, [has.join(), decodeURIComponent(path)]] as const;
    });
    expect(told).toEqual(new Map(known));
  });
});
