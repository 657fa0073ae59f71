import { describe, expect, it } from 'vitest';
import { scenario, withScenario } from '../support/scenario.ts';

const scene = scenario();
const play = (name: string, inputs: Record<string, string> = {}) => ({
  inputs: { branch_name: name, ephemeral: 'true', ...inputs },
  post: true,
});
/** The post step never fails the job. */
const expectToEnd = (run: {
  post: { code: number | null; annotations: { error: string[]; warning: string[] } } | undefined;
}) => expect({ code: run.post?.code, errors: run.post?.annotations.error }).toEqual({ code: 0, errors: [] });
const runId = '1658821493';

describe('the post step of `ephemeral`', () => {
  it('deletes the branch', async () => {
    const run = await scene.succeeds(play('mine'));
    expectToEnd(run);
    expect(run.outputs.created).toBe('true');
    expect(run.post?.annotations.warning).toEqual([]);
    expect(scene.service.branch('mine')).toBeUndefined();
  });

  it.each<[string, (branch: { name: string }) => void]>([
    ['renamed', (branch) => Object.assign(branch, { name: 'kept' })],
    ['taken over', ({ name }) => Object.assign(scene.service.annotations(name), { 'github-pr-number': '99' })],
  ])('keeps a branch that was %s, with a warning', async (how, change) => {
    const run = await scene.succeeds({
      ...play(how),
      between: () => change(scene.service.branch(how) as { name: string }),
    });
    expectToEnd(run);
    expect(run.post?.annotations.warning).toEqual([
      expect.stringMatching(
        new RegExp(
          `^Kept branch .* \\(${run.outputs.branch_id}\\), which this step created: its name or owner has changed\\.$`,
        ),
      ),
    ]);
    expect(scene.service.branches().some(({ id }) => id === run.outputs.branch_id)).toBe(true);
  });

  it('deletes the branch of a main step that failed after the create', async () => {
    const run = await scene.fails(play('failed', { database: 'nothing' }));
    expectToEnd(run);
    expect(run.outputs.created).toBe('true');
    expect(scene.service.branch('failed')).toBeUndefined();
  });

  it('does not wait for a branch whose create was rejected', async () => {
    await withScenario({ branchLimit: 1 }, async (full) => {
      const run = await full.fails(play('refused'));
      expectToEnd(run);
      expect(run.post?.annotations.warning).toEqual([]);
      // All of the main step: does the name exist?
      expect(run.calls).toEqual(['POST /branches 422', 'GET /operations 200', 'GET /branches 200']);
    });
  });

  it('keeps a branch that the step refused to use, even if another job of this run created it', async () => {
    await scene.succeeds({ inputs: { command: 'create', branch_name: 'shared' } });
    const run = await scene.fails(play('shared', { if_exists: 'fail' }));
    expectToEnd(run);
    expect(run.post?.annotations.warning).toEqual([]);
    expect(scene.service.branch('shared')).toBeDefined();
  });

  it("deletes the branch even if a later step has removed the event's payload", async () => {
    const env: Record<string, string> = {};
    const run = await scene.succeeds({
      ...play('cleaned'),
      env,
      between: () => Object.assign(env, { GITHUB_EVENT_PATH: '/nowhere/event.json' }),
    });
    expectToEnd(run);
    expect(run.post?.annotations.warning).toEqual([]);
    expect(scene.service.branch('cleaned')).toBeUndefined();
  });

  it('keeps every branch that this step did not create, even one of the same run and attempt', async () => {
    await scene.service.addBranches([
      { name: 'theirs', annotations: { 'github-run-id': '4711' } },
      { name: 'nobody' },
      { name: 'same-run', annotations: { 'github-run-id': runId, 'github-run-attempt': '1' } },
    ]);
    for (const name of ['theirs', 'nobody', 'same-run']) {
      const run = await scene.succeeds(play(name));
      expectToEnd(run);
      expect(scene.service.branch(name)).toBeDefined();
    }
  });

  it('deletes its own branch without a run ID', async () => {
    const run = await scene.succeeds({ ...play('no-run-id'), env: { GITHUB_RUN_ID: '' } });
    expectToEnd(run);
    expect(scene.service.branch('no-run-id')).toBeUndefined();
  });

  it('says in one sentence that the key is empty in the post step', async () => {
    const env: Record<string, string> = {};
    const run = await scene.succeeds({
      ...play('no-key'),
      env,
      between: () => Object.assign(env, { INPUT_API_KEY: '' }),
    });
    expect(run.post?.annotations.warning).toEqual([
      `The ephemeral branch "no-key" (${run.outputs.branch_id}) may still exist; delete it manually. Invalid input: - api_key is required, but it is empty. Check the name of the secret.`,
    ]);
  });

  it('warns if its own branch has no metadata any more', async () => {
    const faults: { remove: () => void }[] = [];
    const run = await scene.succeeds({
      ...play('no metadata'),
      between: () => {
        const transform = (body: unknown) => ({ ...(body as object), annotations: {}, annotation: undefined });
        faults.push(scene.service.faults.add({ method: 'GET', path: /\/branches(\/br-[^/]+)?$/, transform }));
      },
    });
    for (const fault of faults) fault.remove();
    expect(run.post?.annotations.warning).toEqual([
      expect.stringContaining('its metadata does not say that this step created it'),
    ]);
    expect(scene.service.branch('no metadata')).toBeDefined();
  });

  it('keeps a branch that has a child, even if the service would delete it', async () => {
    const run = await scene.succeeds({
      ...play('a parent'),
      between: async () => void (await scene.service.addBranch({ name: 'a child', parent: 'a parent' })),
    });
    expectToEnd(run);
    expect(run.post?.annotations.warning).toEqual([expect.stringContaining('has a child branch ("a child"')]);
    expect(run.calls.filter((call) => call.startsWith('DELETE'))).toEqual([]);
    expect(scene.service.branch('a parent')).toBeDefined();
  });

  it('creates nothing if the runner keeps no state', async () => {
    const run = await scene.fails({ ...play('stateless'), env: { GITHUB_STATE: '' } });
    expect(run.message).toContain('The runner keeps no state for the post step');
    expect(run.calls.filter((call) => call.startsWith('POST'))).toEqual([]);
    expect(scene.service.branch('stateless')).toBeUndefined();
  });

  it('keeps a branch that another job of the same run created under the name', async () => {
    // The first job's branch is reused by a second one, whose post step must not delete it under the first one's feet.
    const run = await scene.succeeds({
      ...play('two-jobs'),
      between: async () => {
        expectToEnd(await scene.succeeds(play('two-jobs')));
        expect(scene.service.branch('two-jobs')).toBeDefined();
      },
    });
    expectToEnd(run);
    expect(scene.service.branch('two-jobs')).toBeUndefined();
  });

  it('deletes only its own branch in each shard of a matrix', async () => {
    await scene.succeeds({
      ...play('shard-1'),
      between: async () => {
        expectToEnd(await scene.succeeds(play('shard-2')));
        expect(scene.service.branch('shard-1')).toBeDefined();
      },
    });
    expect(scene.service.branches().filter(({ name }) => name.startsWith('shard-'))).toEqual([]);
  });
});

// Slow, so concurrent, each with its own service.
describe.concurrent('the post step of `ephemeral` after errors', () => {
  it('accepts that the branch is already gone, and keeps a protected one with a warning', async () => {
    await withScenario({}, async (scene) => {
      const gone = await scene.succeeds({ ...play('early'), between: () => scene.service.removeBranch('early') });
      expectToEnd(gone);
      expect(gone.post?.annotations.warning).toEqual([]);
      const shield = () => Object.assign(scene.service.branch('shielded') ?? {}, { protected: true });
      const run = await scene.succeeds({ ...play('shielded'), between: shield });
      expectToEnd(run);
      expect(run.post?.annotations.warning).toEqual([
        expect.stringContaining(
          `Branch "shielded" (${run.outputs.branch_id}) was not deleted, because it is protected.`,
        ),
      ]);
      expect(scene.service.branch('shielded')).toBeDefined();
    });
  });

  it('ignores that `expires_at` is in the past by now', async () => {
    let ageMs = 0;
    await withScenario({ now: () => Date.now() + ageMs }, async (scene) => {
      const at = (ms: number) => new Date(Date.now() + ms).toISOString().replace(/\.\d+Z/, 'Z');
      const env: Record<string, string> = {};
      // As if the job took a day.
      const between = () => {
        ageMs = 86_400_000;
        env.INPUT_EXPIRES_AT = at(3_600_000 - ageMs);
      };
      const run = await scene.succeeds({ ...play('past', { expires_at: at(3_600_000) }), env, between });
      expectToEnd(run);
      expect(run.post?.annotations.warning).toEqual([]);
      await scene.service.idle();
      expect(scene.service.branch('past')).toBeUndefined();
    });
  });

  it('deletes a branch whose create response was lost, even if retries were refused and no list had it yet', async () => {
    await withScenario({ propagation: { lists: 5 } }, async (behind) => {
      const create = { method: 'POST', path: /\/branches$/ };
      behind.service.faults.add({ ...create, nth: 1, close: 'after' });
      behind.service.faults.add({ ...create, nth: [3, 4, 5], status: 403 });
      const run = await behind.fails(play('hidden'));
      expect(run.message).toContain('403');
      expectToEnd(run);
      await behind.service.idle();
      expect(behind.service.branch('hidden')).toBeUndefined();
    });
  });

  it('deletes a branch whose create response was lost if the step is cancelled before any list has it', async () => {
    await withScenario({ propagation: { lists: 6 } }, async (behind) => {
      behind.service.faults.add({ method: 'POST', path: /\/branches$/, nth: 1, close: 'after' });
      const cancel = { at: /^POST .*: 409 .*; retrying in /, signals: [{ signal: 'SIGINT' as const, afterMs: 0 }] };
      expectToEnd(await behind.play({ ...play('hidden'), cancel }));
      await behind.service.idle();
      expect(behind.service.branch('hidden')).toBeUndefined();
    });
  });

  it('names the branch and its ID if it cannot be deleted, and does not fail the job', async () => {
    await withScenario({}, async (scene) => {
      const between = () => void scene.service.faults.add({ path: /./, status: 403 });
      const run = await scene.succeeds({ ...play('left'), between });
      expectToEnd(run);
      expect(run.post?.annotations.warning).toEqual([
        expect.stringMatching(
          `The ephemeral branch "left" \\(${run.outputs.branch_id}\\) may still exist; delete it manually\\. .*403`,
        ),
      ]);
    });
  });
});
