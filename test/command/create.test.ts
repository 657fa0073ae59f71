import { describe, expect, it } from 'vitest';
import { pullRequest } from '../../tools/runner/events.ts';
import { jdbcUrls } from '../support/jdbc.ts';
import { scenario, withScenario } from '../support/scenario.ts';

const scene = scenario();

/** A new pull request, and so a new branch, for each test. */
let last = 100;
const fresh = () => {
  const number = ++last;
  return { event: pullRequest({ number }), name: `preview/pr-${number}` };
};

describe('creating a new branch', () => {
  it('takes one POST and polls of its operations, and nothing else', async () => {
    const { event, name } = fresh();
    const run = await scene.succeeds({ event });
    expect(run.calls).toEqual(['POST /branches 201', 'GET /operations 200']);
    expect(run.requests[0]?.body).toEqual({
      branch: { name },
      endpoints: [{ type: 'read_write' }],
      annotation_value: {
        'github-commit-repo': 'octo-org/octo-repo',
        'github-commit-author-login': 'octocat',
        'github-commit-sha': expect.stringMatching(/^[0-9a-f]{40}$/),
        'github-commit-ref': 'feature/login',
        'github-repository-id': expect.stringMatching(/^\d+$/),
        'github-pr-number': String(last),
        'github-pr-title': expect.any(String),
        'github-run-id': '1658821493',
        'github-run-attempt': '1',
        'database-branch-create-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    });
    expect(run.requests[0]?.body).toMatchObject({ annotation_value: scene.service.annotations(name) });
  });

  it('polls one operation at a time if the list of operations does not have them', async () => {
    await withScenario({}, async (busy) => {
      const transform = () => ({ operations: [] });
      busy.service.faults.add({ method: 'GET', path: /\/operations$/, transform });
      const run = await busy.succeeds(fresh());
      const ids = JSON.parse(run.outputs.operation_ids ?? '') as string[];
      expect(ids).toHaveLength(2);
      expect(run.calls).toEqual(['POST /branches 201', 'GET /operations 200', 'GET /operations/{operation} 200']);
      const polled = run.requests.slice(2).map((request) => request.path.split('/').at(-1));
      expect([...new Set(polled)]).toEqual(ids);
      expect(polled).toEqual([...polled].sort((a, b) => ids.indexOf(a ?? '') - ids.indexOf(b ?? '')));
    });
  });

  it('sets all its outputs, and no others', async () => {
    const { event, name } = fresh();
    const run = await scene.succeeds({ event });
    const branch = scene.service.branch(name);
    const [endpoint] = scene.service.endpoints(name);
    const uri = scene.service.uri(name);
    expect(run.outputs).toEqual({
      command: 'create',
      skipped: 'false',
      created: 'true',
      deleted: 'false',
      branch_id: branch?.id,
      branch_name: name,
      parent_id: scene.service.main.id,
      endpoint_id: endpoint?.id,
      db_url: uri,
      db_url_pooled: scene.service.uri(name, { pooled: true }),
      ...jdbcUrls(scene.service, name),
      db_host: endpoint?.host,
      db_host_pooled: endpoint?.host.replace(/^([^.]+)/, '$1-pooler'),
      db_port: '5432',
      database: 'neondb',
      role: 'neondb_owner',
      password: decodeURIComponent(new URL(uri).password),
      operation_ids: JSON.stringify(
        scene.service
          .operations()
          .filter((one) => one.branch_id === branch?.id)
          .map((one) => one.id)
          .reverse(),
      ),
    });
    expect(run.env).toEqual({});
    expect(run.files).toEqual({});
    expect(branch).toMatchObject({ current_state: 'ready' });
  });

  it('masks secrets before they appear in the log, and allows the other outputs in other jobs', async () => {
    const run = await scene.succeeds(fresh());
    const masked = ['db_url', 'db_url_pooled', 'jdbc_url', 'jdbc_url_pooled', 'password'];
    expect(Object.keys(run.outputs).filter((name) => !(name in run.jobOutputs))).toEqual(masked);
    expect(run.masks).toEqual(expect.arrayContaining(masked.map((name) => run.outputs[name])));
  });

  it('writes a readable log and a notice', async () => {
    const { event, name } = fresh();
    const run = await scene.succeeds({ event });
    const id = run.outputs.branch_id;
    const lines = run.log.filter((line) => !line.command).map((line) => line.text);
    expect(lines).toEqual([
      `Running \`create\` in project ${scene.service.projectId} at ${scene.service.baseUrl}`,
      `Created branch "${name}" (${id})`,
      expect.stringMatching(/^Operation create_branch \([0-9a-f-]+\) finished after \S+$/),
      expect.stringMatching(/^Operation start_compute \([0-9a-f-]+\) finished after \S+$/),
      'Using database "neondb" and role "neondb_owner"',
    ]);
    expect(run.annotations).toEqual({ notice: [`Created branch "${name}" (${id})`], warning: [], error: [] });
  });

  it('writes a summary unless `summary` is false', async () => {
    const { event, name } = fresh();
    const run = await scene.succeeds({ event });
    expect(run.summary).toMatch(
      new RegExp(
        `^### Database branch: create\n\nCreated branch "${name}" \\(${run.outputs.branch_id}\\)\\. The step took [\\d.]+m?s\\.\n`,
      ),
    );
    for (const row of [
      `| Branch | \`${name}\` |`,
      `| ID | \`${run.outputs.branch_id}\` |`,
      `| Parent | \`${run.outputs.parent_id}\` |`,
      `| Host | \`${run.outputs.db_host}\` |`,
      '| Database | `neondb` |',
      '| Role | `neondb_owner` |',
      '| Expires | never |',
    ])
      expect(run.summary).toContain(`\n${row}\n`);
    expect((await scene.succeeds({ ...fresh(), inputs: { summary: 'false' } })).summary).toBe('');
  });
});

describe('the create request', () => {
  const body = async (inputs: Record<string, string>) => {
    const run = await scene.succeeds({ ...fresh(), inputs });
    const post = run.requests.find((request) => request.method === 'POST');
    return { run, ...(post?.body as { branch: Record<string, unknown>; endpoints: Record<string, unknown>[] }) };
  };

  it('has the ID of a parent given by name, which must match exactly', async () => {
    const parent = await scene.service.addBranch({ name: 'staging' });
    await scene.service.addBranch({ name: 'staging-2' });
    const { run, branch } = await body({ parent_branch: 'staging' });
    expect(run.calls).toEqual(['GET /branches 200', 'POST /branches 201', 'GET /operations 200']);
    expect(branch.parent_id).toBe(parent.id);
    expect(run.outputs.parent_id).toBe(parent.id);
  });

  it('has the ID of a parent given by ID, unless a branch has that name', async () => {
    const parent = await scene.service.addBranch({ name: 'base' });
    expect((await body({ parent_branch: parent.id })).branch.parent_id).toBe(parent.id);
    const named = await scene.service.addBranch({ name: parent.id });
    expect((await body({ parent_branch: parent.id })).branch.parent_id).toBe(named.id);
  });

  it('has a point in history with all its digits', async () => {
    expect((await body({ parent_point: '0/1DE2850' })).branch.parent_lsn).toBe('0/1DE2850');
    const at = '2026-01-01T00:00:00.123456+01:00';
    expect((await body({ parent_point: at })).branch.parent_timestamp).toBe(at);
  });

  it('creates a root branch for schema-only', async () => {
    const { run, branch } = await body({ branch_type: 'schema-only' });
    expect(branch.init_source).toBe('schema-only');
    expect(run.outputs.parent_id ?? '').toBe('');
    expect(run.summary).not.toContain('| Parent |');
  });

  it('has the expiry in whole seconds, as part of the branch', async () => {
    const at = new Date(Date.now() + 86_400_000);
    const { run, branch } = await body({ expires_at: at.toISOString() });
    expect(branch.expires_at).toBe(at.toISOString().replace(/\.\d+Z$/, 'Z'));
    expect(Date.parse(run.outputs.expires_at ?? '')).toBe(Date.parse(String(branch.expires_at)));
    expect(run.summary).toContain('| Expires | 20');

    const before = Date.now();
    const { branch: span } = await body({ expires_in: '90m' });
    expect(Date.parse(String(span.expires_at)) - before).toBeGreaterThan(5_399_000 - 1_000);
    expect(Date.parse(String(span.expires_at)) - before).toBeLessThan(5_400_000 + 60_000);
  });

  it('has the compute settings that are set, and no others', async () => {
    const { endpoints } = await body({ min_cu: '0.25', max_cu: '2', suspend_timeout: '-1' });
    expect(endpoints).toEqual([
      { type: 'read_write', autoscaling_limit_min_cu: 0.25, autoscaling_limit_max_cu: 2, suspend_timeout_seconds: -1 },
    ]);
    expect((await body({ suspend_timeout: '0' })).endpoints).toEqual([
      { type: 'read_write', suspend_timeout_seconds: 0 },
    ]);
  });

  it('has the protected flag', async () => {
    const { run, branch } = await body({ protected: 'true' });
    expect(branch.protected).toBe(true);
    expect(scene.service.branch(run.outputs.branch_name ?? '')?.protected).toBe(true);
  });

  it('has the branch name with all its special characters', async () => {
    for (const name of ['feat/ü #1?&%20+"x"', 'a|b`c`<b>\\', '名前😀', '..', '::error::x', "'; drop table--"]) {
      const run = await scene.succeeds({ inputs: { branch_name: name } });
      expect(run.outputs.branch_name).toBe(name);
      expect(scene.service.branch(name)?.id).toBe(run.outputs.branch_id);
      const again = await scene.succeeds({ inputs: { branch_name: name } });
      expect(again.outputs).toMatchObject({ branch_id: run.outputs.branch_id, created: 'false' });
      expect(again.annotations.error).toEqual([]);
    }
  });

  it('has the branch name without surrounding white space', async () => {
    const run = await scene.succeeds({ inputs: { branch_name: 'of a block\n' } });
    expect(run.outputs.branch_name).toBe('of a block');
    expect((await scene.succeeds({ inputs: { branch_name: '  of a block ' } })).outputs.created).toBe('false');
  });

  it('is not sent if the name is a branch ID', async () => {
    const run = await scene.fails({ inputs: { branch_name: 'br-yellow-thunder-h7sh8o6j' } });
    expect(run.message).toMatch(
      /branch_name: "br-yellow-thunder-h7sh8o6j" \(a branch ID\) is invalid; .*set branch_id/,
    );
    expect(run.requests).toEqual([]);
  });

  it('has the key, and its own request ID', async () => {
    const run = await scene.succeeds(fresh());
    for (const { headers } of run.requests)
      expect(headers).toMatchObject({
        accept: 'application/json',
        authorization: 'Bearer ***',
        'content-type': 'application/json',
      });
    expect(new Set(run.requests.map((request) => request.requestId)).size).toBe(run.requests.length);
  });
});

describe('a missing parent', () => {
  it('fails the step before anything is created', async () => {
    const count = scene.service.branches().length;
    const run = await scene.fails({ ...fresh(), inputs: { parent_branch: 'stagin' } });
    expect(run.message).toContain(
      'The project has no branch with the name or ID "stagin" (`parent_branch`). Nothing was changed. Check its spelling, or remove the input.',
    );
    expect(run.calls).toEqual(['GET /branches 200']);
    expect(scene.service.branches()).toHaveLength(count);
    expect(run.outputs).toMatchObject({ created: 'false', deleted: 'false' });
  });
});
