import { describe, expect, it } from 'vitest';
import { reviewSchemas } from '../../../src/schema/review.ts';

/**
 * `npm run test:all` tries the full size; less shows the same mistakes, unless the time grows faster than the size. At a twentieth, the
 * parser would no longer crash where it does now.
 */
const share = process.env.TEST_SIZE === 'full' ? 1 : 0.1;

const signal = new AbortController().signal;
const review = (before: string, after: string) => reviewSchemas({ before, after, signal });

const users = 'CREATE TABLE public.users (\n    id integer NOT NULL,\n    email text\n);\n\n';
const teams = 'CREATE TABLE public.teams (\n    id integer NOT NULL\n);\n\n';
const dropped = { rule: 'drop-table', object: 'public.users', detail: '' };
const fn = (body: string, name = 'f') =>
  `CREATE FUNCTION public.${name}() RETURNS text\n    LANGUAGE sql\n    AS ${body};\n\n`;
const view = (text: string) => `CREATE VIEW public.v AS\n SELECT ${text} AS x;\n\n`;

/** Texts that look like statements, or end one, if they are not read as Postgres reads them. */
const lures: Record<string, string> = {
  'a dollar quote': fn('$$\nCREATE TABLE public.users (\n    id integer NOT NULL\n);\nDROP TABLE public.users;\n$$'),
  'a dollar quote with a tag': fn('$_$ SELECT $$\nCREATE TABLE public.users (id integer);\n$$ $_$'),
  'a string with semicolons': view("'x;\nCREATE TABLE public.users (\n    id integer\n);\n'::text"),
  'a string with quotes': view("'it''s;\nCREATE TABLE public.users (id integer);\n'''::text"),
  'an escape string': view("E'\\';\nCREATE TABLE public.users (id integer);\n\\\\'::text"),
  'a Unicode string': view("U&'\\0041;\nCREATE TABLE public.users (id integer);\n'"),
  'a comment':
    '-- CREATE TABLE public.users (id integer);\n/* ;\nCREATE TABLE public.users (id integer);\n/* nested */ ; */\n',
  'a comment with a quote': "-- it's\n/* it's */\n",
  'a COMMENT ON': `${teams}COMMENT ON TABLE public.teams IS '\n--\n-- Name: users; Type: TABLE\n--\n\nCREATE TABLE public.users (\n    id integer\n);\n';\n`,
  'an identifier': 'CREATE TABLE public."x (id integer);\nCREATE TABLE public.users (" (\n    id integer\n);\n',
  'a psql command in a string': view(
    "'\n\\restrict abc\n\\connect other\nCREATE TABLE public.users (id integer);\n'::text",
  ),
  'a psql command in a function': fn('$$\n\\.\n\\unrestrict x\nCREATE TABLE public.users (id integer);\n$$'),
  'a body of SQL':
    'CREATE FUNCTION public.g() RETURNS integer\n    LANGUAGE sql\n    BEGIN ATOMIC\n SELECT CASE WHEN true THEN 1 ELSE 2 END;\n SELECT 2 AS "begin";\nEND;\n\n',
  'a procedure with a body of SQL':
    'CREATE PROCEDURE public.p()\n    LANGUAGE sql\n    BEGIN ATOMIC\n INSERT INTO public.teams (id) VALUES (1);\n DELETE FROM public.teams;\nEND;\n\n',
  'a rule with several commands':
    'CREATE RULE r AS\n    ON INSERT TO public.teams DO ALSO ( INSERT INTO public.log VALUES (1);\n DELETE FROM public.log;\n);\n\n',
};

describe.each(Object.entries(lures))('%s', (_name, lure) => {
  it.each([
    ['before the change', `${lure}${users}`, lure],
    ['after the change', `${users}${lure}`, lure],
    ['in the new schema only', users, lure],
    ['next to an unknown statement', `${lure}CREATE WIDGET x;\n${users}`, `CREATE WIDGET x;\n${lure}`],
  ])('does not hide a dropped table %s', async (_place, before, after) => {
    expect((await review(before, after)).findings).toEqual([dropped]);
  });
});

describe('psql commands', () => {
  it('are left out, whatever their key', async () => {
    const before = `\\restrict dyj8EQ\n\n${users}\\unrestrict dyj8EQ\n`;
    expect((await review(before, `\\restrict other\n\n${users}\\unrestrict other\n`)).findings).toEqual([]);
    expect((await review(before, '\\restrict other\n\\unrestrict other\n')).findings).toEqual([dropped]);
  });
});

describe('broken SQL', () => {
  it.each([
    ['a NUL', `${teams}\0${users}`, `${teams}\0`],
    ['a NUL in a string', `${view("'\0'")}${users}`, view("'\0'")],
    [
      'an unknown statement',
      `${teams}CREATE WIDGET public.w (1; 2);\n${users}`,
      `${teams}CREATE WIDGET public.w (1; 2);\n`,
    ],
    ['a stray parenthesis', `CREATE WIDGET 1);\n\n${users}`, 'CREATE WIDGET 1);\n\n'],
    [
      'an unknown body',
      `CREATE WIDGET BEGIN ATOMIC SELECT 1; END;\n${users}`,
      'CREATE WIDGET BEGIN ATOMIC SELECT 1; END;\n',
    ],
    [
      'a body without an end',
      `CREATE WIDGET BEGIN ATOMIC SELECT 1;\n\n${users}`,
      'CREATE WIDGET BEGIN ATOMIC SELECT 1;\n\n',
    ],
    ['a lone surrogate', `${view("'\ud800'")}${users}`, view("'\ud800'")],
    ['only semicolons', `;;;\n;${users};;`, ';;;\n;;;'],
  ])('never hides a change: %s', async (_name, before, after) => {
    const { findings } = await review(before, after);
    expect(findings.map(({ rule }) => rule)).toEqual(['drop-table']);
  });

  it.each(["'unterminated", '"unterminated', '$$unterminated', '/* unterminated', "E'\\'", '$tag$ $other$'])(
    'makes no review if a quote has no end: %s',
    async (end) => {
      const { incomplete } = await review(`${users}${teams}SELECT ${end}\n${users}`, `${teams}SELECT ${end}\n`);
      expect(incomplete).toBe('a quote in the schema has no end');
    },
  );
});

describe("pg_dump's comments", () => {
  const under = (name: string, sql: string) =>
    `--\n-- Name: ${name}; Type: TABLE; Schema: public; Owner: x\n--\n\n${sql}\n\n`;

  it('end a statement that has no end', async () => {
    const before = under('broken', 'CREATE WIDGET (1;') + under('teams', teams);
    expect((await review(before + under('users', users), before)).findings).toEqual([dropped]);
  });

  it('end no statement that has one', async () => {
    const comment = `${teams}CREATE WIDGET x;\n\nCOMMENT ON TABLE public.teams IS '${under('users', users).repeat(60)}';\n\n`;
    expect((await review(comment + users, comment)).findings).toEqual([dropped]);
  });
});

describe('names', () => {
  const odd = [
    'üser',
    'Ünïcode',
    '用户',
    '🐘',
    'select',
    'User',
    'a b',
    'a"b',
    'a.b',
    "it's",
    'x;y',
    'a\\b',
    '$1',
    '1a',
    'table',
    'é'.repeat(31),
  ];
  it.each(odd)('are written as SQL writes them: %s', async (name) => {
    const written =
      /^[a-z]+$/.test(name) && name !== 'select' && name !== 'table' ? name : `"${name.replaceAll('"', '""')}"`;
    const create = (column: string) =>
      `-- ümlaut 🐘\nCREATE TABLE public.${written} (\n    ${column}\n);\n\nCOMMENT ON TABLE public.${written} IS 'ü🐘;';\n`;
    const before = create(`${written} integer,\n    id integer`);
    expect((await review(before, create('id integer'))).findings).toEqual([
      { rule: 'drop-column', object: `public.${written}.${written}`, detail: 'integer' },
    ]);
    expect((await review(`${before}${users}`, users)).findings.map(({ object }) => object)).toEqual([
      `public.${written}`,
    ]);
  });

  it('keep statements apart after text that is longer in bytes than in letters', async () => {
    const text = `CREATE TABLE public.a (\n    "${'ü🐘用'.repeat(6)}" integer\n);\n`;
    const { findings } = await review(`${text}CREATE WIDGET 1;\n`, `${text}CREATE WIDGET 2;\n`);
    expect(findings.map(({ object }) => object)).toEqual(['CREATE WIDGET 1', 'CREATE WIDGET 2']);
  });
});

describe('large schemas', () => {
  const many = (count: number, text: (n: number) => string) =>
    Array.from({ length: count }, (_, n) => text(n)).join('\n');

  it('are reviewed: 20,000 objects at full size', async () => {
    const objects = many(20_000 * share, (n) =>
      n % 2 === 0
        ? `CREATE TABLE public.t${n} (\n    id integer NOT NULL\n);`
        : `CREATE INDEX i${n} ON public.t${n - 1} USING btree (id);`,
    );
    const { findings, incomplete } = await review(`${objects}\n${users}`, objects);
    expect([findings, incomplete]).toEqual([[dropped], undefined]);
  });

  it.each([
    ['name', (n: number) => ({ name: `new_${n}`, notNull: `CONSTRAINT t${n}_id_not_null NOT NULL` })],
    ['column', () => ({ column: 'size' })],
    ['type', () => ({ type: 'bigint' })],
  ])('are reviewed in a time that grows with them if each table has another %s', async (_, changed) => {
    const table = (n: number, change: Partial<Record<'name' | 'notNull' | 'column' | 'type', string>>) => {
      const all = { name: `t${n}`, notNull: 'NOT NULL', column: 'length', type: 'integer', ...change };
      return `CREATE TABLE public.${all.name} (\n    id integer ${all.notNull},\n    ${all.column} ${all.type}\n);
CREATE INDEX t${n}_i ON public.${all.name} USING btree (${all.column});`;
    };
    const seconds = async (count: number) => {
      const [before, after] = [many(count, (n) => table(n, {})), many(count, (n) => table(n, changed(n)))];
      const start = process.cpuUsage();
      const { findings } = await review(before, after);
      expect(findings).toHaveLength(count);
      return process.cpuUsage(start).user / 1_000_000;
    };
    await seconds(500);
    expect((await seconds(4_000)) / (await seconds(500))).toBeLessThan(20);
  });

  it('are reviewed in a moment if a table has lost hundreds of columns and got others', async () => {
    const table = (prefix: string) => {
      const columns = Array.from({ length: 400 }, (_, n) => `    ${prefix}${n} text NOT NULL`);
      return `CREATE TABLE public.t (\n${columns.join(',\n')}\n);`;
    };
    // Each old column may have become each new one: more work for each pair, and it takes minutes.
    expect((await review(table('a'), table('b'))).findings).toHaveLength(800);
  });

  it('are reviewed: a publication of many tables, whose statements come in any order', async () => {
    const statements = Array.from(
      { length: 20_000 * share },
      (_, n) => `ALTER PUBLICATION p ADD TABLE ONLY public.t${n};\n`,
    );
    const published = (some: string[]) => `CREATE PUBLICATION p;\n${some.join('')}`;
    const before = published(statements);
    expect((await review(`${before}${users}`, published(statements.toReversed()))).findings).toEqual([dropped]);
    const fewer = await review(before, published(statements.slice(1)));
    expect(fewer.findings).toMatchObject([{ rule: 'change-publication', object: 'p' }]);
  });

  it('are reviewed: 10 MB at full size', async () => {
    const objects = many(5_000 * share, (n) => fn(`$$ SELECT '${'x'.repeat(2_000)}' $$`, `f${n}`));
    expect(objects.length).toBeGreaterThan(10_000_000 * share);
    const { findings } = await review(`${objects}${users}`, objects);
    expect(findings).toEqual([dropped]);
  });

  it('are reviewed: a function of 1 MB at full size, with an unknown statement and non-ASCII text beside it', async () => {
    const long = fn(`$$ SELECT 'ü;\n${'SELECT 1;\n'.repeat(100_000 * share)}' $$`);
    const around = (rest: string) => `${teams}${long}CREATE WIDGET 1;\n${long.replace('f()', 'g()')}${rest}`;
    expect((await review(around(users), around(''))).findings).toEqual([dropped]);
  });

  it('are reviewed if every statement is unknown', async () => {
    const widgets = many(2_000 * share, (n) => `CREATE WIDGET w${n} (1);`);
    expect((await review(`${widgets}\n${users}`, widgets)).findings).toEqual([dropped]);
  });

  it.each([
    ['nested parentheses', `SELECT ${'('.repeat(100_000 * share)}1${')'.repeat(100_000 * share)}`],
    ['unclosed parentheses', `SELECT ${'('.repeat(100_000 * share)}`],
    ['a chain of operators', `SELECT ${'1+'.repeat(100_000 * share)}1`],
    ['a list', `SELECT ARRAY[${'1,'.repeat(100_000 * share)}1]`],
    ['nested blocks', `CREATE WIDGET ${'BEGIN ATOMIC '.repeat(20_000 * share)}`],
    ['quotes', `SELECT ${"'".repeat(200_000 * share)}`],
  ])('end the review soon, in a sentence or with the change: %s', async (_name, sql) => {
    const { findings, incomplete } = await review(`${users}${teams}${sql};\n`, `${teams}${sql};\n`);
    if (incomplete === undefined) expect(findings).toContainEqual(dropped);
    else expect(incomplete).toMatch(/^the (schema|SQL parser) .+\w$/);
    // The next review is not affected.
    expect((await review(users, '')).findings).toEqual([dropped]);
  });
});
