import type { RuleName } from '../../src/schema/rules.ts';

/** A rule, and migrations to try it with. Each runs in a schema of its own, which is in the search path, with roles `reader` and `writer`. */
export interface Migration {
  rule: RuleName;
  /** What the finding is about, within the case's schema: `t.email`. */
  object?: string;
  /** The same for something that is in no schema. */
  global?: string;
  base: string;
  /** Must give the rule. */
  migration: string;
  /** Must not give it, although it comes close. */
  nearly: string;
  /** The other rules that `migration` gives. */
  also?: RuleName[];
}

const f = 'CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;';
const t = 'CREATE TABLE t (id integer NOT NULL, n integer);';
const trigger = `${f} ${t} CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION f();`;
const partitions = `
  CREATE TABLE p (id integer NOT NULL) PARTITION BY LIST (id);
  CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1);
  CREATE TABLE p2 PARTITION OF p FOR VALUES IN (2);`;

export const migrations: Migration[] = [
  {
    rule: 'drop-schema',
    global: 'gone',
    base: 'CREATE SCHEMA gone; CREATE SCHEMA empty; CREATE TABLE gone.t (id integer);',
    migration: 'DROP SCHEMA gone CASCADE',
    nearly: 'DROP SCHEMA empty',
    also: ['drop-table'],
  },
  {
    rule: 'drop-table',
    object: 't',
    base: `${t} CREATE INDEX ON t (n); CREATE VIEW v AS SELECT id FROM t;`,
    migration: 'DROP TABLE t CASCADE',
    nearly: 'ALTER TABLE t DROP COLUMN n',
    also: ['drop-view'],
  },
  {
    rule: 'drop-column',
    object: 't.email',
    base: `${t} ALTER TABLE t ADD email text UNIQUE`,
    migration: 'ALTER TABLE t DROP COLUMN email',
    nearly: 'ALTER TABLE t ALTER email SET DEFAULT 1',
  },
  {
    rule: 'drop-materialized-view',
    object: 'm',
    base: `${t} CREATE MATERIALIZED VIEW m AS SELECT id FROM t`,
    migration: 'DROP MATERIALIZED VIEW m',
    nearly: 'CREATE INDEX ON m (id)',
  },
  {
    rule: 'drop-sequence',
    object: 's',
    base: 'CREATE SEQUENCE s; CREATE TABLE t (id serial)',
    migration: 'DROP SEQUENCE s',
    nearly: 'DROP TABLE t',
  },
  {
    rule: 'drop-extension',
    global: 'pgcrypto',
    base: 'CREATE EXTENSION pgcrypto SCHEMA public',
    migration: 'DROP EXTENSION pgcrypto',
    nearly: 'ALTER EXTENSION pgcrypto SET SCHEMA try_drop_extension',
  },
  {
    rule: 'drop-enum-value',
    object: 'mood',
    base: `CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy'); CREATE TABLE t (m mood)`,
    migration: `
      ALTER TYPE mood RENAME TO old;
      CREATE TYPE mood AS ENUM ('sad', 'happy');
      ALTER TABLE t ALTER m TYPE mood USING m::text::mood;
      DROP TYPE old`,
    nearly: `ALTER TYPE mood ADD VALUE 'great' BEFORE 'happy'`,
  },
  {
    rule: 'narrow-type',
    object: 't.n',
    base: t,
    migration: 'ALTER TABLE t ALTER n TYPE smallint',
    nearly: 'ALTER TABLE t ALTER n TYPE numeric',
  },
  {
    rule: 'convert-type',
    object: 't.n',
    base: t,
    migration: 'ALTER TABLE t ALTER n TYPE boolean USING n <> 0',
    nearly: 'ALTER TABLE t ALTER n TYPE text',
  },
  {
    rule: 'drop-policy',
    object: 't.p',
    base: `${t} CREATE POLICY p ON t TO reader USING (id > 0)`,
    migration: 'DROP POLICY p ON t',
    nearly: 'ALTER POLICY p ON t RENAME TO q',
  },
  {
    rule: 'change-policy',
    object: 't.p',
    base: `${t} CREATE POLICY p ON t TO writer, reader USING (id > 0)`,
    migration: 'ALTER POLICY p ON t TO PUBLIC',
    nearly: 'ALTER POLICY p ON t TO reader, writer USING (t.id > 0)',
  },
  {
    rule: 'add-policy',
    object: 't.p',
    base: `${t} ALTER TABLE t ENABLE ROW LEVEL SECURITY`,
    migration: 'CREATE POLICY p ON t TO reader USING (id > 0)',
    nearly: 'CREATE POLICY p ON t AS RESTRICTIVE TO reader USING (id > 0)',
  },
  {
    rule: 'disable-rls',
    object: 't',
    base: `${t} ALTER TABLE t ENABLE ROW LEVEL SECURITY`,
    migration: 'ALTER TABLE t DISABLE ROW LEVEL SECURITY',
    nearly: 'ALTER TABLE t FORCE ROW LEVEL SECURITY',
  },
  {
    rule: 'grant',
    object: 't',
    base: `${t} GRANT SELECT, INSERT ON t TO reader`,
    migration: 'GRANT UPDATE (n) ON t TO reader',
    nearly: 'REVOKE INSERT ON t FROM reader; GRANT SELECT (n) ON t TO reader',
  },
  {
    rule: 'security-definer',
    object: 'f()',
    base: f,
    migration: 'ALTER FUNCTION f() SECURITY DEFINER',
    nearly: 'ALTER FUNCTION f() STABLE SET search_path = public',
  },
  {
    rule: 'change-owner',
    object: 't',
    base: 'CREATE TABLE t (id serial)',
    migration: 'ALTER TABLE t OWNER TO writer',
    nearly: 'GRANT SELECT ON t TO cloud_admin',
  },
  {
    rule: 'table-without-rls',
    object: 'u',
    base: `${t} ALTER TABLE t ENABLE ROW LEVEL SECURITY; GRANT SELECT ON t TO reader`,
    migration: 'CREATE TABLE u (id integer); GRANT SELECT ON u TO reader',
    nearly: 'CREATE TABLE u (id integer)',
  },
  {
    rule: 'view-security',
    object: 'v',
    base: 'CREATE VIEW v WITH (security_barrier) AS SELECT 1 AS a',
    migration: 'CREATE OR REPLACE VIEW v AS SELECT 1 AS a',
    nearly: 'CREATE OR REPLACE VIEW v WITH (security_barrier) AS SELECT 2 AS a',
  },
  {
    rule: 'rename-table',
    object: 't',
    base: 'CREATE TABLE t (id integer PRIMARY KEY, old text)',
    migration: 'ALTER TABLE t RENAME TO u',
    nearly: 'DROP TABLE t; CREATE TABLE u (id integer PRIMARY KEY, old text)',
  },
  {
    rule: 'rename-column',
    object: 't.n',
    base: `${t} CREATE INDEX ON t (n)`,
    migration: 'ALTER TABLE t RENAME n TO m',
    nearly: 'ALTER TABLE t DROP n, ADD m integer',
  },
  {
    rule: 'rename-enum-value',
    object: 'mood',
    base: `CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy'); CREATE TABLE m (id integer, mood mood CONSTRAINT calm CHECK (mood <> 'ok'))`,
    migration: `ALTER TYPE mood RENAME VALUE 'ok' TO 'fine'`,
    nearly: `DROP TABLE m; DROP TYPE mood; CREATE TYPE mood AS ENUM ('sad', 'fine', 'happy'); CREATE TABLE m (id integer, mood mood)`,
  },
  {
    rule: 'drop-view',
    object: 'v',
    base: `${t} CREATE VIEW v AS SELECT id FROM t`,
    migration: 'DROP VIEW v',
    nearly: 'CREATE OR REPLACE VIEW v AS SELECT id, n FROM t',
  },
  {
    rule: 'change-view',
    object: 'v',
    base: `${t} CREATE VIEW v AS SELECT id, n FROM t`,
    migration: 'DROP VIEW v; CREATE VIEW v AS SELECT id FROM t',
    nearly: 'CREATE OR REPLACE VIEW v AS SELECT id, n, 1 AS more FROM t WHERE id > 0',
  },
  {
    rule: 'drop-function',
    object: 'f(integer)',
    base: 'CREATE FUNCTION f(a integer) RETURNS integer LANGUAGE sql RETURN a',
    migration: 'DROP FUNCTION f',
    nearly:
      'CREATE OR REPLACE FUNCTION f(a integer) RETURNS integer LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN 2; END $$',
  },
  {
    rule: 'change-function',
    object: 'f(integer)',
    base: 'CREATE FUNCTION f(a integer) RETURNS integer LANGUAGE sql RETURN a',
    migration: 'DROP FUNCTION f; CREATE FUNCTION f(a integer, b integer) RETURNS integer LANGUAGE sql RETURN a + b',
    nearly:
      'DROP FUNCTION f; CREATE FUNCTION f(a integer, b integer DEFAULT 1) RETURNS integer LANGUAGE sql RETURN a + b',
  },
  {
    rule: 'drop-type',
    object: 'pair',
    base: 'CREATE TYPE pair AS (a integer, b integer); CREATE DOMAIN positive AS integer CHECK (VALUE > 0)',
    migration: 'DROP TYPE pair',
    nearly: 'ALTER TYPE pair ADD ATTRIBUTE c integer; ALTER DOMAIN positive DROP CONSTRAINT positive_check',
  },
  {
    rule: 'drop-default',
    object: 't.n',
    base: `${t} ALTER TABLE t ALTER n SET DEFAULT 1`,
    migration: 'ALTER TABLE t ALTER n DROP DEFAULT',
    nearly: 'ALTER TABLE t ALTER n SET DEFAULT 2',
  },
  {
    rule: 'drop-identity',
    object: 't.n',
    base: 'CREATE TABLE t (id integer, n integer GENERATED ALWAYS AS IDENTITY)',
    migration: 'ALTER TABLE t ALTER n DROP IDENTITY',
    nearly: 'ALTER TABLE t ALTER n SET GENERATED BY DEFAULT SET INCREMENT BY 2',
  },
  {
    rule: 'change-identity',
    object: 't.n',
    base: 'CREATE TABLE t (id integer, n integer GENERATED BY DEFAULT AS IDENTITY)',
    migration: 'ALTER TABLE t ALTER n SET GENERATED ALWAYS',
    nearly: 'ALTER TABLE t ALTER n SET INCREMENT BY 2',
  },
  {
    rule: 'set-not-null',
    object: 't.n',
    base: t,
    migration: 'ALTER TABLE t ALTER n SET NOT NULL',
    nearly: 'ALTER TABLE t ADD CONSTRAINT known NOT NULL n NOT VALID',
  },
  {
    rule: 'add-not-null-column',
    object: 't.m',
    base: t,
    migration: 'ALTER TABLE t ADD m integer NOT NULL',
    nearly:
      'CREATE DOMAIN d AS integer NOT NULL DEFAULT 1; ALTER TABLE t ADD d d, ADD m integer NOT NULL DEFAULT 0, ADD o serial, ADD p integer GENERATED ALWAYS AS IDENTITY',
  },
  {
    rule: 'change-sequence',
    object: 's',
    base: 'CREATE SEQUENCE s',
    migration: 'ALTER SEQUENCE s MAXVALUE 1000',
    nearly: 'ALTER SEQUENCE s INCREMENT BY 10 MINVALUE -5',
  },
  {
    rule: 'revoke',
    object: 't',
    base: `${t} GRANT SELECT, INSERT ON t TO reader`,
    migration: 'REVOKE INSERT ON t FROM reader',
    nearly: 'GRANT UPDATE ON t TO reader',
  },
  {
    rule: 'enable-rls',
    object: 't',
    base: `${t} CREATE POLICY p ON t`,
    migration: 'ALTER TABLE t ENABLE ROW LEVEL SECURITY',
    nearly: 'ALTER TABLE t DISABLE ROW LEVEL SECURITY',
  },
  {
    rule: 'restrictive-policy',
    object: 't.p',
    base: t,
    migration: 'CREATE POLICY p ON t AS RESTRICTIVE USING (id > 0)',
    nearly: 'CREATE POLICY p ON t USING (id > 0)',
  },
  {
    rule: 'rewrite-type',
    object: 't.n',
    base: `${t} ALTER TABLE t ADD v varchar(10)`,
    migration: 'ALTER TABLE t ALTER n TYPE bigint',
    nearly: 'ALTER TABLE t ALTER v TYPE varchar(20)',
  },
  {
    rule: 'volatile-default',
    object: 't.u',
    base: t,
    migration: 'ALTER TABLE t ADD u uuid DEFAULT gen_random_uuid()',
    nearly: `ALTER TABLE t ADD u timestamptz DEFAULT now(), ADD w text DEFAULT lower('X')`,
  },
  {
    rule: 'stored-generated',
    object: 't.g',
    base: t,
    migration: 'ALTER TABLE t ADD g integer GENERATED ALWAYS AS (n * 2) STORED',
    nearly: 'ALTER TABLE t ADD g integer GENERATED ALWAYS AS (n * 2) VIRTUAL',
  },
  {
    rule: 'add-unique',
    object: 't.t_n_key',
    base: `${t} CREATE UNIQUE INDEX t_id_key ON t (id)`,
    migration: 'ALTER TABLE t ADD UNIQUE (n)',
    nearly: 'ALTER TABLE t ADD CONSTRAINT t_id_key UNIQUE USING INDEX t_id_key',
  },
  {
    rule: 'add-primary-key',
    object: 't.t_pkey',
    base: `${t} CREATE UNIQUE INDEX ready ON t (id)`,
    migration: 'ALTER TABLE t ADD PRIMARY KEY (id, n)',
    nearly: 'ALTER TABLE t ADD PRIMARY KEY USING INDEX ready',
    also: ['set-not-null'],
  },
  {
    rule: 'add-exclusion',
    object: 't.t_during_excl',
    base: `${t} ALTER TABLE t ADD during int4range`,
    migration: 'ALTER TABLE t ADD EXCLUDE USING gist (during WITH &&)',
    nearly: 'CREATE INDEX ON t USING gist (during)',
  },
  {
    rule: 'add-check',
    object: 't.t_n_check',
    base: t,
    migration: 'ALTER TABLE t ADD CHECK (n > 0)',
    nearly: 'ALTER TABLE t ADD CHECK (n > 0) NOT VALID',
  },
  {
    rule: 'add-foreign-key',
    object: 't.t_n_fkey',
    base: `${t} CREATE INDEX ON t (n); CREATE TABLE u (id integer PRIMARY KEY); ALTER TABLE t ADD CONSTRAINT later FOREIGN KEY (id) REFERENCES u NOT VALID`,
    migration: 'ALTER TABLE t ADD FOREIGN KEY (n) REFERENCES u',
    nearly: 'ALTER TABLE t VALIDATE CONSTRAINT later',
  },
  {
    rule: 'add-index',
    object: 't_n_idx',
    base: `${t} CREATE INDEX old ON t (id)`,
    migration: 'CREATE INDEX ON t (n)',
    nearly: 'ALTER INDEX old RENAME TO fresh; CREATE TABLE u (id integer); CREATE INDEX ON u (id)',
  },
  {
    rule: 'attach-partition',
    object: 'q',
    base: `${partitions} CREATE TABLE q (id integer NOT NULL)`,
    migration: 'ALTER TABLE p ATTACH PARTITION q FOR VALUES IN (3)',
    nearly: 'CREATE TABLE p3 PARTITION OF p FOR VALUES IN (3)',
  },
  {
    rule: 'set-logged',
    object: 't',
    base: t.replace('TABLE', 'UNLOGGED TABLE'),
    migration: 'ALTER TABLE t SET LOGGED',
    nearly: 'ALTER TABLE t ADD m integer',
  },
  {
    rule: 'foreign-key-without-index',
    object: 't.k',
    base: `${t} CREATE TABLE u (id integer PRIMARY KEY)`,
    migration: 'ALTER TABLE t ADD CONSTRAINT k FOREIGN KEY (n) REFERENCES u NOT VALID',
    nearly: 'CREATE INDEX ON t (n, id); ALTER TABLE t ADD CONSTRAINT k FOREIGN KEY (n) REFERENCES u NOT VALID',
  },
  {
    rule: 'drop-index',
    object: 't_n_idx',
    base: `${t} CREATE INDEX ON t (n)`,
    migration: 'DROP INDEX t_n_idx',
    nearly: 'ALTER INDEX t_n_idx RENAME TO fresh',
  },
  {
    rule: 'drop-constraint',
    object: 't.positive',
    base: `${t} ALTER TABLE t ADD CONSTRAINT positive CHECK (n > 0)`,
    migration: 'ALTER TABLE t DROP CONSTRAINT positive',
    nearly: 'ALTER TABLE t RENAME CONSTRAINT positive TO more',
  },
  {
    rule: 'drop-foreign-key',
    object: 't.t_n_fkey',
    base: `${t} CREATE TABLE u (id integer PRIMARY KEY); ALTER TABLE t ADD FOREIGN KEY (n) REFERENCES u`,
    migration: 'ALTER TABLE t DROP CONSTRAINT t_n_fkey',
    nearly: 'ALTER TABLE t DROP COLUMN n',
  },
  {
    rule: 'drop-not-null',
    object: 't.id',
    base: t,
    migration: 'ALTER TABLE t ALTER id DROP NOT NULL',
    nearly: 'ALTER TABLE t ADD PRIMARY KEY (id)',
  },
  {
    rule: 'drop-trigger',
    object: 't.g',
    base: trigger,
    migration: 'DROP TRIGGER g ON t',
    nearly: 'CREATE OR REPLACE TRIGGER g BEFORE INSERT ON t FOR EACH ROW EXECUTE PROCEDURE f()',
  },
  {
    rule: 'disable-trigger',
    object: 't.g',
    base: trigger,
    migration: 'ALTER TABLE t DISABLE TRIGGER g',
    nearly: 'ALTER TABLE t ENABLE ALWAYS TRIGGER g',
  },
  {
    rule: 'set-unlogged',
    object: 't',
    base: t,
    migration: 'ALTER TABLE t SET UNLOGGED',
    nearly: 'CREATE UNLOGGED TABLE u (id integer)',
  },
  {
    rule: 'detach-partition',
    object: 'p2',
    base: partitions,
    migration: 'ALTER TABLE p DETACH PARTITION p2',
    nearly: 'CREATE TABLE p3 PARTITION OF p DEFAULT; DROP TABLE p2',
  },
  {
    rule: 'change-publication',
    global: 'feed',
    base: `${t} CREATE TABLE u (id integer); CREATE PUBLICATION feed FOR TABLE t, u`,
    migration: 'ALTER PUBLICATION feed DROP TABLE t',
    nearly: 'ALTER PUBLICATION feed SET TABLE u, t',
  },
  {
    rule: 'unknown-change',
    global: 'CREATE EVENT TRIGGER e ON sql_drop EXECUTE FUNCTION try_unknown_change.f()',
    base: `
      CREATE FUNCTION f() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN END $$;
      CREATE EVENT TRIGGER e ON sql_drop EXECUTE FUNCTION f();`,
    migration: 'DROP EVENT TRIGGER e',
    nearly: `COMMENT ON EVENT TRIGGER e IS 'still here'`,
  },
];
