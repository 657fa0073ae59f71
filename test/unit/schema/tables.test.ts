import { describe, expect, it } from 'vitest';
import { found } from './found.ts';

const table = (name: string, columns = 'id integer', end = '') =>
  `CREATE TABLE public.${name} (\n    ${columns}\n)${end};\n`;
const attach = (parent: string, part: string) =>
  `ALTER TABLE ONLY public.${parent} ATTACH PARTITION public.${part} FOR VALUES FROM (1) TO (2);\n`;
const trigger = (name: string, event = 'INSERT') =>
  `CREATE TRIGGER ${name} BEFORE ${event} ON public.t FOR EACH ROW EXECUTE FUNCTION public.f();\n`;

describe('a table that is gone', () => {
  it('may have another name, if a new table has the same columns', async () => {
    const drop = 'drop-table public.a';
    expect(await found(table('a'), table('b'))).toEqual([`${drop}: possibly renamed to public.b`]);
    expect(await found(table('a'), table('b') + table('c'))).toEqual([
      `${drop}: possibly renamed to public.b or public.c`,
    ]);
    expect(await found(table('a'), table('b', 'id bigint'))).toEqual([drop]);
    expect(await found(table('a'), table('b', 'key integer'))).toEqual([drop]);
    expect(await found(table('a') + table('b'), table('b'))).toEqual([drop]);
    expect(await found(table('a') + table('b'), table('c'))).toEqual([
      `${drop}: possibly renamed to public.c`,
      'drop-table public.b: possibly renamed to public.c',
    ]);
    expect(await found(table('a', ''), table('b', ''))).toEqual([drop]);
  });

  it('takes its partitions along', async () => {
    const parent = table('a', 'id integer', '\nPARTITION BY RANGE (id)');
    const one = parent + table('b', 'n integer') + attach('a', 'b');
    const two = one + table('c', 'n integer') + attach('a', 'c');
    expect(await found(one, '')).toEqual(['drop-table public.a']);
    expect(await found(two, '')).toEqual(['drop-table public.a']);
    expect(await found(two, one)).toEqual(['drop-table public.c']);
    expect(await found(two, table('b', 'n integer'))).toEqual([
      'drop-table public.a',
      'detach-partition public.b: detached from public.a',
    ]);
  });
});

describe('a table', () => {
  it('may become unlogged, or logged again', async () => {
    const unlogged = table('t').replace('CREATE', 'CREATE UNLOGGED');
    expect(await found(table('t'), unlogged)).toEqual(['set-unlogged public.t']);
    expect(await found(unlogged, unlogged)).toEqual([]);
    expect(await found(unlogged, `${unlogged}-- a comment\n`)).toEqual([]);
    expect(await found(unlogged, table('t'))).toEqual(['set-logged public.t']);
  });

  it('may move from one partitioned table to another', async () => {
    const tables =
      ['a', 'b'].map((name) => table(name, 'id integer', '\nPARTITION BY RANGE (id)')).join('') + table('t');
    expect(await found(tables + attach('a', 't'), tables + attach('b', 't'))).toEqual([
      'attach-partition public.t: to public.b; scans public.t',
      'detach-partition public.t: detached from public.a',
    ]);
  });

  it('is read when it is attached, and so is the default partition', async () => {
    const tables = table('a', 'id integer', '\nPARTITION BY RANGE (id)') + table('t') + table('rest');
    const rest = attach('a', 'rest').replace('FOR VALUES FROM (1) TO (2)', 'DEFAULT');
    expect(rest).toContain('DEFAULT');
    expect(await found(tables + rest, tables + rest + attach('a', 't'))).toEqual([
      'attach-partition public.t: to public.a; scans public.t and the default partition public.rest',
    ]);
    expect(await found(tables + rest, tables + rest + table('fresh') + attach('a', 'fresh'))).toEqual([
      'attach-partition public.fresh: to public.a; scans the default partition public.rest',
    ]);
    expect(await found(tables, tables + table('fresh') + attach('a', 'fresh'))).toEqual([]);
  });
});

describe('a trigger', () => {
  const disable = (name: string, how = 'DISABLE') => `ALTER TABLE public.t ${how} TRIGGER ${name};\n`;
  const before = table('t') + trigger('g');

  it('is reported if it is gone or changed', async () => {
    expect(await found(before, table('t'))).toEqual(['drop-trigger public.t.g']);
    expect(await found(before, table('t') + trigger('g', 'UPDATE'))).toEqual([
      'drop-trigger public.t.g: definition changed',
    ]);
    expect(await found(before, before + trigger('h'))).toEqual([]);
  });

  it('is reported if it no longer fires', async () => {
    expect(await found(before, before + disable('g'))).toEqual(['disable-trigger public.t.g']);
    expect(await found(before, before + disable('g', 'ENABLE REPLICA'))).toEqual(['disable-trigger public.t.g']);
    expect(await found(before + disable('g'), `${before}${disable('g')}-- a comment\n`)).toEqual([]);
    expect(await found(before + disable('g'), before)).toEqual([]);
    expect(await found(before, before + trigger('h') + disable('h'))).toEqual([]);
  });

  it('of a partitioned table is reported once, not again for each partition', async () => {
    const tables = table('a', 'id integer', '\nPARTITION BY RANGE (id)') + table('b') + attach('a', 'b');
    const on = (name: string) => trigger('g').replace('public.t', `public.${name}`);
    const off = (name: string) => disable('g').replace('public.t', `public.${name}`);
    const both = tables + on('a');
    expect(await found(both, both + off('a') + off('b'))).toEqual(['disable-trigger public.a.g']);
    expect(await found(both, both + off('b'))).toEqual(['disable-trigger public.b.g']);
  });
});

describe('an event trigger', () => {
  it.each(['on_drop', '"E 1"', '"a""b"'])('%s is reported if it is disabled', async (name) => {
    const created = `CREATE EVENT TRIGGER ${name} ON sql_drop\n   EXECUTE FUNCTION public.f();\n`;
    const disabled = `ALTER EVENT TRIGGER ${name} DISABLE;\n`;
    expect(await found(created, created + disabled)).toEqual([`disable-trigger ${name}: event trigger`]);
  });
});
