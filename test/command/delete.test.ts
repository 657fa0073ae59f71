import { describe, expect, it } from 'vitest';
import { branchNameFromRef } from '../../src/text/branch-name.ts';
import { deleteRef, pullRequest } from '../../tools/runner/events.ts';
import { scenario, withScenario } from '../support/scenario.ts';

const scene = scenario();
let last = 300;
const fresh = () => {
  const number = ++last;
  return { name: `preview/pr-${number}`, event: pullRequest({ number, action: 'closed' }) };
};

const changes = (run: { requests: { method: string }[] }) => run.requests.filter((request) => request.method !== 'GET');

describe('delete', () => {
  it('deletes the branch of a closed pull request and waits until it is gone', async () => {
    const { name, event } = fresh();
    const { id, parent_id } = await scene.service.addBranch({ name });
    await scene.service.addBranch({ name: `${name}-2` });
    const run = await scene.succeeds({ event });
    expect(run.outputs).toEqual({
      command: 'delete',
      skipped: 'false',
      created: 'false',
      deleted: 'true',
      branch_id: id,
      branch_name: name,
      parent_id,
      operation_ids: expect.stringMatching(/^\["[\w-]+".*\]$/),
    });
    expect(run.calls[0]).toBe('GET /branches 200');
    expect(run.calls[1]).toBe('DELETE /branches/{branch} 200');
    expect(run.calls.slice(2).every((call) => call === 'GET /operations 200')).toBe(true);
    expect(scene.service.branch(name)).toBeUndefined();
    expect(scene.service.branch(`${name}-2`)).toBeDefined();
    expect(run.requests[1]?.query).toEqual({});
    expect(run.annotations.notice).toEqual([`Deleted branch "${name}" (${id})`]);
    expect(run.summary).toContain(`Deleted branch "${name}" (${id}). The step took `);
  });

  it('reads on after a page without branches that names another one', async () => {
    const { name, event } = fresh();
    const { id } = await scene.service.addBranch({ name });
    const next = Buffer.from(JSON.stringify(['0000', 'a'])).toString('base64url');
    const transform = () => ({ branches: [], annotations: {}, pagination: { next } });
    const fault = scene.service.faults.add({ method: 'GET', path: /\/branches$/, nth: 1, transform });
    const run = await scene.succeeds({ event });
    fault.remove();
    expect(run.outputs).toMatchObject({ deleted: 'true', branch_id: id });
    expect(scene.service.branch(name)).toBeUndefined();
  });

  it.each([
    ['name', (name: string) => ({ branch_name: name })],
    ['ID', (_: string, id: string) => ({ branch_id: id })],
    ['both', (name: string, id: string) => ({ branch_name: name, branch_id: id })],
  ] satisfies [string, (name: string, id: string) => object][])('finds the branch by %s', async (by, inputs) => {
    const { id, name } = await scene.service.addBranch({ name: `delete by ${by}` });
    const run = await scene.succeeds({ inputs: { command: 'delete', ...inputs(name, id) } });
    expect(run.outputs).toMatchObject({ deleted: 'true', branch_id: id, branch_name: name });
    expect(scene.service.branch(id)).toBeUndefined();
  });

  it('rejects a `branch_name` of two lines before the first request', async () => {
    const run = await scene.fails({ inputs: { command: 'delete', branch_name: 'preview/a\npreview/b' } });
    expect(run.message).toBe(
      'Invalid input:\n- branch_name: "preview/a preview/b" is invalid; expected a name of at most 256 characters on one line',
    );
    expect(run.requests).toEqual([]);
  });

  it('requires a target unless the event closes or deletes something', async () => {
    const { id } = await scene.service.addBranch({ name: 'preview/pr-390' });
    const inputs = { command: 'delete', branch_id: '' };
    const run = await scene.fails({ event: pullRequest({ number: 390 }), inputs });
    expect(run.message).toMatch(/^Invalid input:\n- branch_name or branch_id is required: `command: delete` takes/);
    expect(run.requests).toEqual([]);
    const closed = await scene.succeeds({ event: pullRequest({ number: 390, action: 'closed' }), inputs });
    expect(closed.outputs).toMatchObject({ deleted: 'true', branch_id: id });
  });

  it('uses the deleted ref on a delete event', async () => {
    const { id } = await scene.service.addBranch({ name: branchNameFromRef('refs/heads/old#feature') });
    const run = await scene.succeeds({ event: deleteRef({ ref: 'old#feature' }) });
    expect(run.outputs).toMatchObject({ command: 'delete', deleted: 'true', branch_id: id });
  });

  it('does not wait with `wait: false`', async () => {
    const { name, event } = fresh();
    await scene.service.addBranch({ name });
    const run = await scene.succeeds({ event, inputs: { wait: 'false' } });
    expect(run.calls).toEqual(['GET /branches 200', 'DELETE /branches/{branch} 200']);
    expect(JSON.parse(run.outputs.operation_ids ?? '')).not.toEqual([]);
    await scene.service.idle();
  });

  it('rejects an ID and a name of different branches', async () => {
    const one = await scene.service.addBranch({ name: 'one of two' });
    await scene.service.addBranch({ name: 'two of two' });
    const run = await scene.fails({ inputs: { command: 'delete', branch_id: one.id, branch_name: 'two of two' } });
    expect(run.message).toContain('is named "one of two", not "two of two"');
    expect(changes(run)).toEqual([]);
  });
});

describe('deleting a branch that does not exist', () => {
  it('succeeds by name, after one lookup', async () => {
    const { name, event } = fresh();
    const run = await scene.succeeds({ event });
    expect(run.calls).toEqual(['GET /branches 200']);
    expect(run.outputs).toMatchObject({ command: 'delete', deleted: 'false', created: 'false', operation_ids: '[]' });
    expect(run.outputs).toMatchObject({ branch_name: name });
    expect(run.outputs).not.toHaveProperty('branch_id');
    expect(run.annotations).toMatchObject({ notice: [expect.stringContaining(`"${name}"`)], warning: [] });
  });

  it('succeeds by ID, but only if the project exists', async () => {
    const run = await scene.succeeds({ inputs: { command: 'delete', branch_id: 'br-long-gone-1' } });
    expect(run.outputs).toMatchObject({ deleted: 'false', branch_id: 'br-long-gone-1' });
    expect(run.calls).toEqual(['GET /branches 200']);
    expect(run.outputs).not.toHaveProperty('branch_name');
    expect(changes(run)).toEqual([]);
    const nowhere = await scene.fails({
      inputs: { command: 'delete', branch_name: 'x', project_id: 'no-such-project-1' },
    });
    expect(nowhere.message).toContain('Check that `project_id`');
  });

  it('finds a branch by an ID that only the list knows yet', async () => {
    const { id } = await scene.service.addBranch({ name: 'delete by new ID' });
    const fault = scene.service.faults.add({
      method: 'GET',
      path: new RegExp(`/branches/${id}$`),
      status: 404,
      times: 2,
    });
    const run = await scene.succeeds({ inputs: { command: 'delete', branch_id: id } });
    fault.remove();
    expect(run.outputs).toMatchObject({ deleted: 'true', branch_id: id });
    expect(scene.service.branch(id)).toBeUndefined();
  });

  it.each([204, 404] as const)('succeeds if the branch disappears just before the DELETE (%i)', async (gone) => {
    await withScenario({ missingDeleteStatus: gone }, async (scene) => {
      const { id } = await scene.service.addBranch({ name: 'preview/pr-1' });
      // Someone else deletes it between the lookup and the DELETE.
      const fault = scene.service.faults.add({
        method: 'GET',
        path: /\/branches$/,
        transform: (body) => {
          void scene.service.removeBranch('preview/pr-1');
          return body;
        },
      });
      const run = await scene.succeeds({ event: pullRequest({ number: 1, action: 'closed' }) });
      expect(fault.fired()).toBe(1);
      expect(run.calls).toEqual(['GET /branches 200', `DELETE /branches/{branch} ${gone}`]);
      expect(run.outputs).toMatchObject({ deleted: 'false', branch_id: id, operation_ids: '[]' });
      expect(run.annotations.notice).toEqual([`Branch "preview/pr-1" (${id}) was already gone`]);
    });
  });
});

describe('delete refuses', () => {
  it.each(['main', 'by ID'])('the default branch (%s)', async (how) => {
    const { id } = scene.service.main;
    const which = how === 'main' ? ['branch_name', 'main'] : ['branch_id', id];
    const run = await scene.fails({ inputs: { command: 'delete', ...Object.fromEntries([which]) } });
    expect(run.message).toBe(
      `Branch "main" (${id}) was not deleted, because it is the default branch. Use another branch, or change that in the service's console.`,
    );
    expect(changes(run)).toEqual([]);
    expect(run.outputs).toMatchObject({ deleted: 'false', branch_id: id });
    expect(scene.service.branch('main')).toBeDefined();
  });

  it('a protected branch', async () => {
    const { name, event } = fresh();
    const { id } = await scene.service.addBranch({ name, protected: true });
    const run = await scene.fails({ event });
    expect(run.message).toBe(
      `Branch "${name}" (${id}) was not deleted, because it is protected. Use another branch, or change that in the service's console.`,
    );
    expect(changes(run)).toEqual([]);
  });

  it('a branch with children, and lists them', async () => {
    const { name, event } = fresh();
    const { id } = await scene.service.addBranch({ name });
    const children = await scene.service.addBranches(
      [1, 2, 3, 4, 5, 6, 7].map((n) => ({ name: `${name}/child-${n}`, parent: name })),
    );
    const run = await scene.fails({ event, inputs: { command: 'delete' } });
    expect(run.message).toMatch(
      /^Branch "[^"]+" \(br-[\w-]+\) has child branches \(("[^"]+" \(br-[\w-]+\)(, )?){5} and 2 more\), so it was not deleted\. Delete them first\.$/,
    );
    expect(run.message).toContain(id);
    expect(children.filter((child) => run.message.includes(child.id))).toHaveLength(5);
    expect(run.outputs).toMatchObject({ deleted: 'false' });
    expect(scene.service.branch(name)).toBeDefined();
    // Whether the service would have refused it is never tried.
    expect(run.calls).toEqual(['GET /branches 200']);
    const byId = await scene.fails({ inputs: { command: 'delete', branch_id: id } });
    expect(byId.message).toContain('has child branches');
    expect(changes(byId)).toEqual([]);
    // When its pull request closes, it stays for the others.
    const auto = await scene.succeeds({ event });
    expect(auto.outputs).toMatchObject({ command: 'delete', deleted: 'false', branch_id: id });
    expect(auto.annotations.warning).toEqual([
      expect.stringContaining('so it was not deleted. Delete them first. Once they are gone, `prune` can delete it'),
    ]);
    expect(changes(auto)).toEqual([]);
  });

  it('a branch whose child is on another page of the list', () =>
    withScenario({ pageSize: 2 }, async (paged) => {
      const { name, event } = fresh();
      const others = [{ name: 'a' }, { name: 'b' }, { name: 'c', parent: name }];
      for (const one of [{ name }, ...others]) await paged.service.addBranch(one);
      const run = await paged.fails({ event, inputs: { command: 'delete' } });
      expect(run.message).toContain('has a child branch ("c"');
      expect(changes(run)).toEqual([]);
    }));
});

describe('a DELETE without a valid response', () => {
  it.each([
    ['the connection closes', { close: 'after' }],
    ['the response is cut off', { truncate: 'half' }],
    ['it returns 500 after it acted', { status: 500, acted: true }],
  ] as const)('is retried if %s, and counts as deleted by this run', async (_, fault) => {
    const { name, event } = fresh();
    await scene.service.addBranch({ name });
    const rule = scene.service.faults.add({ method: 'DELETE', ...fault, times: 1 });
    try {
      const run = await scene.succeeds({ event });
      expect(changes(run)).toHaveLength(2);
      expect(run.outputs).toMatchObject({ deleted: 'true' });
      expect(scene.service.branch(name)).toBeUndefined();
    } finally {
      rule.remove();
    }
  });

  it('ends only once the branch is gone', async () => {
    await withScenario({ operationMs: 400 }, async (scene) => {
      await scene.service.addBranch({ name: 'preview/pr-1' });
      scene.service.faults.add({ method: 'DELETE', close: 'after', times: 1 });
      await scene.succeeds({ event: pullRequest({ number: 1, action: 'closed' }) });
      expect(scene.service.operations().filter((one) => !['finished', 'skipped'].includes(one.status))).toEqual([]);
      expect(scene.service.branch('preview/pr-1')).toBeUndefined();
    });
  });
});

it('succeeds if the service drops the operations along with the branch', async () => {
  await withScenario({}, async (scene) => {
    await scene.service.addBranch({ name: 'preview/pr-1' });
    scene.service.faults.operation({ outcome: 'unknown' });
    const run = await scene.succeeds({ event: pullRequest({ number: 1, action: 'closed' }) });
    expect(run.outputs).toMatchObject({ deleted: 'true' });
    expect(scene.service.branch('preview/pr-1')).toBeUndefined();
    // The operations are polled once: there is nothing left to wait for.
    expect(run.calls.filter((call) => call.endsWith('404')).length).toBeLessThanOrEqual(2);
  });
});
