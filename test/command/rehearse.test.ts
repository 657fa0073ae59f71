import { describe, expect, it } from 'vitest';
import { startGitHub } from '../../tools/github/index.ts';
import { client } from '../../tools/rehearse/measure.ts';
import { untilSampled } from '../../tools/rehearse/migrations.ts';
import { ended, event, findingsIn, outputOf, rehearsing, withUsers } from '../support/rehearsals.ts';
import type { Played } from '../support/scenario.ts';

const scene = withUsers();

/** What a run asked for: the copy's name, when it expires, and its compute. */
function created({ requests }: Played) {
  const { body } = requests.find(({ method, path }) => method === 'POST' && path.endsWith('/branches')) ?? {};
  const { branch, endpoints } = body as { branch: Record<string, string>; endpoints: object[] };
  const hours = (Date.parse(branch.expires_at ?? '') - Date.now()) / 3_600_000;
  return { name: branch.name, hours: Math.round(hours * 10) / 10, endpoints };
}

describe('rehearse', () => {
  it('runs the command on a copy of the parent, reports what it did, and deletes the copy', async () => {
    const steps = ['BEGIN', 'ALTER TABLE users ALTER COLUMN score TYPE bigint', untilSampled, 'COMMIT'];
    const run = await ended(scene, scene.succeeds(rehearsing(steps)));
    expect(Object.keys(run.outputs).toSorted()).toEqual(['destructive', 'findings', 'rehearsal', 'skipped']);
    expect(run.outputs).toMatchObject({ skipped: 'false', destructive: 'false', findings: '[]' });
    const { exit_code, locks, rewritten, ...rest } = outputOf(run);
    expect(exit_code).toBe(0);
    expect([rest.rows, rest.load, rest.probe, rest.then]).toEqual([[], null, null, null]);
    expect(Object.keys(rest)).toEqual('duration_ms wal_bytes sampled_every_ms rows load probe then'.split(' '));
    expect(locks).toMatchObject([
      { table: 'public.users', rows: 20_000, mode: 'AccessExclusiveLock', blocks: 'reads and writes', waited_ms: 0 },
    ]);
    expect(Object.keys(locks[0] ?? {})).toEqual('table rows size mode blocks held_ms waited_ms statement'.split(' '));
    expect(rewritten).toMatchObject([{ table: 'public.users', rows: 20_000 }]);
    expect(Object.keys(rewritten[0] ?? {})).toEqual('table rows size size_after'.split(' '));
    expect(run.summary).toMatch(
      /\npublic\.users blocked for \S+ \(reads and writes\)\. The step took \S+\.\n\n\| Table \| Blocked \| Longest statement \|/,
    );
    expect(run.post?.stdout).toBe('');
    const [type] = await scene.service.query(
      'main',
      "SELECT data_type FROM information_schema.columns WHERE column_name = 'score'",
    );
    expect(type?.data_type).toBe('integer');
    expect(run.requests.filter(({ path }) => path.includes(scene.service.main.id))).toEqual([]);
    expect(created(run)).toMatchObject({ name: expect.stringMatching(/^rehearsal\/\d+-\d+-[\da-f]{8}$/), hours: 2 });
    expect(created(run).endpoints).toEqual([{ type: 'read_write' }]);
  });

  it('says nothing of an index that was built CONCURRENTLY, and has no locking findings at all', async () => {
    const steps = ['CREATE UNIQUE INDEX CONCURRENTLY by_score ON users (score)'];
    const inputs = { fail_on: 'any', max_lock: '5s', expires_in: '5h', min_cu: '1', max_cu: '4' };
    const run = await ended(scene, scene.succeeds(rehearsing(steps, inputs)));
    expect(created(run).hours).toBe(5);
    expect(created(run).endpoints).toMatchObject([{ autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 4 }]);
    expect(run.outputs.findings).toBe('[]');
    expect(run.summary).toMatch(
      /\nThe migration ran in \S+; no blocking lock was seen \(sampled every \d+ ms\)\. The step/,
    );
  });

  it('names the exit code of a command that fails, of whose output only the log has anything', async () => {
    const github = await startGitHub({ token: 'ghs_secretTokenOfThisRun' });
    github.state.addPull({ number: 7 });
    const rehearse = (script: string, inputs: Record<string, string> = {}) => {
      const play = rehearsing(script, { comment: 'true', ...inputs });
      return ended(scene, scene.play({ ...play, env: { ...play.env, ...github.env } }));
    };
    const run = await rehearse('echo "a row: 4711"; echo "no such table 4711" >&2; exit 42');
    // The rehearsal of something else, or on a copy of another branch, has a comment of its own.
    await rehearse('exit 1');
    await scene.service.addBranch({ name: 'staging' });
    await rehearse('exit 1', { parent_branch: 'staging' });
    await scene.service.removeBranch('staging');
    await github.close();
    const markers = github.state.comments.map(({ body }) => /^<!-- .*&run=[\da-f]{8} -->/.exec(body)?.[0]);
    expect(new Set(markers)).toHaveLength(3);
    expect(run.code).toBe(1);
    expect(run.message).toMatch(/^The command \(`run`\) failed with exit code 42 after \S+; the log has its output\.$/);
    expect(run.stdout).toContain('no such table 4711');
    const [comment] = github.state.comments;
    expect(comment?.body).toContain('❌ **The command (`run`) failed with exit code 42');
    for (const text of [run.summary, comment?.body, run.outputs.rehearsal]) expect(text).not.toContain('4711');
  });

  it('fails if a table is blocked for longer than max_lock', async () => {
    const slow = ['BEGIN', 'LOCK TABLE users IN SHARE MODE', untilSampled, "SELECT pg_sleep(1.1), 'a row'", 'COMMIT'];
    const run = await ended(scene, scene.fails(rehearsing(slow, { max_lock: '1s' })));
    expect(run.message).toMatch(/^public\.users blocked for \S+ \(writes\): longer than `max_lock` \(1s\)/);
    // Values in statements are rows.
    expect(outputOf(run).locks[0]?.statement).toBe("SELECT pg_sleep(1.1), '…'");
    expect(run.summary).toMatch(/❌ \*\*Failed\*\* after \S+\. public\.users blocked for/);
  });

  it('counts a lock that only waits, because everything queues behind it', async () => {
    const steps = [
      { on: 'reader', sql: 'BEGIN; SELECT FROM users LIMIT 1' },
      { on: 'reader', sql: 'SELECT pg_sleep(1.5)', waits: false },
      { sql: 'ALTER TABLE users ADD COLUMN nick text', waits: false },
      { on: 'reader', sql: 'COMMIT' },
    ];
    const run = await ended(scene, scene.fails(rehearsing(steps, { max_lock: '1s' })));
    expect(run.message).toMatch(/^public\.users blocked for \S+ \(reads and writes\): longer than `max_lock`/);
    expect(outputOf(run).locks[0]?.waited_ms).toBeGreaterThan(1_000);
    expect(run.summary).toContain('of it waiting)');
  });

  it('counts the rows, and fails for those that are gone', async () => {
    const steps = [
      'DELETE FROM users WHERE id > 10',
      "UPDATE users SET email = ''",
      "INSERT INTO users VALUES (0, '', 0)",
    ];
    const run = await ended(scene, scene.fails(rehearsing(steps, { fail_on: 'destructive' })));
    expect(outputOf(run).rows).toEqual([
      { table: 'public.users', inserted: 1, updated: 10, deleted: 19_990, truncated: false },
    ]);
    expect(findingsIn(run)).toEqual(['delete-rows public.users 19,990 of about 20,000 rows']);
    expect(run.message).toContain(
      'delete-rows public.users (19,990 of about 20,000 rows), which fails the step (`fail_on`)',
    );
    const truncate = rehearsing(['TRUNCATE users'], {
      fail_on: 'destructive',
      ignore_rules: 'delete-rows:public.users',
    });
    const accepted = await ended(scene, scene.succeeds(truncate));
    expect(outputOf(accepted).rows).toMatchObject([{ table: 'public.users', truncated: true }]);
    expect(accepted.summary).toContain('1 ignored finding');
  });

  it('tells what became of each table from what is in it, however old the statistics are', async () => {
    await scene.service.query(
      'main',
      `CREATE TABLE empty (id integer); CREATE TABLE locks (id integer); CREATE TABLE jobs (id integer);
      INSERT INTO jobs SELECT generate_series(1, 500); ANALYZE jobs; DELETE FROM jobs;
      CREATE TABLE queue (id integer); ANALYZE queue; INSERT INTO queue SELECT generate_series(1, 900);
      CREATE TABLE grown (id integer); INSERT INTO grown SELECT generate_series(1, 1000); ANALYZE grown;
      INSERT INTO grown SELECT generate_series(1, 100);
      CREATE TABLE parts (id integer); INSERT INTO parts SELECT generate_series(1, 1000)`,
    );
    const steps = [
      'TRUNCATE empty',
      'INSERT INTO locks VALUES (1); DELETE FROM locks',
      'ALTER TABLE jobs ALTER id TYPE bigint',
      'TRUNCATE queue',
      'DELETE FROM grown WHERE id <= 20',
      'CREATE TABLE fresh (id integer) PARTITION BY RANGE (id); CREATE TABLE rest PARTITION OF fresh DEFAULT',
      'INSERT INTO fresh SELECT * FROM parts; DROP TABLE parts; ALTER TABLE fresh RENAME TO parts',
      'ALTER TABLE users DROP COLUMN score, ADD COLUMN score integer',
    ];
    const run = await ended(scene, scene.succeeds(rehearsing(steps)));
    await scene.service.query('main', 'DROP TABLE empty, locks, jobs, queue, grown, parts');
    const { rewritten, rows } = outputOf(run);
    expect(rewritten).toEqual([]);
    const deleted = rows as { table: string; truncated: boolean }[];
    expect(deleted.map(({ table, truncated }) => [table, truncated])).toEqual([
      ['public.locks', false],
      ['public.queue', true],
      ['public.grown', false],
    ]);
    expect(findingsIn(run)).toEqual([
      'delete-rows public.queue 900 of about 900 rows',
      'delete-rows public.grown 40 of about 1,100 rows',
      'drop-table public.parts dropped and created again',
      'drop-column public.users.score integer; dropped and added again',
    ]);
  });

  it('finds an invalid index, and knows what was renamed', async () => {
    const steps = [
      'UPDATE users SET score = 1',
      { sql: 'CREATE UNIQUE INDEX CONCURRENTLY by_score ON users (score)', mayFail: true },
      'ALTER TABLE users RENAME COLUMN email TO address',
    ];
    const run = await ended(scene, scene.succeeds(rehearsing(steps)));
    expect(findingsIn(run)).toEqual([
      'invalid-index public.by_score on public.users',
      'rename-column public.users.email now public.users.address',
    ]);
  });

  it('fails a gate if nothing connected', async () => {
    const play = rehearsing('echo "migrated another database"', { max_lock: '1s' });
    const run = await ended(scene, scene.fails({ ...play, secrets: [] }));
    expect(run.message).toMatch(/^Nothing connected to the branch.* Make it use `DATABASE_URL`, `DIRECT_URL`/);
  });

  it('runs `then` on the migrated copy, and fails if that does', async () => {
    const then = `STEPS='[{"sql": "INSERT INTO added VALUES (1)"}]' ${client}; echo inserted; exit 1`;
    const steps = ['CREATE TABLE added (id integer PRIMARY KEY)'];
    const inputs = Object.fromEntries([['then', then]]);
    const run = await ended(scene, scene.fails(rehearsing(steps, { ...inputs, max_lock: '5s' })));
    expect(run.stdout).toMatch(/^inserted$/m);
    expect(outputOf(run).then).toEqual({ exit_code: 1 });
    expect(run.message).toBe('`then` failed with exit code 1; the log has its output.');
  });

  it('gives the command the branch and the environment of the job, but no secret of the action', async () => {
    const script =
      'env | sort; test "$DIRECT_URL" = "$DATABASE_URL"; test "$DATABASE_URL_UNPOOLED" = "$DATABASE_URL"; test "$(pwd -P)" = "$(cd "$GITHUB_WORKSPACE" && pwd -P)"; echo "to $PGHOST"';
    const play = rehearsing(script);
    const env: Record<string, string> = { ...play.env, KEPT: 'yes', DATABASE_URL: 'postgresql://production' };
    const run = await ended(scene, scene.succeeds({ ...play, env }));
    const variables = new Set([...run.stdout.matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name));
    expect(
      [...variables].filter((name) => /^(INPUT_|STATE_|ACTIONS_|GITHUB_(OUTPUT|ENV|STATE|PATH))/.test(name ?? '')),
    ).toEqual([]);
    expect(variables).toContain('KEPT');
    expect(run.stdout).toContain('DATABASE_URL=***');
    expect(run.stdout).toMatch(/^to [\d.]+$/m);
  });

  it('rehearses on masked rows with `require: masked`, and not at all if masking fails', async () => {
    const rules = (column: string) =>
      JSON.stringify([
        {
          ...{ database_name: 'neondb', schema_name: 'public', table_name: 'users', column_name: column },
          masking_function: 'anon.fake_email()',
        },
      ]);
    const isMasked = "DO $$ BEGIN ASSERT NOT EXISTS (SELECT FROM users WHERE email NOT LIKE '%@example.com'); END $$";
    const required = { require: 'masked', masking_rules: rules('email') };
    const run = await ended(scene, scene.succeeds(rehearsing([isMasked], required)));
    expect(outputOf(run).exit_code).toBe(0);
    const unfit = rehearsing('echo "it runs"', { ...required, masking_rules: rules('nothing') });
    const failed = await ended(scene, scene.fails(unfit));
    expect(failed.message).toMatch(/[Mm]asking branch .* failed/);
    expect(failed.stdout).not.toContain('it runs');
  });

  it('reports every invalid input before the first request', async () => {
    const inputs = { fail_on: 'locking', min_cu: '4', max_cu: '1' };
    const run = await scene.fails({ event, action: 'rehearse', inputs });
    expect(run.message.split('\n')).toEqual([
      '3 invalid inputs:',
      '- run is required, but it is empty. Set it to the command that runs the migration',
      expect.stringMatching(/^- fail_on: "locking" is invalid; .*set `max_lock` instead of `locking`/),
      expect.stringContaining('min_cu (4)'),
    ]);
    expect(run.calls).toEqual([]);
  });
});

describe('rehearse with `load`', () => {
  /** Reads and writes users until it is ended. */
  const traffic = `STEPS='${JSON.stringify(Array.from({ length: 800 }, () => ({ sql: 'UPDATE users SET score = 1 WHERE id = 7; SELECT pg_sleep(0.01)' })))}' ${client}`;

  it('measures how long its sessions wait for the migration', async () => {
    const steps = ['BEGIN', 'ALTER TABLE users ADD COLUMN nick text', 'SELECT pg_sleep(1.2)', 'COMMIT'];
    const run = await ended(scene, scene.fails(rehearsing(steps, { load: traffic, max_lock: '1s' })));
    expect(outputOf(run).load).toMatchObject({
      connected: true,
      overlapped: true,
      table: 'public.users',
      deadlocks: 0,
    });
    expect(outputOf(run).load?.waited_ms).toBeGreaterThan(1_000);
    expect(run.message).toMatch(/A session of the load waited \S+ for public\.users: longer than `max_lock`/);
    expect(run.summary).toContain('**Under load**: its sessions waited up to');
  });

  it('names the statements of it that were seen to fail, without the values in them', async () => {
    const failing = [
      { sql: 'BEGIN' },
      { sql: "SELECT score FROM users WHERE emial = 'jane@example.com'", mayFail: true },
      { on: 'b', sql: untilSampled },
      { sql: 'ROLLBACK' },
      { sql: 'SELECT pg_sleep(60)' },
    ];
    const load = `STEPS='${JSON.stringify(failing).replaceAll("'", `'\\''`)}' ${client}`;
    const run = await ended(scene, scene.succeeds(rehearsing(['SELECT pg_sleep(1.5)'], { load })));
    expect(outputOf(run).load).toMatchObject({ failed: ["SELECT score FROM users WHERE emial = '…'"] });
    expect(run.summary).toContain("failed statements: `SELECT score FROM users WHERE emial = '…'`");
    expect(run.summary).not.toContain('jane');
  });

  it('fails a gate if the load fails', async () => {
    const run = await ended(scene, scene.fails(rehearsing(['SELECT 1'], { load: 'exit 3', max_lock: '1s' })));
    expect(run.message).toContain('No session of the load was seen within 30 s.');
  });
});

describe('rehearse with `probe_locks`', () => {
  const probe = { probe_locks: 'true', max_lock: '20s' };
  const slow = [untilSampled, 'COMMIT'];

  it('tells after how long the command gives up', async () => {
    const steps = ["SET lock_timeout = '1s'", 'BEGIN', 'ALTER TABLE users ADD COLUMN nick text', ...slow];
    const run = await ended(scene, scene.succeeds(rehearsing(steps, probe)));
    expect(outputOf(run).probe?.outcome).toBe('gave up');
    expect(outputOf(run).probe?.gives_up_ms).toBeGreaterThan(500);
    expect(run.summary).toMatch(/\*\*If a table is being read\*\*, the command gives up after \S+/);
  });

  it('lets a statement with CONCURRENTLY pass, which waits for all who read at that moment', async () => {
    const steps = [
      'CREATE INDEX by_score ON users (score)',
      'DROP INDEX CONCURRENTLY by_score',
      "SET lock_timeout = '1s'",
      'BEGIN',
      'ALTER TABLE users ADD COLUMN nick text',
      ...slow,
    ];
    const run = await ended(scene, scene.succeeds(rehearsing(steps, { ...probe, timeout: '2m' })));
    expect(outputOf(run).probe?.outcome).toBe('gave up');
    expect(outputOf(run).probe?.gives_up_ms).toBeGreaterThan(500);
  });

  it('says that nothing was probed if no lock was seen', async () => {
    const run = await ended(scene, scene.succeeds(rehearsing(['SELECT 1'], probe)));
    expect(outputOf(run).probe).toBeNull();
    expect(run.annotations.warning.join()).toContain('`probe_locks` had nothing to probe: no strong lock was seen.');
  });

  it('tells that it gets through in another attempt', async () => {
    const steps = [
      "SET lock_timeout = '1s'",
      { sql: 'ALTER TABLE users ADD COLUMN nick text', mayFail: true },
      'SELECT pg_sleep(0.5)',
      'BEGIN',
      'ALTER TABLE users ADD COLUMN IF NOT EXISTS nick text',
      ...slow,
    ];
    const run = await ended(scene, scene.succeeds(rehearsing(steps, probe)));
    expect(outputOf(run).probe?.outcome).toBe('got through');
    expect(run.summary).toContain('it retries, and gets through once the reader has gone');
  });
});
