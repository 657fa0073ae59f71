import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { startGitHub } from '../../tools/github/index.ts';
import { untilSampled } from '../../tools/rehearse/migrations.ts';
import type { Running } from '../../tools/runner/process.ts';
import { ended, event, left, outputOf, rehearsing, withUsers } from '../support/rehearsals.ts';

const scene = withUsers();

describe('rehearse', () => {
  it('runs the command on a copy of the parent, reports what it did, and deletes the copy', async () => {
    const steps = ['BEGIN', 'ALTER TABLE users ALTER COLUMN score TYPE bigint', untilSampled, 'COMMIT'];
    const run = await ended(scene, scene.succeeds(rehearsing(steps)));
    expect(run.outputs).toMatchObject({ command: 'rehearse', created: 'true', deleted: 'true', destructive: 'false' });
    expect(run.outputs.branch_name).toMatch(/^rehearsal\/\d+-\d+-[\da-f]{8}$/);
    expect(run.outputs.db_url).toBeUndefined();
    const { exit_code, locks, rewritten } = outputOf(run);
    expect(exit_code).toBe(0);
    expect(locks).toMatchObject([
      { table: 'public.users', rows: 20_000, mode: 'AccessExclusiveLock', blocks: 'reads and writes' },
    ]);
    expect(locks[0]?.held_ms).toEqual(expect.any(Number));
    expect(Object.keys(outputOf(run))).toEqual(
      'exit_code duration_ms wal_bytes sampled_every_ms locks rewritten'.split(' '),
    );
    expect(Object.keys(locks[0] ?? {})).toEqual('table rows size mode blocks held_ms statement'.split(' '));
    expect(Object.keys(rewritten[0] ?? {})).toEqual('table rows size size_after'.split(' '));
    expect(rewritten).toMatchObject([{ table: 'public.users', rows: 20_000 }]);
    expect(JSON.parse(run.outputs.findings ?? '')).toMatchObject([{ rule: 'rewrite-type' }]);
    expect(run.summary).toContain('`public.users`');
    expect(run.summary).toContain('reads and writes');
    expect(run.post?.stdout).toBe('');
    const [type] = await scene.service.query(
      'main',
      "SELECT data_type FROM information_schema.columns WHERE column_name = 'score'",
    );
    expect(type?.data_type).toBe('integer');
  });

  it('asks for a branch that expires in two hours, with the compute that the inputs name', async () => {
    const created = async (inputs: Record<string, string>) => {
      const run = await ended(
        scene,
        scene.succeeds(rehearsing('test "$(pwd -P)" = "$(cd "$GITHUB_WORKSPACE" && pwd -P)"', inputs)),
      );
      const { body } = run.requests.find(({ method, path }) => method === 'POST' && path.endsWith('/branches')) ?? {};
      const { branch, endpoints } = body as { branch: Record<string, string>; endpoints: object[] };
      return { hours: (Date.parse(branch.expires_at ?? '') - Date.now()) / 3_600_000, endpoints };
    };
    const standard = await created({});
    expect(standard.hours).toBeCloseTo(2, 1);
    expect(standard.endpoints).toEqual([{ type: 'read_write' }]);
    const asked = await created({ expires_in: '5h', min_cu: '1', max_cu: '4' });
    expect(asked.hours).toBeCloseTo(5, 1);
    expect(asked.endpoints).toMatchObject([{ autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 4 }]);
  });

  it('is one line if nothing is wrong', async () => {
    const run = await ended(scene, scene.succeeds(rehearsing(['ALTER TABLE users ADD COLUMN nick text'])));
    expect(run.summary).toContain('✅ The migration ran in');
    expect(run.summary).not.toContain('| Table |');
  });

  it('tells an index that was built CONCURRENTLY from one that was not', async () => {
    const steps = ['CREATE INDEX CONCURRENTLY by_score ON users (score)'];
    const safe = await ended(scene, scene.succeeds(rehearsing(steps, { fail_on: 'locking' })));
    expect(safe.outputs.findings).toBe('[]');
    expect(safe.summary).toContain('✅ The migration ran in');
    const run = await ended(
      scene,
      scene.fails(rehearsing(['CREATE INDEX by_score ON users (score)'], { fail_on: 'locking' })),
    );
    expect(JSON.parse(run.outputs.findings ?? '')).toMatchObject([{ rule: 'add-index', object: 'public.by_score' }]);
  });

  it('never reads or wakes the parent', async () => {
    const run = await ended(scene, scene.succeeds(rehearsing(['SELECT 1'])));
    const about = run.requests.filter(({ path }) => path.includes(scene.service.main.id));
    expect(about).toEqual([]);
  });

  it('fails with the exit code of the command, after the report', async () => {
    const run = await ended(scene, scene.play(rehearsing('echo "about to fail"; echo "no such table" >&2; exit 42')));
    expect(run.code).toBe(42);
    expect(run.message).toContain('The command failed with exit code 42 (`run`): no such table');
    expect(outputOf(run).exit_code).toBe(42);
    expect(run.summary).toContain('about to fail');
    expect(run.annotations.warning.join()).toContain(
      'The command does not seem to have connected to the rehearsal branch: it may use a URL other than `DATABASE_URL`, or have failed',
    );
  });

  it('fails if a table is blocked for longer than max_lock', async () => {
    const lock = 'LOCK TABLE users IN SHARE MODE';
    const slow = ['BEGIN', lock, untilSampled, 'SELECT pg_sleep(1.1)', untilSampled, 'COMMIT'];
    const run = await ended(scene, scene.fails(rehearsing(slow, { max_lock: '1s' })));
    expect(run.message).toMatch(
      /A lock was held for longer than 1s \(`max_lock`\): public\.users: writes blocked for \d/,
    );
  });

  it('fails if the review has findings that fail_on names, and knows what was renamed', async () => {
    const steps = ['ALTER TABLE users RENAME COLUMN score TO points', 'ALTER TABLE users DROP COLUMN email'];
    const run = await ended(scene, scene.fails(rehearsing(steps, { fail_on: 'destructive' })));
    expect(run.message).toContain('drop-column public.users.email');
    expect(JSON.parse(run.outputs.findings ?? '')).toMatchObject([{ rule: 'drop-column' }, { rule: 'rename-column' }]);
  });

  it('leaves small tables out of the locking findings with `ignore_below`', async () => {
    const steps = ['CREATE INDEX by_score ON users (score)', 'ALTER TABLE users RENAME TO people'];
    const counted = await ended(scene, scene.fails(rehearsing(steps, { fail_on: 'locking', ignore_below: '100kB' })));
    expect(counted.message).toMatch(
      /add-index public\.by_score \(on public\.people \(score\); 20 thousand rows, 1(\.\d)? MB\)/,
    );
    const run = await ended(scene, scene.succeeds(rehearsing(steps, { fail_on: 'locking', ignore_below: '10MB' })));
    expect(JSON.parse(run.outputs.findings ?? '')).toMatchObject([{ rule: 'rename-table' }]);
    expect(run.summary).toContain('<summary>1 finding about small tables (<code>ignore_below</code>)</summary>');
  });

  it('gives the command a URI without sslmode with `ssl: omit`', async () => {
    const script =
      'for v in "$DATABASE_URL" "$DIRECT_URL" "$PGSSLMODE"; do case "$v" in *sslmode*|*channel_binding*|require) exit 3;; esac; done';
    await ended(scene, scene.succeeds(rehearsing(script, { ssl: 'omit' })));
    expect((await ended(scene, scene.play(rehearsing(script)))).code).toBe(3);
  });

  it('gives the command the branch and the environment of the job, but no secret of the action', async () => {
    const play = rehearsing(
      'env | sort; echo "port $PGPORT"; test "$DIRECT_URL" = "$DATABASE_URL"; test "$DATABASE_URL_UNPOOLED" = "$DATABASE_URL"; pwd',
      {
        working_directory: tmpdir(),
      },
    );
    const env: Record<string, string> = { ...play.env, KEPT: 'yes', DATABASE_URL: 'postgresql://production' };
    const run = await ended(scene, scene.succeeds({ ...play, env }));
    const variables = new Set([...run.stdout.matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name));
    expect(
      [...variables].filter((name) => /^(INPUT_|STATE_|ACTIONS_|GITHUB_(OUTPUT|ENV|STATE|PATH))/.test(name ?? '')),
    ).toEqual([]);
    expect(variables).toContain('KEPT');
    expect(run.stdout).toContain('DATABASE_URL=***');
    expect(run.stdout.split('\n')).toContain(realpathSync(tmpdir()));
  });

  it('connects directly, and never through the pooler', async () => {
    const fault = scene.service.faults.add({
      ...{ method: 'POST', path: /\/branches$/, times: 1 },
      transform: (body) => JSON.parse(JSON.stringify(body).replace(/("pooler_host":"\d+)/g, '$1-pooler')) as object,
    });
    const run = await ended(scene, scene.succeeds(rehearsing('echo "to $PGHOST"', { timeout: '60s' })));
    expect(run.stdout).toMatch(/^to [\d.]+$/m);
    fault.remove();
  });

  it('says so if the command waits for itself', async () => {
    const play = rehearsing([
      'BEGIN',
      'ALTER TABLE users ADD COLUMN a text',
      { on: 'b', sql: 'CREATE INDEX by_email ON users (email)' },
    ]);
    const endWaits = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
    const cancel = {
      // No signal is sent. The command would wait forever.
      at: async ({ line }: Running) => {
        await line(/The command is blocking itself/);
        await scene.service.query(left(scene)[0]?.id ?? '', endWaits);
      },
      signals: [],
    };
    const run = await ended(scene, scene.play({ ...play, cancel }));
    expect(run.code).toBe(1);
    expect(run.message).toContain('The command blocked itself: `CREATE INDEX by_email');
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
    expect(failed.message).toMatch(/Masking branch .* failed .* Deleted branch .*, because `require: masked` is set\./);
    expect(failed.stdout).not.toContain('it runs');
  });

  it('reports a folder that does not exist, and a missing command, before the first request', async () => {
    const run = await scene.fails({ event, inputs: { command: 'rehearse', working_directory: 'nowhere' } });
    expect(run.message).toContain('run is required');
    expect(run.message).toContain('working_directory: "nowhere" is invalid; expected an existing folder');
    expect(run.calls).toEqual([]);
  });
});

describe('the comment', () => {
  it('of a command that fails with much output is cut at its limit, and points to the summary', async () => {
    const github = await startGitHub({ token: 'ghs_secretTokenOfThisRun' });
    try {
      github.state.addPull({ number: 7 });
      const loud = 'for n in $(seq 30); do head -c 15000 /dev/zero | tr "\\0" x; echo; done; exit 3';
      const play = rehearsing(loud, { comment: 'true' });
      const run = await ended(scene, scene.play({ ...play, env: { ...play.env, ...github.env } }));
      expect(run.code).toBe(3);
      const [comment, ...others] = github.state.comments;
      expect(others).toEqual([]);
      const body = comment?.body ?? '';
      expect(body.length).toBeGreaterThan(10_000);
      expect([...body].length).toBeLessThanOrEqual(65_536);
      expect(body.match(/<details>/g)?.length).toBe(body.match(/<\/details>/g)?.length);
      expect(body).toMatch(/❌ \*\*Exit code 3\*\*/);
      expect(body).toMatch(/\n_[^\n]*summary[^\n]*_\s*$/);
      expect(run.summary).toContain('x'.repeat(15_000));
    } finally {
      await github.close();
    }
  });
});
