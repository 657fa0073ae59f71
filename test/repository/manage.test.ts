import { describe, expect, it } from 'vitest';
import { kindOf, kinds, verbsOf } from '../../src/manage/kinds.ts';
import { read } from '../../tools/files.ts';

const page = read('docs/manage.md');

describe('docs/manage.md', () => {
  it('has every kind, with its verbs and its path', () => {
    const [, table = ''] = page.split('| `resource` |');
    const rows = [...table.matchAll(/^\| (`.*?`) \| ([^|]*) \| ([^|]*) \|$/gm)];
    const quoted = (text: string) => [...text.matchAll(/`(.*?)`/g)].map(([, one = '']) => one);
    const told = rows.flatMap(([, names = '', verbs = '', paths = '']) =>
      quoted(names).map((name, index) => [
        kindOf(name)?.name,
        // `all` is what most have
        verbs === 'all' ? 'create, delete, get, list, update' : quoted(verbs).toSorted().join(', '),
        quoted(paths)[index],
      ]),
    );
    const known = kinds.map((kind) => {
      const [, path = ''] = (kind.verbs.list ?? kind.verbs.get ?? '').split(' ');
      return [kind.name, verbsOf(kind).toSorted().join(', '), path.replace(/\/\{resource_id\}$|\?.*$/g, '')];
    });
    expect(told).toEqual(known);
  });
});
