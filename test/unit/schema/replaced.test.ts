import { describe, expect, it } from 'vitest';
import { found } from './found.ts';

const table = (end: string, column = 'id', kind = 'TABLE') =>
  `CREATE ${kind} public.t (\n    ${column} integer\n)${end};\n`;
const plain = table('');
const foreign = table('\nSERVER s', 'id', 'FOREIGN TABLE');
const partitioned = table('\nPARTITION BY RANGE (id)');

describe('another table under the name of a dropped one', () => {
  it.each([
    [plain, foreign],
    [plain, partitioned],
    [partitioned, table('\nPARTITION BY HASH (id)')],
    [foreign, plain],
  ])('is reported', async (before, after) => {
    expect(await found(before, after)).toEqual(['drop-table public.t: dropped and created again']);
    expect(await found(after, after.replace('\n)', '\n )'))).toEqual([]);
  });

  it('is not reported if just the column of its partition key has a new name', async () => {
    const findings = await found(partitioned, table('\nPARTITION BY RANGE (key)', 'key'));
    expect(findings.map((one) => one.split(' ')[0])).toEqual(['rename-column']);
  });
});

describe('a generated column under the name of a dropped one', () => {
  it.each(['VIRTUAL', 'STORED'])('is reported: %s', async (kind) => {
    const generated = table('', `n integer GENERATED ALWAYS AS (1) ${kind},\n    id`);
    const findings = await found(table('', 'n integer,\n    id'), generated);
    expect(findings[0]).toBe('drop-column public.t.n: integer, replaced by a generated column');
    expect(await found(generated, generated.replace('n integer', 'n  integer'))).toEqual([]);
  });
});

describe('a composite type', () => {
  it('loses the values of an attribute that is gone', async () => {
    const type = (attributes: string) => `CREATE TYPE public.pair AS (\n\t${attributes}\n);`;
    const before = type('a integer,\n\t"B" text');
    expect(await found(before, type('a integer'))).toEqual([
      'drop-column public.pair."B": attribute of a composite type',
    ]);
    expect(await found(type('a integer'), before)).toEqual([]);
  });
});

describe('a table that inherits', () => {
  const parent = (columns = 'id integer NOT NULL,\n    b text') => `CREATE TABLE public.p (\n    ${columns}\n);\n`;
  const child = `CREATE TABLE public.c (\n    x text\n)\nINHERITS (public.p);\n`;

  it('has its own finding if it no longer does, and no new column', async () => {
    const alone = 'CREATE TABLE public.c (\n    id integer NOT NULL,\n    b text,\n    x text\n);\n';
    expect(await found(parent() + child, parent() + alone)).toEqual([
      'detach-partition public.c: detached from public.p',
    ]);
    expect(await found(parent() + alone, parent() + child)).toEqual([]);
  });

  it('loses the columns that its parent loses, which is reported once', async () => {
    expect(await found(parent() + child, parent('id integer NOT NULL') + child)).toEqual([
      'drop-column public.p.b: text',
    ]);
  });

  it('may lose a default of its own for a column that it inherits', async () => {
    const own = "ALTER TABLE ONLY public.c ALTER COLUMN b SET DEFAULT 'x'::text;\n";
    expect(await found(parent() + child + own, parent() + child)).toEqual(['drop-default public.c.b']);
  });
});

describe('a unique index', () => {
  const unique = (columns: string) => `CREATE UNIQUE INDEX i ON public.t USING btree ${columns};\n`;
  const constraint = (columns: string) => `ALTER TABLE ONLY public.t\n    ADD CONSTRAINT i UNIQUE ${columns};\n`;
  const t = table('', 'a integer,\n    b');

  it.each(['(lower(a), b)', '(b) WHERE (a > 0)'])('is of no use to a constraint: %s', async (columns) => {
    const before = t + unique(columns);
    expect(await found(before, before + constraint('(b)').replace('CONSTRAINT i', 'CONSTRAINT u'))).toEqual([
      'add-unique public.t.u: (b)',
    ]);
  });

  it.each(['(a)', '(a) INCLUDE (b)'])('becomes a constraint: %s', async (columns) => {
    expect(await found(t + unique(columns), t + constraint(columns))).toEqual([]);
  });
});

describe('a function under the name of a dropped one', () => {
  const fn = (kind: string, returns = '') =>
    `CREATE ${kind} public.f(a integer)${returns}\n    LANGUAGE sql\n    AS $$select 1$$;\n`;
  const integer = fn('FUNCTION', ' RETURNS integer');

  it.each([fn('FUNCTION', ' RETURNS text'), fn('FUNCTION', ' RETURNS SETOF integer'), fn('PROCEDURE')])(
    'is reported: %s',
    async (after) => {
      expect(await found(integer, after)).toEqual([
        'change-function public.f(integer): returns a different type or different columns',
      ]);
      expect(await found(integer, integer.replace('select 1', 'select 2'))).toEqual([]);
    },
  );
});
