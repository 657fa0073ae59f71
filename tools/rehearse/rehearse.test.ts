import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { client, measure, measureFromAfar, rehearseCommand } from './measure.ts';
import { named, tables, untilSampled } from './migrations.ts';
import { LoggedPostgres } from './postgres.ts';

/** A sample of what `npm run rehearsals` does with a million rows, except that only it compares times: other tests run here. */

let postgres: LoggedPostgres;

beforeAll(async () => {
  postgres = await LoggedPostgres.start();
  await postgres.query('postgres', 'CREATE DATABASE template_small OWNER app');
  await postgres.query('template_small', `SET ROLE app; ${tables(30_000)}`);
});

afterAll(() => postgres.stop());

const template = 'template_small';

/** The steps of a command as `client.ts` takes them. */
const stepsOf = (...steps: string[]) => ({ STEPS: JSON.stringify(steps.map((sql) => ({ sql }))) });

/** Resolves once a query of the administrator has a row. */
async function hasRow(database: string, sql: string): Promise<void> {
  while ((await postgres.query(database, sql)).length === 0) await delay(20);
}

/** A statement that never ends. */
const endless = 'SELECT pg_sleep(3600)';
/** Resolves once the sampler has seen it. */
const endlessIsSeen = (database: string) => () =>
  hasRow(
    database,
    `SELECT FROM pg_stat_activity command JOIN pg_stat_activity sampler USING (datname)
     WHERE datname = current_database() AND command.query = '${endless}' AND command.state = 'active'
       AND sampler.query LIKE '%virtualtransaction%' AND sampler.pid <> pg_backend_pid()
       AND sampler.state = 'idle' AND sampler.query_start > command.query_start`,
  );

/** A file that a command waits for, as a shell command; `end` creates it. */
function waiting(): { wait: string; end: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'rehearsal-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'end');
  return { wait: `until [ -e '${file}' ]; do sleep 0.05; done`, end: () => writeFileSync(file, '') };
}

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
  ])('sees the locks of %s that the server has logged', async (name) => {
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

  it.each([0, 30, 100])('samples with a round trip of %i ms', async (ms) => {
    const { problems, rehearsal } = await measureFromAfar({ postgres, template, migration: named('lock table'), ms });
    expect(problems).toEqual([]);
    // Timers may be early by a millisecond.
    expect(rehearsal.sampledEveryMs).toBeGreaterThanOrEqual(ms - 2);
  });

  it('sees the locks of other roles, but not their statements, as a role without pg_monitor', async () => {
    await postgres.query('postgres', "CREATE ROLE other LOGIN PASSWORD 'other-password'");
    const migration = named('lock table');
    const script = `DATABASE_URL=$REAL_URL ${client}`;
    const { problems, comparisons } = await measure({ postgres, template, migration, role: 'other', script });
    expect(problems.filter((problem) => !problem.includes('names no statement'))).toEqual([]);
    expect(comparisons[0]?.found?.statement).toBeUndefined();
  });

  it('counts neither the locks of autovacuum nor its session', async () => {
    const settings = [
      'autovacuum = on',
      'autovacuum_naptime = 1',
      'autovacuum_vacuum_cost_delay = 1',
      'autovacuum_vacuum_cost_limit = 20',
      'log_autovacuum_min_duration = 0',
    ];
    for (const one of settings) await postgres.query('postgres', `ALTER SYSTEM SET ${one}`);
    await postgres.query('postgres', 'CREATE DATABASE vacuumed TEMPLATE template_small OWNER app');
    // Rows at the end of a table: autovacuum locks it against everything to give their space back.
    await postgres.query('vacuumed', 'DELETE FROM users WHERE id > 1000');
    const { wait, end } = waiting();
    try {
      const rehearsing = rehearseCommand({
        uri: postgres.uri('vacuumed'),
        script: `echo began; ${wait}`,
        onLine: () => void postgres.query('postgres', 'SELECT pg_reload_conf()'),
      });
      await postgres.logged('automatic vacuum of table "vacuumed.public.users"');
      end();
      const { rehearsal } = await rehearsing;
      expect(rehearsal).toMatchObject({ connected: false, locks: [], statements: [], unseen: [] });
    } finally {
      await postgres.query('postgres', 'ALTER SYSTEM RESET ALL');
      await postgres.query('postgres', 'SELECT pg_reload_conf()');
    }
  });

  it('goes on sampling after it has lost its connection', async () => {
    const kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE '%rehearse%'";
    const { rehearsal } = await measure({
      postgres,
      template,
      migration: {
        ...named('lock table'),
        steps: ['SELECT 1', kill, 'BEGIN', 'LOCK TABLE orders IN EXCLUSIVE MODE', untilSampled, 'COMMIT'],
      },
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
    await postgres.query('postgres', 'CREATE DATABASE stopped TEMPLATE template_small OWNER app');
    const { rehearsal } = await rehearseCommand({
      uri: postgres.uri('stopped'),
      script: client,
      env: stepsOf('BEGIN', 'LOCK TABLE orders IN EXCLUSIVE MODE', endless),
      stop: endlessIsSeen('stopped'),
    });
    expect(rehearsal).toMatchObject({ exitCode: 143, stoppedBy: 'max_duration' });
    expect(rehearsal.locks[0]).toMatchObject({ mode: 'ExclusiveLock', blocks: 'writes' });
    expect(rehearsal.statements.at(-1)).toContain(endless);
  });

  it('ends statements that go on when the command is killed, so that it can read the result', async () => {
    await postgres.query('postgres', 'CREATE DATABASE stuck TEMPLATE template_small OWNER app');
    const { rehearsal, after } = await rehearseCommand({
      uri: postgres.uri('stuck'),
      script: client,
      env: stepsOf('BEGIN', 'ALTER TABLE orders ADD COLUMN a text', endless),
      stop: endlessIsSeen('stuck'),
    });
    expect(after).toBeDefined();
    expect(rehearsal).toMatchObject({ stoppedBy: 'max_duration', gaps: [] });
    expect(rehearsal.locks).toMatchObject([{ mode: 'AccessExclusiveLock', relation: { name: 'public.orders' } }]);
  });

  it('reports what it has seen if a lock of another role, which it may not end, keeps it from reading the result', async () => {
    await postgres.query('postgres', 'CREATE DATABASE held TEMPLATE template_small OWNER app');
    const { wait, end } = waiting();
    let holding: Promise<unknown> | undefined;
    const { rehearsal, after } = await rehearseCommand({
      uri: postgres.uri('held'),
      script: `echo ran; ${wait}`,
      onLine() {
        holding = postgres.query('held', `BEGIN; LOCK TABLE orders; ${endless}`).catch(() => {});
        void hasRow('held', `SELECT FROM pg_locks WHERE relation = 'orders'::regclass AND granted`).then(end);
      },
    });
    expect(after).toBeUndefined();
    expect(rehearsal.gaps).toEqual([expect.stringContaining('The database could not be read after the command')]);
    await postgres.query(
      'postgres',
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'held' AND query LIKE '%LOCK TABLE%' AND pid <> pg_backend_pid()",
    );
    await holding;
  });
});
