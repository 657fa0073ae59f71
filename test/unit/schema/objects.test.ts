import { describe, expect, it } from 'vitest';
import { found } from './found.ts';

const table = 'CREATE TABLE public.t (\n    id integer\n);\n';

describe('a function that is gone', () => {
  const fn = (name: string, args: string) =>
    `CREATE FUNCTION public.${name}(${args}) RETURNS integer\n    LANGUAGE sql\n    AS $$select 1$$;\n`;

  it('is reported together with the new function of that name', async () => {
    const dropped = 'drop-function public.f(integer)';
    expect(await found(fn('f', 'a integer'), '')).toEqual([dropped]);
    expect(await found(fn('f', 'a integer'), fn('f', 'a bigint'))).toEqual([
      'change-function public.f(integer): now public.f(bigint)',
    ]);
    expect(await found(fn('f', 'a integer'), fn('g', 'a bigint'))).toEqual([dropped]);
    expect(await found(fn('f', 'a integer') + fn('f', 'a text'), fn('f', 'a text'))).toEqual([dropped]);
    expect(await found(fn('"f(x"', 'a integer'), fn('"f(y"', 'a bigint'))).toEqual([
      'drop-function public."f(x"(integer)',
    ]);
  });
});

describe('the values of an enum', () => {
  const moods = (...values: string[]) =>
    `CREATE TYPE public.mood AS ENUM (\n    ${values.map((one) => `'${one}'`).join(',\n    ')}\n);\n`;

  it.each([
    [['a', 'b'], ['a', 'b', 'c'], []],
    [['a', 'b', 'c'], ['b'], ["drop-enum-value public.mood: 'a', 'c'"]],
    // A type that was made again looks the same.
    [["it''s", 'b'], ['x', 'b'], ["drop-enum-value public.mood: 'it''s'; possibly renamed to 'x'"]],
    [
      ['a', 'b', 'c', 'd'],
      ['x', 'b', 'y', 'd'],
      ["drop-enum-value public.mood: 'a', 'c'; possibly renamed to 'x', 'y'"],
    ],
    // A second value that is gone from one place has no new name there.
    [['a', 'b', 'c'], ['x', 'c'], ["drop-enum-value public.mood: 'a', 'b'"]],
  ])('%j become %j', async (before, after, expected) => {
    expect(await found(moods(...before), moods(...after))).toEqual(expected);
  });

  it('are renamed if what names them says so', async () => {
    const index = (value: string, name = 'i') =>
      `CREATE INDEX ${name} ON public.t USING btree (id) WHERE (mood = '${value}'::public.mood);\n`;
    const table = 'CREATE TABLE public.t (\n    id integer,\n    mood public.mood\n);\n';
    const before = moods('a', 'b', 'c') + table;
    const after = moods('a', 'x', 'c') + table;
    expect(await found(before + index('b'), after + index('x'))).toEqual(["rename-enum-value public.mood: 'b' → 'x'"]);
    expect(await found(before + index('b'), after + index('x', 'j'))).toContain(
      "drop-enum-value public.mood: 'b'; possibly renamed to 'x'",
    );
    expect(await found(before + index('b'), moods('a', 'c', 'x') + table + index('x'))).toContain(
      "drop-enum-value public.mood: 'b'; possibly renamed to 'x'",
    );
  });

  it('are gone with the type', async () => {
    expect(await found(moods('a'), '')).toEqual(['drop-type public.mood']);
  });
});

describe('an object that is gone', () => {
  const sequence = 'CREATE SEQUENCE public.s;\n';
  const owned = 'ALTER SEQUENCE public.s OWNED BY public.t.id;\n';

  it.each([
    ['CREATE VIEW public.v AS\n SELECT 1 AS a;\n', 'drop-view public.v'],
    ['CREATE TYPE public.r AS RANGE (\n    subtype = integer\n);\n', 'drop-type public.r'],
    ['CREATE TYPE public.r AS (\n\ta integer\n);\n', 'drop-type public.r'],
    [sequence, 'drop-sequence public.s'],
    ['CREATE PUBLICATION p;\n', 'change-publication p: dropped'],
  ])('is reported: %s', async (sql, finding) => {
    expect(await found(table + sql, table)).toEqual([finding]);
    expect(await found(table, table + sql)).toEqual([]);
  });

  it('is not reported if it is a sequence that belongs to a column', async () => {
    expect(await found(table + sequence + owned, table)).toEqual([]);
    expect(await found(table + sequence + owned.replace('public.t.id', 'NONE'), table)).toHaveLength(1);
  });
});

describe('a publication', () => {
  it('is reported if what it publishes changed', async () => {
    const of = (...tables: string[]) =>
      `CREATE PUBLICATION p;\n${tables.map((one) => `ALTER PUBLICATION p ADD TABLE ONLY public.${one};\n`).join('')}`;
    expect(await found(of('a'), of('a', 'b'))).toEqual(['change-publication p']);
    expect(await found(of('a', 'b'), of('a'))).toEqual(['change-publication p']);
    expect(await found(of('a', 'b'), of('b', 'a'))).toEqual([]);
  });
});

describe('an unknown statement', () => {
  const widget = (length: number) => `CREATE WIDGET ${'x'.repeat(length - 'CREATE WIDGET '.length)}`;

  it('is reported if it is new or gone', async () => {
    expect(await found(table, `${table}CREATE WIDGET w;\n`)).toEqual(['unknown-change CREATE WIDGET w: added']);
    expect(await found(`${table}CREATE WIDGET w;\n`, table)).toEqual([
      'unknown-change CREATE WIDGET w: changed or removed',
    ]);
  });

  it.each([
    [80, widget(80)],
    [81, `${widget(79)}…`],
  ])('is cut after 80 characters: %i', async (length, shown) => {
    expect(await found(table, `${table}${widget(length)};\n`)).toEqual([`unknown-change ${shown}: added`]);
  });
});

describe('a statement about an object that is not compared', () => {
  const server = 'CREATE SERVER s FOREIGN DATA WRAPPER w;\n';
  const rule = 'CREATE RULE r AS\n    ON DELETE TO public.t DO INSTEAD NOTHING;\n';

  it('is reported if it is gone or changed', async () => {
    const finding = 'unknown-change CREATE SERVER s FOREIGN DATA WRAPPER w: changed or removed';
    expect(await found(table + server, table)).toEqual([finding]);
    expect(await found(table + server, table + server.replace('WRAPPER w', 'WRAPPER x'))).toEqual([finding]);
    expect(await found(table, table + server)).toEqual([]);
  });

  it('is not reported if its table is gone, too', async () => {
    expect(await found(table + rule, '')).toEqual(['drop-table public.t']);
    expect(await found(table + rule, table)).toHaveLength(1);
  });
});
