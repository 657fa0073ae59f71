import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { scenario, withScenario } from '../support/scenario.ts';

const scene = scenario();
const play = (name: string, inputs: Record<string, string> = {}) => ({
  inputs: { branch_name: name, ephemeral: 'true', ...inputs },
  post: true,
});
const ends = (run: {
  post: { code: number | null; annotations: { error: string[]; warning: string[] } } | undefined;
}) => expect({ code: run.post?.code, errors: run.post?.annotations.error }).toEqual({ code: 0, errors: [] });
const runId = '1658821493';

describe('the post step of `ephemeral`', () => {
  it('deletes the branch, for good where that is asked for', async () => {
    for (const hard of ['false', 'true']) {
      const run = await scene.succeeds(play(`gone-${hard}`, { hard_delete: hard }));
      ends(run);
      expect(run.post?.annotations.warning).toEqual([]);
      expect(scene.service.branch(`gone-${hard}`)).toBeUndefined();
      const sent = run.requests.find(({ method }) => method === 'DELETE');
      expect(JSON.stringify(sent?.query ?? sent?.path).includes('hard_delete')).toBe(hard === 'true');
    }
  });

  it('deletes after a main step that failed once the branch was there', async () => {
    const run = await scene.fails(play('failed', { database: 'nothing' }));
    ends(run);
    expect(run.outputs.created).toBe('true');
    expect(scene.service.branch('failed')).toBeUndefined();
  });

  it('does not wait for a branch whose create was refused', async () => {
    await withScenario({ branchLimit: 1 }, async (full) => {
      const run = await full.fails(play('refused'));
      ends(run);
      expect(run.post?.stdout).toContain('nothing to delete');
      // Both of the main step: whether the name is there, and how many branches could be pruned.
      expect(run.calls).toEqual(['POST /branches 422', 'GET /branches 200', 'GET /branches 200']);
    });
  });

  it('leaves what the step refused to use, though another job of this run has made it', async () => {
    await scene.succeeds({ inputs: { command: 'create', branch_name: 'shared' } });
    const run = await scene.fails(play('shared', { if_exists: 'fail' }));
    ends(run);
    expect(run.post?.stdout).toContain('nothing to delete');
    expect(scene.service.branch('shared')).toBeDefined();
  });

  it('looks where the branch was made, though a later step has changed what the inputs are made of', async () => {
    const { baseUrl, apiKey } = scene.service;
    const made = await fetch(`${baseUrl}/projects`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ project: { name: 'other' } }),
    });
    const { project: other } = (await made.json()) as { project: { id: string } };
    const env: Record<string, string> = {};
    const run = await scene.succeeds({
      ...play('moved'),
      env,
      between: () =>
        Object.assign(env, { INPUT_PROJECT_ID: other.id, INPUT_API_HOST: 'not a host', INPUT_TIMEOUT: 'soon' }),
    });
    ends(run);
    expect(run.post?.annotations.warning).toEqual([]);
    expect(scene.service.branch('moved')).toBeUndefined();
  });

  it("deletes though a later step has taken the event's payload away", async () => {
    const env: Record<string, string> = {};
    const run = await scene.succeeds({
      ...play('cleaned'),
      env,
      between: () => Object.assign(env, { GITHUB_EVENT_PATH: '/nowhere/event.json' }),
    });
    ends(run);
    expect(run.post?.annotations.warning).toEqual([]);
    expect(scene.service.branch('cleaned')).toBeUndefined();
  });

  it('deletes what the service has made under another name than was asked for', async () => {
    const { service } = scene;
    const nfd = 'cafe\u0301';
    const fault = service.faults.add({
      method: 'POST',
      path: /\/branches$/,
      transform: (body) => {
        const { branch } = body as { branch: { id: string; name: string } };
        Object.assign(service.branch(branch.id) ?? {}, { name: branch.name.normalize() });
        return { ...(body as object), branch: { ...branch, name: branch.name.normalize() } };
      },
    });
    const run = await scene.fails(play(nfd));
    fault.remove();
    expect(run.message).toContain('the service answered with');
    ends(run);
    expect(run.post?.annotations.warning).toEqual([]);
    expect(service.branches().map(({ name }) => name.normalize())).not.toContain(nfd.normalize());
  });

  it("leaves another run's branch, and deletes what an earlier attempt of this run has made", async () => {
    await scene.service.addBranches([
      { name: 'theirs', annotations: { 'github-run-id': '4711' } },
      { name: 'nobody' },
      { name: 'earlier', annotations: { 'github-run-id': runId, 'github-run-attempt': '0' } },
    ]);
    for (const [name, says] of [
      ['theirs', 'the record of run "4711"'],
      ['nobody', 'no record of the run that made it'],
    ] as const) {
      const run = await scene.succeeds(play(name));
      ends(run);
      expect(run.post?.stdout).toContain(says);
      expect(scene.service.branch(name)).toBeDefined();
    }
    const branch_id = scene.service.branch('earlier')?.id ?? '';
    ends(await scene.succeeds(play('earlier', { branch_id })));
    expect(scene.service.branch('earlier')).toBeUndefined();
  });

  it('deletes its own branch by its ID where another one has its name by now', async () => {
    const { service } = scene;
    const run = await scene.succeeds({
      ...play('taken'),
      between: async () => {
        Object.assign(service.branch('taken') ?? {}, { name: 'renamed' });
        await service.addBranch({ name: 'taken', annotations: { 'github-run-id': '4711' } });
      },
    });
    ends(run);
    await service.idle();
    expect(service.branch('renamed')).toBeUndefined();
    expect(service.branch('taken')).toBeDefined();
  });

  it('finds a branch gone already, and leaves a protected one with a warning', async () => {
    const gone = await scene.succeeds({ ...play('early'), between: () => scene.service.removeBranch('early') });
    ends(gone);
    expect(gone.post?.annotations.warning).toEqual([]);
    const shield = () => Object.assign(scene.service.branch('shielded') ?? {}, { protected: true });
    const run = await scene.succeeds({ ...play('shielded'), between: shield });
    ends(run);
    expect(run.post?.annotations.warning).toEqual([expect.stringContaining('is a protected branch')]);
    expect(scene.service.branch('shielded')).toBeDefined();
  });

  it('works with an input that has become past meanwhile', async () => {
    const expires_at = new Date(Date.now() + 12_000).toISOString().replace(/\.\d+Z/, 'Z');
    const until = () => sleep(Math.max(0, Date.parse(expires_at) - Date.now() + 100));
    const run = await scene.succeeds({ ...play('past', { expires_at }), between: until });
    ends(run);
    expect(run.post?.annotations.warning).toEqual([]);
    await scene.service.idle();
    expect(scene.service.branch('past')).toBeUndefined();
  });

  it('deletes in each shard of a matrix its own branch only', async () => {
    await scene.succeeds({
      ...play('shard-1'),
      between: async () => {
        ends(await scene.succeeds(play('shard-2')));
        expect(scene.service.branch('shard-1')).toBeDefined();
      },
    });
    expect(scene.service.branches().filter(({ name }) => name.startsWith('shard-'))).toEqual([]);
  });
});

// Each with a service of its own, for they take their time.
describe.concurrent('the post step of `ephemeral`, where something is wrong', () => {
  it('deletes a branch whose create was lost, though later tries were refused and no list had it yet', async () => {
    await withScenario({ propagation: { lists: 5 } }, async (behind) => {
      const create = { method: 'POST', path: /\/branches$/ };
      behind.service.faults.add({ ...create, nth: 1, close: 'after' });
      behind.service.faults.add({ ...create, nth: [3, 4, 5], status: 403 });
      const run = await behind.fails(play('hidden'));
      expect(run.message).toContain('403');
      ends(run);
      await behind.service.idle();
      expect(behind.service.branch('hidden')).toBeUndefined();
    });
  });

  it('deletes a branch whose create was lost where the step is cancelled before any list has it', async () => {
    await withScenario({ propagation: { lists: 6 } }, async (behind) => {
      behind.service.faults.add({ method: 'POST', path: /\/branches$/, nth: 1, close: 'after' });
      const cancel = { at: /^Trying again to create/, signals: [{ signal: 'SIGINT' as const, afterMs: 0 }] };
      ends(await behind.play({ ...play('hidden'), cancel }));
      await behind.service.idle();
      expect(behind.service.branch('hidden')).toBeUndefined();
    });
  });

  it('has time enough for what a short `timeout` of the main step leaves under way', async () => {
    await withScenario({ operationMs: 2_500 }, async (slow) => {
      const run = await slow.fails(play('slow', { timeout: '2s' }));
      ends(run);
      expect(run.post?.annotations.warning).toEqual([]);
      await slow.service.idle();
      expect(slow.service.branch('slow')).toBeUndefined();
    });
  });

  it('names the branch and its ID where the service is away, and does not fail the job', async () => {
    await withScenario({}, async (away) => {
      const { stop } = away.service;
      const run = await away.succeeds({ ...play('left', { timeout: '3s' }), between: () => stop() });
      ends(run);
      expect(run.post?.annotations.warning).toEqual([
        expect.stringContaining(`The ephemeral branch "left" (${run.outputs.branch_id}) may be left behind`),
      ]);
    });
  });
});
