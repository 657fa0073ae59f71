import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Limit } from '../../src/rehearse/observe.ts';
import { Observer, type Sample } from '../../src/rehearse/observer.ts';
import { probeLocks } from '../../src/rehearse/probe.ts';
import { client, measure, observing, rehearseCommand } from './measure.ts';
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
/** How often the outage is rehearsed: in all of them, the deadlock must be seen. */
const runs = process.env.TEST_SIZE === 'full' ? 10 : 2;

/** The steps of a command as `client.ts` takes them. */
const stepsOf = (...steps: string[]) => ({ STEPS: JSON.stringify(steps.map((sql) => ({ sql }))) });

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
    'lock table',
    'all in one transaction',
    'a failing one',
    'a lock that waits for a reader',
    'truncate, and fill again',
    'a DELETE that is rolled back',
  ])('sees what the server has logged of %s', async (name) => {
    const { problems } = await measure({ postgres, template, migration: named(name) });
    expect(problems).toEqual([]);
  });

  it('sees the locks of other roles, but not their statements, as a role without pg_monitor', async () => {
    await postgres.query('postgres', "CREATE ROLE other LOGIN PASSWORD 'other-password'");
    const migration = named('lock table');
    const script = `DATABASE_URL=$REAL_URL ${client}`;
    const { problems, comparisons } = await measure({ postgres, template, migration, role: 'other', script });
    expect(problems.filter((problem) => !problem.includes('names undefined'))).toEqual([]);
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
      expect(await rehearsing).toMatchObject({ connected: false, locks: [], rows: [] });
    } finally {
      await postgres.query('postgres', 'ALTER SYSTEM RESET ALL');
      await postgres.query('postgres', 'SELECT pg_reload_conf()');
    }
  });

  it('counts no rollback of its own beside a load', async () => {
    await postgres.query('postgres', 'CREATE DATABASE quiet TEMPLATE template_small OWNER app');
    const env = stepsOf('SELECT pg_sleep(0.5)');
    const { load } = await rehearseCommand({ uri: postgres.uri('quiet'), script: client, load: client, env });
    expect(load).toMatchObject({ connected: true, exitCode: 0, rollbacks: 0 });
  });

  const kill = (database: string) =>
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE '%rehearse%' AND datname = '${database}'`;

  it('goes on sampling after it has lost its connection twice', async () => {
    const lock = ['BEGIN', 'LOCK TABLE orders IN EXCLUSIVE MODE', untilSampled, 'COMMIT'];
    const { observed } = await measure({
      ...{ postgres, template },
      migration: {
        ...named('lock table'),
        steps: ['SELECT 1', kill('rehearsal'), untilSampled, kill('rehearsal'), ...lock],
      },
    });
    expect(observed.gaps).toEqual([expect.stringContaining('Lock sampling was interrupted')]);
    expect(observed.locks.map(({ table }) => table)).toEqual(['public.orders']);
  });

  it('says whether the command has connected, also to another database, and not if only the observer had to do it again', async () => {
    await postgres.query('postgres', 'CREATE DATABASE alone TEMPLATE template_small OWNER app');
    const uri = postgres.uri('alone');
    const connected = async (script: string, options: object = {}) =>
      (await rehearseCommand({ uri, script, env: stepsOf('SELECT pg_sleep(0.2)'), ...options })).connected;
    expect(await connected('echo nothing')).toBe(false);
    expect(await connected(client)).toBe(true);
    expect(await connected(`DATABASE_URL='${postgres.uri('template1')}' ${client}`)).toBe(true);
    const onLine = () => void postgres.query('postgres', kill('alone'));
    expect(await connected('echo kill; sleep 1', { onLine })).toBe(false);
  });

  it.concurrent('gives up soon after a command that lets nobody in again, or has dropped the database', async () => {
    const end = async (database: string, sql: string) => {
      await postgres.query('postgres', `CREATE DATABASE ${database} TEMPLATE template_small OWNER app`);
      const script = `DATABASE_URL='${postgres.uri('postgres')}' ${client}`;
      const steps = stepsOf(sql, `SELECT pg_sleep(0.3)`);
      const started = performance.now();
      const { walBytes, gaps } = await rehearseCommand({
        ...{ uri: postgres.uri(database), script: `${script}; echo done; sleep 0.5`, env: steps },
        onLine: () => void postgres.query('postgres', kill(database)),
      });
      expect(walBytes).toBeUndefined();
      expect(performance.now() - started).toBeLessThan(60_000);
      return gaps.join(' ');
    };
    expect(await end('closed', 'ALTER DATABASE closed CONNECTION LIMIT 0')).toMatch(/too many connections/);
    expect(await end('dropped', 'DROP DATABASE dropped WITH (FORCE)')).toContain('database "dropped" does not exist');
  });

  it.concurrent('reports what it has seen if a lock of another role, which it may not end, keeps it from reading the result', async () => {
    await postgres.query('postgres', 'CREATE DATABASE held TEMPLATE template_small OWNER app');
    const { wait, end } = waiting();
    const held = "SELECT FROM pg_locks WHERE relation = 'orders'::regclass AND granted";
    const isHeld = async () => {
      while ((await postgres.query('held', held)).length === 0) await delay(20);
    };
    let holding: Promise<unknown> | undefined;
    const { gaps } = await rehearseCommand({
      uri: postgres.uri('held'),
      script: `echo ran; ${wait}`,
      onLine() {
        holding = postgres.query('held', `BEGIN; LOCK TABLE orders; SELECT pg_sleep(3600)`).catch(() => {});
        void isHeld().then(end);
      },
    });
    expect(gaps).toEqual([expect.stringContaining('The database could not be read after the command')]);
    await postgres.query(
      'postgres',
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'held' AND query LIKE '%LOCK TABLE%' AND pid <> pg_backend_pid()",
    );
    await holding;
  });
});

describe('the probe', () => {
  /** Probes a command on a new copy. */
  async function probe(database: string, more: { script?: string; env?: NodeJS.ProcessEnv; limit?: Limit } = {}) {
    await postgres.query('postgres', `CREATE DATABASE ${database} TEMPLATE template_small OWNER app`);
    const { script = client, env = stepsOf('ALTER TABLE users ADD COLUMN nick text'), ...limit } = more;
    return probeLocks({ ...observing({ uri: postgres.uri(database), script, env }), ...limit }, ['public.users']);
  }

  it('says that the command waits without limit if it still does after half a minute, when its reader leaves', async () => {
    const { watch } = Observer.prototype;
    // The server's clock, twenty times as fast.
    vi.spyOn(Observer.prototype, 'watch').mockImplementation(function (this: Observer, options) {
      let first: number | undefined;
      const onSample = (sample: Sample) => {
        first ??= sample.at;
        options.onSample({ ...sample, at: first + 20 * (sample.at - first) });
      };
      return watch.call(this, { ...options, onSample });
    });
    onTestFinished(() => void vi.restoreAllMocks());
    expect(await probe('probed')).toEqual({ probe: { outcome: 'waits', givesUpMs: undefined } });
    const column = "SELECT FROM information_schema.columns WHERE column_name = 'nick'";
    expect(await postgres.query('probed', column)).toHaveLength(1);
  });

  it('does not know that if the command was stopped before', async () => {
    const { unprobed } = await probe('hurried', { limit: { ms: 2_000, by: 'timeout' } });
    expect(unprobed).toMatch(/^The command had no time to end when it ran a second time .* Raise `timeout`\.$/);
  });

  it('knows nothing of a command that does not connect, but that one that fails at once gives up', async () => {
    const { unprobed } = await probe('unvisited', { script: 'echo "File exists" >&2; exit 1' });
    expect(unprobed).toMatch(/^The command did not connect when it ran a second time .*twice in the same workspace\.$/);
    const env = stepsOf('BEGIN', 'LOCK TABLE users NOWAIT');
    expect(await probe('impatient', { env })).toEqual({ probe: { outcome: 'gave up', givesUpMs: undefined } });
  });
});

describe('the outage', () => {
  /** Reads an order with its user, and inserts one, again and again: two tables in the other order than the migration. */
  const traffic = stepsOf(
    ...Array.from({ length: 300 }, () => 'BEGIN; LOCK TABLE users IN ROW SHARE MODE; SELECT pg_sleep(0.005)').flatMap(
      (begin) => [
        begin,
        "INSERT INTO orders SELECT 1000000 + (random() * 1e9)::int, 1, 1, 'new' ON CONFLICT DO NOTHING",
        'SELECT FROM users WHERE id = 1; COMMIT',
      ],
    ),
  ).STEPS;
  const migration = stepsOf(
    'BEGIN',
    'ALTER TABLE orders ALTER COLUMN id TYPE numeric',
    'LOCK TABLE users IN ACCESS EXCLUSIVE MODE',
    'COMMIT',
  );

  it('is a deadlock that only a load shows', async () => {
    await postgres.query('postgres', 'CREATE DATABASE outage TEMPLATE template_small OWNER app');
    const uri = postgres.uri('outage');
    const quoted = `'${traffic.replaceAll("'", `'\\''`)}'`;
    const quiet = await rehearseCommand({ uri, script: client, env: migration });
    expect(quiet).toMatchObject({ exitCode: 0, deadlocks: 0 });
    for (let run = 0; run < runs; run++) {
      await postgres.query('outage', 'ALTER TABLE orders ALTER COLUMN id TYPE bigint');
      const load = `export STEPS=${quoted}; ${`${client} & `.repeat(4)} wait`;
      const observed = await rehearseCommand({ uri, script: client, env: migration, load });
      expect(observed.load).toMatchObject({ connected: true, overlapped: true });
      expect(observed.deadlocks).toBeGreaterThan(0);
    }
  });
});
