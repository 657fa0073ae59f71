import { describe, expect, it } from 'vitest';
import { scenario } from '../support/scenario.ts';

const scene = scenario({
  compute: 'postgres',
  seed: "CREATE TABLE users (email text); INSERT INTO users VALUES ('ada@real.example')",
});
const rules = (column: string) =>
  JSON.stringify([
    {
      database_name: 'neondb',
      schema_name: 'public',
      table_name: 'users',
      column_name: column,
      masking_function: 'anon.fake_email()',
    },
  ]);
const emails = async (branch: string) =>
  (await scene.service.query(branch, 'SELECT email FROM users')).map((row) => row.email);
const connection = ['db_url', 'db_url_pooled', 'db_host', 'db_host_pooled', 'password'];
const expectNoAddress = (outputs: Record<string, string>) =>
  expect(Object.keys(outputs).filter((name) => connection.includes(name))).toEqual([]);

describe('masking_rules', () => {
  it('give a branch whose rows are masked, and that can be used again', async () => {
    const play = { inputs: { branch_name: 'masked', masking_rules: rules('email') } };
    const made = await scene.succeeds(play);
    expect(await emails('masked')).toEqual([expect.stringMatching(/^user-.*@example\.com$/)]);
    expect(await emails('main')).toEqual(['ada@real.example']);
    const again = await scene.succeeds(play);
    expect([made.outputs.created, again.outputs.created]).toEqual(['true', 'false']);
    expect(again.outputs.db_url).toBe(made.outputs.db_url);
  });

  it("that do not fit fail the step with the service's words, and the outputs say what was made", async () => {
    const play = { inputs: { branch_name: 'unfit', masking_rules: rules('nothing') } };
    for (const created of ['true', 'false']) {
      const run = await scene.fails(play);
      expect(run.message).toContain('column neondb.public.users.nothing does not exist');
      expect(run.outputs).toMatchObject({ created, branch_id: scene.service.branch('unfit')?.id });
      expectNoAddress(run.outputs);
    }
    const hurried = await scene.fails({ inputs: { ...play.inputs, wait: 'false' } });
    expect(hurried.message).toContain('does not exist');
    expectNoAddress(hurried.outputs);
  });

  it('refuse a branch that is there with its data as it is', async () => {
    await scene.service.addBranch({ name: 'plain', createdAt: Date.now() - 3_600_000 });
    const run = await scene.fails({ inputs: { branch_name: 'plain', masking_rules: rules('email') } });
    expect(run.message).toContain('is not an anonymized branch');
    expect(run.outputs.created).toBe('false');
    expectNoAddress(run.outputs);
  });

  it('with `wait: false` give addresses only once `command: wait` has seen the rows masked', async () => {
    const started = await scene.succeeds({
      inputs: { branch_name: 'hurried', masking_rules: rules('email'), wait: 'false', check_connection: 'true' },
    });
    expect(started.outputs.created).toBe('true');
    expectNoAddress(started.outputs);
    const { branch_id = '', operation_ids = '' } = started.outputs;
    const waited = await scene.succeeds({ inputs: { command: 'wait', branch_id, operation_ids } });
    expect(waited.outputs.db_url).toBe(scene.service.uri('hurried'));
    expect(await emails('hurried')).toEqual([expect.stringMatching(/^user-/)]);
  });

  it('keep a branch from being reset, which would bring the real rows back', async () => {
    await scene.succeeds({ inputs: { branch_name: 'stays', masking_rules: rules('email') } });
    const resets: Record<string, string>[] = [{ command: 'reset' }, { if_exists: 'reset' }];
    for (const inputs of resets) {
      const run = await scene.fails({ inputs: { branch_name: 'stays', ...inputs } });
      expect(run.message).toContain('would bring its parent');
      expectNoAddress(run.outputs);
    }
    expect(await emails('stays')).toEqual([expect.stringMatching(/^user-/)]);
    const both = { branch_name: 'stays', if_exists: 'reset', masking_rules: rules('email') };
    expect((await scene.fails({ inputs: both })).message).toContain('masking_rules and if_exists: got rules and reset');
  });
});
