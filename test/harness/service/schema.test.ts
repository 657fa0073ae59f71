import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Service, startService } from '../../service/index.ts';
import { call, ready } from './client.ts';

const SCHEMA = `
  CREATE SCHEMA shop;
  CREATE TYPE shop.state AS ENUM ('open', 'paid');
  CREATE TYPE shop.point AS (x int, y int);
  CREATE DOMAIN shop.positive AS int NOT NULL CHECK (VALUE > 0);
  CREATE FUNCTION shop.twice(n int) RETURNS int LANGUAGE sql AS 'SELECT n * 2';
  CREATE TABLE shop.people (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    "Full Name" varchar(80) NOT NULL DEFAULT 'nobody',
    tags text[] DEFAULT '{}',
    twofold text GENERATED ALWAYS AS ("Full Name" || 'x') STORED,
    CONSTRAINT named CHECK (length("Full Name") > 1),
    UNIQUE ("Full Name")
  );
  CREATE TABLE shop.orders (
    id serial PRIMARY KEY, person bigint REFERENCES shop.people ON DELETE CASCADE,
    state shop.state NOT NULL DEFAULT 'open', amount shop.positive, placed timestamptz DEFAULT now()
  );
  CREATE INDEX orders_open ON shop.orders (placed DESC) WHERE state = 'open';
  CREATE VIEW shop.a_last AS SELECT 1::int AS one;
  CREATE VIEW shop.z_first AS SELECT id FROM shop.orders;
  CREATE OR REPLACE VIEW shop.a_last AS SELECT id AS one FROM shop.z_first WHERE false UNION SELECT 1;
  CREATE MATERIALIZED VIEW shop.totals AS SELECT count(*) FROM shop.orders;
  CREATE TABLE shop.events (at date NOT NULL, what text) PARTITION BY RANGE (at);
  CREATE TABLE shop.events_2030 PARTITION OF shop.events FOR VALUES FROM ('2030-01-01') TO ('2031-01-01');
  CREATE FUNCTION shop.touch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
  CREATE TRIGGER touched BEFORE UPDATE ON shop.orders FOR EACH ROW EXECUTE FUNCTION shop.touch();
  ALTER TABLE shop.orders ENABLE ROW LEVEL SECURITY;
  CREATE POLICY mine ON shop.orders FOR SELECT USING (amount > 0);
  COMMENT ON COLUMN shop.people.tags IS 'it''s a list';
`;

let service: Service;
let project: string;

beforeAll(async () => {
  service = await startService({ operationMs: 0, seed: SCHEMA, databases: ['second'] });
  project = `/projects/${service.projectId}`;
});

afterAll(async () => {
  const { violations } = service;
  await service.stop();
  expect(violations).toEqual([]);
});

const schemaOf = async (branch: string, database = 'neondb'): Promise<string> => {
  const path = `${project}/branches/${service.branch(branch)?.id}/schema?db_name=${database}`;
  return (await call(service, 'GET', path)).body.sql;
};

const diffOf = async (branch: string, query = ''): Promise<string> => {
  const path = `${project}/branches/${service.branch(branch)?.id}/compare_schema?db_name=neondb${query}`;
  return (await call(service, 'GET', path)).body.diff;
};

it('returns a schema as SQL that creates the same schema', async () => {
  const sql = await schemaOf('main');
  for (const line of [
    "CREATE TYPE shop.state AS ENUM (\n    'open',\n    'paid'\n);",
    `    "Full Name" character varying(80) DEFAULT 'nobody'::character varying NOT NULL,`,
    '    id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,',
    '    CONSTRAINT named CHECK ((length(("Full Name")::text) > 1))',
    "CREATE INDEX orders_open ON shop.orders USING btree (placed DESC) WHERE (state = 'open'::shop.state);",
    'ALTER TABLE ONLY shop.orders\n    ADD CONSTRAINT orders_pkey PRIMARY KEY (id);',
    'PARTITION BY RANGE (at);',
    "COMMENT ON COLUMN shop.people.tags IS 'it''s a list';",
  ]) {
    expect(sql).toContain(line);
  }
  expect(sql.indexOf('CREATE VIEW shop.z_first')).toBeLessThan(sql.indexOf('CREATE VIEW shop.a_last'));
  // The sequence of a serial column must be created before its table, but is owned by the table.
  const runnable = sql.replace(/^ALTER SEQUENCE .* OWNED BY .*$/gm, '');
  await ready(service, 'again');
  await service.query('again', 'DROP SCHEMA shop CASCADE');
  expect(await schemaOf('again')).not.toContain('shop');
  await service.query('again', runnable);
  await service.query('again', 'ALTER SEQUENCE shop.orders_id_seq OWNED BY shop.orders.id');
  expect(await schemaOf('again')).toBe(sql);
});

it('compares a branch with its parent or another branch', async () => {
  await ready(service, 'changed');
  expect(await diffOf('changed')).toBe('');
  await service.query(
    'changed',
    "ALTER TABLE shop.people DROP COLUMN tags, ADD COLUMN age int NOT NULL DEFAULT 0; ALTER TYPE shop.state ADD VALUE 'void'; CREATE TABLE extra (n numeric(9, 2))",
  );
  const diff = await diffOf('changed');
  expect(diff.startsWith('--- a/neondb\n+++ b/neondb\n@@ -')).toBe(true);
  const lines = diff.split('\n').filter((line) => /^[-+][^-+]/.test(line));
  expect(lines).toEqual(
    expect.arrayContaining([
      "+    'paid',",
      "+    'void'",
      "-    tags text[] DEFAULT '{}'::text[],",
      '+    age integer DEFAULT 0 NOT NULL,',
      '+CREATE TABLE public.extra (',
      '+    n numeric(9,2)',
    ]),
  );
  await ready(service, 'unchanged');
  expect(await diffOf('unchanged', `&base_branch_id=${service.branch('changed')?.id}`)).toContain(
    '-CREATE TABLE public.extra (',
  );
  expect(
    (await call(service, 'GET', `${project}/branches/${service.main.id}/compare_schema?db_name=neondb`)).status,
  ).toBe(422);
  const nowhere = `${project}/branches/${service.branch('changed')?.id}/compare_schema?db_name=none`;
  expect((await call(service, 'GET', nowhere)).status).toBe(404);
  expect(await schemaOf('changed', 'second')).not.toContain('shop');
});

it('returns the schema at a past time', async () => {
  await ready(service, 'history');
  await new Promise((resolve) => setTimeout(resolve, 5));
  const before = new Date().toISOString();
  await new Promise((resolve) => setTimeout(resolve, 5));
  await service.query('history', 'DROP TABLE shop.people CASCADE');
  const since = await diffOf('history', `&base_branch_id=${service.branch('history')?.id}&base_timestamp=${before}`);
  expect(since).toContain('-CREATE TABLE shop.people (');
});

it('compares the given schemas without Postgres', async () => {
  const other = await startService({ compute: 'none', operationMs: 0 });
  other.setSchema('main', 'CREATE TABLE a (\n    n integer\n);\n');
  await other.addBranch({ name: 'b' });
  const path = `/projects/${other.projectId}/branches/${other.branch('b')?.id}/compare_schema?db_name=neondb`;
  expect((await call(other, 'GET', path)).body.diff).toBe('');
  other.setSchema('b', 'CREATE TABLE a (\n    n bigint\n);\n');
  expect((await call(other, 'GET', path)).body.diff).toBe(
    '--- a/neondb\n+++ b/neondb\n@@ -1,3 +1,3 @@\n CREATE TABLE a (\n-    n integer\n+    n bigint\n );\n',
  );
  await other.stop();
});
