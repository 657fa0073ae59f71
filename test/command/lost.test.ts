import { describe, expect, it } from 'vitest';
import { pullRequest } from '../../tools/runner/events.ts';
import { withScenario } from '../support/scenario.ts';

const opened = { event: pullRequest({ number: 7 }) };
const name = 'preview/pr-7';

describe('a new branch', () => {
  it('is read again if the service does not know it yet', async () => {
    await withScenario({ propagation: { reads: 3, changes: 1, lists: 1 }, databases: ['app'] }, async (scene) => {
      const run = await scene.succeeds(opened);
      expect(run.outputs).toMatchObject({ created: 'true', db_url: scene.service.uri(name) });
      expect(run.calls).toContain('GET /connection_uri 404');
    });
  });

  it('is found by the next run even if it is not listed yet', async () => {
    await withScenario({ propagation: { lists: 2, reads: 1 } }, async (scene) => {
      const first = await scene.succeeds({ ...opened, inputs: { wait: 'false' } });
      const run = await scene.succeeds(opened);
      expect(run.outputs).toMatchObject({ created: 'false', branch_id: first.outputs.branch_id });
    });
  });
});

describe('a create without a valid response', () => {
  const lost: [string, object][] = [
    ['lost after it acted', { close: 'after' }],
    ['cut off', { truncate: 'half' }],
    ['empty', { empty: true }],
    ['closed in the middle', { close: 'midway' }],
    ['a 500 after it acted', { status: 500, acted: true }],
    ['an error page from a proxy', { html: 504 }],
    ['lost before it acted', { close: 'before' }],
  ];
  it.each(lost)('creates one branch and reports it as created (response: %s)', async (_, fault) => {
    await withScenario({}, async (scene) => {
      scene.service.faults.add({ method: 'POST', path: /\/branches$/, times: 1, ...fault } as Parameters<
        typeof scene.service.faults.add
      >[0]);
      const run = await scene.succeeds(opened);
      expect(scene.service.branches().filter((branch) => branch.name === name)).toHaveLength(1);
      expect(run.outputs).toMatchObject({
        created: 'true',
        branch_id: scene.service.branch(name)?.id,
        db_url: scene.service.uri(name),
      });
      // The branch is looked up before the create is retried.
      const trail = run.requests.map(({ method, path }) => `${method} ${path.split('/').at(-1)}`);
      expect(trail.slice(0, 3)).toEqual(['POST branches', 'GET operations', 'GET branches']);
    });
  });

  it('reports the branch as created even if it is not listed at first', async () => {
    await withScenario({ propagation: { lists: 3 } }, async (scene) => {
      scene.service.faults.add({ method: 'POST', path: /\/branches$/, times: 1, close: 'after' });
      const run = await scene.succeeds(opened);
      expect(scene.service.branches().filter((branch) => branch.name === name)).toHaveLength(1);
      expect(run.outputs).toMatchObject({ created: 'true', branch_name: name });
    });
  });

  it('does not claim a branch that another run created', async () => {
    await withScenario({}, async (scene) => {
      const { id } = await scene.service.addBranch({ name, annotations: { 'github-run-id': '1' } });
      scene.service.faults.add({ method: 'POST', path: /\/branches$/, times: 1, close: 'before' });
      const run = await scene.succeeds(opened);
      expect(run.outputs).toMatchObject({ created: 'false', branch_id: id });
    });
  });
});
