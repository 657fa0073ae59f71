import { describe, expect, it } from 'vitest';
import { startGitHub } from '../../tools/github/index.ts';
import { pullRequest } from '../../tools/runner/events.ts';
import { type Played, scenario } from '../support/scenario.ts';

const scene = scenario({ compute: 'none', operationMs: 5 });
const rules = JSON.stringify([
  {
    database_name: 'neondb',
    schema_name: 'public',
    table_name: 'users',
    column_name: 'email',
    masking_function: 'anon.fake_email()',
  },
]);
const details = [
  ...[
    'db_url',
    'db_url_pooled',
    'jdbc_url',
    'jdbc_url_pooled',
    'db_host',
    'db_host_pooled',
    'db_port',
    'password',
    'database',
    'role',
    'auth_url',
    'data_api_url',
  ],
  ...['schema_diff', 'schema_diff_path', 'schema_changed', 'findings', 'rehearsal', 'endpoint_id', 'comment_url'],
];

/** The step has given nothing of the branch to anybody. */
function expectNothing(run: Played): void {
  expect(Object.keys(run.outputs).filter((name) => details.includes(name))).toEqual([]);
  expect(run.env).toEqual({});
}
const changes = ({ requests }: Played) => requests.filter(({ method }) => method !== 'GET');
const old = () => ({ createdAt: Date.now() - 3_600_000 });
let last = 0;
const fresh = () => `required-${++last}`;

describe('`require: masked`', () => {
  const required = { require: 'masked', export_env: 'true' };
  const features = { get_auth_url: 'true', get_data_api_url: 'true' };

  it.each<Record<string, string>>([
    { command: 'create', ...features },
    { command: 'create', if_exists: 'reset' },
    { command: 'create', if_exists: 'recreate' },
    { command: 'get', ...features },
    { command: 'reset' },
  ])('refuses a branch with real rows, before it changes anything: %j', async (inputs) => {
    const name = fresh();
    await scene.service.addBranch({ name, ...old(), annotations: { 'database-branch-masked': 'true' } });
    scene.service.enable(name, { auth: true, dataApi: true });
    const run = await scene.fails({ inputs: { ...required, ...inputs, branch_name: name } });
    expect(run.message).toMatch(/`require: masked` rejects/);
    expect(changes(run)).toEqual([]);
    expectNothing(run);
  });

  it.each(['create', 'reset'])('writes no comment if `%s` fails', async (command) => {
    const name = fresh();
    await scene.service.addBranch({ name, ...old() });
    const [number, token] = [7, 'ghs_secretTokenOfThisRun'];
    const github = await startGitHub({ token });
    github.state.addPull({ number });
    const run = await scene.fails({
      inputs: {
        ...{ require: 'masked', comment: 'true', command, github_token: token },
        branch_name: name,
      },
      event: pullRequest({ number }),
      env: github.env,
    });
    await github.close();
    expect(run.message).toMatch(/`require: masked` rejects/);
    expect(github.requests).toEqual([]);
    expectNothing(run);
  });

  it('adds no compute endpoint to a branch that it refuses', async () => {
    const name = fresh();
    await scene.service.addBranch({ name, ...old(), endpoint: false });
    // Refused because of the branch, and not because it could not be created: the parent is masked.
    const parent = await scene.succeeds({ inputs: { branch_name: fresh(), masking_rules: rules } });
    const inputs = { ...required, branch_name: name, parent_branch: parent.outputs.branch_id ?? '' };
    const run = await scene.fails({ inputs });
    expect(run.message).toMatch(/is not anonymized, .* so it may hold real rows and `require: masked` rejects it/);
    expect(changes(run).filter(({ path }) => !path.endsWith('/branches'))).toEqual([]);
    expectNothing(run);
  });

  it('refuses to rehearse on a copy of real rows, before there is one', async () => {
    const inputs = { require: 'masked', run: 'echo "it runs"' };
    const run = await scene.fails({ action: 'rehearse', inputs });
    expect(run.message).toMatch(
      /`require: masked` rejects a copy of rows that may not be masked\. Nothing was changed\./,
    );
    expect(changes(run)).toEqual([]);
    expect(run.stdout).not.toContain('it runs');
    const without = await scene.fails({ action: 'rehearse', inputs: { ...inputs, require: 'schema-only' } });
    expect(without.message).toContain('require: "schema-only" is invalid');
    expect(without.requests).toEqual([]);
  });

  it('refuses to create from a parent that is not masked, and from its past', async () => {
    const all: Record<string, string>[] = [{}, { parent_branch: 'main' }, { parent_point: '2026-01-01T00:00:00Z' }];
    for (const inputs of all) {
      const name = fresh();
      const run = await scene.fails({
        inputs: { ...required, ...inputs, branch_name: name } as Record<string, string>,
      });
      expect(run.message).toMatch(/`require: masked` rejects .* Nothing was changed\./);
      expect(changes(run)).toEqual([]);
      expect(scene.service.branch(name)).toBeUndefined();
    }
  });

  it('accepts an anonymized branch, and one that was made from it', async () => {
    const name = fresh();
    const made = await scene.succeeds({ inputs: { ...required, branch_name: name, masking_rules: rules } });
    expect(made.outputs.created).toBe('true');
    const get = await scene.succeeds({ inputs: { ...required, command: 'get', branch_name: name } });
    expect(get.outputs.db_url).toBe(made.outputs.db_url);
    const again = await scene.succeeds({ inputs: { ...required, branch_name: name } });
    expect(again.outputs.created).toBe('false');
    // Times have whole seconds.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const child = { branch_name: `${name}-child`, parent_branch: name };
    expect((await scene.succeeds({ inputs: { ...required, ...child } })).outputs.created).toBe('true');
    const reset = { ...required, command: 'reset', branch_name: `${name}-child` };
    expect((await scene.succeeds({ inputs: reset })).outputs.db_url).toBeDefined();
    const past = await scene.fails({ inputs: { ...reset, parent_point: '0/1' } });
    expect(past.message).toContain('rejects a copy of rows that may not be masked');
  });

  it('deletes a branch that this step has created if masking fails', async () => {
    const name = fresh();
    const wrong = rules.replace('neondb', 'no such database');
    const run = await scene.fails({ inputs: { ...required, branch_name: name, masking_rules: wrong } });
    expect(run.message).toMatch(/Masking branch .* failed .* which this step created, was deleted\.$/);
    expect(scene.service.branch(name)).toBeUndefined();
    expectNothing(run);
  });
});

describe('`require: schema-only`', () => {
  const required = { require: 'schema-only' };

  it('refuses a branch that may have rows', async () => {
    const name = fresh();
    await scene.service.addBranch({ name, ...old() });
    for (const command of ['create', 'get', 'reset']) {
      const run = await scene.fails({ inputs: { ...required, command, branch_name: name } });
      expect(run.message).toContain('`require: schema-only` rejects');
      expect(changes(run)).toEqual([]);
      expectNothing(run);
    }
    const created = await scene.fails({ inputs: { ...required, branch_name: fresh() } });
    expect(created.message).toContain('Set `branch_type: schema-only`');
    expect(changes(created)).toEqual([]);
    for (const branch_name of [name, fresh()]) {
      const reset = await scene.fails({ inputs: { ...required, command: 'create', branch_name, if_exists: 'reset' } });
      expect(reset.message).toContain('`require: schema-only` rejects');
      expect(changes(reset)).toEqual([]);
    }
  });

  it('accepts a schema-only branch', async () => {
    const name = fresh();
    const inputs = { ...required, branch_name: name };
    const made = await scene.succeeds({ inputs: { ...inputs, branch_type: 'schema-only' } });
    expect(made.outputs.created).toBe('true');
    expect((await scene.succeeds({ inputs: { ...inputs, command: 'get' } })).outputs.db_url).toBeDefined();
  });
});

it('`console_url` is empty for a service whose console is not known', async () => {
  const run = await scene.succeeds({ inputs: { branch_name: fresh() } });
  expect(run.outputs.console_url).toBeUndefined();
});
