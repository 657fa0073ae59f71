import { describe, expect, it } from 'vitest';
import { found } from './found.ts';

const table = (name: string, ...columns: string[]) =>
  `CREATE TABLE public.${name} (\n    ${columns.join(',\n    ')}\n);\n`;
const t = (...columns: string[]) => table('t', ...columns);
const key = (name: string, on = 't', column = 'id') =>
  `ALTER TABLE ONLY public.${on}\n    ADD CONSTRAINT ${name} PRIMARY KEY (${column});\n`;
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
      'drop-column public.t.a: text; or renamed to b?',
    ]);
    expect(await found(t('id integer', 'a text'), t('id integer', 'b integer'))).toEqual([
      'drop-column public.t.a: text',
    ]);
  });

  it('is the old one if an index, a constraint, a sequence or a NOT NULL of the same name is on it', async () => {
    const rename = ['rename-column public.t.a: now public.t.b'];
    const [before, after] = [t('id integer', 'a integer'), t('id integer', 'b integer')];
    expect(await found(before + index('a'), after + index('b'))).toEqual(rename);
    expect(await found(before + key('k', 't', 'a'), after + key('k', 't', 'b'))).toEqual(rename);
    const sequence = (column: string) =>
      `CREATE SEQUENCE public.s;\nALTER SEQUENCE public.s OWNED BY public.t.${column};\n`;
    expect(await found(before + sequence('a'), after + sequence('b'))).toEqual(rename);
    const notNull = (column: string) => t('id integer', column);
    expect(await found(notNull('a text NOT NULL'), notNull('b text CONSTRAINT t_a_not_null NOT NULL'))).toEqual(rename);
    expect(await found(notNull('a text NOT NULL'), notNull('b text NOT NULL'))).toEqual([
      'drop-column public.t.a: text; or renamed to b?',
      'add-not-null-column public.t.b: text',
    ]);
  });

  it('hides no index or constraint of another name', async () => {
    const [before, after] = [t('a integer', 'id integer'), t('b integer', 'id integer')];
    expect(await found(before + index('a'), after)).toEqual([
      'rename-column public.t.a: now public.t.b',
      'drop-index public.i: on public.t (b)',
    ]);
    expect(await found(before, after + index('b'))).toEqual([
      'rename-column public.t.a: now public.t.b',
      'add-index public.i: on public.t (b)',
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

  it('is a new one if its place has another name', async () => {
    expect(await found(t('a text', 'b text'), t('old text', 'b text', 'a integer'))).toEqual([
      'rename-column public.t.a: now public.t.old',
    ]);
    expect(await found(t('b text', 'a text'), t('b text', 'old text', 'a integer'))).toEqual([
      'rename-column public.t.a: now public.t.old',
    ]);
  });
});

describe('a table with another name', () => {
  const users = table('users', 'id integer NOT NULL', 'name text');
  const people = table('people', 'id integer NOT NULL', 'name text');
  const rename = 'rename-table public.users: now public.people';

  it('is the old one if a constraint, an index or a NOT NULL kept its name', async () => {
    expect(await found(users + key('users_pkey', 'users'), people + key('users_pkey', 'people'))).toEqual([rename]);
    const notNull = table('people', 'id integer CONSTRAINT users_id_not_null NOT NULL', 'name text');
    expect(await found(users, notNull)).toEqual([rename]);
    expect(await found(users + key('users_pkey', 'users'), people + key('people_pkey', 'people'))).toEqual([
      'drop-table public.users: or renamed to public.people?',
    ]);
  });

  it('leaves only other changes to be found', async () => {
    const before = `${users}${key('users_pkey', 'users')}${table('posts', 'author integer')}
ALTER TABLE ONLY public.posts ADD CONSTRAINT fk FOREIGN KEY (author) REFERENCES public.users(id);
CREATE POLICY p ON public.posts USING ((EXISTS ( SELECT 1 FROM public.users WHERE (users.id = posts.author))));
GRANT SELECT ON TABLE public.users TO web;\n`;
    const after = before.replaceAll('public.users', 'public.people').replaceAll('users.id', 'people.id');
    expect(await found(before, after)).toEqual([rename]);
    expect(await found(before, after.replace('    name text', '    name character varying(5)'))).toEqual([
      'narrow-type public.people.name: text → character varying(5)',
      rename,
    ]);
  });

  it('may have left its old one to a new table', async () => {
    const fresh = `${users}${key('users_pkey1', 'users')}`;
    expect(await found(users + key('users_pkey', 'users'), people + key('users_pkey', 'people') + fresh)).toEqual([
      rename,
    ]);
  });

  it('may be in another schema, or not', async () => {
    const schema = 'CREATE SCHEMA app;\n';
    const all = users + key('users_pkey', 'users');
    expect(await found(schema + all, schema + all.replaceAll('public.', 'app.'))).toEqual([
      'drop-table public.users: or renamed to app.users?',
    ]);
  });

  it('is no partition that was dropped, next to a new one', async () => {
    const parent = table('p', 'id integer').replace(');', ')\nPARTITION BY RANGE (id);');
    const part = (name: string) =>
      `${table(name, 'id integer CONSTRAINT p_id_not_null NOT NULL')}ALTER TABLE ONLY public.p ATTACH PARTITION public.${name} FOR VALUES FROM (1) TO (2);\n`;
    expect(await found(parent + part('p1'), parent + part('p2'))).toEqual(['drop-table public.p1']);
  });
});
