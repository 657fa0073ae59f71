import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { cancelSignals, killed } from '../../tools/runner/process.ts';
import { ended, outputOf, rehearsing, withUsers } from '../support/rehearsals.ts';
import type { Played } from '../support/scenario.ts';

const scene = withUsers();

describe('with faults', () => {
  const deleting = { method: 'DELETE', path: /\/branches\/[^/]+$/ } as const;

  it('finds the branch of a create whose response was lost', async () => {
    scene.service.faults.add({ method: 'POST', path: /\/branches$/, times: 1, close: 'after' });
    const run = await ended(scene, scene.succeeds(rehearsing(['SELECT 1'])));
    expect(outputOf(run).exit_code).toBe(0);
  });

  it('leaves a branch that cannot be deleted to the post step', async () => {
    const fault = scene.service.faults.add({
      ...deleting,
      times: 1,
      status: 403,
      body: { code: '', message: 'not now' },
    });
    const run = await ended(scene, scene.succeeds(rehearsing(['SELECT 1'])));
    expect(run.annotations.warning.join()).toMatch(
      /Could not delete branch .*: 403, not now .*Unless the post step deletes the branch, it expires at 2/,
    );
    expect(run.post?.stdout).toContain('Deleted rehearsal branch');
    fault.remove();
  });

  it('deletes the branch if its database refuses connections', async () => {
    const fault = scene.service.faults.add({
      ...{ method: 'POST', path: /\/branches$/, times: 1 },
      transform: (body) =>
        JSON.parse(JSON.stringify(body).replace(/(:\/\/[^"]*@[^"/:]+)(:\d+)?\//g, '$1:1/')) as object,
    });
    const run = await ended(scene, scene.fails(rehearsing('echo "it runs"', { timeout: '12s' })));
    expect(run.message).toMatch(/ECONNREFUSED|refused/);
    expect(run.stdout).not.toContain('it runs');
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
    const run = await ended(scene, scene.succeeds(rehearsing(['SELECT 1'])));
    expect(outputOf(run).exit_code).toBe(0);
    expect(run.summary).toContain('The schema could not be fully reviewed: Could not read the schema of database');
    fault.remove();
  });
});

const cancelPoints: [string, RegExp][] = [
  ['before the branch is created', /^Creating|^Operation |^Created branch/],
  ['while the branch is created', /^Created branch/],
  ['while it waits for the branch', /^Operation /],
  ['before the command starts', /^Connecting to branch/],
  ['while the command runs', /^command \d+ runs/],
];
const killPoints: [string, RegExp][] = [
  ['before the branch is created', /^Creating|^Operation |^Created branch/],
  ['after the branch is created', /^Created branch/],
  ['before the command starts', /^Connecting to branch/],
  ['while the command runs', /^command \d+ runs/],
  ['after the command', /^The command exited/],
  ['while the branch is deleted', /^Deleting branch/],
  ['at the very end', /^::notice title=Database Branch/],
];
/** The last two, or all twelve with `ALL_KILL_POINTS=1`. */
const points = (all: [string, RegExp][]) => (process.env.ALL_KILL_POINTS ? all : all.slice(3, 5));

/** The branch is gone, and no process is left, whatever the command does when it is stopped. */
describe.concurrent('a rehearsal that is stopped', () => {
  // Ten minutes: a failed test must not leave it behind for ever.
  const endures = 'while ((SECONDS < 600)); do sleep 0.2; done';
  const stubborn = `trap "" TERM INT; echo "command $$ runs"; ${endures}`;

  const pidIn = ({ stdout }: Played) => Number(/command (\d+) runs/.exec(stdout)?.[1]);
  /** Resolves once a process has ended. */
  async function expectEnded(pid: number): Promise<void> {
    for (;;) {
      try {
        process.kill(pid, 0);
      } catch {
        return;
      }
      await delay(20);
    }
  }

  it('ends at max_duration', async () => {
    const run = await ended(scene, scene.play(rehearsing('sleep 3600', { max_duration: '1s' })));
    expect(run.code).toBe(1);
    expect(run.message).toMatch(
      /The command \(`run`\) was stopped after \S+s \(`max_duration`\), and ended with exit code 143/,
    );
  });

  it('ends at max_duration with its report, although the server goes on with the statement and its locks', async () => {
    const stuck = ['BEGIN', 'ALTER TABLE users ADD COLUMN a text', 'SELECT pg_sleep(3600)'];
    // Long enough to start the command, and for samples a second apart, on a busy machine.
    const run = await ended(scene, scene.play(rehearsing(stuck, { max_duration: '8s', max_lock: '1s' })));
    expect(run.code).toBe(1);
    expect(run.message).toContain('(`max_duration`), and ended with exit code 143. Make it faster, or raise');
    expect(run.message).toMatch(/public\.users blocked for \S+ \(reads and writes\): longer than `max_lock` \(1s\)/);
    expect(outputOf(run).locks).toMatchObject([{ table: 'public.users', mode: 'AccessExclusiveLock' }]);
    expect(run.post?.stdout).toBe('');
  });

  it('leaves time to delete the branch before the timeout of the step', async () => {
    const run = await ended(scene, scene.play(rehearsing('sleep 3600', { timeout: '24s' })));
    expect(run.message).toContain('(`timeout`), and ended with exit code');
    expect(run.stdout).toMatch(/^Deleting branch/m);
  });

  it('fails if `then` has no time to end, even with exit code 0; `max_duration` is not for it', async () => {
    const then = "trap 'exit 0' TERM; echo it runs; sleep 3600 & wait";
    const inputs = Object.fromEntries([['then', then]]);
    const run = await ended(scene, scene.fails(rehearsing('true', { ...inputs, timeout: '24s', max_duration: '3s' })));
    expect(run.message).toBe(
      '`then` was stopped (`timeout`), and ended with exit code 0. Make it faster, or raise `timeout`.',
    );
    expect(outputOf(run).then).toEqual({ exit_code: 0 });
    expect(run.summary).not.toContain('succeeded');
  });

  it('is cancelled while `then` runs, which is not a success', async () => {
    const then = "trap 'exit 0' TERM; echo it runs; sleep 3600 & wait";
    const cancel = { at: /^it runs/, signals: cancelSignals().slice(0, 1) };
    const run = await ended(
      scene,
      scene.fails({ ...rehearsing('true', Object.fromEntries([['then', then]])), cancel }),
    );
    expect(run.message).toBe('The step was cancelled (SIGINT) while running `then`.');
    expect(outputOf(run).then).toBeNull();
  });

  it('ends with its command, even if that has left processes that ignore signals or are in a session of their own', async () => {
    const ignoring = `trap "" TERM INT HUP; echo "command $BASHPID runs"; touch one; ${endures}`;
    const away = `setsid bash -c 'echo "daemon $$"; touch two; exec sleep 3600'`;
    const script = `(${ignoring}) & ${away} & until [ -e one ] && [ -e two ]; do sleep 0.05; done; echo done`;
    // No process of the command delays the step: neither one that must be killed nor one that is out of reach.
    const run = await ended(scene, scene.succeeds(rehearsing(script)));
    expect(run.stdout).toMatch(/^done$/m);
    await expectEnded(pidIn(run));
    process.kill(Number(/daemon (\d+)/.exec(run.stdout)?.[1]), 'SIGKILL');
  });

  it.each(points(cancelPoints))('is cancelled %s', async (_, at) => {
    // Without SIGKILL, after which the action can end nothing.
    const cancel = { at, signals: cancelSignals(0.5).slice(0, 2) };
    const run = await ended(scene, scene.play({ ...rehearsing(stubborn), cancel }));
    expect(run.code).not.toBe(0);
    const pid = pidIn(run);
    if (pid) await expectEnded(pid);
  });

  it.each(points(killPoints))('is killed %s', async (_, at) => {
    const run = await ended(
      scene,
      scene.play({ ...rehearsing('echo "command $$ runs"; sleep 1'), cancel: { at, signals: killed } }),
    );
    expect(run.post?.code ?? 0).toBe(0);
  });
});
