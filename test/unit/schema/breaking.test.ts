import { describe, expect, it } from 'vitest';
import { found } from './found.ts';

const t = 'CREATE TABLE public.t (\n    id integer NOT NULL,\n    s text\n);\n';
const view = (columns: string) => `CREATE VIEW public.v AS\n SELECT ${columns}\n   FROM public.t;\n`;
const fn = (signature: string, options = '') =>
  `CREATE FUNCTION public.f(${signature}\n    LANGUAGE sql ${options}\n    AS $$ SELECT 1 $$;\n`;

describe('a view', () => {
  it('may lose a column, or have one of another type, but no new one or other query is reported', async () => {
    const before = t + view('t.id, t.s, (1)::integer AS one');
    expect(await found(before, t + view('t.id, (1)::integer AS one'))).toEqual([
      'change-view public.v: no longer has s',
    ]);
    expect(await found(before, t + view('t.id, t.s, (1)::bigint AS one'))).toEqual([
      'change-view public.v: one integer → bigint',
    ]);
    expect(await found(before, t + view('t.id, lower(t.s) AS s, (1)::integer AS one, 2 AS more'))).toEqual([]);
    const wider = t.replace('id integer', 'id bigint');
    expect(await found(t + view('t.id'), wider + view('t.id'))).toEqual([
      'change-view public.v: id integer → bigint',
      'rewrite-type public.t.id: integer → bigint',
    ]);
  });
});

describe('a view that reads a query', () => {
  it.each([
    ['in FROM', 'CREATE VIEW public.v AS\n SELECT q.n\n   FROM ( SELECT t.s AS n\n           FROM public.t) q;\n'],
    [
      'as a value',
      'CREATE VIEW public.v AS\n SELECT ( SELECT t.s\n           FROM public.t\n         LIMIT 1) AS n;\n',
    ],
    [
      'in a join',
      'CREATE VIEW public.v AS\n SELECT q.s AS n\n   FROM (public.t\n     JOIN ( SELECT t_1.s\n           FROM public.t t_1) q ON (true));\n',
    ],
    ['as another view', `${view('t.s AS n')}CREATE VIEW public.w AS\n SELECT v.n\n   FROM public.v;\n`],
  ])('has the types of its columns: %s', async (_, reads) => {
    const wider = t.replace('s text', 's character varying(9)');
    const findings = await found(wider + reads, t + reads);
    const last = reads.includes('public.w') ? 'w' : 'v';
    expect(findings).toContain(`change-view public.${last}: n character varying(9) → text`);
  });
});

describe('a function', () => {
  it('may return other columns, or take other arguments', async () => {
    const before = fn('a integer) RETURNS TABLE(n integer, m text)');
    const changed = 'change-function public.f(integer): returns a different type or different columns';
    expect(await found(before, fn('a integer) RETURNS TABLE(n integer)'))).toEqual([changed]);
    expect(await found(fn('a integer, OUT b text)'), fn('a integer, OUT c text)'))).toEqual([changed]);
    expect(await found(before, fn('a integer, b text) RETURNS TABLE(n integer, m text)'))).toEqual([
      'change-function public.f(integer): now public.f(integer, text)',
    ]);
    const optional = fn("a integer, b text DEFAULT 'x'::text) RETURNS TABLE(n integer, m text)");
    expect(await found(before, optional)).toEqual([]);
    expect(await found(before, '')).toEqual(['drop-function public.f(integer)']);
  });

  it('with the rights of its owner has a `search_path`, and keeps it', async () => {
    const path = "SECURITY DEFINER SET search_path TO ''";
    const f = (options: string) => fn(') RETURNS integer', options);
    const rule = 'security-definer public.f()';
    expect(await found('', f('SECURITY DEFINER'))).toEqual([`${rule}: new, without a \`search_path\``]);
    expect(await found('', f(path))).toEqual([]);
    expect(await found(f(path), f(path.replace("''", "'public'")))).toEqual([
      `${rule}: sets a different \`search_path\``,
    ]);
    expect(await found(f(path), f('SECURITY DEFINER'))).toEqual([`${rule}: no longer sets \`search_path\``]);
  });
});

describe('a sequence', () => {
  it('may have a smaller range, or no owner', async () => {
    const s = (rest: string) =>
      `CREATE SEQUENCE public.s\n    START WITH 1\n    INCREMENT BY 1\n    NO MINVALUE\n    ${rest}\n    CACHE 1;\n`;
    const owned = 'ALTER SEQUENCE public.s OWNED BY public.t.id;\n';
    expect(await found(s('NO MAXVALUE'), s('MAXVALUE 99'))).toEqual([
      'change-sequence public.s: 1 to 9223372036854775807 → 1 to 99',
    ]);
    expect(await found(s('MAXVALUE 99'), s('NO MAXVALUE'))).toEqual([]);
    expect(await found(s('NO MAXVALUE').replace('.s\n', '.s\n    AS integer\n'), s('NO MAXVALUE'))).toEqual([]);
    expect(await found(t + s('NO MAXVALUE') + owned, t + s('NO MAXVALUE'))).toEqual([
      'change-sequence public.s: no longer owned by public.t.id',
    ]);
  });
});

describe('a column that is NOT NULL now', () => {
  const strict = t.replace('s text', 's text NOT NULL');
  const check = (rest = '') => `ALTER TABLE public.t ADD CONSTRAINT c CHECK ((s IS NOT NULL))${rest};\n`;

  it('is not reported if a validated check already refused NULL', async () => {
    expect(await found(t, strict)).toEqual(['set-not-null public.t.s']);
    expect(await found(t + check(), strict + check())).toEqual([]);
    expect(await found(t + check(' NOT VALID'), strict)).toContain('set-not-null public.t.s');
  });
});

describe('a permissive policy', () => {
  const policy = (kind = '') => `CREATE POLICY p ON public.t${kind} TO web USING (true);\n`;
  const enabled = 'ALTER TABLE public.t ENABLE ROW LEVEL SECURITY;\n';

  it('that is new lets roles see more, unless row-level security is new, too', async () => {
    expect(await found(t + enabled, t + enabled + policy())).toEqual(['add-policy public.t.p']);
    expect(await found(t, t + enabled + policy())).toEqual(['enable-rls public.t: with policies']);
    expect(await found('', t + enabled + policy())).toEqual([]);
  });
});

describe('a foreign key', () => {
  const t2 = t.replace('s text', 's text,\n    a integer,\n    b integer,\n    expr integer');
  const key = (columns: string) =>
    `ALTER TABLE ONLY public.t ADD CONSTRAINT k FOREIGN KEY (${columns}) REFERENCES public.u(id, c);\n`;
  const index = (columns: string, more = '') => `CREATE INDEX i ON public.t USING btree (${columns})${more};\n`;

  it.each([
    ['', true],
    [index('a'), true],
    [index('b, a, id'), false],
    [index('b, a, expr'), false],
    [index('a, b, lower(s)'), true],
    [index('a, b', ' WHERE (a > 0)'), true],
    ['ALTER TABLE ONLY public.t ADD CONSTRAINT x UNIQUE (a, b);\n', false],
  ])('needs an index that begins with its columns: %s', async (more, isFound) => {
    const findings = await found(t2 + more, t2 + more + key('a, b'));
    expect(findings.filter((one) => one.startsWith('foreign-key-without-index'))).toHaveLength(isFound ? 1 : 0);
  });

  it('on a new column is reported, although every value may be NULL', async () => {
    const rules = async (column: string) =>
      (await found(t, t.replace('s text', `s text,\n    ${column}`) + key('a'))).map((one) => one.split(' ')[0]);
    expect(await rules('a integer')).toEqual(['add-foreign-key', 'foreign-key-without-index']);
  });

  it('that is changed needs one if its columns are others', async () => {
    const both = t2 + index('a, b');
    expect(await found(both + key('a, b'), both + key('expr'))).toContain(
      'foreign-key-without-index public.t.k: (expr)',
    );
    expect(await found(t2 + key('a, b'), t2 + key('a, b').replace(';', ' ON DELETE CASCADE;'))).toEqual([
      'add-foreign-key public.t.k: (a, b); changed',
    ]);
  });

  it('can be made deferrable without a look at the rows', async () => {
    const late = key('a, b').replace(';', ' DEFERRABLE INITIALLY DEFERRED;');
    expect(await found(t2 + key('a, b'), t2 + late)).toEqual([]);
  });
});

describe('the values of an enum', () => {
  it('may be in another order', async () => {
    const mood = (...values: string[]) =>
      `CREATE TYPE public.mood AS ENUM (${values.map((one) => `'${one}'`).join()});\n`;
    expect(await found(mood('a', 'b'), mood('b', 'a'))).toEqual([
      'rewrite-type public.mood: its values are in a different order',
    ]);
    expect(await found(mood('a', 'b'), mood('a', 'x', 'b'))).toEqual([]);
  });
});

describe('a column of a view over a union', () => {
  const domains = 'CREATE DOMAIN public.a AS text;\nCREATE DOMAIN public.b AS text;\n';
  const t = 'CREATE TABLE public.t (\n    a public.a,\n    b public.b,\n    s text\n);\n';
  const view = (left: string, right: string) =>
    `${domains}${t}CREATE VIEW public.v AS\n SELECT t.${left} AS n\n   FROM public.t\nUNION\n SELECT t.${right} AS n\n   FROM public.t;\n`;

  it('has a domain only if both parts have it', async () => {
    expect(await found(view('a', 'a'), view('a', 'b'))).toEqual(['change-view public.v: n public.a → text']);
    expect(await found(view('a', 's'), view('a', 'a'))).toEqual(['change-view public.v: n text → public.a']);
    expect(await found(view('a', 'b'), view('a', 's'))).toEqual([]);
  });
});
