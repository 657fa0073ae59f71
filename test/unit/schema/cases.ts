import type { RuleName } from '../../../src/schema/rules.ts';

/** Two pairs of schemas for a rule: from `before` to `after` it must be found, from `before` to `nearly` it must not. */
export interface Case {
  rule: RuleName;
  object: string;
  before: string;
  after: string;
  nearly: string;
}

const table = (columns: string, more = '') => `CREATE TABLE public.t (\n    ${columns}\n);\n${more}`;
const id = 'id integer NOT NULL';
const owner = (name: string) => `ALTER TABLE public.t OWNER TO ${name};`;
const fn = (options: string, body = 'SELECT 1') =>
  `CREATE FUNCTION public.f(a integer) RETURNS integer LANGUAGE sql ${options} AS $$ ${body} $$;`;
const policy = (using: string, name = 'p', roles = 'a, b') =>
  `CREATE POLICY ${name} ON public.t TO ${roles} USING ((${using}));`;
const moods = (...values: string[]) =>
  `CREATE TYPE public.mood AS ENUM (${values.map((one) => `'${one}'`).join(', ')});`;
const ofMood = (value: string) => `CREATE VIEW public.v AS SELECT 1 AS a WHERE ('${value}'::public.mood IS NOT NULL);`;
const trigger = (name: string, events: string) =>
  `CREATE TRIGGER ${name} BEFORE ${events} ON public.t FOR EACH ROW EXECUTE FUNCTION public.f();`;
const partitioned = `CREATE TABLE public.p (${id})\nPARTITION BY LIST (id);\n`;
const attach = (bound: string) => `ALTER TABLE ONLY public.p ATTACH PARTITION public.t ${bound};`;
const withRights = (name: string, security: string) =>
  `CREATE TABLE public.${name} (${id});\nALTER TABLE public.${name} ${security} ROW LEVEL SECURITY;\nGRANT SELECT ON TABLE public.${name} TO web;\n`;
const constraint = (text: string) => `ALTER TABLE ONLY public.t ADD CONSTRAINT c ${text};`;

export const cases: Case[] = [
  {
    rule: 'drop-schema',
    object: 'app',
    before: 'CREATE SCHEMA app;\nCREATE SCHEMA empty;\nCREATE TABLE app.t (id integer);',
    after: '',
    nearly: 'CREATE SCHEMA app;\nCREATE TABLE app.t (id integer);',
  },
  {
    rule: 'drop-table',
    object: 'public.t',
    before: table(id),
    after: '',
    nearly: `${table(id)}CREATE VIEW public.v AS SELECT 1;`,
  },
  {
    rule: 'drop-column',
    object: 'public.t.email',
    before: table(`email text,\n    ${id}`),
    after: table(id),
    nearly: table(`mail text,\n    ${id}`),
  },
  {
    rule: 'drop-materialized-view',
    object: 'public.m',
    before: 'CREATE MATERIALIZED VIEW public.m AS SELECT 1 AS a WITH NO DATA;',
    after: '',
    nearly: 'CREATE MATERIALIZED VIEW public.m AS\n SELECT 1 AS a\n  WITH NO DATA;',
  },
  {
    rule: 'drop-sequence',
    object: 'public.s',
    before: 'CREATE SEQUENCE public.s;',
    after: '',
    nearly: 'CREATE SEQUENCE public.s START WITH 5;',
  },
  {
    rule: 'drop-extension',
    object: 'citext',
    before: 'CREATE EXTENSION IF NOT EXISTS citext WITH SCHEMA public;',
    after: '',
    nearly: 'CREATE EXTENSION IF NOT EXISTS citext WITH SCHEMA app;',
  },
  {
    rule: 'drop-enum-value',
    object: 'public.mood',
    before: moods('a', 'b'),
    after: moods('a'),
    nearly: moods('b', 'a'),
  },
  {
    rule: 'narrow-type',
    object: 'public.t.n',
    before: table('n integer'),
    after: table('n smallint'),
    nearly: table('n bigint'),
  },
  {
    rule: 'convert-type',
    object: 'public.t.n',
    before: table('n text'),
    after: table('n integer'),
    nearly: table('n jsonb'),
  },
  {
    rule: 'drop-policy',
    object: 'public.t.p',
    before: table(id, policy('id > 0')),
    after: table(id),
    nearly: table(id, policy('id > 0', 'renamed')),
  },
  {
    rule: 'change-policy',
    object: 'public.t.p',
    before: table(id, policy('id > 0')),
    after: table(id, policy('true')),
    nearly: table(id, policy('id   >   0', 'p', 'b, a')),
  },
  {
    rule: 'add-policy',
    object: 'public.t.p',
    before: table(id),
    after: table(id, policy('true')),
    nearly: table(id, policy('true').replace(' TO ', ' AS RESTRICTIVE TO ')),
  },
  {
    rule: 'disable-rls',
    object: 'public.t',
    before: table(id, 'ALTER TABLE public.t ENABLE ROW LEVEL SECURITY;'),
    after: table(id),
    nearly: table(
      id,
      'ALTER TABLE public.t ENABLE ROW LEVEL SECURITY;\nALTER TABLE public.t FORCE ROW LEVEL SECURITY;',
    ),
  },
  {
    rule: 'grant',
    object: 'public.t',
    before: table(id, 'GRANT SELECT, INSERT ON TABLE public.t TO reader;'),
    after: table(id, 'GRANT ALL ON TABLE public.t TO reader;'),
    nearly: table(id, 'GRANT SELECT (id) ON TABLE public.t TO reader;'),
  },
  {
    rule: 'security-definer',
    object: 'public.f(integer)',
    before: fn(''),
    after: fn('SECURITY DEFINER'),
    nearly: fn('STABLE', "SELECT 'SECURITY DEFINER'"),
  },
  {
    rule: 'change-owner',
    object: 'public.t',
    before: table(id, owner('alice')),
    after: table(id, owner('bob')),
    nearly: table(id, owner('"alice"')),
  },
  {
    rule: 'table-without-rls',
    object: 'public.b',
    before: withRights('a', 'ENABLE'),
    after: withRights('a', 'ENABLE') + withRights('b', 'DISABLE'),
    nearly: withRights('a', 'ENABLE') + withRights('b', 'ENABLE'),
  },
  {
    rule: 'view-security',
    object: 'public.v',
    before: "CREATE VIEW public.v WITH (security_barrier='true') AS SELECT 1 AS a;",
    after: 'CREATE VIEW public.v AS SELECT 1 AS a;',
    nearly: "CREATE VIEW public.v WITH (security_barrier='true') AS SELECT 2 AS a;",
  },
  {
    rule: 'rename-table',
    object: 'public.t',
    before: table(`${id},\n    n text`, constraint('PRIMARY KEY (id)')),
    after: table('id integer CONSTRAINT t_id_not_null NOT NULL,\n    n text').replaceAll('public.t', 'public.u'),
    nearly: table(`${id},\n    n text`, constraint('PRIMARY KEY (id)')).replaceAll('public.t', 'public.u'),
  },
  {
    rule: 'rename-column',
    object: 'public.t.mail',
    before: table(`mail text,\n    ${id}`),
    after: table(`email text,\n    ${id}`),
    nearly: table(`${id},\n    email text`),
  },
  {
    rule: 'rename-enum-value',
    object: 'public.mood',
    before: moods('a', 'b', 'c') + ofMood('b'),
    after: moods('a', 'x', 'c') + ofMood('x'),
    nearly: moods('a', 'b', 'c', 'x') + ofMood('b'),
  },
  {
    rule: 'drop-view',
    object: 'public.v',
    before: 'CREATE VIEW public.v AS SELECT 1 AS a;',
    after: '',
    nearly: 'CREATE VIEW public.v AS SELECT 2 AS a;',
  },
  {
    rule: 'change-view',
    object: 'public.v',
    before: 'CREATE VIEW public.v AS SELECT 1 AS a, 2 AS b;',
    after: 'CREATE VIEW public.v AS SELECT 1 AS a;',
    nearly: 'CREATE VIEW public.v AS SELECT 3 AS a, 2 AS b, 1 AS c;',
  },
  {
    rule: 'drop-function',
    object: 'public.f(integer)',
    before: fn(''),
    after: '',
    nearly: fn('', 'SELECT 2').replace('a integer', 'renamed integer'),
  },
  {
    rule: 'change-function',
    object: 'public.f(integer)',
    before: fn(''),
    after: fn('').replace('RETURNS integer', 'RETURNS text'),
    nearly: fn('').replace('a integer', "a integer, b text DEFAULT ''::text"),
  },
  {
    rule: 'drop-type',
    object: 'public.pair',
    before: 'CREATE TYPE public.pair AS (a integer, b integer);',
    after: '',
    nearly: 'CREATE TYPE public.pair AS (a integer, b integer, c integer);',
  },
  {
    rule: 'drop-default',
    object: 'public.t.n',
    before: table('n integer DEFAULT 1'),
    after: table('n integer'),
    nearly: table('n integer GENERATED BY DEFAULT AS IDENTITY'),
  },
  {
    rule: 'drop-identity',
    object: 'public.t.n',
    before: table('n integer NOT NULL', 'ALTER TABLE public.t ALTER COLUMN n ADD GENERATED ALWAYS AS IDENTITY;'),
    after: table('n integer NOT NULL'),
    nearly: table('n integer NOT NULL', 'ALTER TABLE public.t ALTER COLUMN n ADD GENERATED BY DEFAULT AS IDENTITY;'),
  },
  {
    rule: 'change-identity',
    object: 'public.t.n',
    before: table('n integer NOT NULL', 'ALTER TABLE public.t ALTER COLUMN n ADD GENERATED BY DEFAULT AS IDENTITY;'),
    after: table('n integer NOT NULL', 'ALTER TABLE public.t ALTER COLUMN n ADD GENERATED ALWAYS AS IDENTITY;'),
    nearly: table('n integer NOT NULL'),
  },
  {
    rule: 'set-not-null',
    object: 'public.t.n',
    before: table('n integer'),
    after: table('n integer NOT NULL'),
    nearly: table('n integer', 'ALTER TABLE public.t ADD CONSTRAINT nn NOT NULL n NOT VALID;'),
  },
  {
    rule: 'add-not-null-column',
    object: 'public.t.n',
    before: table(id),
    after: table(`${id},\n    n integer NOT NULL`),
    nearly: table(`${id},\n    n integer DEFAULT 0 NOT NULL`),
  },
  {
    rule: 'change-sequence',
    object: 'public.s',
    before: 'CREATE SEQUENCE public.s MAXVALUE 1000;',
    after: 'CREATE SEQUENCE public.s MAXVALUE 100;',
    nearly: 'CREATE SEQUENCE public.s;',
  },
  {
    rule: 'revoke',
    object: 'public.t',
    before: table(id, 'GRANT SELECT, INSERT ON TABLE public.t TO web;'),
    after: table(id, 'GRANT SELECT ON TABLE public.t TO web;'),
    nearly: table(id, 'GRANT ALL ON TABLE public.t TO web;'),
  },
  {
    rule: 'enable-rls',
    object: 'public.t',
    before: table(id),
    after: table(id, 'ALTER TABLE public.t ENABLE ROW LEVEL SECURITY;'),
    nearly: table(id, policy('true')),
  },
  {
    rule: 'restrictive-policy',
    object: 'public.t.p',
    before: table(id),
    after: table(id, policy('true').replace(' TO ', ' AS RESTRICTIVE TO ')),
    nearly: table(id, policy('true')),
  },
  {
    rule: 'rewrite-type',
    object: 'public.t.n',
    before: table('n integer,\n    s character varying(10)'),
    after: table('n bigint,\n    s character varying(10)'),
    nearly: table('n integer,\n    s character varying(20)'),
  },
  {
    rule: 'volatile-default',
    object: 'public.t.n',
    before: table(id),
    after: table(`${id},\n    n uuid DEFAULT gen_random_uuid()`),
    nearly: table(`${id},\n    n timestamp with time zone DEFAULT now()`),
  },
  {
    rule: 'stored-generated',
    object: 'public.t.n',
    before: table(id),
    after: table(`${id},\n    n integer GENERATED ALWAYS AS ((id * 2)) STORED`),
    nearly: table(`${id},\n    n integer GENERATED ALWAYS AS ((id * 2))`),
  },
  {
    rule: 'add-unique',
    object: 'public.t.c',
    before: table(id),
    after: table(id, constraint('UNIQUE (id)')),
    nearly: `${table(id)}CREATE TABLE public.u (id integer);\nALTER TABLE ONLY public.u ADD CONSTRAINT c UNIQUE (id);`,
  },
  {
    rule: 'add-primary-key',
    object: 'public.t.c',
    before: table(id, 'CREATE UNIQUE INDEX c ON public.t USING btree (id, n);'),
    after: table(id, constraint('PRIMARY KEY (id)')),
    nearly: table(id, constraint('PRIMARY KEY (id, n)')),
  },
  {
    rule: 'add-exclusion',
    object: 'public.t.c',
    before: table(id),
    after: table(id, constraint('EXCLUDE USING gist (id WITH =)')),
    nearly: table(id, 'CREATE INDEX c ON public.t USING gist (id);'),
  },
  {
    rule: 'add-check',
    object: 'public.t.c',
    before: table(id),
    after: table(`${id},\n    CONSTRAINT c CHECK ((id > 0))`),
    nearly: table(id, 'ALTER TABLE public.t ADD CONSTRAINT c CHECK ((id > 0)) NOT VALID;'),
  },
  {
    rule: 'add-foreign-key',
    object: 'public.t.c',
    before: table(id, constraint('FOREIGN KEY (id) REFERENCES public.u(id) NOT VALID').replace(' c ', ' old ')),
    after: table(id, constraint('FOREIGN KEY (id) REFERENCES public.u(id) ON DELETE CASCADE')),
    nearly: table(id, constraint('FOREIGN KEY (id) REFERENCES public.u(id)')),
  },
  {
    rule: 'add-index',
    object: 'public.i',
    before: table(id, 'CREATE INDEX old ON public.t USING btree (id);'),
    after: table(id, 'CREATE INDEX i ON public.t USING btree (id DESC);'),
    nearly: table(id, 'CREATE INDEX i ON public.t USING btree (id);'),
  },
  {
    rule: 'attach-partition',
    object: 'public.t',
    before: partitioned + table(id),
    after: partitioned + table(id, attach('FOR VALUES IN (1)')),
    nearly: `${partitioned}${table(id)}CREATE TABLE public.u (${id});\n${attach('FOR VALUES IN (1)').replace('public.t', 'public.u')}`,
  },
  {
    rule: 'set-logged',
    object: 'public.t',
    before: table(id).replace('CREATE', 'CREATE UNLOGGED'),
    after: table(id),
    nearly: table('id bigint NOT NULL').replace('CREATE', 'CREATE UNLOGGED'),
  },
  {
    rule: 'foreign-key-without-index',
    object: 'public.t.c',
    before: table(id),
    after: table(id, constraint('FOREIGN KEY (id) REFERENCES public.u(id)')),
    nearly: table(
      id,
      `${constraint('FOREIGN KEY (id) REFERENCES public.u(id)')}\nCREATE INDEX i ON public.t USING btree (id, n);`,
    ),
  },
  {
    rule: 'drop-index',
    object: 'public.i',
    before: table(id, 'CREATE INDEX i ON public.t USING btree (id);'),
    after: table(id),
    nearly: table(id, 'CREATE INDEX other ON public.t USING btree (id);'),
  },
  {
    rule: 'drop-constraint',
    object: 'public.t.c',
    before: table(id, constraint('CHECK ((id > 0))')),
    after: table(id),
    nearly: table(id, constraint('CHECK ((id > 0))').replace(' c ', ' renamed ')),
  },
  {
    rule: 'drop-foreign-key',
    object: 'public.t.c',
    before: table(id, constraint('FOREIGN KEY (id) REFERENCES public.u(id)')),
    after: table(id),
    nearly: '',
  },
  {
    rule: 'drop-not-null',
    object: 'public.t.n',
    before: table('n integer NOT NULL'),
    after: table('n integer'),
    nearly: table('n integer', constraint('PRIMARY KEY (n)')),
  },
  {
    rule: 'drop-trigger',
    object: 'public.t.g',
    before: table(id, trigger('g', 'INSERT OR UPDATE')),
    after: table(id, trigger('g', 'INSERT')),
    nearly: table(id, trigger('g', 'UPDATE OR INSERT')),
  },
  {
    rule: 'disable-trigger',
    object: 'public.t.g',
    before: table(id, trigger('g', 'INSERT')),
    after: table(id, `${trigger('g', 'INSERT')}\nALTER TABLE public.t DISABLE TRIGGER g;`),
    nearly: table(id, `${trigger('g', 'INSERT')}\nALTER TABLE public.t ENABLE ALWAYS TRIGGER g;`),
  },
  {
    rule: 'set-unlogged',
    object: 'public.t',
    before: table(id),
    after: table(id).replace('CREATE', 'CREATE UNLOGGED'),
    nearly: `${table(id)}CREATE UNLOGGED TABLE public.u (id integer);`,
  },
  {
    rule: 'detach-partition',
    object: 'public.t',
    before: table(id, 'ALTER TABLE ONLY public.p ATTACH PARTITION public.t FOR VALUES FROM (1) TO (2);'),
    after: table(id),
    nearly: table(id, 'ALTER TABLE ONLY public.p ATTACH PARTITION public.t FOR VALUES FROM (1) TO (3);'),
  },
  {
    rule: 'change-publication',
    object: 'p',
    before: "CREATE PUBLICATION p WITH (publish = 'insert');\nALTER PUBLICATION p ADD TABLE ONLY public.t;",
    after: "CREATE PUBLICATION p WITH (publish = 'insert');",
    nearly: "CREATE PUBLICATION p WITH (publish='insert');\nALTER PUBLICATION p ADD TABLE ONLY public.t;",
  },
  {
    rule: 'unknown-change',
    object: 'CREATE WIDGET public.w (1)',
    before: 'CREATE WIDGET public.w (1);',
    after: 'CREATE WIDGET public.w (2);',
    nearly: 'CREATE  WIDGET public.w\n(1);',
  },
];
