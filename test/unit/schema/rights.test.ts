import { describe, expect, it } from 'vitest';
import { found } from './found.ts';

const table = 'CREATE TABLE public.t (\n    id integer,\n    "ssn (us)" text\n);\n';
const server = 'CREATE SERVER s FOREIGN DATA WRAPPER w;\nALTER SERVER s OWNER TO app;\n';

describe('a right that is new', () => {
  it.each([
    [table, 'GRANT SELECT ("ssn (us)") ON TABLE public.t TO PUBLIC;', 'grant public.t: SELECT ("ssn (us)") to PUBLIC'],
    [
      'CREATE SCHEMA "my app";',
      'ALTER DEFAULT PRIVILEGES FOR ROLE app IN SCHEMA "my app" GRANT SELECT ON TABLES TO dev;',
      'grant future tables of app in schema "my app": SELECT to dev',
    ],
    [server, 'GRANT ALL ON FOREIGN SERVER s TO PUBLIC;', 'grant foreign server s: USAGE to PUBLIC'],
  ])('is reported for the object that has it: %s%s', async (object, grant, finding) => {
    expect(await found(object, `${object}${grant}`)).toEqual([finding]);
    const taken = finding.replace('grant ', 'revoke ').replace(' to ', ' from ');
    expect(await found(`${object}${grant}`, object)).toEqual(grant.includes('DEFAULT') ? [] : [taken]);
  });

  it("on an identity column's sequence is one, although no CREATE SEQUENCE is in the schema", async () => {
    const identity =
      'ALTER TABLE public.t ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (\n    SEQUENCE NAME public.t_id_seq\n    START WITH 1\n    CACHE 1\n);\n';
    const grant = 'GRANT ALL ON SEQUENCE public.t_id_seq TO dev;\n';
    expect(await found(table + identity, table + identity + grant)).toEqual(['grant public.t_id_seq: ALL to dev']);
    expect(await found(table, table + identity + grant)).toEqual(['set-not-null public.t.id']);
    expect(await found(table + identity + grant, table)).toEqual([
      'drop-identity public.t.id',
      'drop-not-null public.t.id',
    ]);
  });

  it('on a column is none if the table was granted, or the column is new', async () => {
    const all = `${table}GRANT SELECT ON TABLE public.t TO dev;`;
    const one = `${table}GRANT SELECT ("ssn (us)") ON TABLE public.t TO dev;`;
    expect(await found(all, one)).toEqual(['revoke public.t: SELECT from dev']);
    expect(await found(one, all)).toEqual(['grant public.t: SELECT to dev']);
    expect(await found('CREATE TABLE public.t (\n    id integer\n);', one)).toEqual([]);
  });

  it.each([
    ['function public.f()', 'EXECUTE'],
    ['type public.mood', 'USAGE'],
    ['type public.d', 'USAGE'],
    ['type public.pair', 'USAGE'],
  ])('is reported if it is no longer revoked from PUBLIC: %s', async (object, right) => {
    const objects =
      'CREATE FUNCTION public.f() RETURNS integer\n    LANGUAGE sql\n    AS $$select 1$$;\n' +
      "CREATE TYPE public.mood AS ENUM ('a');\nCREATE DOMAIN public.d AS integer;\nCREATE TYPE public.pair AS (\n\ta integer\n);\n";
    const revoked = `REVOKE ALL ON ${object.toUpperCase().replace(/PUBLIC.*/, object.split(' ')[1] ?? '')} FROM PUBLIC;\n`;
    expect(await found(objects + revoked, objects)).toEqual([`grant ${object.split(' ')[1]}: ${right} to PUBLIC`]);
    expect(await found('', objects)).toEqual([]);
  });

  it.each([
    ['', 'future tables of app', true],
    [' IN SCHEMA public', 'future tables of app in schema public', true],
    [' IN SCHEMA old', 'future tables of app in schema old', true],
    [' IN SCHEMA fresh', '', false],
  ])('on objects that are made later%s', async (within, place, isFound) => {
    const before = 'CREATE SCHEMA old;\n';
    const granted = `ALTER DEFAULT PRIVILEGES FOR ROLE app${within} GRANT SELECT ON TABLES TO dev;\n`;
    expect(await found(before, `${before}CREATE SCHEMA fresh;\n${granted}`)).toEqual(
      isFound ? [`grant ${place}: SELECT to dev`] : [],
    );
  });

  it('on objects that are made later is told from a role whose name says "in schema"', async () => {
    const granted = 'ALTER DEFAULT PRIVILEGES FOR ROLE "a in schema b" GRANT SELECT ON TABLES TO dev;\n';
    expect(await found('', granted)).toEqual(['grant future tables of "a in schema b": SELECT to dev']);
  });

  it('to EXECUTE is what PUBLIC has on all later functions, but not on those of one schema', async () => {
    const revoked = (within: string) =>
      `ALTER DEFAULT PRIVILEGES FOR ROLE app${within} REVOKE ALL ON FUNCTIONS FROM PUBLIC;\n`;
    expect(await found(revoked(''), '')).toEqual(['grant future functions of app: EXECUTE to PUBLIC']);
    expect(await found(revoked(' IN SCHEMA public'), '')).toEqual([]);
  });

  it('is none for the owner, who has every right anyway', async () => {
    const owned = `${table}ALTER TABLE public.t OWNER TO app;\n`;
    expect(await found(owned, `${owned}GRANT SELECT ON TABLE public.t TO app;\n`)).toEqual([]);
    expect(await found(owned, `${owned}GRANT SELECT,INSERT ON TABLE public.t TO dev;\n`)).toEqual([
      'grant public.t: SELECT, INSERT to dev',
    ]);
  });

  it('may be on a column of a view', async () => {
    const view = 'CREATE VIEW public.v AS\n SELECT 1 AS a;\n';
    expect(await found(view, `${view}GRANT SELECT (a) ON TABLE public.v TO dev;\n`)).toEqual([
      'grant public.v: SELECT (a) to dev',
    ]);
  });

  it('on a new foreign server is none', async () => {
    expect(await found('', `${server}GRANT ALL ON FOREIGN SERVER s TO PUBLIC;`)).toEqual([]);
  });
});

describe('the owner', () => {
  const owned = (by: string) => `${table}ALTER TABLE public.t OWNER TO ${by};\n`;

  it('is all that is reported if the former one gets rights', async () => {
    const granted = `${owned('dev')}GRANT ALL ON TABLE public.t TO app;\n`;
    expect(await found(owned('app'), granted)).toEqual(['change-owner public.t: app → dev']);
  });

  it('is reported if it changes, unless the object is new or gone', async () => {
    expect(await found(owned('app'), owned('dev'))).toEqual(['change-owner public.t: app → dev']);
    expect(await found(owned('app'), '')).toEqual(['drop-table public.t']);
    expect(await found('', owned('app'))).toEqual([]);
  });

  it('of a sequence that belongs to a column changes with that of the table', async () => {
    const sequence = (by: string) => `CREATE SEQUENCE public.s;\nALTER SEQUENCE public.s OWNER TO ${by};\n`;
    const column = 'ALTER SEQUENCE public.s OWNED BY public.t.id;\n';
    expect(await found(sequence('app'), sequence('dev'))).toEqual(['change-owner public.s: app → dev']);
    expect(await found(owned('app') + sequence('app') + column, owned('dev') + sequence('dev') + column)).toEqual([
      'change-owner public.t: app → dev',
    ]);
  });
});

describe('the owner of the schema public', () => {
  const owned = 'ALTER SCHEMA public OWNER TO dev;';

  it('is reported, although a schema leaves it out as long as it is the initial one', async () => {
    expect(await found(table, table + owned)).toEqual(['change-owner public: its initial owner → dev']);
    expect(await found(table + owned, table)).toEqual(['change-owner public: dev → its initial owner']);
    expect(await found(owned, table + owned)).toEqual([]);
  });
});

describe("a view's security_invoker", () => {
  const view = (options: string) => `CREATE VIEW public.v${options} AS\n SELECT 1 AS a;`;
  const words = ["='t'", "='TRUE'", "='yes'", '=on'].map((value) => ` WITH (security_invoker${value})`);

  it.each(words)('is read as Postgres reads it:%s', async (options) => {
    expect(await found(view(options), view(" WITH (security_invoker='true')"))).toEqual([]);
    expect(await found(view(options), view(" WITH (security_invoker='f')"))).toEqual([
      'view-security public.v: no longer `security_invoker`',
    ]);
  });

  it('is one of the options that protect rows', async () => {
    const barrier = view(" WITH (security_barrier='true')");
    expect(await found(barrier, view(''))).toEqual(['view-security public.v: no longer `security_barrier`']);
    const checked = (kind: string) => view('').replace(';', `\n  WITH ${kind} CHECK OPTION;`);
    expect(await found(checked('CASCADED'), view(''))).toEqual([
      'view-security public.v: no longer has a check option',
    ]);
    expect(await found(view(''), checked('LOCAL'))).toEqual([]);
  });

  it('is lost without a finding of its own if the view is gone', async () => {
    expect(await found(view(words[0] ?? ''), '')).toEqual(['drop-view public.v']);
  });
});

describe('row-level security', () => {
  const set = (...actions: string[]) =>
    table + actions.map((one) => `ALTER TABLE public.t ${one} ROW LEVEL SECURITY;\n`).join('');

  it('is reported if it is new', async () => {
    expect(await found(set(), set('ENABLE'))).toEqual([
      'enable-rls public.t: without a policy, so other roles see no rows',
    ]);
    expect(await found(set('ENABLE'), set('ENABLE', 'FORCE'))).toEqual([
      'enable-rls public.t: now forced for the owner',
    ]);
  });

  it('is reported if it is disabled, or no longer forced', async () => {
    expect(await found(set('ENABLE'), set())).toEqual(['disable-rls public.t']);
    expect(await found(set('ENABLE', 'FORCE'), set())).toEqual(['disable-rls public.t']);
    expect(await found(set('ENABLE', 'FORCE'), set('ENABLE'))).toEqual([
      'disable-rls public.t: no longer forced for the owner',
    ]);
    expect(await found(set('ENABLE', 'FORCE'), `${set('ENABLE', 'FORCE')}-- a comment\n`)).toEqual([]);
  });
});

describe('a policy', () => {
  const policy = (name: string, using: string) => `CREATE POLICY ${name} ON public.t USING (${using});\n`;

  it('is the same if only a function call is in a SELECT now', async () => {
    const [plain, wrapped] = ['(who = auth.uid())', '(who = ( SELECT auth.uid() AS uid))'];
    expect(await found(table + policy('p', plain), table + policy('p', wrapped))).toEqual([]);
    const other = wrapped.replace(' AS uid', ' FROM x');
    expect(await found(table + policy('p', plain), table + policy('p', other))).toEqual(['change-policy public.t.p']);
  });

  it('is reported once if it is changed or gone', async () => {
    const before = table + policy('p', 'false');
    expect(await found(before, table + policy('p', 'true'))).toEqual(['change-policy public.t.p']);
    expect(await found(before, table)).toEqual(['drop-policy public.t.p']);
    expect(await found(before, table + policy('q', 'true'))).toEqual([
      'drop-policy public.t.p',
      'add-policy public.t.q',
    ]);
    expect(await found(before, table + policy('q', 'false'))).toEqual([]);
  });
});

describe('a new policy', () => {
  const rls = 'ALTER TABLE public.t ENABLE ROW LEVEL SECURITY;\n';
  const policy = (rest: string, name = 'p') => `CREATE POLICY ${name} ON public.t${rest};\n`;

  it('is reported if it lets roles see more of a table that is not new', async () => {
    expect(await found(table + rls, table + policy(' USING (true)') + rls)).toEqual(['add-policy public.t.p']);
    expect(await found(table + rls, table + policy(' AS RESTRICTIVE USING (true)') + rls)).toEqual([
      'restrictive-policy public.t.p',
    ]);
    expect(await found(table + policy('') + rls, table + policy('', 'q') + rls)).toEqual([]);
    expect(await found(table, table + policy('') + rls)).toEqual(['enable-rls public.t: with policies']);
    expect(await found('', table + policy('') + rls)).toEqual([]);
  });
});

describe('a new table without row-level security', () => {
  const made = (name: string, ...rest: string[]) =>
    `CREATE TABLE public.${name} (\n    id integer\n);\nALTER TABLE public.${name} OWNER TO app;\n${rest.map((one) => `${one.replace('?', `public.${name}`)};\n`).join('')}`;
  const [grant, rls] = ['GRANT ALL ON TABLE ? TO web', 'ALTER TABLE ? ENABLE ROW LEVEL SECURITY'];

  it('is reported if others can read it, and all that they can read otherwise has it', async () => {
    const old = made('a', grant, rls);
    expect(await found(old, old + made('b', grant))).toEqual(['table-without-rls public.b: granted to web']);
    expect(await found(old, old + made('b', grant, rls))).toEqual([]);
    expect(await found(old, old + made('b'))).toEqual([]);
    expect(await found(made('a', grant), made('a', grant) + made('b', grant))).toEqual([]);
    expect(await found('', made('b', grant))).toEqual([]);
  });
});

describe('a SECURITY DEFINER function', () => {
  const fn = (options: string) =>
    `CREATE FUNCTION public.f() RETURNS integer\n    LANGUAGE sql${options}\n    AS $$select 1$$;\n`;
  const path = "\n    SET search_path TO 'public', 'pg_temp'";

  it('is reported if it no longer sets its search_path', async () => {
    const definer = ' SECURITY DEFINER';
    expect(await found(fn(definer + path), fn(definer))).toEqual([
      'security-definer public.f(): no longer sets `search_path`',
    ]);
    expect(await found(fn(definer), fn(definer + path))).toEqual([]);
    expect(await found(fn(path), fn(''))).toEqual([]);
    expect(await found(fn(definer + path), fn(''))).toEqual([]);
    expect(await found(fn(definer), fn(definer).replace('select 1', 'select 2'))).toEqual([]);
    expect(await found(fn(definer + path), '')).toEqual(['drop-function public.f()']);
  });

  it('is reported once if a function becomes one', async () => {
    const finding = 'security-definer public.f()';
    expect(await found(fn(''), fn(' SECURITY DEFINER'))).toEqual([finding]);
    expect(await found(fn(path), fn(' SECURITY DEFINER'))).toEqual([finding]);
  });
});

describe('a security label', () => {
  const label = "SECURITY LABEL FOR anon ON COLUMN public.t.id IS 'MASKED WITH VALUE NULL';\n";

  it('is reported if it is gone or changed, unless its table is gone', async () => {
    const sql = label.slice(0, -2);
    expect(await found(table + label, table)).toEqual([`unknown-change ${sql}: changed or removed`]);
    expect(await found(table + label, table + label.replace('NULL', '1'))).toHaveLength(1);
    expect(await found(table + label, '')).toEqual(['drop-table public.t']);
    expect(await found(table, table + label)).toEqual([]);
  });
});

describe('a dropped table', () => {
  it('has no finding for its rules and statistics', async () => {
    const parts =
      'CREATE RULE r AS\n    ON DELETE TO public.t DO INSTEAD NOTHING;\nCREATE STATISTICS public.s ON id, "ssn (us)" FROM public.t;\n';
    expect(await found(table + parts, '')).toEqual(['drop-table public.t']);
    expect(await found(table + parts, table)).toHaveLength(2);
  });
});

describe('a table that the parser does not know', () => {
  const widget = 'CREATE TABLE public.t (\n    id integer\n) AS WIDGET;\n';

  it.each([
    'CREATE POLICY p ON public.t USING (false)',
    'ALTER TABLE public.t ENABLE ROW LEVEL SECURITY',
    'ALTER TABLE ONLY public.t ADD CONSTRAINT c CHECK ((id > 0))',
    'CREATE TRIGGER g BEFORE INSERT ON public.t FOR EACH ROW EXECUTE FUNCTION public.f()',
  ])('does not hide that something on it is gone: %s', async (part) => {
    expect(await found(`${widget}${part};\n`, widget)).toEqual([
      `unknown-change ${part.length > 80 ? `${part.slice(0, 79)}…` : part}: changed or removed`,
    ]);
    expect(await found(widget, `${widget}${part};\n`)).toEqual([]);
  });
});

describe('the schema public of version 14', () => {
  const dump = (version: string, sql: string) =>
    `--\n-- PostgreSQL database dump\n--\n\n\\restrict x\n\n-- Dumped from database version ${version}\n-- Dumped by pg_dump version 18.0\n\n${sql}`;
  const revoked = 'REVOKE ALL ON SCHEMA public FROM PUBLIC;\nGRANT USAGE ON SCHEMA public TO PUBLIC;\n';

  it('lets PUBLIC create objects unless that is revoked', async () => {
    expect(await found(dump('14.19', revoked), dump('14.19', table))).toEqual(['grant public: CREATE to PUBLIC']);
    expect(await found(dump('14.19', table), dump('14.19', revoked + table))).toEqual([
      'revoke public: CREATE from PUBLIC',
    ]);
    expect(await found(dump('15.14', revoked), dump('15.14', table))).toEqual([]);
    expect(
      await found(dump('15.14', revoked), dump('15.14', `CREATE TABLE x (\n-- Dumped from database version 14\n);`)),
    ).toEqual([]);
  });
});
