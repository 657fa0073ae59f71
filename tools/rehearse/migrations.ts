/** One statement, or several that are sent at once. */
export interface Step {
  /** Which connection; default `a`. */
  on?: string;
  sql: string;
  /** Whether the next step waits for it; default yes. */
  waits?: boolean;
  /** Whether the migration goes on if it fails; default no. */
  mayFail?: boolean;
}

/** A lock that a migration takes: its mode, and between which logged statements it is held. */
export interface Expected {
  mode: 'ShareLock' | 'ShareRowExclusiveLock' | 'ExclusiveLock' | 'AccessExclusiveLock';
  /** The statement that takes it: how its text begins. */
  from: string;
  /** The statement at whose end it is released, if that is another one. */
  to?: string;
  /**
   * Whether it deletes files, which the server does after it has released its locks: a lock may have been held for less time than the log
   * says, too briefly to be sampled.
   */
  deletesFiles?: boolean;
  /** A statement that the report must name, if it is not the one that takes it. */
  names?: string;
}

/** A kind of migration of the tables below, and what it does. */
export interface Migration {
  name: string;
  /** Run before the rehearsal, as the owner. */
  before?: string;
  steps: (string | Step)[];
  /** What is locked so that it blocks others. Tables that are not named are not locked; all are in `public`. */
  locks: Record<string, Expected>;
  rewritten?: string[];
  truncated?: string[];
  /** Tables that have lost most of their rows. */
  lost?: string[];
  /** Indexes that are invalid. */
  invalid?: string[];
  fails?: boolean;
}

/** The tables of every migration; `rows` in the larger ones. */
export function tables(rows: number): string {
  return `
    CREATE TABLE users (id integer PRIMARY KEY, email varchar(100) NOT NULL, score integer, created timestamptz NOT NULL DEFAULT now());
    INSERT INTO users SELECT i, 'user' || i || '@example.com', i % 1000, now() - i * interval '1 minute' FROM generate_series(1, ${rows}) i;
    CREATE TABLE orders (id bigint PRIMARY KEY, user_id integer NOT NULL, total numeric NOT NULL, state text);
    INSERT INTO orders SELECT i, 1 + i % ${rows}, i % 500, CASE i % 3 WHEN 0 THEN 'new' ELSE 'paid' END FROM generate_series(1, ${rows}) i;
    CREATE TYPE mood AS ENUM ('sad', 'happy');
    CREATE TABLE events (id bigint NOT NULL, day date NOT NULL, kind mood) PARTITION BY RANGE (day);
    CREATE TABLE events_2024 PARTITION OF events FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
    INSERT INTO events SELECT i, date '2024-01-01' + i % 366, 'sad' FROM generate_series(1, ${Math.round(rows / 10)}) i;
    CREATE TABLE events_2025 (id bigint NOT NULL, day date NOT NULL, kind mood);
    INSERT INTO events_2025 SELECT i, date '2025-01-01' + i % 365, 'happy' FROM generate_series(1, ${rows}) i;
    CREATE MATERIALIZED VIEW totals AS SELECT user_id, sum(total) AS total FROM orders GROUP BY user_id;
    CREATE UNIQUE INDEX totals_key ON totals (user_id);
    ANALYZE`;
}

/** A statement in a transaction of its own: it takes the lock, and its end releases it. */
const alone = (mode: Expected['mode'], from: string): Expected => ({ mode, from });
const all = 'AccessExclusiveLock';

/**
 * Ends once the sampler has looked at the locks since this statement began, however long that takes on a busy machine. Only for the
 * sampler's own role, which sees what its sessions run.
 */
export const untilSampled = `
  DO $$ DECLARE since timestamptz := clock_timestamp();
  BEGIN
    LOOP
      EXIT WHEN EXISTS (SELECT FROM pg_stat_activity WHERE application_name LIKE '%(rehearse)%'
        AND query LIKE '%pg_locks%' AND query_start > since AND state = 'idle');
      PERFORM pg_sleep(0.01);
      PERFORM pg_stat_clear_snapshot();
    END LOOP;
  END $$`;

/** One statement in a transaction of its own, and the locks that it takes. */
const one = (
  name: string,
  sql: string,
  locks: Record<string, Expected['mode']>,
  { deletesFiles = false, ...more }: Partial<Migration> & { deletesFiles?: boolean } = {},
): Migration => ({
  ...{ name, steps: [sql], ...more },
  locks: Object.fromEntries(Object.entries(locks).map(([table, mode]) => [table, { mode, from: sql, deletesFiles }])),
});

/** An ALTER TABLE of users, which blocks reads and writes. */
const alter = (name: string, clause: string, more: Partial<Migration> = {}): Migration =>
  one(name, `ALTER TABLE users ${clause}`, { users: all }, more);
const rewrite = (name: string, clause: string) => alter(name, clause, { rewritten: ['users'] });

/** A lock that waits for a reader, who leaves after some seconds; meanwhile, another connection locks another table. */
const behindReader = (name: string, seconds: number): Migration => ({
  name,
  steps: [
    { on: 'b', sql: 'BEGIN; SELECT FROM users LIMIT 1' },
    { on: 'b', sql: `SELECT pg_sleep(${seconds})`, waits: false },
    { on: 'c', sql: 'BEGIN; LOCK TABLE orders IN SHARE MODE; SELECT pg_sleep(0.1); COMMIT' },
    { sql: 'ALTER TABLE users ADD COLUMN a text', waits: false },
    { on: 'b', sql: 'COMMIT' },
  ],
  locks: { users: alone(all, 'ALTER'), orders: alone('ShareLock', 'BEGIN; LOCK') },
});

export const migrations: Migration[] = [
  alter('add column', 'ADD COLUMN nick text'),
  rewrite('add column, volatile default', 'ADD COLUMN token uuid NOT NULL DEFAULT gen_random_uuid()'),
  rewrite('add column, stored generated', 'ADD COLUMN lower_email text GENERATED ALWAYS AS (lower(email)) STORED'),
  rewrite('change type, rewrite', 'ALTER COLUMN score TYPE bigint'),
  alter('change type, no rewrite', 'ALTER COLUMN email TYPE text'),
  alter('add unique', 'ADD CONSTRAINT users_email_key UNIQUE (email)'),
  alter('add check', 'ADD CONSTRAINT users_score CHECK (score >= 0)'),
  alter('set not null', 'ALTER COLUMN score SET NOT NULL'),
  alter('rename column', 'RENAME COLUMN score TO points'),
  alter('drop column', 'DROP COLUMN score'),
  one('storage parameter', 'ALTER TABLE users SET (fillfactor = 80)', {}),
  one('create index', 'CREATE INDEX users_email ON users (email)', { users: 'ShareLock' }),
  one('create index concurrently', 'CREATE INDEX CONCURRENTLY users_email ON users (email)', {}),
  one('reindex', 'REINDEX TABLE users', { users: all }),
  // An old index is locked for a moment when it goes.
  one('reindex concurrently', 'REINDEX TABLE CONCURRENTLY users', { users: all }, { deletesFiles: true }),
  one('vacuum full', 'VACUUM FULL users', { users: all }, { rewritten: ['users'] }),
  one('cluster', 'CLUSTER users USING users_pkey', { users: all }, { rewritten: ['users'] }),
  one('set unlogged', 'ALTER TABLE orders SET UNLOGGED', { orders: all }, { rewritten: ['orders'] }),
  one('refresh materialized view', 'REFRESH MATERIALIZED VIEW totals', { totals: all }, { rewritten: ['totals'] }),
  one('refresh materialized view concurrently', 'REFRESH MATERIALIZED VIEW CONCURRENTLY totals', {
    totals: 'ExclusiveLock',
  }),
  one('add enum value', "ALTER TYPE mood ADD VALUE 'calm'", {}),
  one(
    'attach partition',
    "ALTER TABLE events ATTACH PARTITION events_2025 FOR VALUES FROM ('2025-01-01') TO ('2026-01-01')",
    { events_2025: all },
  ),
  one('detach partition', 'ALTER TABLE events DETACH PARTITION events_2024', { events: all, events_2024: all }),
  one('add foreign key', 'ALTER TABLE orders ADD CONSTRAINT orders_user FOREIGN KEY (user_id) REFERENCES users (id)', {
    orders: 'ShareRowExclusiveLock',
    users: 'ShareRowExclusiveLock',
  }),
  one('drop table', 'DROP TABLE orders CASCADE', { orders: all, totals: all }, { deletesFiles: true }),
  one('truncate', 'TRUNCATE orders', { orders: all }, { deletesFiles: true, truncated: ['orders'], lost: ['orders'] }),
  one(
    'truncate, and fill again',
    "BEGIN; TRUNCATE orders; INSERT INTO orders VALUES (1, 1, 1, 'new'); COMMIT",
    { orders: all },
    { deletesFiles: true, truncated: ['orders'], lost: ['orders'] },
  ),
  one('delete all rows', 'DELETE FROM orders', {}, { lost: ['orders'] }),
  one('update all rows', 'UPDATE orders SET total = 0', {}),
  one('several statements in one query', 'BEGIN; ALTER TABLE users ADD COLUMN a text; SELECT pg_sleep(0.3); COMMIT', {
    users: all,
  }),
  one('a DO block', 'DO $$ BEGIN ALTER TABLE users ADD COLUMN a text; PERFORM pg_sleep(0.3); END $$', { users: all }),
  { name: 'a DELETE that is rolled back', steps: ['BEGIN', 'DELETE FROM orders', 'ROLLBACK'], locks: {} },
  {
    name: 'update in batches',
    steps: [0, 1].map((one) => `UPDATE users SET score = 0 WHERE id % 2 = ${one}`),
    locks: {},
  },
  {
    name: 'unique using index',
    steps: [
      'CREATE UNIQUE INDEX CONCURRENTLY users_email_key ON users (email)',
      'ALTER TABLE users ADD CONSTRAINT users_email_key UNIQUE USING INDEX users_email_key',
    ],
    locks: { users: alone(all, 'ALTER') },
  },
  {
    name: 'add foreign key, not valid, then validate',
    steps: [
      'ALTER TABLE orders ADD CONSTRAINT orders_user FOREIGN KEY (user_id) REFERENCES users (id) NOT VALID',
      'ALTER TABLE orders VALIDATE CONSTRAINT orders_user',
    ],
    locks: {
      orders: alone('ShareRowExclusiveLock', 'ALTER TABLE orders ADD'),
      users: alone('ShareRowExclusiveLock', 'ALTER TABLE orders ADD'),
    },
  },
  {
    name: 'rename table, then rewrite it',
    steps: ['ALTER TABLE users RENAME TO members', 'ALTER TABLE members ALTER COLUMN score TYPE bigint'],
    locks: { users: alone(all, 'ALTER TABLE members') },
    rewritten: ['users'],
  },
  {
    name: 'lock table',
    steps: ['BEGIN', 'LOCK TABLE orders IN EXCLUSIVE MODE', 'SELECT pg_sleep(0.4)', 'COMMIT'],
    locks: { orders: { mode: 'ExclusiveLock', from: 'LOCK', to: 'COMMIT', names: 'SELECT pg_sleep' } },
  },
  {
    name: 'all in one transaction',
    steps: [
      'BEGIN',
      'ALTER TABLE users ADD COLUMN name text',
      "UPDATE users SET name = split_part(email, '@', 1)",
      'ALTER TABLE users ALTER COLUMN name SET NOT NULL',
      'COMMIT',
    ],
    locks: { users: { mode: all, from: 'ALTER TABLE users ADD', to: 'COMMIT', names: 'UPDATE' } },
  },
  {
    name: 'writes blocked for long, reads at the end',
    steps: [
      'BEGIN',
      'CREATE INDEX users_email ON users (email)',
      'ALTER TABLE users ADD COLUMN a text',
      'SELECT pg_sleep(0.2)',
      'COMMIT',
    ],
    locks: { users: { mode: all, from: 'ALTER', to: 'COMMIT', names: 'SELECT pg_sleep' } },
  },
  {
    name: 'a failing one',
    steps: [
      'BEGIN',
      'ALTER TABLE users ALTER COLUMN score TYPE bigint',
      untilSampled,
      'CREATE UNIQUE INDEX users_score ON users (score)',
      'COMMIT',
    ],
    // The error ends neither the transaction nor its locks; the end of the connection does.
    locks: { users: { mode: all, from: 'ALTER', to: 'CREATE' } },
    fails: true,
  },
  {
    name: 'an index that fails',
    steps: [{ sql: 'CREATE UNIQUE INDEX CONCURRENTLY orders_total ON orders (total)', mayFail: true }],
    locks: {},
    invalid: ['orders_total'],
  },
  {
    name: 'a lock timeout, and another attempt',
    steps: [
      { on: 'b', sql: 'BEGIN; SELECT FROM users LIMIT 1' },
      "SET lock_timeout = '100ms'",
      { sql: 'ALTER TABLE users ADD COLUMN a text', mayFail: true },
      { on: 'b', sql: 'COMMIT' },
      'BEGIN',
      'ALTER TABLE users ADD COLUMN b text',
      'SELECT pg_sleep(0.3)',
      'COMMIT',
    ],
    locks: {
      users: { mode: all, from: 'ALTER TABLE users ADD COLUMN b', to: 'COMMIT', names: 'SELECT pg_sleep' },
    },
  },
  behindReader('a lock that waits for a reader', 0.5),
  behindReader('a lock that waits for a reader of 6 seconds', 6),
  {
    name: 'two connections at once',
    steps: [
      { on: 'a', sql: 'CREATE INDEX users_email ON users (email)', waits: false },
      { on: 'b', sql: 'ALTER TABLE orders ALTER COLUMN state SET NOT NULL' },
      { on: 'b', sql: 'BEGIN' },
      { on: 'b', sql: 'LOCK TABLE orders IN SHARE ROW EXCLUSIVE MODE' },
      { on: 'b', sql: 'SELECT pg_sleep(0.3)' },
      { on: 'b', sql: 'COMMIT' },
    ],
    locks: { users: alone('ShareLock', 'CREATE INDEX'), orders: alone(all, 'ALTER') },
    before: "UPDATE orders SET state = 'new' WHERE state IS NULL",
  },
];

export function named(name: string): Migration {
  const migration = migrations.find((one) => one.name === name);
  if (!migration) throw new Error(`no migration ${name}`);
  return migration;
}
