import { describe, expect, it } from 'vitest';
import { scenario, withScenario } from '../support/scenario.ts';

const scene = scenario({ compute: 'none', operationMs: 150 });
const wait = (inputs: Record<string, string>) => ({ inputs: { command: 'wait', ...inputs } });

describe('wait', () => {
  it.each([
    ['JSON', (ids: string[]) => JSON.stringify(ids)],
    ['commas', (ids: string[]) => ids.join(', ')],
    ['line breaks', (ids: string[]) => `${ids.join('\n')}\n`],
  ])('accepts IDs as %s, and has the same outputs as get', async (kind, write) => {
    const branch_name = `by-${kind.replace(' ', '-')}`;
    const started = await scene.succeeds({ inputs: { branch_name, wait: 'false' } });
    const operation_ids = write(JSON.parse(started.outputs.operation_ids ?? ''));
    const waited = await scene.succeeds(wait({ operation_ids }));
    const { command: _, ...got } = (await scene.succeeds({ inputs: { command: 'get', branch_name } })).outputs;
    expect(waited.outputs).toMatchObject(got);
    expect(scene.service.operations().filter(({ status }) => status !== 'finished')).toEqual([]);
  });

  it.each(['named', 'by its ID', 'not named'])(
    'succeeds without connection details after a delete, branch %s',
    async (how) => {
      const branch_name = `deleted ${how}`;
      await scene.service.addBranch({ name: branch_name });
      const { outputs } = await scene.succeeds({ inputs: { command: 'delete', branch_name, wait: 'false' } });
      const { operation_ids = '', branch_id = '' } = outputs;
      const ways: Record<string, Record<string, string>> = { named: { branch_name }, 'by its ID': { branch_id } };
      const run = await scene.succeeds(wait({ operation_ids, ...ways[how] }));
      expect(run.stdout).toContain(`Branch ${branch_id} is gone`);
      expect(run.outputs.db_url).toBeUndefined();
    },
  );

  it('fails if an operation failed, and quotes its error', async () => {
    await withScenario({}, async (broken) => {
      broken.service.faults.operation({ action: 'start_compute', outcome: 'error', message: 'no compute left' });
      const started = await broken.succeeds({ inputs: { branch_name: 'broken', wait: 'false' } });
      const run = await broken.fails(wait({ operation_ids: started.outputs.operation_ids ?? '' }));
      expect(run.message).toMatch(/Operation start_compute .*"error".*no compute left/);
      expect(run.outputs.db_url).toBeUndefined();
    });
  });

  it('fails for unknown operations', async () => {
    const other = '0b1c2d3e-4f50-4a6b-8c7d-9e0f1a2b3c4d';
    const run = await scene.fails(wait({ operation_ids: other, timeout: '30s' }));
    expect(run.message).toContain(other);
    expect(run.message).toMatch(
      /^Operation .* was not found in project .*, so its outcome is unknown\. Check `operation_ids` and `project_id`;/,
    );
  });
});

describe('protected', () => {
  it('creates a branch that delete refuses', async () => {
    await scene.succeeds({ inputs: { branch_name: 'safe', protected: 'true' } });
    const run = await scene.fails({ inputs: { command: 'delete', branch_name: 'safe' } });
    expect(run.message).toContain('is a protected branch and is never deleted');
    expect(run.calls.filter((call) => call.startsWith('DELETE'))).toEqual([]);
  });
});
