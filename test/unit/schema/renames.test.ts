import { describe, expect, it } from 'vitest';
import { found } from './found.ts';

const table = (name: string, ...columns: string[]) =>
  `CREATE TABLE public.${name} (\n    ${columns.join(',\n    ')}\n);\n`;
const t = (...columns: string[]) => table('t', ...columns);
const key = (name: string, on = 't', column = 'id') =>
  `ALTER TABLE ONLY public.${on}\n    ADD CONSTRAINT ${name} PRIMARY KEY (${column});\n`;
const of17 = '-- Dumped from database version 17\n';
const index = (column: string, name = 'i') => `CREATE INDEX ${name} ON public.t USING btree (${column});\n`;

describe('a column with another name', () => {
  it.each([
    [
      ['a text', 'b text', 'z text'],
      ['x text', 'b text', 'z text'],
      ['a', 'x'],
    ],
    // With another type, too: nothing but the old column can be in front of one that stayed.
    [
      ['a text', 'z text'],
      ['x character varying(9)', 'z text'],
      ['a', 'x'],
    ],
    [['a text', 'b integer', 'z text'], ['x integer', 'z text'], ['b', 'x'], 'a'],
  ])('in front of one that stayed is the old one: %j → %j', async (before, after, [old, fresh], dropped?: string) => {
    const findings = await found(t(...before), t(...after));
    expect(findings).toContain(`rename-column public.t.${old}: now public.t.${fresh}`);
    expect(findings.filter((one) => one.startsWith('drop-column'))).toEqual(
      dropped === undefined ? [] : [`drop-column public.t.${dropped}: text`],
    );
  });

  it('at the end may be the old one, or not', async () => {
    expect(await found(t('id integer', 'a text'), t('id integer', 'b text', 'c integer'))).toEqual([
      'drop-column public.t.a: text; possibly renamed to b',
    ]);
    expect(await found(t('id integer', 'a text'), t('id integer', 'b integer'))).toEqual([
      'drop-column public.t.a: text',
    ]);
  });

  it('is the old one if an index, a constraint, a sequence or a NOT NULL of the same name is on it, and nothing contradicts it', async () => {
    const rename = ['rename-column public.t.a: now public.t.b'];
    const [before, after] = [t('id integer', 'a integer'), t('id integer', 'b integer')];
    expect(await found(before + index('a'), after + index('b'))).toEqual(rename);
    expect(await found(before + key('k', 't', 'a'), after + key('k', 't', 'b'))).toEqual(rename);
    const sequence = (column: string) =>
      `CREATE SEQUENCE public.s;\nALTER SEQUENCE public.s OWNED BY public.t.${column};\n`;
    expect(await found(before + sequence('a'), after + sequence('b'))).toEqual(rename);
    const notNull = (column: string) => t('id integer', column);
    expect(await found(notNull('a text NOT NULL'), notNull('b text CONSTRAINT t_a_not_null NOT NULL'))).toEqual(rename);
    const other = ['drop-column public.t.a: text', 'add-not-null-column public.t.b: text'];
    expect(await found(notNull('a text NOT NULL'), notNull('b text NOT NULL'))).toEqual(other);
    const both = [notNull('a text NOT NULL') + index('a'), notNull('b text NOT NULL') + index('b')] as const;
    expect(await found(...both)).toEqual([
      ...other,
      'add-index public.i: on public.t (b); changed; blocks writes unless created CONCURRENTLY',
    ]);
    // Until version 17, NOT NULL constraints have no names.
    expect(await found(`${of17}${both[0]}`, `${of17}${both[1]}`)).toEqual(['rename-column public.t.a: now public.t.b']);
  });

  it('hides no index or constraint of another name', async () => {
    const [before, after] = [t('a integer', 'id integer'), t('b integer', 'id integer')];
    expect(await found(before + index('a'), after)).toEqual([
      'rename-column public.t.a: now public.t.b',
      'drop-index public.i: on public.t (b)',
    ]);
    expect(await found(before, after + index('b'))).toEqual([
      'rename-column public.t.a: now public.t.b',
      'add-index public.i: on public.t (b); blocks writes unless created CONCURRENTLY',
    ]);
  });

  it('is not guessed if many tables have a column of that name', async () => {
    const others = Array.from({ length: 6 }, (_, n) => table(`other_${n}`, 'updated_at text')).join('');
    const [before, after] = [t('id integer', 'created_at text'), t('id integer', 'updated_at text')];
    expect(await found(before + others, after + others)).toEqual(['drop-column public.t.created_at: text']);
    expect(await found(before, after)).toEqual([
      'drop-column public.t.created_at: text; possibly renamed to updated_at',
    ]);
  });
});

describe('a column that moved behind others', () => {
  it('was dropped and added again', async () => {
    expect(await found(t('a text', 'b text'), t('b text', 'a text'))).toEqual([
      'drop-column public.t.a: text; dropped and added again',
    ]);
    expect(await found(t('a text', 'b text'), t('b text', 'a text NOT NULL'))).toEqual([
      'drop-column public.t.a: text; dropped and added again',
      'add-not-null-column public.t.a: text',
    ]);
  });

  it('is a new one if its place in front of one that stayed has another name', async () => {
    expect(await found(t('a text', 'b text'), t('old text', 'b text', 'a integer'))).toEqual([
      'rename-column public.t.a: now public.t.old',
    ]);
    // Behind it, both may be new.
    expect(await found(t('b text', 'a text'), t('b text', 'old text', 'a integer'))).toEqual([
      'drop-column public.t.a: text; dropped and added again; possibly renamed to old',
    ]);
  });
});

describe('columns that exchanged their names', () => {
  it('were renamed if the names of their NOT NULL constraints say so', async () => {
    const rest = ['x integer', 'y text'];
    const after = ['b text CONSTRAINT t_a_not_null NOT NULL', 'a text CONSTRAINT t_b_not_null NOT NULL', ...rest];
    expect(await found(t('a text NOT NULL', 'b text NOT NULL', ...rest), t(...after))).toEqual([
      'rename-column public.t.a: now public.t.b',
      'rename-column public.t.b: now public.t.a',
    ]);
  });

  it.each([
    [
      ['a text', 'b text', 'x integer', 'y text'],
      ['b text', 'a text', 'x integer', 'y text'],
    ],
    [
      ['a text', 'x integer', 'b text', 'y text'],
      ['b text', 'x integer', 'c text', 'y text'],
    ],
    [
      ['id integer', 'a text NOT NULL', 'b text'],
      ['id integer', 'c text NOT NULL', 'a text NOT NULL', 'b text'],
    ],
  ])('are those of another table otherwise: %j, %j', async (before, after) => {
    expect(await found(t(...before), t(...after))).toEqual(['drop-table public.t: dropped and created again']);
  });
});

describe('a column with the name of one that is gone', () => {
  it('is another one if the name of its NOT NULL constraint says so', async () => {
    const before = t('id integer', 'a text', 'b jsonb NOT NULL');
    const after = t('id integer', 'a jsonb CONSTRAINT t_b_not_null NOT NULL');
    expect(await found(before, after)).toEqual([
      'drop-column public.t.a: text; public.t.b now has this name',
      'rename-column public.t.b: now public.t.a',
    ]);
  });
});

describe('a column that became NOT NULL before it was renamed', () => {
  it('is the old one, under the name of another that is gone', async () => {
    const before = t('a text NOT NULL', 'b text', 'z text');
    const after = t('a text CONSTRAINT t_b_not_null NOT NULL', 'z text');
    expect(await found(before, after)).toEqual([
      'drop-column public.t.a: text; public.t.b now has this name',
      'rename-column public.t.b: now public.t.a',
      'set-not-null public.t.a',
    ]);
  });
});

describe('the last column with another name', () => {
  const [before, after] = [t('id integer', 'a text'), t('id integer', 'b text')];
  const rename = ['rename-column public.t.a: now public.t.b'];

  it.each([
    [
      'a policy',
      (name: string) =>
        `CREATE POLICY p ON public.u USING ((EXISTS ( SELECT 1 FROM public.t WHERE (t.${name} = u.x))));\n`,
    ],
    [
      'a foreign key',
      (name: string) => `ALTER TABLE ONLY public.u ADD CONSTRAINT fk FOREIGN KEY (x) REFERENCES public.t(${name});\n`,
    ],
  ])('is the old one if it has %s of it', async (_, about) => {
    const u = table('u', 'x text');
    expect(await found(before + u + about('a'), after + u + about('b'))).toEqual(rename);
  });

  it('is the old one if a view reads it as the old one', async () => {
    const view = (column: string) => `CREATE VIEW public.v AS\n SELECT ${column}\n   FROM public.t;\n`;
    expect(await found(before + view('a'), after + view('b AS a'))).toEqual(rename);
  });

  it('may be a new one with the usual primary key', async () => {
    expect(await found(before + key('t_pkey', 't', 'a'), after + key('t_pkey', 't', 'b'))).toContain(
      'drop-column public.t.a: text; possibly renamed to b',
    );
    expect(await found(before + key('k', 't', 'a'), after + key('k', 't', 'b'))).toEqual(rename);
  });

  it('may be a new one with the same privileges', async () => {
    const grant = (column: string) => `GRANT SELECT(${column}) ON TABLE public.t TO web;\n`;
    expect(await found(before + grant('a'), after + grant('b'))).toContain(
      'drop-column public.t.a: text; possibly renamed to b',
    );
  });
});

describe('the last column of a foreign table', () => {
  it('may be a new one', async () => {
    const foreign = (column: string) =>
      `CREATE FOREIGN TABLE public.t (\n    id integer,\n    ${column} text\n)\nSERVER s;\n`;
    expect(await found(foreign('a'), foreign('b'))).toEqual(['drop-column public.t.a: text; possibly renamed to b']);
  });
});

describe('a table with another name', () => {
  const users = table('users', 'id integer NOT NULL', 'name text');
  const people = table('people', 'id integer NOT NULL', 'name text');
  const rename = 'rename-table public.users: now public.people';

  it('is the old one if a NOT NULL constraint kept its name', async () => {
    const notNull = table('people', 'id integer CONSTRAINT users_id_not_null NOT NULL', 'name text');
    expect(await found(users, notNull)).toEqual([rename]);
    expect(await found(users + key('users_pkey', 'users'), people + key('users_pkey', 'people'))).toEqual([
      'drop-table public.users: possibly renamed to public.people',
    ]);
  });

  it('is the old one if all names stayed, where NOT NULL constraints have none', async () => {
    const before = `${of17}${users}${key('users_pkey', 'users')}`;
    expect(await found(before, of17 + people + key('users_pkey', 'people'))).toEqual([rename]);
    expect(await found(before, of17 + people + key('people_pkey', 'people'))).toEqual([
      'drop-table public.users: possibly renamed to public.people',
    ]);
    // One name of several is no proof, nor is one of a table with other columns.
    const more = 'ALTER TABLE ONLY public.users ADD CONSTRAINT users_name_key UNIQUE (name);\n';
    expect(await found(before + more, of17 + people + key('users_pkey', 'people'))).toHaveLength(1);
    const others = table('people', 'id integer NOT NULL', 'mail text');
    expect(await found(before, of17 + others + key('users_pkey', 'people'))).toEqual(['drop-table public.users']);
  });

  it('leaves only other changes to be found', async () => {
    const before = `${users}${key('users_pkey', 'users')}${table('posts', 'author integer')}
ALTER TABLE ONLY public.posts ADD CONSTRAINT fk FOREIGN KEY (author) REFERENCES public.users(id);
CREATE POLICY p ON public.posts USING ((EXISTS ( SELECT 1 FROM public.users WHERE (users.id = posts.author))));
GRANT SELECT ON TABLE public.users TO web;\n`;
    const after = before
      .replaceAll('public.users', 'public.people')
      .replaceAll('users.id', 'people.id')
      .replace('integer NOT NULL', 'integer CONSTRAINT users_id_not_null NOT NULL');
    expect(await found(before, after)).toEqual([rename]);
    expect(await found(before, after.replace('    name text', '    name character varying(5)'))).toEqual([
      'narrow-type public.people.name: text → character varying(5)',
      rename,
    ]);
  });

  it('may have left its old one to a new table', async () => {
    const fresh = `${users}${key('users_pkey1', 'users')}`;
    const before = of17 + users + key('users_pkey', 'users');
    expect(await found(before, of17 + people + key('users_pkey', 'people') + fresh)).toEqual([rename]);
  });

  it('may have been the name of a table that is gone', async () => {
    const fresh = (name: string, prefix: string) =>
      table(name, `id integer CONSTRAINT ${prefix}_id_not_null NOT NULL`, 'name text') + key('users_pkey', name);
    const old = table('users_new', 'id integer NOT NULL', 'name text') + key('users_new_pkey', 'users_new');
    expect(await found(users + key('users_pkey', 'users') + old, fresh('users', 'users_new'))).toEqual([
      'drop-table public.users: public.users_new now has this name',
      'rename-table public.users_new: now public.users',
    ]);
  });

  it('is not one that just has a check or a foreign key of the same name', async () => {
    const check = 'ALTER TABLE public.NAME ADD CONSTRAINT positive CHECK ((id > 0));\n';
    expect(await found(users + check.replace('NAME', 'users'), people + check.replace('NAME', 'people'))).toEqual([
      'drop-table public.users: possibly renamed to public.people',
    ]);
  });

  it('may be in another schema, or not', async () => {
    const schema = 'CREATE SCHEMA app;\n';
    const all = users + key('users_pkey', 'users');
    expect(await found(schema + all, schema + all.replaceAll('public.', 'app.'))).toEqual([
      'drop-table public.users: possibly moved to app.users',
    ]);
  });

  it('is no partition that was dropped, next to a new one', async () => {
    const parent = table('p', 'id integer').replace(');', ')\nPARTITION BY RANGE (id);');
    const part = (name: string) =>
      `${table(name, 'id integer CONSTRAINT p_id_not_null NOT NULL')}ALTER TABLE ONLY public.p ATTACH PARTITION public.${name} FOR VALUES FROM (1) TO (2);\n`;
    expect(await found(parent + part('p1'), parent + part('p2'))).toEqual(['drop-table public.p1']);
  });
});

describe('a table without any of its old columns', () => {
  it('was dropped and created again', async () => {
    const before = t('nonce text NOT NULL', 'made timestamp without time zone') + key('t_pkey', 't', 'nonce');
    const after = t('state text NOT NULL', 'nonce text NOT NULL', 'uri text NOT NULL') + key('t_pkey', 't', 'state');
    expect(await found(before, after)).toEqual(['drop-table public.t: dropped and created again']);
  });
});

describe('an enum with another name', () => {
  const mood = (name: string, values = "'a', 'b'") => `CREATE TYPE public.${name} AS ENUM (${values});\n`;

  it('is the old one if it has the same values, or all columns have it now', async () => {
    expect(await found(mood('m') + t('a public.m[]'), mood('n') + t('a public.n[]'))).toEqual([
      'drop-type public.m: now public.n',
    ]);
    const larger = mood('n', "'a', 'b', 'c'");
    expect(await found(mood('m') + t('a public.m'), larger + t('a public.n'))).toEqual([
      'drop-type public.m: now public.n',
    ]);
  });

  it('is another one if a value is gone', async () => {
    const fewer = mood('n', "'a', 'c'");
    expect(await found(mood('m') + t('a public.m'), fewer + t('a public.n'))).toEqual([
      'convert-type public.t.a: public.m → public.n',
      'drop-type public.m',
    ]);
  });
});

describe('an enum value with another name', () => {
  const schema = (values: string[]) =>
    `CREATE TYPE public.m AS ENUM (${values.map((one) => `'${one}'`).join(', ')});
${t('a public.m', `CONSTRAINT c CHECK ((a <> '${values[0]}'::public.m))`)}`;

  it('is the old one if a check follows it, and no value is gone', async () => {
    expect(await found(schema(['a', 'b']), schema(['x', 'b', 'c']))).toEqual(["rename-enum-value public.m: 'a' → 'x'"]);
    expect(await found(schema(['a', 'b', 'c']), schema(['x', 'b']))).toContain("drop-enum-value public.m: 'a', 'c'");
  });
});

describe('a sequence, domain or composite type with another name', () => {
  it('is possibly the old one if it says the same', async () => {
    const sequence = (name: string) => `CREATE SEQUENCE public.${name}\n    START WITH 1000\n    INCREMENT BY 50;\n`;
    expect(await found(sequence('a_seq'), sequence('b_seq'))).toEqual([
      'drop-sequence public.a_seq: possibly renamed to public.b_seq',
    ]);
  });

  it.each([
    (name: string) => `CREATE DOMAIN public.${name} AS text CONSTRAINT c CHECK ((VALUE <> ''::text));\n`,
    (name: string) => `CREATE TYPE public.${name} AS (\n\ta integer\n);\n`,
  ])('keeps the values of its columns: %s', async (type) => {
    expect(await found(type('m') + t('a public.m'), type('n') + t('a public.n'))).toEqual([
      'drop-type public.m: now public.n',
    ]);
  });
});
