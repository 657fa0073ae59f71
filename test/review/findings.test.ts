import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Review, reviewSchemas } from '../../src/schema/review.ts';
import { type Service, startService } from '../../tools/service/index.ts';
import { call, ready } from '../../tools/service/test/client.ts';

const f = 'CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;';
const t = 'CREATE TABLE t (id integer PRIMARY KEY, n integer, s varchar(10) UNIQUE);';
const partitioned = `
  CREATE TABLE p (id integer NOT NULL, n integer, CHECK (id > 0)) PARTITION BY LIST (id);
  CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1) PARTITION BY LIST (n);
  CREATE TABLE p1a PARTITION OF p1 FOR VALUES IN (1);
  CREATE TABLE p2 PARTITION OF p FOR VALUES IN (2);
  CREATE INDEX ON p (n);`;

/** Migrations, and all that is found: the rule and the object within the case's schema. */
const migrations: [base: string, migration: string, found?: string[]][] = [
  [t, 'ALTER TABLE t ADD a integer, ADD b text DEFAULT $$x$$, ADD c timestamptz DEFAULT now() NOT NULL'],
  [t, 'ALTER TABLE t ALTER s TYPE varchar(20)'],
  [t, 'ALTER TABLE t ALTER s TYPE text'],
  [
    t,
    'ALTER TABLE t ADD CONSTRAINT c CHECK (n > 0) NOT VALID, ADD CONSTRAINT k FOREIGN KEY (n) REFERENCES t NOT VALID',
    ['foreign-key-without-index t.k'],
  ],
  [`${t} ALTER TABLE t ADD CONSTRAINT c CHECK (n > 0) NOT VALID`, 'ALTER TABLE t VALIDATE CONSTRAINT c'],
  [`${t} CREATE VIEW v AS SELECT * FROM t`, 'CREATE OR REPLACE VIEW v AS SELECT id, n, s, 1 AS more FROM t'],
  [`CREATE TYPE mood AS ENUM ('a', 'c')`, `ALTER TYPE mood ADD VALUE 'b' BEFORE 'c'`],
  [
    `${t} ${f} CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION f(); CREATE POLICY p ON t USING (true)`,
    'ALTER TABLE t RENAME CONSTRAINT t_pkey TO other; ALTER TABLE t RENAME CONSTRAINT t_id_not_null TO known; ALTER POLICY p ON t RENAME TO q',
  ],
  [
    t,
    'ALTER TABLE t ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY; CREATE POLICY p ON t USING (n > 0); REVOKE ALL ON t FROM reader',
    ['enable-rls t'],
  ],
  [`${t} GRANT ALL ON t TO reader`, 'REVOKE UPDATE ON t FROM reader', ['revoke t']],
  [`${t} GRANT UPDATE ON t TO reader`, 'REVOKE UPDATE ON t FROM reader; GRANT UPDATE (n) ON t TO reader', ['revoke t']],
  [
    'CREATE TABLE t (id serial PRIMARY KEY)',
    'ALTER TABLE t ALTER id DROP DEFAULT; DROP SEQUENCE t_id_seq; ALTER TABLE t ALTER id ADD GENERATED ALWAYS AS IDENTITY',
  ],
  [`${t} CREATE UNIQUE INDEX i ON t (n)`, 'ALTER TABLE t ADD CONSTRAINT u UNIQUE USING INDEX i', ['add-unique t.u']],
  [
    'CREATE FUNCTION d() RETURNS integer LANGUAGE sql SECURITY DEFINER RETURN 1',
    'ALTER FUNCTION d() SECURITY INVOKER; REVOKE ALL ON FUNCTION d() FROM PUBLIC',
    ['revoke d()'],
  ],
  [
    '',
    `${t} ${f} CREATE TABLE u (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, t integer REFERENCES t, g integer GENERATED ALWAYS AS (1) STORED, CHECK (id > 0)); CREATE INDEX ON u (t); GRANT ALL ON t, u TO reader; CREATE POLICY p ON u; CREATE MATERIALIZED VIEW m AS SELECT 1`,
  ],
  ['CREATE UNLOGGED TABLE t (id integer)', 'ALTER TABLE t SET LOGGED', ['set-logged t']],
  [
    t,
    `COMMENT ON TABLE t IS 'CREATE TABLE x ('; ALTER TABLE t ALTER n SET STATISTICS 5; CREATE STATISTICS st ON id, n FROM t`,
  ],
  ['CREATE SEQUENCE s', 'ALTER SEQUENCE s INCREMENT BY 10 CACHE 5; COMMENT ON SEQUENCE s IS $$x$$'],
  [
    `${t} ALTER TABLE t ALTER n SET NOT NULL`,
    'ALTER TABLE t DROP CONSTRAINT t_n_not_null, ADD CONSTRAINT other NOT NULL n',
  ],
  ['CREATE TABLE t (j json, "Odd" "char", "select" bit varying(4), a integer[][])', 'ALTER TABLE t ADD b jsonb[]'],

  [partitioned, 'CREATE TABLE p3 PARTITION OF p FOR VALUES IN (3)'],
  [partitioned, 'ALTER TABLE p ADD x integer NOT NULL', ['add-not-null-column p.x']],
  [partitioned, 'ALTER TABLE p DROP CONSTRAINT p_id_check', ['drop-constraint p.p_id_check']],
  [partitioned, 'ALTER TABLE p ADD CONSTRAINT c CHECK (n > 0)', ['add-check p.c']],
  [partitioned, 'ALTER TABLE p ADD UNIQUE (id, n)', ['add-unique p.p_id_n_key']],
  [partitioned, 'CREATE INDEX fresh ON p (id)', ['add-index fresh']],
  [partitioned, 'DROP INDEX p_n_idx', ['drop-index p_n_idx']],
  [partitioned, 'CREATE INDEX only_one ON p2 (id)', ['add-index only_one']],
  [
    `${partitioned} ${t}`,
    'ALTER TABLE p ADD CONSTRAINT k FOREIGN KEY (id) REFERENCES t',
    ['add-foreign-key p.k', 'foreign-key-without-index p.k'],
  ],
  [partitioned, 'DROP TABLE p', ['drop-table p']],
  [partitioned, 'DROP TABLE p1', ['drop-table p1']],
  [
    `${partitioned} ${f} CREATE TRIGGER g BEFORE INSERT ON p FOR EACH ROW EXECUTE FUNCTION f()`,
    'DROP TRIGGER g ON p',
    ['drop-trigger p.g'],
  ],
  [`${t} CREATE TABLE child (more text) INHERITS (t)`, 'ALTER TABLE t DROP n', ['drop-column t.n']],

  [t, 'GRANT SELECT ON t TO PUBLIC', ['grant t']],
  [`${t} GRANT SELECT ON t TO reader`, 'GRANT SELECT ON t TO reader WITH GRANT OPTION', ['grant t']],
  ['CREATE SEQUENCE s', 'GRANT USAGE ON SEQUENCE s TO reader', ['grant s']],
  [f, 'GRANT EXECUTE ON FUNCTION f() TO PUBLIC'],
  [`${f} REVOKE ALL ON FUNCTION f() FROM PUBLIC`, 'GRANT EXECUTE ON FUNCTION f() TO reader', ['grant f()']],
  [
    `CREATE TYPE mood AS ENUM ('a'); REVOKE ALL ON TYPE mood FROM PUBLIC`,
    'GRANT USAGE ON TYPE mood TO reader',
    ['grant mood'],
  ],
  [`${t} CREATE VIEW v AS SELECT 1 AS a`, 'GRANT SELECT (a) ON v TO reader', ['grant v']],
  [
    `${f} CREATE TYPE mood AS ENUM ('a'); CREATE VIEW v AS SELECT 1`,
    'ALTER FUNCTION f() OWNER TO reader; ALTER TYPE mood OWNER TO reader; ALTER VIEW v OWNER TO reader',
    ['change-owner v', 'change-owner f()', 'change-owner mood'],
  ],
  [
    `${t} CREATE VIEW v WITH (security_invoker = on) AS SELECT * FROM t`,
    'ALTER VIEW v SET (security_invoker = off)',
    ['view-security v'],
  ],
  [
    `${t} ALTER TABLE t ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY`,
    'ALTER TABLE t NO FORCE ROW LEVEL SECURITY',
    ['disable-rls t'],
  ],
  [
    `${t} CREATE POLICY p ON t FOR SELECT USING (true)`,
    'DROP POLICY p ON t; CREATE POLICY p ON t USING (true)',
    ['change-policy t.p'],
  ],
  [
    `${t} ${f} CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION f()`,
    'ALTER TABLE t ENABLE REPLICA TRIGGER g',
    ['disable-trigger t.g'],
  ],
  [
    `${partitioned} ${f} CREATE TRIGGER g BEFORE INSERT ON p FOR EACH ROW EXECUTE FUNCTION f()`,
    'ALTER TABLE p2 DISABLE TRIGGER g',
    ['disable-trigger p2.g'],
  ],
  [
    'CREATE DOMAIN d AS integer CHECK (VALUE > 0); CREATE TABLE t (d d)',
    'ALTER DOMAIN d ADD CONSTRAINT more CHECK (VALUE > 1)',
    ['add-check d.more'],
  ],
  ['CREATE DOMAIN d AS integer; CREATE TABLE t (d d)', 'ALTER DOMAIN d SET NOT NULL', ['set-not-null d']],
  [
    'CREATE DOMAIN d AS integer CHECK (VALUE > 0)',
    'ALTER DOMAIN d DROP CONSTRAINT d_check',
    ['drop-constraint d.d_check'],
  ],
  ['CREATE DOMAIN d AS integer NOT NULL', 'ALTER DOMAIN d DROP NOT NULL', ['drop-not-null d']],
  ['CREATE DOMAIN d AS integer DEFAULT 1', 'ALTER DOMAIN d DROP DEFAULT', ['drop-default d']],
  [
    `${t} ALTER TABLE t ADD CONSTRAINT k FOREIGN KEY (n) REFERENCES t`,
    'ALTER TABLE t DROP CONSTRAINT k, ADD CONSTRAINT k FOREIGN KEY (n) REFERENCES t ON DELETE CASCADE',
    ['add-foreign-key t.k'],
  ],
  [
    `${t} ALTER TABLE t ADD CONSTRAINT c CHECK (n > 0) NOT ENFORCED`,
    'ALTER TABLE t DROP CONSTRAINT c, ADD CONSTRAINT c CHECK (n > 0)',
    ['add-check t.c'],
  ],
  [
    'CREATE TABLE t (a integer, g integer GENERATED ALWAYS AS (a) STORED)',
    'ALTER TABLE t ALTER g DROP EXPRESSION',
    ['drop-default t.g'],
  ],
  ['CREATE TABLE t (only_here integer)', 'DROP TABLE t; CREATE VIEW t AS SELECT 1', ['drop-table t']],
  [
    'CREATE MATERIALIZED VIEW m AS SELECT 1',
    'DROP MATERIALIZED VIEW m; CREATE VIEW m AS SELECT 1',
    ['drop-materialized-view m'],
  ],
  [partitioned, 'ALTER TABLE p1 DETACH PARTITION p1a', ['detach-partition p1a']],
  [t, 'ALTER TABLE t DROP CONSTRAINT t_pkey, ADD PRIMARY KEY (s)', ['set-not-null t.s', 'add-primary-key t.t_pkey']],
  [
    'CREATE FUNCTION d(a integer DEFAULT 1, OUT b integer) LANGUAGE sql RETURN 1',
    'DROP FUNCTION d; CREATE FUNCTION d(a bigint) RETURNS integer LANGUAGE sql RETURN 1',
    ['change-function d(integer)'],
  ],
];
const cases = migrations.map(([base, migration, found = []], index) => ({
  name: `case_${index}`,
  base,
  migration,
  found,
}));

let service: Service;
let review: Review;

async function run(branch: string, sql: (one: (typeof cases)[number]) => string): Promise<void> {
  for (const one of cases) {
    await service.query(branch, `SET search_path = ${one.name}, public; ${sql(one)}`, { role: 'cloud_admin' });
  }
}

async function dump(branch: string): Promise<string> {
  const path = `/projects/${service.projectId}/branches/${service.branch(branch)?.id}/schema?db_name=neondb`;
  return (await call(service, 'GET', path)).body.sql;
}

beforeAll(async () => {
  service = await startService({ operationMs: 0 });
  await service.query('main', 'CREATE ROLE reader', { role: 'cloud_admin' });
  await run('main', ({ name, base }) => `CREATE SCHEMA ${name}; ${base}`);
  await ready(service, 'migrated');
  await run('migrated', ({ migration }) => migration);
  const [before, after] = [await dump('main'), await dump('migrated')];
  review = await reviewSchemas({ before, after, signal: new AbortController().signal });
});

afterAll(() => service.stop());

describe('the findings about a migration', () => {
  it('are about its own objects', () => {
    expect(review.incomplete).toBeUndefined();
    expect(review.findings.filter(({ object }) => !object.startsWith('case_'))).toEqual([]);
  });

  it.each(cases)('are complete: $migration', ({ name, found }) => {
    const about = review.findings.filter(({ object }) => object.startsWith(`${name}.`));
    expect(about.map(({ rule, object }) => `${rule} ${object.slice(name.length + 1)}`).sort()).toEqual(found.sort());
  });
});
