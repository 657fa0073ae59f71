import { describe, expect, it } from 'vitest';
import { reviewSchemas } from '../../../src/schema/review.ts';
import { found } from './found.ts';

const findings = async (before: string, after: string) =>
  (await reviewSchemas({ before, after, signal: new AbortController().signal })).findings;
const table = (...columns: string[]) => `CREATE TABLE public.t (\n    ${columns.join(',\n    ')}\n);`;
const changed = (before: string, after: string) => found(table(`n ${before}`), table(`n ${after}`));
/** What a new column does. `more` is in both schemas. */
const added = (column: string, more = '') => found(more + table('id integer'), more + table('id integer', column));

it.each([
  ['json', 'xml', 'json → xml'],
  ['"char"', 'integer', '"char" → integer'],
  ['character(3)', 'integer', 'character(3) → integer'],
  ['public."Mood"', 'integer', 'public."Mood" → integer'],
  ['public.constructor', 'integer', 'public.constructor → integer'],
  ['constructor', 'integer', 'constructor → integer'],
  ['timestamp(3) with time zone', 'integer', 'timestamp(3) with time zone → integer'],
  ['interval(3)', 'integer', 'interval(3) → integer'],
  ['numeric(10,2)[]', 'integer', 'numeric(10,2)[] → integer'],
])('writes type %s as SQL does', async (before, after, detail) => {
  expect(await findings(table(`n ${before}`), table(`n ${after}`))).toEqual([
    { rule: 'convert-type', object: 'public.t.n', detail },
  ]);
});

it.each([
  ['CHECK ((VALUE > 0))', ['rewrite-type']],
  ['DEFAULT 1 NOT NULL', ['rewrite-type']],
  ['NOT NULL', ['add-not-null-column', 'rewrite-type']],
  ['DEFAULT random()', ['volatile-default']],
  ['DEFAULT 1', []],
  ['', []],
])('knows what a new column with a domain does, if it has %s', async (constraint, rules) => {
  const domain = `CREATE DOMAIN public.d AS integer ${constraint};\n`;
  const found = await findings(domain + table('id integer'), domain + table('id integer', 'n public.d'));
  expect(found.map(({ rule }) => rule)).toEqual(rules);
  // An empty array has no values to check.
  expect(await added("n public.d[] DEFAULT '{}'", domain)).toEqual([]);
  expect(await added('n public.d[]', domain)).toEqual([]);
});

describe('a new column', () => {
  it.each([
    ['n integer', []],
    ['n integer DEFAULT 1 NOT NULL', []],
    ['n integer NOT NULL', ['add-not-null-column public.t.n: integer']],
    ['n integer[] NOT NULL', ['add-not-null-column public.t.n: integer[]']],
    ['n integer GENERATED ALWAYS AS (1) STORED NOT NULL', ['stored-generated public.t.n: integer']],
    ['n integer GENERATED ALWAYS AS (1) VIRTUAL NOT NULL', []],
    ['n integer GENERATED ALWAYS AS IDENTITY', ['volatile-default public.t.n: identity']],
    ['n uuid DEFAULT gen_random_uuid() NOT NULL', ['volatile-default public.t.n: gen_random_uuid()']],
    ["n integer DEFAULT nextval('public.s'::regclass)", ['volatile-default public.t.n: nextval()']],
    ['n double precision DEFAULT abs(random())', ['volatile-default public.t.n: random()']],
    ['n text DEFAULT lower(CURRENT_USER)', []],
    ['n uuid DEFAULT extensions.uuid_generate_v4()', ['volatile-default public.t.n: extensions.uuid_generate_v4()']],
  ])('%s', async (column, expected) => {
    expect(await added(column)).toEqual(expected);
  });

  it.each([
    ['', true],
    [' VOLATILE', true],
    [' STABLE', false],
    [' IMMUTABLE', false],
  ])('may call a function of the schema%s', async (volatility, isFound) => {
    const fn = `CREATE FUNCTION public.f() RETURNS integer\n    LANGUAGE sql${volatility}\n    AS $$select 1$$;\n`;
    expect(await added('n integer DEFAULT public.f()', fn)).toHaveLength(isFound ? 1 : 0);
  });

  it('has a default of its own before that of its domain', async () => {
    const domain = 'CREATE DOMAIN public.d AS integer DEFAULT random();\n';
    expect(await added('n public.d DEFAULT 1', domain)).toEqual([]);
  });
});

describe('a column', () => {
  it.each([
    ['integer', 'integer NOT NULL', ['set-not-null public.t.n']],
    ['integer NOT NULL', 'integer', ['drop-not-null public.t.n']],
    ['integer NOT NULL', 'bigint NOT NULL', ['rewrite-type public.t.n: integer → bigint']],
    ['text', 'jsonb', ['rewrite-type public.t.n: text → jsonb']],
    ['json', 'jsonb', ['rewrite-type public.t.n: json → jsonb; the order of keys and duplicate keys are not kept']],
    [
      'text',
      'public.citext',
      ['rewrite-type public.t.n: text → public.citext; rebuilds indexes, not the table; comparisons change'],
    ],
    [
      'text',
      'text COLLATE pg_catalog."C"',
      [
        'rewrite-type public.t.n: text → text COLLATE pg_catalog."C"; rebuilds indexes, not the table; comparisons change',
      ],
    ],
    ['text COLLATE public.ci', 'text  COLLATE public.ci', []],
    ['integer DEFAULT 1', 'integer', ['drop-default public.t.n']],
    ['integer DEFAULT 1', 'integer DEFAULT 2', []],
    ['integer', 'integer DEFAULT 1', []],
    // Without a length, `bpchar` has no limit; `character` is one character.
    ['bpchar', 'character(5)', ['narrow-type public.t.n: bpchar → character(5)']],
    ['character', 'character(1)', []],
    ['integer DEFAULT 1 NOT NULL', 'integer GENERATED ALWAYS AS IDENTITY', []],
    ['integer GENERATED ALWAYS AS IDENTITY', 'integer DEFAULT 1 NOT NULL', ['drop-identity public.t.n']],
    ['integer', 'integer GENERATED ALWAYS AS IDENTITY', ['set-not-null public.t.n']],
  ])('%s becomes %s', async (before, after, expected) => {
    expect(await changed(before, after)).toEqual(expected);
  });

  const generated = (value: number, kind = 'STORED') => `integer GENERATED ALWAYS AS (${value}) ${kind}`;
  const replaced = 'drop-column public.t.n: integer, replaced by a generated column';
  const rewritten = 'stored-generated public.t.n: its expression changed';
  it.each([
    ['integer', generated(1), [replaced, 'stored-generated public.t.n: integer']],
    [generated(1, 'VIRTUAL'), generated(1), ['stored-generated public.t.n: was virtual']],
    [generated(1), generated(1, 'VIRTUAL'), []],
    ['integer', generated(1, 'VIRTUAL'), [replaced]],
    ['integer DEFAULT 1', generated(1, 'VIRTUAL'), [replaced]],
    [generated(1), generated(2), [rewritten]],
    [generated(1, 'VIRTUAL'), generated(2, 'VIRTUAL'), []],
    [generated(1), 'integer', ['drop-default public.t.n']],
    [generated(1), 'integer DEFAULT 1', []],
  ])('%s becomes %s', async (before, after, expected) => {
    expect(await changed(before, after)).toEqual(expected);
  });
});

describe('a column with another type', () => {
  it('has indexes that are rebuilt', async () => {
    const more =
      'ALTER TABLE ONLY public.t ADD CONSTRAINT t_key UNIQUE (n);\nCREATE INDEX by_n ON public.t USING btree (n);\n';
    expect(await found(table('n text') + more, table('n jsonb') + more)).toEqual([
      'rewrite-type public.t.n: text → jsonb; rebuilds t_key (unique, may fail), by_n',
    ]);
    const sorted = (collation: string) => `n character varying(9)${collation}`;
    const how = 'rebuilds indexes, not the table; comparisons change; rebuilds t_key';
    expect(await found(table(sorted('')) + more, table(sorted(' COLLATE public.ci')) + more)).toEqual([
      `rewrite-type public.t.n: character varying(9) → character varying(9) COLLATE public.ci; ${how} (unique, may fail), by_n`,
    ]);
    expect(await found(table(sorted(' COLLATE public.ci')) + more, table(sorted('')) + more)).toEqual([
      `rewrite-type public.t.n: character varying(9) COLLATE public.ci → character varying(9); ${how}, by_n`,
    ]);
    expect(await found(table('n integer') + more, table('n bigint') + more)).toEqual([
      'rewrite-type public.t.n: integer → bigint; rebuilds t_key, by_n',
    ]);
  });

  it('that was text loses nothing as an enum', async () => {
    const mood = "CREATE TYPE public.mood AS ENUM ('a');\n";
    expect(await found(mood + table('n text'), mood + table('n public.mood'))).toEqual([
      'rewrite-type public.t.n: text → public.mood',
    ]);
    expect(await found(mood + table('n integer'), mood + table('n public.mood'))).toEqual([
      'convert-type public.t.n: integer → public.mood',
    ]);
  });
});
