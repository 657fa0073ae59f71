import { describe, expect, it } from 'vitest';
import { pullRequest } from '../../tools/runner/events.ts';
import { type Played, scenario } from '../support/scenario.ts';

const scene = scenario();
let last = 8_000;
const fresh = () => {
  const number = ++last;
  return { event: pullRequest({ number }), name: `preview/pr-${number}` };
};
const patches = (run: Played) => run.requests.filter(({ method }) => method === 'PATCH').map(({ body }) => body);
const deletions = (run: Played) => run.calls.filter((call) => call.startsWith('DELETE'));

describe('an existing branch', () => {
  it('gets the compute settings that the step asks for, and only those that differ', async () => {
    const { event } = fresh();
    await scene.succeeds({ event });
    const inputs = { min_cu: '0.5', max_cu: '4', suspend_timeout: '300' };
    const run = await scene.succeeds({ event, inputs });
    expect(patches(run)).toEqual([
      {
        endpoint: { autoscaling_limit_min_cu: 0.5, autoscaling_limit_max_cu: 4, suspend_timeout_seconds: 300 },
      },
    ]);
    expect(patches(await scene.succeeds({ event, inputs }))).toEqual([]);
    expect(patches(await scene.succeeds({ event, inputs: { ...inputs, max_cu: '1' } }))).toEqual([
      { endpoint: { autoscaling_limit_max_cu: 1 } },
    ]);
  });

  it('gets its settings after `if_exists: reset`, too', async () => {
    const { event, name } = fresh();
    await scene.succeeds({ event });
    const run = await scene.succeeds({ event, inputs: { if_exists: 'reset', max_cu: '4', protected: 'true' } });
    // A change may be refused, and sent again, while the operations of the one before it run.
    expect(patches(run)).toContainEqual({ endpoint: { autoscaling_limit_max_cu: 4 } });
    expect(patches(run)).toContainEqual({ branch: { protected: true } });
    expect(run.requests.map(({ path }) => path).join()).toMatch(/restore/);
    expect(scene.service.branch(name)?.protected).toBe(true);
  });

  it('is protected if the step asks for it, once', async () => {
    const { event, name } = fresh();
    await scene.succeeds({ event });
    expect(patches(await scene.succeeds({ event, inputs: { protected: 'true' } }))).toEqual([
      { branch: { protected: true } },
    ]);
    expect(scene.service.branch(name)?.protected).toBe(true);
    expect(patches(await scene.succeeds({ event, inputs: { protected: 'true' } }))).toEqual([]);
  });

  it('gets no expiry if it is protected', async () => {
    const { event, name } = fresh();
    await scene.service.addBranch({ name, protected: true });
    const run = await scene.fails({ event, inputs: { expires_in: '2h', min_cu: '1' } });
    expect(run.message).toContain('Could not set the expiry of branch');
    expect(scene.service.branch(name)?.expires_at).toBeUndefined();
  });

  it('is never returned if it is the default branch', async () => {
    const { id } = scene.service.main;
    for (const inputs of [{ branch_name: 'main' }, { branch_id: id }] as Record<string, string>[]) {
      const run = await scene.fails({ inputs: { command: 'create', ...inputs } });
      expect(run.message).toMatch(/is the default branch, which `create` never returns\..*`command: get`/);
      expect(run.outputs).not.toHaveProperty('db_url');
      expect(run.outputs).not.toHaveProperty('password');
    }
  });
});

describe('if_exists: recreate', () => {
  const inputs = { if_exists: 'recreate' };

  it('deletes an existing branch and creates it again', async () => {
    const { event, name } = fresh();
    const { id } = await scene.service.addBranch({ name });
    const run = await scene.succeeds({ event, inputs });
    expect(run.outputs).toMatchObject({ created: 'true', branch_name: name });
    expect(run.outputs.branch_id).not.toBe(id);
    expect(deletions(run)).toHaveLength(1);
    expect(run.outputs.db_url).toBe(scene.service.uri(name));
  });

  it('deletes only the branch that it has looked up, and uses one that was created instead', async () => {
    const { event, name } = fresh();
    const { id } = await scene.service.addBranch({ name });
    let other: Promise<{ id: string }> | undefined;
    // Another run recreates the branch between the lookup and the deletion.
    const recreate = () => {
      other ??= scene.service.removeBranch(id).then(() => scene.service.addBranch({ name }));
      return true;
    };
    const fault = scene.service.faults.add({ method: 'DELETE', path: /./, times: 1, when: recreate, late: 100 });
    const run = await scene.succeeds({ event, inputs });
    fault.remove();
    const deleted = run.requests.filter(({ method }) => method === 'DELETE').map(({ path }) => path);
    expect(deleted).toEqual([expect.stringContaining(id)]);
    const now = await other;
    expect(now?.id).not.toBe(id);
    expect(run.outputs).toMatchObject({ created: 'false', branch_id: now?.id, db_url: scene.service.uri(name) });
  });

  it('is a plain create if there is no branch', async () => {
    const run = await scene.succeeds({ event: fresh().event, inputs });
    expect(run.outputs.created).toBe('true');
    expect(deletions(run)).toEqual([]);
  });

  it('replaces a branch that the step names by its ID', async () => {
    const { name } = fresh();
    const { id } = await scene.service.addBranch({ name });
    const run = await scene.succeeds({ inputs: { command: 'create', branch_id: id, ...inputs } });
    expect(run.outputs).toMatchObject({ created: 'true', branch_name: name });
    expect(run.outputs.branch_id).not.toBe(id);
  });

  it('refuses a branch that would be its own parent, and keeps it', async () => {
    const { event, name } = fresh();
    await scene.service.addBranch({ name });
    const run = await scene.fails({ event, inputs: { ...inputs, parent_branch: name } });
    expect(run.message).toContain('cannot be its own parent. Nothing was changed.');
    expect(scene.service.branch(name)).toBeDefined();
  });

  it('has the guards of delete: protected, default, children', async () => {
    const shielded = fresh();
    await scene.service.addBranch({ name: shielded.name, protected: true });
    expect((await scene.fails({ event: shielded.event, inputs })).message).toContain('because it is protected');
    const main = await scene.fails({ inputs: { command: 'create', branch_name: 'main', ...inputs } });
    expect(main.message).toContain('because it is the default branch');
    const parent = fresh();
    await scene.service.addBranch({ name: parent.name });
    await scene.service.addBranch({ name: `${parent.name}/child`, parent: parent.name });
    const run = await scene.fails({ event: parent.event, inputs });
    expect(run.message).toContain('has a child branch');
    expect(run.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
    expect(scene.service.branch(parent.name)).toBeDefined();
  });

  it('ends with one branch for many runs at once, and all succeed with it', async () => {
    const { event, name } = fresh();
    await scene.service.addBranch({ name });
    const runs = await Promise.all(Array.from({ length: 3 }, () => scene.play({ event, inputs })));
    expect(scene.service.branches().filter((one) => one.name === name)).toHaveLength(1);
    expect(runs.filter((run) => run.conclusion === 'success').length).toBeGreaterThanOrEqual(1);
  });
});
