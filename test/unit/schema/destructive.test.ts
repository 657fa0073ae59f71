import { createTwoFilesPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findDestruction, hasHidden } from '../../../src/schema/destructive.ts';
import { looksLikeType, typeChange } from '../../../src/schema/types.ts';

const diffOf = (before: string, after: string) =>
  createTwoFilesPatch('a/neondb', 'b/neondb', before, after, '', '', { context: 3 });
const found = (before: string, after: string) =>
  findDestruction(diffOf(before, after)).map((one) => `${one.does} ${one.to}${one.note ? `: ${one.note}` : ''}`);

/** As pg_dump writes a table. */
const table = (name: string, ...columns: string[]) =>
  `--\n-- Name: ${name}; Type: TABLE; Schema: public; Owner: neondb_owner\n--\n\nCREATE TABLE public.${name} (\n${columns
    .map((column) => `    ${column}`)
    .join(',\n')}\n);\n\n\nALTER TABLE public.${name} OWNER TO neondb_owner;\n\n`;

const users = ['id integer NOT NULL', 'email text', 'name character varying(100)', 'age integer DEFAULT 0 NOT NULL'];
const wide = Array.from({ length: 20 }, (_, i) => `c${i} integer`);

describe('destructive changes in a diff of two schemas', () => {
  it.each<[string, string, string, string[]]>([
    [
      'a dropped table',
      table('a', 'id integer') + table('users', ...users),
      table('a', 'id integer'),
      ['drops table public.users: with all its rows'],
    ],
    [
      'a dropped table before a similar one',
      table('a', 'id integer', 'x text') + table('b', 'id integer', 'x text'),
      table('b', 'id integer', 'x text'),
      ['drops table public.a: with all its rows'],
    ],
    ['a new table', '', table('users', ...users), []],
    [
      'a table in place of another',
      table('a', 'id integer', 'x text'),
      table('b', 'id bigint NOT NULL', 'y text'),
      ['drops table public.a: with all its rows'],
    ],
    [
      'a renamed table',
      table('people', ...users),
      table('users', ...users),
      ['drops table public.people: with all its rows, unless it was renamed to public.users'],
    ],
    [
      'a dropped column',
      table('users', ...users),
      table('users', 'id integer NOT NULL', 'name character varying(100)', 'age integer DEFAULT 0 NOT NULL'),
      ['drops column public.users.email: text'],
    ],
    [
      'the last column dropped, which changes a comma',
      table('users', ...users),
      table('users', ...users.slice(0, 3)),
      ['drops column public.users.age: integer'],
    ],
    [
      'a column added at the end, which changes a comma',
      table('users', ...users),
      table('users', ...users, 'note text'),
      [],
    ],
    ['columns in another order', table('users', ...users), table('users', ...[...users].reverse()), []],
    [
      'a renamed column',
      table('users', ...users),
      table('users', 'id integer NOT NULL', 'mail text', ...users.slice(2)),
      ['drops column public.users.email: text, unless it was renamed to mail'],
    ],
    [
      'a narrowed column',
      table('users', ...users),
      table('users', ...users.slice(0, 2), 'name character varying(50)', users[3] ?? ''),
      [
        "narrows public.users.name: character varying(100) → character varying(50); values that don't fit are truncated or rejected",
      ],
    ],
    [
      'a widened column',
      table('users', ...users),
      table('users', 'id bigint NOT NULL', ...users.slice(1, 2), 'name text', users[3] ?? ''),
      [],
    ],
    [
      'another type',
      table('users', ...users),
      table('users', users[0] ?? '', 'email integer', ...users.slice(2)),
      ["changes the type of public.users.email: text → integer; values that can't be converted are lost or rejected"],
    ],
    [
      'NOT NULL set',
      table('users', ...users),
      table('users', users[0] ?? '', 'email text NOT NULL', ...users.slice(2)),
      ['sets NOT NULL on public.users.email: fails if any row has NULL there'],
    ],
    [
      'NOT NULL set and narrowed',
      table('t', 'a text'),
      table('t', 'a character varying(5) NOT NULL'),
      [
        "narrows public.t.a: text → character varying(5); values that don't fit are truncated or rejected",
        'sets NOT NULL on public.t.a: fails if any row has NULL there',
      ],
    ],
    ['NOT NULL dropped', table('t', 'a text NOT NULL'), table('t', 'a text'), []],
    [
      'a NOT NULL column without a default',
      table('users', ...users),
      table('users', ...users.slice(0, 1), 'tenant uuid NOT NULL', ...users.slice(1)),
      ['adds NOT NULL column public.users.tenant: uuid, without a default; fails if the table has rows'],
    ],
    [
      'a NOT NULL column with a default',
      table('users', ...users),
      table('users', ...users, "tenant text DEFAULT 'x, NOT NULL'::text NOT NULL"),
      [],
    ],
    [
      'a NOT NULL column with a named constraint',
      table('t', 'a text'),
      table('t', 'a text', 'b text CONSTRAINT b_needed NOT NULL'),
      ['adds NOT NULL column public.t.b: text, without a default; fails if the table has rows'],
    ],
    [
      'a default that contains NOT NULL',
      table('t', 'a text'),
      table('t', 'a text', 'b boolean DEFAULT (1 IS NOT NULL)'),
      [],
    ],
    [
      'an identity column',
      table('t', 'a text'),
      table('t', 'a text', 'id bigint GENERATED ALWAYS AS IDENTITY NOT NULL'),
      [],
    ],
    [
      'a serial column, whose default is set in another statement',
      table('t', 'a text'),
      `${table('t', 'a text', 'id integer NOT NULL')}\nALTER TABLE ONLY public.t ALTER COLUMN id SET DEFAULT nextval('public.t_id_seq'::regclass);\n`,
      [],
    ],
    [
      'an identity that is added in another statement',
      table('t', 'a text'),
      `${table('t', 'a text', 'id integer NOT NULL')}\nALTER TABLE public.t ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (\n    SEQUENCE NAME public.t_id_seq\n    START WITH 1\n);\n`,
      [],
    ],
    ['a dropped default', table('t', 'a text DEFAULT 1'), table('t', 'a text'), []],
    [
      'quoted names',
      table('"My ""T"""', '"A b" text', '"Order" integer'),
      table('"My ""T"""', '"A b" text'),
      ['drops column public."My ""T"""."Order": integer'],
    ],
    [
      'a column of an enum that becomes another',
      table('t', 'a public.status'),
      table('t', 'a public.state'),
      [
        "changes the type of public.t.a: public.status → public.state; values that can't be converted are lost or rejected",
      ],
    ],
    ['a dropped schema', 'CREATE SCHEMA audit;\n', '', ['drops schema audit']],
    [
      'a dropped materialized view',
      'CREATE MATERIALIZED VIEW public.stats AS\n SELECT 1 AS n\n  WITH NO DATA;\n',
      '',
      ['drops materialized view public.stats'],
    ],
    [
      'a dropped view or function',
      'CREATE VIEW public.v AS\n SELECT users.id,\n    users.email\n   FROM public.users;\n\nCREATE FUNCTION public.f() RETURNS integer\n    LANGUAGE plpgsql\n    AS $$\nDECLARE\n    x integer;\nBEGIN\n    return x;\nEND;\n$$;\n',
      '',
      [],
    ],
    [
      'a dropped sequence',
      'CREATE SEQUENCE public.invoices\n    START WITH 1\n    CACHE 1;\n',
      '',
      ['drops sequence public.invoices'],
    ],
    [
      'a sequence that is dropped with its column',
      `CREATE SEQUENCE public.t_id_seq\n    START WITH 1;\n\nALTER SEQUENCE public.t_id_seq OWNED BY public.t.id;\n\n${table('t', 'a text', 'id integer')}`,
      table('t', 'a text'),
      ['drops column public.t.id: integer'],
    ],
    [
      'a dropped extension',
      'CREATE EXTENSION IF NOT EXISTS hstore WITH SCHEMA public;\n',
      '',
      ['drops extension hstore'],
    ],
    [
      'removed values of an enum',
      "CREATE TYPE public.status AS ENUM (\n    'new',\n    'open',\n    'it''s done'\n);\n",
      "CREATE TYPE public.status AS ENUM (\n    'new'\n);\n",
      ["removes enum values 'open', 'it''s done' from public.status: fails or loses data if rows use them"],
    ],
    [
      'added values of an enum',
      "CREATE TYPE public.status AS ENUM (\n    'new'\n);\n",
      "CREATE TYPE public.status AS ENUM (\n    'new',\n    'open'\n);\n",
      [],
    ],
    ['a dropped enum, which no column can have used', "CREATE TYPE public.status AS ENUM (\n    'new'\n);\n", '', []],
    [
      'dropped indexes, constraints and grants',
      'CREATE INDEX i ON public.t USING btree (a);\n\nALTER TABLE ONLY public.t\n    ADD CONSTRAINT t_pkey PRIMARY KEY (id);\n\nGRANT SELECT ON TABLE public.t TO reader;\n',
      '',
      [],
    ],
    ['a dropped check', table('t', 'a integer', 'CONSTRAINT t_check CHECK ((a > 0))'), table('t', 'a integer'), []],
    [
      'a detached partition',
      'ALTER TABLE ONLY public.t ATTACH PARTITION public.t1 FOR VALUES FROM (1) TO (2);\n',
      '',
      [],
    ],
    ['nothing', '', '', []],
  ])('%s', (_, before, after, expected) => {
    expect(found(before, after)).toEqual(expected);
  });

  describe('in a hunk that begins in the middle of a table', () => {
    const gone = table('wide', ...wide.filter((column) => !column.startsWith('c10 ')));
    const diff = diffOf(table('wide', ...wide), gone);

    it('says that the diff does not show the table', () => {
      const all = findDestruction(diff);
      expect(all).toEqual([
        { does: 'drops column', to: 'c10', note: 'integer; the diff does not show which table', hidden: true },
      ]);
      expect(hasHidden(all)).toBe(true);
    });

    it('finds the table in the new schema', () => {
      const all = findDestruction(diff, gone);
      expect(all).toEqual([{ does: 'drops column', to: 'public.wide.c10', note: 'integer' }]);
      expect(hasHidden(all)).toBe(false);
    });

    it('ignores a schema that does not fit', () => {
      expect(hasHidden(findDestruction(diff, `\n${gone}`))).toBe(true);
    });

    it('finds types, NOT NULL and new columns too', () => {
      const after = table(
        'wide',
        ...wide.map((column) => (column.startsWith('c10 ') ? 'c10 smallint NOT NULL' : column)),
      );
      expect(findDestruction(diffOf(table('wide', ...wide), after)).map((one) => one.does)).toEqual([
        'narrows',
        'sets NOT NULL on',
      ]);
    });

    it('does not mistake the body of a function or view for a table', () => {
      const body = (line: string) =>
        `CREATE FUNCTION f() RETURNS void AS $$\nDECLARE\n${'    a integer := 1;\n'.repeat(9)}${line}${'    PERFORM x;\n'.repeat(9)}END;\n$$;\n`;
      expect(found(body('    gone text;\n'), body(''))).toEqual([]);
      const view = (line: string) =>
        `CREATE VIEW v AS\n SELECT a.x,\n${'    a.y,\n'.repeat(9)}${line}${'    b.z,\n'.repeat(9)}    c\n   FROM a;\n`;
      expect(found(view('    users text,\n'), view('    a.b AS c,\n'))).toEqual([
        'drops column users: text; the diff does not show which table',
      ]);
      expect(found(view('    count(*) AS n,\n'), view('    sum(x) AS n,\n'))).toEqual([]);
    });
  });

  it('never throws, whatever the diff contains', () => {
    const line = fc.oneof(
      fc.string(),
      fc.constantFrom(
        'CREATE TABLE public.t (',
        '    a text,',
        ');',
        "    'x',",
        '@@ -1,3 +1,3 @@',
        '--- a',
        '+++ b',
        'CREATE TYPE s AS ENUM (',
      ),
    );
    const prefixed = fc.tuple(fc.constantFrom(' ', '+', '-', ''), line).map(([mark, text]) => mark + text);
    fc.assert(
      fc.property(fc.array(prefixed), fc.option(fc.array(line)), (diff, after) => {
        findDestruction(`@@ -1,9 +1,9 @@\n${diff.join('\n')}`, after?.join('\n'));
      }),
    );
  });

  it('is fast with long lines', { timeout: 5_000 }, () => {
    const nasty = [
      `    a ${'('.repeat(20_000)}`,
      `    "${'a"'.repeat(20_000)}`,
      `CREATE TABLE ${'a.'.repeat(20_000)}`,
      `    a text ${"'".repeat(20_001)}`,
    ];
    findDestruction(`@@ -1,4 +1,4 @@\n${nasty.map((line) => `+${line}\n-${line}x`).join('\n')}`);
  });
});

describe('type changes', () => {
  it.each<[string, string, string]>([
    ['integer', 'bigint', 'wider'],
    ['bigint', 'integer', 'narrower'],
    ['int4', 'integer', 'same'],
    ['integer', 'smallint', 'narrower'],
    ['integer', 'numeric', 'wider'],
    ['integer', 'numeric(12,2)', 'wider'],
    ['integer', 'numeric(8,2)', 'narrower'],
    ['numeric(10,2)', 'numeric(12,2)', 'wider'],
    ['numeric(10,2)', 'numeric(10,4)', 'narrower'],
    ['numeric(10,2)', 'numeric(10,0)', 'narrower'],
    ['numeric', 'numeric(10,2)', 'narrower'],
    ['numeric(10,2)', 'numeric', 'wider'],
    ['numeric(10,2)', 'integer', 'narrower'],
    ['double precision', 'real', 'narrower'],
    ['bigint', 'double precision', 'other'],
    ['text', 'character varying(20)', 'narrower'],
    ['text', 'character varying', 'wider'],
    ['character varying(20)', 'character varying(21)', 'wider'],
    ['character varying', 'character varying(20)', 'narrower'],
    ['character(10)', 'character varying(5)', 'narrower'],
    ['character(10)', 'character varying(10)', 'wider'],
    ['character varying(10)', 'character(10)', 'narrower'],
    ['uuid', 'text', 'wider'],
    ['text', 'uuid', 'other'],
    ['public.status', 'text', 'wider'],
    ['integer[]', 'integer', 'other'],
    ['integer[]', 'bigint[]', 'wider'],
    ['bigint[]', 'integer[]', 'narrower'],
    ['text[]', 'text', 'wider'],
    ['timestamp with time zone', 'timestamp without time zone', 'narrower'],
    ['timestamp without time zone', 'date', 'narrower'],
    ['date', 'timestamp(0) without time zone', 'wider'],
    ['timestamp(6) without time zone', 'timestamp(0) without time zone', 'narrower'],
    ['timestamp without time zone', 'timestamp(6) without time zone', 'same'],
    ['json', 'jsonb', 'wider'],
    ['boolean', 'integer', 'other'],
  ])('%s to %s is %s', (before, after, change) => {
    expect(typeChange(before, after)).toBe(change);
  });

  it.each(['integer', 'public.status', '"My"."Type"', 'character varying(20)', 'text[]'])(
    '%s looks like a type',
    (text) => {
      expect(looksLikeType(text)).toBe(true);
    },
  );

  it.each(['AS total', 'status', '= 1', 'IN (1)', ':= 1'])('%s does not', (text) => {
    expect(looksLikeType(text)).toBe(false);
  });
});
