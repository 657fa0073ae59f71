import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allowedMs, client, measure, rehearseCommand } from './measure.ts';
import { migrations, tables } from './migrations.ts';
import { LoggedPostgres } from './postgres.ts';
import { delayingProxy } from './proxy.ts';

/** A sample of what `npm run rehearsals` does with a million rows. */

let postgres: LoggedPostgres;

beforeAll(async () => {
  postgres = await LoggedPostgres.start();
  await postgres.query('postgres', 'CREATE DATABASE template_small OWNER app');
  await postgres.query('template_small', `SET ROLE app; ${tables(30_000)}`);
});

afterAll(() => postgres.stop());

const named = (name: string) => {
  const migration = migrations.find((one) => one.name === name);
  if (!migration) throw new Error(`no migration ${name}`);
  return migration;
};
const template = 'template_small';

describe('a rehearsal', () => {
  it.each([
    'create index concurrently',
    'add foreign key',
    'rename table, then rewrite it',
    'lock table',
    'all in one transaction',
    'several statements in one query',
    'a failing one',
    'drop table',
    'truncate',
    'rename column',
  ])('measures %s as the server has logged it', async (name) => {
    const { problems } = await measure({ postgres, template, migration: named(name) });
    expect(problems).toEqual([]);
  });

  it('recognizes a migration that waits for itself', async () => {
    const { problems, rehearsal } = await measure({
      postgres,
      template,
      migration: named('one that waits for itself'),
    });
    expect(problems).toEqual([]);
    expect(rehearsal.selfWaits[0]?.waiting).toContain('CREATE INDEX orders_total');
    expect(rehearsal.selfWaits[0]?.holder).toContain('ALTER TABLE orders');
  });

  it.each([0, 30, 100])('is right with a round trip of %i ms', async (ms) => {
    const proxy = await delayingProxy(postgres.port, ms);
    try {
      const migration = named('lock table');
      const script = `DATABASE_URL=$REAL_URL ${client}`;
      const { problems, rehearsal } = await measure({ postgres, template, migration, port: proxy.port, script });
      expect(problems).toEqual([]);
      expect(rehearsal.sampledEveryMs).toBeGreaterThanOrEqual(ms);
    } finally {
      await proxy.close();
    }
  });

  it('measures what a role without pg_monitor can see of other roles', async () => {
    await postgres.query('postgres', "CREATE ROLE other LOGIN PASSWORD 'other-password'");
    const migration = named('lock table');
    const script = `DATABASE_URL=$REAL_URL ${client}`;
    const { comparisons, rehearsal } = await measure({ postgres, template, migration, role: 'other', script });
    const [comparison] = comparisons;
    expect(comparison?.found?.statement).toBeUndefined();
    expect(Math.abs(comparison?.errorMs ?? Number.NaN)).toBeLessThan(
      2 * allowedMs(comparison?.truthMs ?? 0, rehearsal.longestGapMs),
    );
  });

  it('counts neither the locks of autovacuum nor its session', async () => {
    const settings = [
      'autovacuum = on',
      'autovacuum_naptime = 1',
      'autovacuum_vacuum_cost_delay = 1',
      'autovacuum_vacuum_cost_limit = 20',
    ];
    for (const one of settings) await postgres.query('postgres', `ALTER SYSTEM SET ${one}`);
    await postgres.query('postgres', 'CREATE DATABASE vacuumed TEMPLATE template_small OWNER app');
    // Rows at the end of a table: autovacuum locks it against everything to give their space back.
    await postgres.query('vacuumed', 'DELETE FROM users WHERE id > 1000');
    await postgres.query('postgres', 'SELECT pg_reload_conf()');
    let workers = 0;
    const watching = setInterval(async () => {
      const rows = await postgres.query(
        'postgres',
        "SELECT FROM pg_stat_activity WHERE backend_type = 'autovacuum worker' AND datname = 'vacuumed'",
      );
      workers += rows.length;
    }, 100);
    try {
      const uri = postgres.uri('vacuumed');
      const { rehearsal } = await rehearseCommand({ uri, script: 'sleep 6' });
      expect(rehearsal).toMatchObject({ connected: false, locks: [], statements: [], unseen: [] });
      expect(workers).toBeGreaterThan(0);
    } finally {
      clearInterval(watching);
      await postgres.query('postgres', 'ALTER SYSTEM RESET ALL');
      await postgres.query('postgres', 'SELECT pg_reload_conf()');
    }
  });

  it('goes on sampling after it has lost its connection', async () => {
    const kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE '%rehearse%'";
    const { rehearsal } = await measure({
      postgres,
      template,
      migration: { ...named('lock table'), steps: ['SELECT 1', kill, ...named('lock table').steps] },
    });
    expect(rehearsal.gaps).toEqual([expect.stringContaining('Lock sampling was interrupted')]);
    expect(rehearsal.locks.map(({ relation }) => relation.name)).toEqual(['public.orders']);
  });

  it('says whether the command has connected', async () => {
    const uri = postgres.uri('template_small');
    expect((await rehearseCommand({ uri, script: 'echo nothing' })).rehearsal.connected).toBe(false);
    const steps = JSON.stringify([{ sql: 'SELECT 1' }]);
    expect((await rehearseCommand({ uri, script: client, env: { STEPS: steps } })).rehearsal.connected).toBe(true);
  });

  it('stops a command at its limit, with what it has seen until then', async () => {
    const steps = JSON.stringify(named('lock table').steps.map((sql) => ({ sql })));
    const slow = steps.replace('pg_sleep(0.4)', 'pg_sleep(60)');
    const uri = postgres.uri('template_small');
    const { rehearsal } = await rehearseCommand({ uri, script: client, env: { STEPS: slow }, limitMs: 1_500 });
    expect(rehearsal).toMatchObject({ exitCode: 143, stoppedBy: 'max_duration' });
    expect(rehearsal.locks[0]).toMatchObject({ mode: 'ExclusiveLock', blocks: 'writes' });
    expect(rehearsal.statements.at(-1)).toContain('pg_sleep(60)');
  });

  it('ends statements that go on when the command is killed, so that it can read the result', async () => {
    await postgres.query('postgres', 'CREATE DATABASE stuck TEMPLATE template_small OWNER app');
    const slow = ['BEGIN', 'ALTER TABLE orders ADD COLUMN a text', 'SELECT pg_sleep(60)'].map((sql) => ({ sql }));
    const started = performance.now();
    const { rehearsal, after } = await rehearseCommand({
      ...{ uri: postgres.uri('stuck'), script: client, env: { STEPS: JSON.stringify(slow) }, limitMs: 1_500 },
    });
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(after).toBeDefined();
    expect(rehearsal).toMatchObject({ stoppedBy: 'max_duration', gaps: [] });
    expect(rehearsal.locks).toMatchObject([{ mode: 'AccessExclusiveLock', relation: { name: 'public.orders' } }]);
  });

  it('reports what it has seen if a lock of another role, which it may not end, keeps it from reading the result', async () => {
    await postgres.query('postgres', 'CREATE DATABASE held TEMPLATE template_small OWNER app');
    const script = `sleep 0.5; echo ran`;
    const lock = delay(600).then(() => postgres.query('held', 'BEGIN; LOCK TABLE orders; SELECT pg_sleep(14); COMMIT'));
    const { rehearsal, after } = await rehearseCommand({ uri: postgres.uri('held'), script: `${script}; sleep 1` });
    expect(after).toBeUndefined();
    expect(rehearsal.gaps).toEqual([expect.stringContaining('The database could not be read after the command')]);
    await lock;
  });
});
