import { describe, expect, it } from 'vitest';
import { type Scenario, scenario, withScenario } from '../support/scenario.ts';

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
const connection = [
  ...['endpoint_id', 'db_url', 'db_url_pooled', 'jdbc_url', 'jdbc_url_pooled'],
  ...['db_host', 'db_host_pooled', 'db_port', 'password'],
];
const expectNoAddress = (outputs: Record<string, string>) =>
  expect(Object.keys(outputs).filter((name) => connection.includes(name))).toEqual([]);

describe('masking_rules', () => {
  it('create a branch with masked rows, which can be reused', async () => {
    const play = { inputs: { branch_name: 'masked', masking_rules: rules('email') } };
    const made = await scene.succeeds(play);
    expect(await emails('masked')).toEqual([expect.stringMatching(/^user-.*@example\.com$/)]);
    expect(await emails('main')).toEqual(['ada@real.example']);
    const again = await scene.succeeds(play);
    expect([made.outputs.created, again.outputs.created]).toEqual(['true', 'false']);
    expect(again.outputs.db_url).toBe(made.outputs.db_url);
  });

  it("fail the step with the service's message if they do not fit, and the outputs name the branch", async () => {
    const play = { inputs: { branch_name: 'unfit', masking_rules: rules('nothing') } };
    const run = await scene.fails(play);
    expect(run.message).toContain('column neondb.public.users.nothing does not exist');
    expect(run.message).toMatch(/which this step created, was deleted\.$/);
    expect(run.outputs).toMatchObject({ created: 'true', deleted: 'true', branch_name: 'unfit' });
    expect(scene.service.branch('unfit')).toBeUndefined();
    expectNoAddress(run.outputs);
    const hurried = await scene.succeeds({ inputs: { ...play.inputs, wait: 'false' } });
    expect(hurried.annotations.notice).toEqual([
      expect.stringContaining('not ready yet (`wait: false`); `command: get` waits until it is'),
    ]);
    expectNoAddress(hurried.outputs);
  });

  it('reject an existing branch with unmasked data', async () => {
    await scene.service.addBranch({ name: 'plain', createdAt: Date.now() - 3_600_000 });
    const run = await scene.fails({ inputs: { branch_name: 'plain', masking_rules: rules('email') } });
    expect(run.message).toContain('is not anonymized');
    expect(run.outputs.created).toBe('false');
    expectNoAddress(run.outputs);
  });

  it('prevent a reset, which would bring the real rows back', async () => {
    await scene.succeeds({ inputs: { branch_name: 'stays', masking_rules: rules('email') } });
    const resets: Record<string, string>[] = [{ command: 'reset' }, { if_exists: 'reset' }];
    for (const inputs of resets) {
      const run = await scene.fails({ inputs: { branch_name: 'stays', ...inputs } });
      expect(run.message).toContain('would bring back its parent');
      expectNoAddress(run.outputs);
    }
    expect(await emails('stays')).toEqual([expect.stringMatching(/^user-/)]);
    const both = { branch_name: 'stays', if_exists: 'reset', masking_rules: rules('email') };
    expect((await scene.fails({ inputs: both })).message).toContain(
      'masking_rules and `if_exists: reset` are mutually exclusive',
    );
  });
});

describe('an existing branch whose rows are not masked yet', () => {
  const hour = 3_600_000;
  /** Creates the anonymized branch `there`, of the given age, in a project without real data. */
  const there = (test: (scene: Scenario) => Promise<void>, age = hour) =>
    withScenario({ operationMs: 5 }, async (scene) => {
      await scene.succeeds({ inputs: { branch_name: 'there', masking_rules: rules('email') } });
      Object.assign(scene.service.branch('there') ?? {}, { created_at: new Date(Date.now() - age).toISOString() });
      await test(scene);
    });
  /** Makes the service report this status, whatever the rows are. */
  const says = (scene: Scenario, status: { state: string; status_message?: string }, times = 99) =>
    scene.service.faults.add({
      path: /anonymized_status$/,
      times,
      transform: (body) => ({ ...(body as object), ...status }),
    });
  const get = { inputs: { command: 'get', branch_name: 'there' } };
  const reuse = (inputs: Record<string, string> = {}) => ({ inputs: { branch_name: 'there', ...inputs } });

  it('has none for `get` if masking failed, and the error quotes the service', () =>
    there(async (scene) => {
      says(scene, { state: 'error', status_message: 'column neondb.public.users.email does not exist' });
      const run = await scene.fails(get);
      expect(run.message).toMatch(
        /^Masking branch "there" \(br-[\w-]+\) failed \(state "error"\): "column neondb\.public\.users\.email does not exist"\. Fix `masking_rules` in the step that creates the branch/,
      );
      expectNoAddress(run.outputs);
    }));

  it('is waited for by a `create` that reuses it without rules', () =>
    there(async (scene) => {
      says(scene, { state: 'anonymizing' }, 2);
      const run = await scene.succeeds(reuse());
      expect(run.outputs).toMatchObject({ created: 'false', db_url: scene.service.uri('there') });
      expect(run.stdout).toContain('Masking branch "there"');
      expect(run.calls.filter((call) => call.includes('anonymized_status'))).toHaveLength(3);
    }));

  it('has none for a `create` if masking failed', () =>
    there(async (scene) => {
      says(scene, { state: 'error', status_message: 'column email does not exist' });
      for (const wait of ['true', 'false']) {
        const run = await scene.fails(reuse({ wait }));
        expect(run.message).toContain('column email does not exist');
        expectNoAddress(run.outputs);
      }
    }));
});

describe('an existing branch with other masking rules', () => {
  const rule = (column_name: string, masking_function = 'anon.fake_email()') => ({
    database_name: 'neondb',
    schema_name: 'public',
    table_name: 'users',
    column_name,
    masking_function,
  });
  const play = (...rules: object[]) => ({ inputs: { branch_name: 'there', masking_rules: JSON.stringify(rules) } });

  it('is reused with one warning that lists the columns masked differently', () =>
    withScenario({ operationMs: 5 }, async (scene) => {
      await scene.succeeds(play(rule('email'), rule('name')));
      for (const fine of [play(rule('name'), rule('email')), play(rule('email'))]) {
        expect((await scene.succeeds(fine)).annotations.warning).toEqual([]);
      }
      const run = await scene.succeeds(play(rule('email'), rule('phone'), rule('name', "anon.hash('x')")));
      expect(run.outputs.db_url).toBe(scene.service.uri('there'));
      expect(run.annotations.warning).toEqual([
        'Branch "there" already exists with other masking rules; these columns are masked differently or not at all: neondb.public.users.phone, neondb.public.users.name. Using it as is. To replace it, set `if_exists: recreate`.',
      ]);
    }));

  it('gets the warning even if its own rules failed', () =>
    withScenario({ operationMs: 5 }, async (scene) => {
      await scene.succeeds(play(rule('email')));
      scene.service.faults.add({
        path: /anonymized_status$/,
        transform: (body) => ({ ...(body as object), state: 'error', status_message: 'no such column' }),
      });
      const run = await scene.fails(play(rule('phone')));
      expect(run.message).toContain('no such column');
      expect(run.annotations.warning).toEqual([expect.stringContaining('neondb.public.users.phone')]);
    }));
});
