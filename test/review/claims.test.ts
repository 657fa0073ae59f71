import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Database } from './database.ts';

/** What the rules claim, tried on a real Postgres. The titles are the rules' names. */

let database: Database;

beforeAll(async () => {
  database = await Database.start();
  await database.query('CREATE ROLE reader; GRANT reader TO neondb_owner WITH SET TRUE');
});

afterAll(() => database.stop());

const full =
  'CREATE TABLE t (id integer NOT NULL, n integer, s text); INSERT INTO t VALUES (1, NULL, $$a$$), (2, 7, $$b$$), (2, 7, $$long text$$);';

/** What a statement does to a table with rows. */
async function effectOf(statement: string, prepare = full, table = 't'): Promise<Effect> {
  return database.tried(prepare, async () => {
    const [file, scans] = [await database.fileOf(table), await database.scansOf(table)];
    const error = await database.errorOf(statement);
    if (error !== undefined) return { error };
    return {
      rewrites: (await database.fileOf(table)) !== file,
      scans: (await database.scansOf(table)) > scans,
      lock: strongest(await database.locksOn(table)),
    };
  });
}

type Effect = { error: string } | { rewrites: boolean; scans: boolean; lock: string | undefined };

const byStrength = [
  'AccessShare',
  'RowShare',
  'RowExclusive',
  'ShareUpdateExclusive',
  'Share',
  'ShareRowExclusive',
  'Exclusive',
  'AccessExclusive',
];

function strongest(modes: string[]): string | undefined {
  return modes
    .map((mode) => mode.replace(/Lock$/, ''))
    .sort((a, b) => byStrength.indexOf(b) - byStrength.indexOf(a))[0];
}

/** Blocks reads and writes. */
const all = { lock: 'AccessExclusive' };
const rewrite = { ...all, rewrites: true };
/** Only changes the catalog: the lock is held for a moment. */
const instant = { ...all, rewrites: false, scans: false };
const scan = { ...all, rewrites: false, scans: true };

async function valuesOf(sql: string): Promise<unknown[]> {
  return (await database.query(sql)).map((row) => Object.values(row)[0]);
}

describe('destructive', () => {
  it('drop-column: the values are gone, although the table is not rewritten', async () => {
    expect(await effectOf('ALTER TABLE t DROP n')).toEqual(instant);
    await database.tried(full, async () => {
      await database.query('ALTER TABLE t DROP n; ALTER TABLE t ADD n integer');
      expect(await valuesOf('SELECT n FROM t')).toEqual([null, null, null]);
    });
  });

  it('drop-sequence: a new sequence hands out numbers that are in use', async () => {
    await database.tried('CREATE SEQUENCE s; SELECT nextval($$s$$) FROM generate_series(1, 9)', async () => {
      await database.query('DROP SEQUENCE s; CREATE SEQUENCE s');
      expect(await valuesOf('SELECT nextval($$s$$)::int')).toEqual([1]);
    });
  });

  it('drop-extension: with CASCADE, columns of its types go, too', async () => {
    await database.tried('CREATE EXTENSION citext; CREATE TABLE c (id integer, name citext)', async () => {
      expect(await database.errorOf('DROP EXTENSION citext')).toMatch(/other objects depend on it/);
      await database.query('DROP EXTENSION citext CASCADE');
      expect(
        await valuesOf(
          "SELECT attname FROM pg_attribute WHERE attrelid = 'c'::regclass AND attnum > 0 AND NOT attisdropped",
        ),
      ).toEqual(['id']);
    });
  });

  it('drop-enum-value: Postgres has no statement for it, and rebuilding the type fails on a row that uses the value', async () => {
    await database.tried(
      `CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE TABLE e (m mood); INSERT INTO e VALUES ('ok')`,
      async () => {
        expect(await database.errorOf(`ALTER TYPE mood DROP VALUE 'ok'`)).toMatch(/not implemented/);
        await database.query(`ALTER TYPE mood RENAME TO old; CREATE TYPE mood AS ENUM ('sad')`);
        const rebuild = 'ALTER TABLE e ALTER m TYPE mood USING m::text::mood';
        expect(await database.errorOf(rebuild)).toBe('invalid input value for enum mood: "ok"');
        await database.query(`UPDATE e SET m = 'sad'`);
        expect(await database.errorOf(rebuild)).toBeUndefined();
      },
    );
  });

  it('narrow-type: values that do not fit are rejected, rounded or truncated', async () => {
    await database.tried(
      'CREATE TABLE v (i integer, s text, d numeric, at timestamp); INSERT INTO v VALUES (70000, $$long text$$, 1.55, $$2030-01-01 00:00:00.123456$$)',
      async () => {
        expect(await database.errorOf('ALTER TABLE v ALTER i TYPE smallint')).toBe('smallint out of range');
        expect(await database.errorOf('ALTER TABLE v ALTER s TYPE varchar(4)')).toBe(
          'value too long for type character varying(4)',
        );
        await database.query(
          `ALTER TABLE v ALTER s TYPE varchar(4) USING s::varchar(4), ALTER d TYPE numeric(10,1), ALTER at TYPE timestamp(0)`,
        );
        expect(await database.query('SELECT s, d, at::text FROM v')).toEqual([
          { s: 'long', d: '1.6', at: '2030-01-01 00:00:00' },
        ]);
      },
    );
  });

  it('convert-type: the change fails without a rule for the conversion, or changes the value', async () => {
    await database.tried(
      `CREATE TABLE v (s text, j json); INSERT INTO v VALUES ('x', '{"b": 1, "a": 2, "a": 3}')`,
      async () => {
        expect(await database.errorOf('ALTER TABLE v ALTER s TYPE integer')).toMatch(
          /cannot be cast automatically to type integer/,
        );
        expect(await database.errorOf('ALTER TABLE v ALTER s TYPE integer USING s::integer')).toMatch(
          /invalid input syntax/,
        );
        await database.query('ALTER TABLE v ALTER j TYPE jsonb');
        expect(await valuesOf('SELECT j::text FROM v')).toEqual(['{"a": 3, "b": 1}']);
      },
    );
  });

  it('set-not-null: fails on a row with NULL, and scans the table unless a valid check makes it needless', async () => {
    expect(await effectOf('ALTER TABLE t ALTER n SET NOT NULL')).toEqual({
      error: 'column "n" of relation "t" contains null values',
    });
    expect(await effectOf('ALTER TABLE t ALTER s SET NOT NULL')).toEqual(scan);
    const check = 'ALTER TABLE t ADD CONSTRAINT known CHECK (s IS NOT NULL)';
    expect(await effectOf('ALTER TABLE t ALTER s SET NOT NULL', `${full} ${check}`)).toEqual(instant);
    expect(await effectOf(`${check} NOT VALID`)).toEqual(instant);
  });

  it('add-not-null-column: fails on a table with rows, unless there is a default', async () => {
    expect(await effectOf('ALTER TABLE t ADD m integer NOT NULL')).toEqual({
      error: 'column "m" of relation "t" contains null values',
    });
    expect(await effectOf('ALTER TABLE t ADD m integer NOT NULL DEFAULT 0')).toEqual(instant);
    expect(await effectOf('ALTER TABLE t ADD m integer NOT NULL', 'CREATE TABLE t (id integer);')).not.toHaveProperty(
      'error',
    );
  });
});

describe('exposing', () => {
  const secured = `${full} GRANT SELECT ON t TO reader; ALTER TABLE t ENABLE ROW LEVEL SECURITY;`;
  const seen = () => database.readAs('reader', 'SELECT id FROM t');
  const rows = { all: [1, 2, 2], none: [] };

  it('drop-policy: without a restrictive policy more rows are visible; without a permissive one, none', async () => {
    const policies = 'CREATE POLICY p ON t USING (true); CREATE POLICY r ON t AS RESTRICTIVE USING (id = 1);';
    await database.tried(secured + policies, async () => {
      expect(await seen()).toEqual([1]);
      await database.query('DROP POLICY r ON t');
      expect(await seen()).toEqual(rows.all);
      await database.query('DROP POLICY p ON t');
      expect(await seen()).toEqual(rows.none);
    });
  });

  it('disable-rls: policies no longer restrict anything', async () => {
    await database.tried(secured, async () => {
      expect(await seen()).toEqual(rows.none);
      await database.query('ALTER TABLE t DISABLE ROW LEVEL SECURITY');
      expect(await seen()).toEqual(rows.all);
    });
  });

  it('change-owner: the new owner bypasses row-level security, unless it is forced', async () => {
    await database.tried(secured, async () => {
      await database.query('ALTER TABLE t OWNER TO reader');
      expect(await seen()).toEqual(rows.all);
      await database.query('ALTER TABLE t FORCE ROW LEVEL SECURITY');
      expect(await seen()).toEqual(rows.none);
    });
  });

  it("security-definer: a function runs with its owner's rights", async () => {
    await database.tried(
      'CREATE FUNCTION who() RETURNS text LANGUAGE sql AS $$ SELECT current_user::text $$',
      async () => {
        expect(await database.readAs('reader', 'SELECT who()')).toEqual(['reader']);
        await database.query('ALTER FUNCTION who() SECURITY DEFINER');
        expect(await database.readAs('reader', 'SELECT who()')).toEqual(['neondb_owner']);
      },
    );
  });

  it("security-definer: a view that isn't `security_invoker` reads with its owner's rights", async () => {
    const view = 'CREATE VIEW v WITH (security_invoker) AS SELECT id FROM t; GRANT SELECT ON v TO reader;';
    await database.tried(`${full} ${view}`, async () => {
      const read = () => database.readAs('reader', 'SELECT id FROM v');
      await expect(read()).rejects.toThrow('permission denied for table t');
      await database.query('ALTER VIEW v RESET (security_invoker)');
      expect(await read()).toEqual(rows.all);
    });
  });
});

describe('locking', () => {
  it('rewrite-type: rewrites the table; a longer varchar does not even read it', async () => {
    expect(await effectOf('ALTER TABLE t ALTER id TYPE bigint')).toMatchObject(rewrite);
    expect(
      await effectOf('ALTER TABLE t ALTER v TYPE varchar(20)', `${full} ALTER TABLE t ADD v varchar(10);`),
    ).toEqual(instant);
  });

  it('rewrite-type: a new column rewrites the table if its type is a domain with constraints', async () => {
    const strict = 'CREATE DOMAIN positive AS integer CHECK (VALUE > 0);';
    expect(await effectOf('ALTER TABLE t ADD p positive', full + strict)).toMatchObject(rewrite);
    expect(await effectOf('ALTER TABLE t ADD p positive DEFAULT 1', full + strict)).toMatchObject(rewrite);
    expect(await effectOf('ALTER TABLE t ADD p loose', `${full} CREATE DOMAIN loose AS integer DEFAULT 1;`)).toEqual(
      instant,
    );
  });

  it('rewrite-type: another collation rebuilds indexes, not the table, and a unique one may fail', async () => {
    const collate = (collation: string) => `ALTER TABLE t ALTER s TYPE text COLLATE ${collation}`;
    const text = "CREATE TABLE t (s text); INSERT INTO t VALUES ('a'), ('A');";
    const unique = `${text} CREATE UNIQUE INDEX i ON t (s);`;
    const ignoring = `CREATE COLLATION ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);`;
    expect(await effectOf(collate('"C"'), text)).toEqual(instant);
    expect(await effectOf(collate('"C"'), unique)).toEqual(scan);
    expect(await effectOf(collate('"C"'), unique, 'i')).toMatchObject({ rewrites: true });
    expect(await effectOf(collate('ci'), ignoring + unique)).toEqual({ error: 'could not create unique index "i"' });
  });

  it('volatile-default: rewrites the table; now() is the same for all rows', async () => {
    expect(await effectOf('ALTER TABLE t ADD u uuid DEFAULT gen_random_uuid()')).toMatchObject(rewrite);
    expect(await effectOf('ALTER TABLE t ADD u integer GENERATED ALWAYS AS IDENTITY')).toMatchObject(rewrite);
    expect(await effectOf('ALTER TABLE t ADD u timestamptz DEFAULT now()')).toEqual(instant);
    expect(await effectOf('ALTER TABLE t ADD u uuid; ALTER TABLE t ALTER u SET DEFAULT gen_random_uuid()')).toEqual(
      instant,
    );
  });

  it('stored-generated: rewrites the table; a virtual column does not', async () => {
    expect(await effectOf('ALTER TABLE t ADD g integer GENERATED ALWAYS AS (id * 2) STORED')).toMatchObject(rewrite);
    expect(await effectOf('ALTER TABLE t ADD g integer GENERATED ALWAYS AS (id * 2) VIRTUAL')).toEqual(instant);
    const stored = `${full} ALTER TABLE t ADD g integer GENERATED ALWAYS AS (id * 2) STORED;`;
    expect(await effectOf('ALTER TABLE t ALTER g SET EXPRESSION AS (id * 3)', stored)).toMatchObject(rewrite);
  });

  it('add-unique: fails on duplicates; a constraint blocks reads and writes, an index only writes', async () => {
    expect(await effectOf('ALTER TABLE t ADD UNIQUE (id)')).toEqual({
      error: 'could not create unique index "t_id_key"',
    });
    expect(await effectOf('ALTER TABLE t ADD UNIQUE (s)')).toEqual(scan);
    expect(await effectOf('CREATE UNIQUE INDEX ON t (s)')).toMatchObject({ lock: 'Share', scans: true });
    expect(
      await effectOf('ALTER TABLE t ADD UNIQUE USING INDEX ready', `${full} CREATE UNIQUE INDEX ready ON t (s);`),
    ).toEqual(instant);
  });

  it('add-primary-key: fails on NULL, and blocks reads and writes', async () => {
    expect(await effectOf('ALTER TABLE t ADD PRIMARY KEY (n)', full.replace('(2, 7, $$b$$), ', ''))).toEqual({
      error: 'column "n" of relation "t" contains null values',
    });
    expect(await effectOf('ALTER TABLE t ADD PRIMARY KEY (s)')).toEqual(scan);
    const ready = `${full} ALTER TABLE t ALTER s SET NOT NULL; CREATE UNIQUE INDEX ready ON t (s);`;
    expect(await effectOf('ALTER TABLE t ADD PRIMARY KEY USING INDEX ready', ready)).toEqual(instant);
  });

  it('add-exclusion: fails on conflicts, blocks reads and writes, and cannot use an existing index', async () => {
    const ranges = `${full} ALTER TABLE t ADD r int4range; UPDATE t SET r = '[1,2]';`;
    expect(await effectOf('ALTER TABLE t ADD EXCLUDE USING gist (r WITH &&)', ranges)).toMatchObject({
      error: expect.stringMatching(/could not create exclusion/),
    });
    expect(
      await effectOf(
        'ALTER TABLE t ADD EXCLUDE USING gist (r WITH &&)',
        ranges.replace('UPDATE', 'DELETE FROM t WHERE id = 2; UPDATE'),
      ),
    ).toEqual(scan);
    expect(await effectOf('ALTER TABLE t ADD EXCLUDE USING INDEX ready', ranges)).toMatchObject({
      error: expect.stringMatching(/syntax error/),
    });
  });

  it('add-check: fails on rows that violate it, and blocks reads and writes; NOT VALID does not read the table', async () => {
    expect(await effectOf('ALTER TABLE t ADD CHECK (id > 1)')).toMatchObject({
      error: expect.stringMatching(/is violated by some row/),
    });
    expect(await effectOf('ALTER TABLE t ADD CHECK (id > 0)')).toEqual(scan);
    expect(await effectOf('ALTER TABLE t ADD CHECK (id > 1) NOT VALID')).toEqual(instant);
    const later = (prepare: string) => `${prepare} ALTER TABLE t ADD CONSTRAINT later CHECK (id > 0) NOT VALID;`;
    // Validating lets reads and writes pass, if it is not in the same transaction.
    expect(await effectOf('ALTER TABLE t VALIDATE CONSTRAINT later', later(full))).toEqual({
      lock: 'ShareUpdateExclusive',
      rewrites: false,
      scans: true,
    });
  });

  it('add-foreign-key: blocks writes to both tables; NOT VALID does not read them', async () => {
    const both = `${full} CREATE TABLE u (id integer PRIMARY KEY); INSERT INTO u VALUES (7);`;
    const add = 'ALTER TABLE t ADD CONSTRAINT k FOREIGN KEY (n) REFERENCES u';
    expect(await effectOf(add.replace('(n)', '(id)'), both)).toMatchObject({
      error: expect.stringMatching(/violates foreign key constraint/),
    });
    expect(await effectOf(add, both)).toEqual({ lock: 'ShareRowExclusive', rewrites: false, scans: true });
    expect(await effectOf(add, both, 'u')).toMatchObject({ lock: 'ShareRowExclusive' });
    expect(await effectOf(`${add} NOT VALID`, both)).toMatchObject({ lock: 'ShareRowExclusive', scans: false });
    expect(await effectOf('ALTER TABLE t VALIDATE CONSTRAINT k', `${both} ${add} NOT VALID;`)).toMatchObject({
      lock: 'ShareUpdateExclusive',
      scans: true,
    });
  });

  it('add-index: blocks writes; CONCURRENTLY cannot run in a transaction', async () => {
    expect(await effectOf('CREATE INDEX ON t (n)')).toMatchObject({ lock: 'Share', scans: true });
    expect(await effectOf('CREATE INDEX CONCURRENTLY ON t (n)')).toMatchObject({
      error: expect.stringMatching(/cannot run inside a transaction block/),
    });
  });
});

describe('notice', () => {
  it('set-unlogged: rewrites the table, too', async () => {
    expect(await effectOf('ALTER TABLE t SET UNLOGGED')).toMatchObject(rewrite);
  });

  it('detach-partition: the rows are no longer found, but not lost', async () => {
    const partitions = `CREATE TABLE p (id integer) PARTITION BY LIST (id); CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1); INSERT INTO p VALUES (1)`;
    await database.tried(partitions, async () => {
      await database.query('ALTER TABLE p DETACH PARTITION p1');
      expect([await valuesOf('SELECT id FROM p'), await valuesOf('SELECT id FROM p1')]).toEqual([[], [1]]);
    });
  });

  it('drop-default, drop-not-null, drop-identity and drop-trigger: only new rows change', async () => {
    const prepare = `CREATE TABLE d (a integer DEFAULT 1, b integer NOT NULL DEFAULT 1, c integer GENERATED ALWAYS AS IDENTITY); INSERT INTO d DEFAULT VALUES;`;
    for (const change of ['ALTER a DROP DEFAULT', 'ALTER b DROP NOT NULL', 'ALTER c DROP IDENTITY']) {
      expect(await effectOf(`ALTER TABLE d ${change}`, prepare, 'd')).toEqual(instant);
    }
    await database.tried(prepare, async () => {
      await database.query('ALTER TABLE d ALTER b DROP DEFAULT');
      expect(await database.errorOf('INSERT INTO d DEFAULT VALUES')).toMatch(/null value in column "b"/);
      await database.query(
        'ALTER TABLE d ALTER b DROP NOT NULL, ALTER c DROP IDENTITY, ALTER c DROP NOT NULL; INSERT INTO d DEFAULT VALUES',
      );
      expect(await database.query('SELECT a, b, c FROM d')).toEqual([
        { a: 1, b: 1, c: 1 },
        { a: 1, b: null, c: null },
      ]);
    });
  });
});
