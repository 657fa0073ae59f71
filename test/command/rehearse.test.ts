import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { startGitHub } from '../../tools/github/index.ts';
import { client } from '../../tools/rehearse/measure.ts';
import type { Step } from '../../tools/rehearse/migrations.ts';
import { pullRequest } from '../../tools/runner/events.ts';
import { cancelSignals, killed } from '../../tools/runner/process.ts';
import { type Play, type Played, scenario } from '../support/scenario.ts';

const scene = scenario({
  seed: `CREATE TABLE users (id integer PRIMARY KEY, email text NOT NULL, score integer);
    INSERT INTO users SELECT i, 'user' || i, i FROM generate_series(1, 20000) i;`,
});
const event = pullRequest({ number: 7 });

/** A step that rehearses statements, or a script. */
function rehearsing(what: (string | Step)[] | string, inputs: Record<string, string> = {}): Play {
  const steps = typeof what === 'string' ? [] : what.map((one) => (typeof one === 'string' ? { sql: one } : one));
  return {
    event,
    post: true,
    env: { STEPS: JSON.stringify(steps), NODE_EXTRA_CA_CERTS: '', NODE_NO_WARNINGS: '1' },
    inputs: { command: 'rehearse', run: typeof what === 'string' ? what : client, ...inputs },
  };
}

const left = () => scene.service.branches().filter(({ name }) => name !== 'main');

async function ended(run: Promise<Played>): Promise<Played> {
  const played = await run;
  await scene.service.idle();
  expect(left()).toEqual([]);
  return played;
}

interface Output {
  exit_code: number;
  locks: { table: string; rows: number; mode: string; blocks: string; held_ms: number; statement: string }[];
  rewritten: { table: string; rows: number; size: number; size_after: number }[];
}
const outputOf = ({ outputs }: Played) => JSON.parse(outputs.rehearsal ?? '') as Output;

describe('rehearse', () => {
  it('runs the command on a copy of the parent, reports what it did, and deletes the copy', async () => {
    const slow = ['BEGIN', 'ALTER TABLE users ALTER COLUMN score TYPE bigint', 'SELECT pg_sleep(0.5)', 'COMMIT'];
    const run = await ended(scene.succeeds(rehearsing(slow)));
    expect(run.outputs).toMatchObject({ command: 'rehearse', created: 'true', deleted: 'true', destructive: 'false' });
    expect(run.outputs.branch_name).toMatch(/^rehearsal\/\d+-\d+-[\da-f]{8}$/);
    expect(run.outputs.db_url).toBeUndefined();
    const { exit_code, locks, rewritten } = outputOf(run);
    expect(exit_code).toBe(0);
    expect(locks).toMatchObject([
      { table: 'public.users', rows: 20_000, mode: 'AccessExclusiveLock', blocks: 'reads and writes' },
    ]);
    expect(locks[0]?.held_ms).toBeGreaterThan(450);
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
    const run = await ended(scene.succeeds(rehearsing(['ALTER TABLE users ADD COLUMN nick text'])));
    expect(run.summary).toContain('✅ The migration ran on real rows');
    expect(run.summary).not.toContain('| Table |');
  });

  it('tells an index that was built CONCURRENTLY from one that was not', async () => {
    const steps = ['CREATE INDEX CONCURRENTLY by_score ON users (score)'];
    const safe = await ended(scene.succeeds(rehearsing(steps, { fail_on: 'locking' })));
    expect(safe.outputs.findings).toBe('[]');
    expect(safe.summary).toContain('✅ The migration ran on real rows');
    const run = await ended(
      scene.fails(rehearsing(['CREATE INDEX by_score ON users (score)'], { fail_on: 'locking' })),
    );
    expect(JSON.parse(run.outputs.findings ?? '')).toMatchObject([{ rule: 'add-index', object: 'public.by_score' }]);
  });

  it('never reads or wakes the parent', async () => {
    const run = await ended(scene.succeeds(rehearsing(['SELECT 1'])));
    const about = run.requests.filter(({ path }) => path.includes(scene.service.main.id));
    expect(about).toEqual([]);
  });

  it('fails with the exit code of the command, after the report', async () => {
    const run = await ended(scene.play(rehearsing('echo "about to fail"; echo "no such table" >&2; exit 42')));
    expect(run.code).toBe(42);
    expect(run.message).toContain('The command failed with exit code 42 (`run`): no such table');
    expect(outputOf(run).exit_code).toBe(42);
    expect(run.summary).toContain('about to fail');
    expect(run.annotations.warning.join()).toContain(
      'The command does not seem to have connected to the rehearsal branch',
    );
  });

  it('fails if a table is blocked for longer than max_lock', async () => {
    const slow = ['BEGIN', 'LOCK TABLE users IN SHARE MODE', 'SELECT pg_sleep(1.3)', 'COMMIT'];
    const run = await ended(scene.fails(rehearsing(slow, { max_lock: '1s' })));
    expect(run.message).toMatch(
      /A lock was held for longer than 1s \(`max_lock`\): public\.users: writes blocked for 1\.\ds/,
    );
  });

  it('fails if the review has findings that fail_on names, and knows what was renamed', async () => {
    const steps = ['ALTER TABLE users RENAME COLUMN score TO points', 'ALTER TABLE users DROP COLUMN email'];
    const run = await ended(scene.fails(rehearsing(steps, { fail_on: 'destructive' })));
    expect(run.message).toContain('drop-column public.users.email');
    expect(JSON.parse(run.outputs.findings ?? '')).toMatchObject([{ rule: 'drop-column' }, { rule: 'rename-column' }]);
  });

  it('leaves small tables out of the locking findings with `ignore_below`', async () => {
    const steps = ['CREATE INDEX by_score ON users (score)', 'ALTER TABLE users RENAME TO people'];
    const counted = await ended(scene.fails(rehearsing(steps, { fail_on: 'locking', ignore_below: '100kB' })));
    expect(counted.message).toMatch(
      /add-index public\.by_score \(on public\.people \(score\); 20 thousand rows, 1(\.\d)? MB\)/,
    );
    const run = await ended(scene.succeeds(rehearsing(steps, { fail_on: 'locking', ignore_below: '10MB' })));
    expect(JSON.parse(run.outputs.findings ?? '')).toMatchObject([{ rule: 'rename-table' }]);
    expect(run.summary).toContain('<summary>1 finding about small tables (<code>ignore_below</code>)</summary>');
  });

  it('gives the command the branch and the environment of the job, but no secret of the action', async () => {
    const play = rehearsing(
      'env | sort; echo "port $PGPORT"; test "$DIRECT_URL" = "$DATABASE_URL"; test "$DATABASE_URL_UNPOOLED" = "$DATABASE_URL"; pwd',
      {
        working_directory: tmpdir(),
      },
    );
    const env: Record<string, string> = { ...play.env, KEPT: 'yes', DATABASE_URL: 'postgresql://production' };
    const run = await ended(scene.succeeds({ ...play, env }));
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
    const run = await ended(scene.succeeds(rehearsing('echo "to $PGHOST"', { timeout: '20s' })));
    expect(run.stdout).toMatch(/^to [\d.]+$/m);
    fault.remove();
  });

  it('says so if the command waits for itself', async () => {
    const run = await ended(
      scene.play(
        rehearsing([
          'BEGIN',
          'ALTER TABLE users ADD COLUMN a text',
          { on: 'b', sql: "SET lock_timeout = '4s'" },
          { on: 'b', sql: 'CREATE INDEX by_email ON users (email)' },
        ]),
      ),
    );
    expect(run.code).toBe(1);
    expect(run.message).toContain('The command is blocking itself: `CREATE INDEX by_email');
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
    const run = await ended(scene.succeeds(rehearsing([isMasked], required)));
    expect(outputOf(run).exit_code).toBe(0);
    const unfit = rehearsing('echo "it runs"', { ...required, masking_rules: rules('nothing') });
    const failed = await ended(scene.fails(unfit));
    expect(failed.message).toMatch(/Masking branch .* failed .* Deleted branch .*, because `require: masked` is set\./);
    expect(failed.stdout).not.toContain('it runs');
  });

  it('reports a folder that does not exist, and a missing command, before the first request', async () => {
    const run = await scene.fails({ event, inputs: { command: 'rehearse', working_directory: 'nowhere' } });
    expect(run.message).toContain('run is required');
    expect(run.message).toContain('working_directory: "nowhere" is not a folder');
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
      const run = await ended(scene.play({ ...play, env: { ...play.env, ...github.env } }));
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

describe('with faults', () => {
  const deleting = { method: 'DELETE', path: /\/branches\/[^/]+$/ } as const;

  it('finds the branch of a create whose response was lost', async () => {
    scene.service.faults.add({ method: 'POST', path: /\/branches$/, times: 1, close: 'after' });
    const run = await ended(scene.succeeds(rehearsing(['SELECT 1'])));
    expect(run.outputs.deleted).toBe('true');
  });

  it('leaves a branch that cannot be deleted to the post step', async () => {
    const fault = scene.service.faults.add({
      ...deleting,
      times: 1,
      status: 403,
      body: { code: '', message: 'not now' },
    });
    const run = await ended(scene.succeeds(rehearsing(['SELECT 1'])));
    expect(run.annotations.warning.join()).toContain('could not be deleted. The post step will retry.');
    expect(run.post?.stdout).toContain('`command: rehearse`: Deleted branch');
    const deletions = run.requests.filter(({ method }) => method === 'DELETE');
    expect(deletions.map(({ query }) => query)).toEqual([{ hard_delete: 'true' }, { hard_delete: 'true' }]);
    fault.remove();
  });

  it('deletes the branch if its database refuses connections', async () => {
    const fault = scene.service.faults.add({
      ...{ method: 'POST', path: /\/branches$/, times: 1 },
      transform: (body) =>
        JSON.parse(JSON.stringify(body).replace(/(:\/\/[^"]*@[^"/:]+)(:\d+)?\//g, '$1:1/')) as object,
    });
    const run = await ended(scene.fails(rehearsing('echo "it runs"', { timeout: '20s' })));
    expect(run.message).toMatch(/ECONNREFUSED|refused/);
    expect(run.stdout).not.toContain('it runs');
    fault.remove();
  });

  it('fails a gate if the schema that the service sends is empty', async () => {
    const fault = scene.service.faults.add({ method: 'GET', path: /\/schema$/, transform: () => ({}) });
    const run = await ended(scene.fails(rehearsing(['SELECT 1'], { fail_on: 'destructive' })));
    expect(run.message).toMatch(
      /could not be fully reviewed: the service returned an empty schema for a database that has tables/,
    );
    fault.remove();
  });

  it('reports what it has measured if the schema cannot be read afterwards', async () => {
    const fault = scene.service.faults.add({
      method: 'GET',
      path: /\/schema$/,
      nth: 2,
      status: 403,
      body: { code: '', message: 'no' },
    });
    const run = await ended(scene.succeeds(rehearsing(['SELECT 1'])));
    expect(outputOf(run).exit_code).toBe(0);
    expect(run.summary).toContain(
      'The schema could not be fully reviewed: the schema could not be read after the command',
    );
    fault.remove();
  });
});

const cancelPoints: [string, RegExp][] = [
  ['before the branch is created', /^Running `rehearse`/],
  ['while the branch is created', /^Created branch/],
  ['while it waits for the branch', /^Operation /],
  ['before the command starts', /^Running the command on branch/],
  ['while the command runs', /^command \d+ runs/],
];
const killPoints: [string, RegExp][] = [
  ['before the branch is created', /^Running `rehearse`/],
  ['after the branch is created', /^Created branch/],
  ['before the command starts', /^Running the command on branch/],
  ['while the command runs', /^command \d+ runs/],
  ['after the command', /^The command ended/],
  ['while the branch is deleted', /^Deleting branch/],
  ['at the very end', /^::notice title=Database Branch/],
];
/** The last two, or all twelve with `ALL_KILL_POINTS=1`. */
const points = (all: [string, RegExp][]) => (process.env.ALL_KILL_POINTS ? all : all.slice(3, 5));

/** The branch is gone, and no process is left, whatever the command does when it is stopped. */
describe('a rehearsal that is stopped', () => {
  const stubborn = 'trap "" TERM INT; echo "command $$ runs"; while true; do sleep 0.2; done';

  const pidIn = ({ stdout }: Played) => Number(/command (\d+) runs/.exec(stdout)?.[1]);
  async function expectEnded(pid: number): Promise<void> {
    for (let waits = 0; waits < 100; waits++) {
      try {
        process.kill(pid, 0);
      } catch {
        return;
      }
      await delay(20);
    }
    throw new Error(`process ${pid} still runs`);
  }

  it('ends at max_duration', async () => {
    const run = await ended(scene.play(rehearsing('sleep 60', { max_duration: '1s' })));
    expect(run.code).toBe(143);
    expect(run.message).toMatch(
      /The command was stopped after 1(\.\d)?s \(`max_duration`\), and ended with exit code 143/,
    );
  });

  it('ends at max_duration with its report, although the server goes on with the statement and its locks', async () => {
    const stuck = ['BEGIN', 'ALTER TABLE users ADD COLUMN a text', 'SELECT pg_sleep(60)'];
    const started = performance.now();
    const run = await ended(scene.play(rehearsing(stuck, { max_duration: '2s', max_lock: '1s', timeout: '2m' })));
    expect(performance.now() - started).toBeLessThan(30_000);
    expect(run.code).toBe(143);
    expect(run.message).toContain('(`max_duration`), and ended with exit code 143');
    expect(run.message).toMatch(/A lock was held for longer than 1s \(`max_lock`\): public\.users/);
    expect(outputOf(run).locks).toMatchObject([{ table: 'public.users', mode: 'AccessExclusiveLock' }]);
    expect(run.outputs.deleted).toBe('true');
    expect(run.post?.stdout).toBe('');
  });

  it('leaves time to delete the branch before the timeout of the step', async () => {
    const run = await ended(scene.play(rehearsing('sleep 60', { timeout: '14s' })));
    expect(run.message).toContain('(`timeout`)');
    expect(run.outputs.deleted).toBe('true');
  });

  it('ends with its command, even if that has left processes that ignore signals or are in a session of their own', async () => {
    const daemon = 'while true; do sleep 0.2; done';
    const script = `(trap "" TERM INT HUP; echo "command $BASHPID runs"; ${daemon}) & setsid bash -c 'echo "daemon $$"; sleep 30' & sleep 0.5; echo done`;
    const started = performance.now();
    const run = await ended(scene.succeeds(rehearsing(script)));
    expect(run.stdout).toMatch(/^done$/m);
    await expectEnded(pidIn(run));
    // No process of the command delays the step: neither one that must be killed nor one that is out of reach.
    expect(performance.now() - started).toBeLessThan(25_000);
    const daemonPid = Number(/daemon (\d+)/.exec(run.stdout)?.[1]);
    process.kill(daemonPid, 'SIGKILL');
  });

  it.each(points(cancelPoints))('is cancelled %s', async (_, at) => {
    const cancel = { at, signals: cancelSignals(0.5) };
    const run = await ended(scene.play({ ...rehearsing(stubborn), cancel }));
    expect(run.code).not.toBe(0);
    const pid = pidIn(run);
    if (pid) await expectEnded(pid);
  });

  it.each(points(killPoints))('is killed %s', async (_, at) => {
    const run = await ended(
      scene.play({ ...rehearsing('echo "command $$ runs"; sleep 1'), cancel: { at, signals: killed } }),
    );
    expect(run.post?.code ?? 0).toBe(0);
  });

  it('ends its command in the post step if it is killed, also what ignores signals or is in a session of its own', async () => {
    const script = `setsid bash -c 'trap "" TERM; echo "daemon $$ runs"; while true; do sleep 0.2; done' & echo "command $$ runs"; sleep 60`;
    const run = await ended(scene.play({ ...rehearsing(script), cancel: { at: /daemon \d+ runs/, signals: killed } }));
    const pids = [...run.stdout.matchAll(/(?:command|daemon) (\d+) runs/g)].map(([, pid]) => Number(pid));
    expect(pids).toHaveLength(2);
    for (const pid of pids) await expectEnded(pid);
    expect(run.post?.stdout).toMatch(/Ended \d+ processes that the command of the rehearsal had left running/);
  });

  it('ends no process of another rehearsal', async () => {
    const other = spawn('sleep', ['60'], { env: { ...process.env, DATABASE_BRANCH_REHEARSAL: randomUUID() } });
    await ended(
      scene.play({
        ...rehearsing('echo "command $$ runs"; sleep 60'),
        cancel: { at: /command \d+ runs/, signals: killed },
      }),
    );
    expect(other.exitCode ?? other.signalCode).toBeNull();
    other.kill('SIGKILL');
  });
});
