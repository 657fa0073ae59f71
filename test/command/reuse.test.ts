import { describe, expect, it } from 'vitest';
import { pullRequest, push } from '../../tools/runner/events.ts';
import { scenario, withScenario } from '../support/scenario.ts';

const scene = scenario();

/** A new pull request, and so a new branch, for each test. */
let last = 700;
const fresh = () => {
  const number = ++last;
  return { event: pullRequest({ number }), name: `preview/pr-${number}` };
};

const lookup = ['POST /branches 409', 'GET /operations 200', 'GET /branches 200'];
const reading = [
  'GET /branches/{branch}/endpoints 200',
  'GET /branches/{branch}/databases 200',
  'GET /branches/{branch}/roles 200',
  'GET /connection_uri 200',
  'GET /connection_uri 200',
];
/** Concurrent requests arrive in any order. */
const unordered = (calls: string[]) => [...calls].sort();

describe('an existing branch', () => {
  it('is reused with the same connection URIs, and is only read', async () => {
    const { event } = fresh();
    const first = await scene.succeeds({ event });
    const second = await scene.succeeds({ event });
    expect(second.calls.slice(0, 3)).toEqual(lookup);
    expect(unordered(second.calls.slice(3))).toEqual(unordered(reading));
    const { created: _, operation_ids: __, ...same } = first.outputs;
    expect(second.outputs).toEqual({ ...same, created: 'false', operation_ids: '[]' });
    expect(second.annotations).toMatchObject({
      notice: [`Reused branch "${first.outputs.branch_name}" (${first.outputs.branch_id})`],
      warning: [],
    });
  });

  it('fails the step with if_exists: fail', async () => {
    const { event, name } = fresh();
    const { id } = await scene.service.addBranch({ name });
    const run = await scene.fails({ event, inputs: { if_exists: 'fail' } });
    expect(run.message).toBe(
      `Branch "${name}" (${id}) already exists, and \`if_exists: fail\` requires a new one. Delete it, or choose another name.`,
    );
    expect(run.calls).toEqual(lookup);
    expect(run.outputs).toMatchObject({ created: 'false' });
    expect(run.outputs).not.toHaveProperty('db_url');
  });

  it('is not required: if_exists: fail creates a missing branch', async () => {
    expect((await scene.succeeds({ ...fresh(), inputs: { if_exists: 'fail' } })).outputs.created).toBe('true');
  });

  it('gets an endpoint of the requested size if it has none', async () => {
    const { event, name } = fresh();
    await scene.service.addBranch({ name, endpoint: false });
    const run = await scene.succeeds({ event, inputs: { min_cu: '0.5', max_cu: '1', suspend_timeout: '60' } });
    expect(run.calls.slice(0, 3)).toEqual(lookup);
    expect(
      run.requests.find((request) => request.path.endsWith('/endpoints') && request.method === 'POST')?.body,
    ).toEqual({
      endpoint: {
        branch_id: run.outputs.branch_id,
        type: 'read_write',
        autoscaling_limit_min_cu: 0.5,
        autoscaling_limit_max_cu: 1,
        suspend_timeout_seconds: 60,
      },
    });
    expect(JSON.parse(run.outputs.operation_ids ?? '')).toHaveLength(1);
    expect(run.outputs).toMatchObject({ created: 'false', db_url: scene.service.uri(name) });
  });

  it('has its expiry extended if expires_in is set, and otherwise stays unchanged', async () => {
    const { event, name } = fresh();
    const soon = new Date(Date.now() + 600_000).toISOString();
    await scene.service.addBranch({ name, expiresAt: soon });
    const run = await scene.succeeds({ event, inputs: { expires_in: '14d' } });
    const patch = run.requests.find((request) => request.method === 'PATCH');
    expect(patch?.body).toEqual({ branch: { expires_at: run.outputs.expires_at } });
    const ahead = Date.parse(run.outputs.expires_at ?? '') - Date.now();
    expect(Math.abs(ahead - 14 * 86_400_000)).toBeLessThan(60_000);
    expect(scene.service.branch(name)?.expires_at).toBe(run.outputs.expires_at);

    const plain = await scene.succeeds({ event });
    expect(plain.requests.some((request) => request.method === 'PATCH')).toBe(false);
    expect(plain.outputs.expires_at).toBe(run.outputs.expires_at);
  });

  it('has its expiry set to a given time, unless it already is that time', async () => {
    const { event, name } = fresh();
    await scene.service.addBranch({ name });
    const expires_at = new Date(Date.now() + 86_400_000).toISOString();
    const methods = async () =>
      (await scene.succeeds({ event, inputs: { expires_at } })).requests.map((request) => request.method);
    expect(await methods()).toContain('PATCH');
    expect(await methods()).not.toContain('PATCH');
  });

  it('is reused with a warning if it has another parent', async () => {
    const { event, name } = fresh();
    await scene.service.addBranch({ name: 'other-parent' });
    const { parent_id } = await scene.service.addBranch({ name });
    const run = await scene.succeeds({ event, inputs: { parent_branch: 'other-parent' } });
    expect(run.annotations.warning).toEqual([
      expect.stringContaining(`already exists, but with another parent (${parent_id}) or point in its history`),
    ]);
    const right = await scene.succeeds({ event, inputs: { parent_branch: 'main' } });
    expect(right.annotations.warning).toEqual([]);
  });

  it('is rejected for schema-only if it has rows, with advice on how to replace it', async () => {
    const { event, name } = fresh();
    await scene.service.addBranch({ name });
    const run = await scene.fails({ event, inputs: { branch_type: 'schema-only' } });
    expect(run.message).toMatch(
      /is not a schema-only branch.* `branch_type: schema-only` rejects it\..*`if_exists: recreate`/,
    );
    expect(run.requests.filter(({ method, status }) => method !== 'GET' && status < 400)).toEqual([]);
    expect(run.outputs).not.toHaveProperty('db_url');
  });

  it('is rejected for `masking_rules` if it was never anonymized, with advice on how to replace it', async () => {
    const { event, name } = fresh();
    await scene.service.addBranch({ name, createdAt: Date.now() - 3_600_000 });
    const rules = JSON.stringify([
      { database_name: 'neondb', schema_name: 'public', table_name: 't', column_name: 'c', masking_value: "'x'" },
    ]);
    const inputs = { masking_rules: rules, max_cu: '4', expires_in: '2h' };
    const run = await scene.fails({ event, inputs });
    expect(run.message).toMatch(/is not anonymized.*`if_exists: recreate`/);
    expect(run.requests.filter(({ method }) => method === 'PATCH')).toEqual([]);
    expect(run.outputs).not.toHaveProperty('db_url');
  });

  it("is reused with a warning if it starts at another point in its parent's history", async () => {
    const { event, name } = fresh();
    await scene.service.addBranch({ name });
    const run = await scene.succeeds({ event, inputs: { parent_point: '2026-01-01T00:00:00Z' } });
    expect(run.annotations.warning).toEqual([
      expect.stringMatching(
        /already exists, but with another parent .* or point in its history \(.*\)\. Using it as is/,
      ),
    ]);
  });

  it('is found by ID, and rejected if the name does not match', async () => {
    const { name } = fresh();
    const { id } = await scene.service.addBranch({ name });
    const run = await scene.succeeds({ inputs: { command: 'create', branch_id: id } });
    expect(run.outputs).toMatchObject({ branch_id: id, branch_name: name, created: 'false' });
    const wrong = await scene.fails({ inputs: { command: 'create', branch_id: id, branch_name: 'x' } });
    expect(wrong.message).toContain(`Branch ${id} is named "${name}", not "x".`);
    const none = await scene.fails({ inputs: { command: 'create', branch_id: 'br-not-there-1' } });
    expect(none.message).toContain('The root action creates one');
    expect(wrong.requests.filter((request) => request.method !== 'GET')).toEqual([]);
  });

  it('must match exactly, even if other names contain its name and it is on a later page', async () => {
    await withScenario({ pageSize: 2 }, async (scene) => {
      const name = 'preview/pr-1';
      const others = [
        'preview/pr-10',
        'preview/pr-11',
        'x/preview/pr-1',
        'preview/pr-1-2',
        'PREVIEW/PR-1',
        'preview/pr-12',
      ];
      const { id } = await scene.service.addBranch({ name, createdAt: Date.now() - 86_400_000 });
      await scene.service.addBranches(others.map((other) => ({ name: other })));
      const run = await scene.succeeds({ event: pullRequest({ number: 1 }) });
      expect(run.outputs.branch_id).toBe(id);
      expect(run.requests.filter((request) => request.query.cursor).length).toBeGreaterThanOrEqual(2);
      const parent = await scene.succeeds({ event: push(), inputs: { parent_branch: name } });
      expect(parent.outputs.parent_id).toBe(id);
    });
  });
});

it('concurrent runs share one branch, and all succeed', async () => {
  const { event, name } = fresh();
  const runs = await Promise.all(Array.from({ length: 5 }, () => scene.play({ event })));
  expect(runs.map((run) => run.code)).toEqual([0, 0, 0, 0, 0]);
  expect(new Set(runs.map((run) => run.outputs.branch_id)).size).toBe(1);
  expect(new Set(runs.map((run) => run.outputs.db_url))).toEqual(new Set([scene.service.uri(name)]));
  expect(runs.filter((run) => run.outputs.created === 'true')).toHaveLength(1);
  expect(scene.service.branches().filter((branch) => branch.name === name)).toHaveLength(1);
});

it('concurrent runs add one endpoint to a branch without one, and all succeed', async () => {
  const { event, name } = fresh();
  await scene.service.addBranch({ name, endpoint: false });
  const runs = await Promise.all(Array.from({ length: 4 }, () => scene.play({ event })));
  expect(runs.map((run) => run.message)).toEqual(['', '', '', '']);
  expect(new Set(runs.map((run) => run.outputs.db_url))).toEqual(new Set([scene.service.uri(name)]));
  expect(scene.service.endpoints(name)).toHaveLength(1);
});

it('does not use a read-only endpoint', async () => {
  const { event, name } = fresh();
  const { service } = scene;
  const { id } = await service.addBranch({ name, endpoint: false });
  const made = await fetch(`${service.baseUrl}/projects/${service.projectId}/endpoints`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ endpoint: { branch_id: id, type: 'read_only' } }),
  });
  const reader = (await made.json()) as { endpoint: { host: string } };
  await service.idle();
  const missing = await scene.fails({ event, inputs: { command: 'get' } });
  expect(missing.message).toContain('has no read-write compute endpoint');
  const run = await scene.succeeds({ event });
  expect(run.outputs.db_host).not.toBe(reader.endpoint.host);
  expect(run.outputs.db_url).toBe(service.uri(name));
});
