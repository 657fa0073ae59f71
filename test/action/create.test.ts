import { describe, expect, it } from 'vitest';
import { pullRequest, push } from '../support/events.ts';
import { scenario, withScenario } from '../support/scenario.ts';

const scene = scenario();
const several = scenario({ compute: 'none', roles: ['app'], databases: ['app'] });

/** Each test has a pull request, and so a branch, of its own. */
let last = 100;
const fresh = () => {
  const number = ++last;
  return { event: pullRequest({ number }), name: `preview/pr-${number}` };
};

const reading = [
  'GET /branches/{branch}/endpoints 200',
  'GET /operations 200',
  'GET /branches/{branch}/databases 200',
  'GET /branches/{branch}/roles 200',
  'GET /connection_uri 200',
  'GET /connection_uri 200',
];
/** Requests that are sent at the same time come in any order. */
const unordered = (calls: string[]) => [...calls].sort();

describe('a fresh create', () => {
  it('is one POST and polls of its operations, and nothing else', async () => {
    const { event, name } = fresh();
    const run = await scene.succeeds({ event });
    expect(run.calls).toEqual(['POST /branches 201', 'GET /operations/{operation} 200']);
    expect(run.requests[0]?.body).toEqual({
      branch: { name },
      endpoints: [{ type: 'read_write' }],
      annotation_value: {
        'github-commit-repo': 'octo-org/octo-repo',
        'github-commit-author-login': 'octocat',
        'github-commit-sha': expect.stringMatching(/^[0-9a-f]{40}$/),
        'github-commit-ref': 'feature/login',
        'github-pr-number': String(last),
        'github-pr-title': expect.any(String),
        'github-run-id': '1658821493',
        'github-run-attempt': '1',
      },
    });
    expect(run.requests[0]?.body).toMatchObject({ annotation_value: scene.service.annotations(name) });
  });

  it('polls one operation after the other, the second only once the first has ended', async () => {
    const run = await scene.succeeds(fresh());
    const ids = JSON.parse(run.outputs.operation_ids ?? '') as string[];
    expect(ids).toHaveLength(2);
    const polled = run.requests.slice(1).map((request) => request.path.split('/').at(-1));
    expect([...new Set(polled)]).toEqual(ids);
    expect(polled).toEqual([...polled].sort((a, b) => ids.indexOf(a ?? '') - ids.indexOf(b ?? '')));
  });

  it('gives out every output that there is, and no other', async () => {
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
      db_url: uri,
      db_url_pooled: scene.service.uri(name, { pooled: true }),
      db_host: endpoint?.host,
      db_host_pooled: endpoint?.host.replace(/^([^.]+)/, '$1-pooler'),
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
    expect(run.path).toEqual([]);
    expect(run.files).toEqual({});
    expect(branch).toMatchObject({ current_state: 'ready' });
  });

  it('masks what is secret before it is in any line, and lets the rest travel to other jobs', async () => {
    const run = await scene.succeeds(fresh());
    expect(Object.keys(run.outputs).filter((name) => !(name in run.jobOutputs))).toEqual([
      'db_url',
      'db_url_pooled',
      'password',
    ]);
    expect(run.masks).toEqual(
      expect.arrayContaining([run.outputs.db_url, run.outputs.db_url_pooled, run.outputs.password]),
    );
  });

  it('tells it in a log that people can read, and in a notice', async () => {
    const { event, name } = fresh();
    const run = await scene.succeeds({ event });
    const id = run.outputs.branch_id;
    const lines = run.log.filter((line) => !line.command).map((line) => line.text);
    expect(lines).toEqual([
      `Command create in project ${scene.service.projectId} at ${scene.service.baseUrl}`,
      `Created branch "${name}" (${id}), 2 operations started`,
      expect.stringMatching(/^Operation create_branch \([0-9a-f-]+\) finished after \d+ ms$/),
      expect.stringMatching(/^Operation start_compute \([0-9a-f-]+\) finished after \d+ ms$/),
    ]);
    expect(run.annotations).toEqual({ notice: [`Created branch "${name}" (${id})`], warning: [], error: [] });
  });

  it('writes a summary, unless it is not wanted', async () => {
    const { event, name } = fresh();
    const run = await scene.succeeds({ event });
    expect(run.summary).toMatch(
      new RegExp(
        `^### Database branch: create\n\nCreated branch "${name}" \\(${run.outputs.branch_id}\\) in [\\d.]+ m?s\\.\n`,
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
    expect(run.summary).toMatch(
      /\n\| `create_branch` \| finished \| \d+ ms \| █+ \|\n\| `start_compute` \| finished \| \d+ ms \| █+ \|\n/,
    );
    expect((await scene.succeeds({ ...fresh(), inputs: { summary: 'false' } })).summary).toBe('');
  });
});

describe('what a create sends', () => {
  const body = async (inputs: Record<string, string>) => {
    const run = await scene.succeeds({ ...fresh(), inputs });
    const post = run.requests.find((request) => request.method === 'POST');
    return { run, ...(post?.body as { branch: Record<string, unknown>; endpoints: Record<string, unknown>[] }) };
  };

  it('for a parent by name is its ID, found among all that hold the name', async () => {
    const parent = await scene.service.addBranch({ name: 'staging' });
    await scene.service.addBranch({ name: 'staging-2' });
    const { run, branch } = await body({ parent_branch: 'staging' });
    expect(run.calls).toEqual(['GET /branches 200', 'POST /branches 201', 'GET /operations/{operation} 200']);
    expect(branch.parent_id).toBe(parent.id);
    expect(run.outputs.parent_id).toBe(parent.id);
  });

  it('for a parent by ID is that ID, and a name goes before an ID', async () => {
    const parent = await scene.service.addBranch({ name: 'base' });
    expect((await body({ parent_branch: parent.id })).branch.parent_id).toBe(parent.id);
    const named = await scene.service.addBranch({ name: parent.id });
    expect((await body({ parent_branch: parent.id })).branch.parent_id).toBe(named.id);
  });

  it('is a point in history, to the digit', async () => {
    expect((await body({ parent_lsn: '0/1DE2850' })).branch.parent_lsn).toBe('0/1DE2850');
    const at = '2026-01-01T00:00:00.123456+01:00';
    expect((await body({ parent_timestamp: at })).branch.parent_timestamp).toBe(at);
  });

  it('for schema-only is a root', async () => {
    const { run, branch } = await body({ branch_type: 'schema-only' });
    expect(branch.init_source).toBe('schema-only');
    expect(run.outputs.parent_id ?? '').toBe('');
    expect(run.summary).not.toContain('| Parent |');
  });

  it('is an expiry with whole seconds, within the branch', async () => {
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

  it('is the size of the compute, and nothing where nothing is given', async () => {
    const { endpoints } = await body({ min_cu: '0.25', max_cu: '2', suspend_timeout: '-1' });
    expect(endpoints).toEqual([
      { type: 'read_write', autoscaling_limit_min_cu: 0.25, autoscaling_limit_max_cu: 2, suspend_timeout_seconds: -1 },
    ]);
    expect((await body({ suspend_timeout: '0' })).endpoints).toEqual([
      { type: 'read_write', suspend_timeout_seconds: 0 },
    ]);
  });

  it('is protection', async () => {
    const { run, branch } = await body({ protected: 'true' });
    expect(branch.protected).toBe(true);
    expect(scene.service.branch(run.outputs.branch_name ?? '')?.protected).toBe(true);
  });

  it('is a name with whatever characters it has', async () => {
    for (const name of [' feat/ü #1?&%20+"x" ', 'a|b`c`<b>\\', '名前😀', '..', '::error::x', "'; drop table--"]) {
      const run = await scene.succeeds({ inputs: { branch_name: name } });
      expect(run.outputs.branch_name).toBe(name);
      expect(scene.service.branch(name)?.id).toBe(run.outputs.branch_id);
      const again = await scene.succeeds({ inputs: { branch_name: name } });
      expect(again.outputs).toMatchObject({ branch_id: run.outputs.branch_id, created: 'false' });
      expect(again.annotations.error).toEqual([]);
    }
  });

  it('is the key, and an ID for each request', async () => {
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

describe('a parent that is not there', () => {
  it('ends the step before anything is made', async () => {
    const count = scene.service.branches().length;
    const run = await scene.fails({ ...fresh(), inputs: { parent_branch: 'stagin' } });
    expect(run.message).toContain('There is no branch with the name or ID "stagin" in the project');
    expect(run.calls).toEqual(['GET /branches 200']);
    expect(scene.service.branches()).toHaveLength(count);
    expect(run.outputs).toMatchObject({ created: 'false', deleted: 'false' });
  });
});

describe('several roles or databases', () => {
  it('have their address from the service, direct and pooled', async () => {
    const { event, name } = fresh();
    const run = await several.succeeds({ event });
    expect(run.calls.slice(0, 2)).toEqual(['POST /branches 201', 'GET /operations/{operation} 200']);
    expect(run.calls.slice(2)).toEqual(['GET /connection_uri 200', 'GET /connection_uri 200']);
    expect(
      run.requests
        .slice(-2)
        .map((request) => request.query.pooled)
        .sort(),
    ).toEqual(['false', 'true']);
    expect(run.outputs).toMatchObject({
      db_url: several.service.uri(name),
      db_url_pooled: several.service.uri(name, { pooled: true }),
      database: 'neondb',
      role: 'neondb_owner',
    });
  });

  it('are chosen by name', async () => {
    const { event, name } = fresh();
    const run = await several.succeeds({ event, inputs: { database: 'app', role: 'app' } });
    expect(run.outputs.db_url).toBe(several.service.uri(name, { role: 'app', database: 'app' }));
    expect(run.outputs).toMatchObject({ database: 'app', role: 'app' });
  });

  it.each([
    [
      { database: 'shop' },
      /has no database "shop": it has "(app|neondb)", "(app|neondb)"\. Set the input `database` to one of them\.$/,
    ],
    [{ role: 'shop' }, /has no role "shop": it has "\w+", "\w+"\. Set the input `role` to one of them\.$/],
  ])('that are not there are told from those that are: %j', async (inputs, said) => {
    const run = await several.fails({ ...fresh(), inputs });
    expect(run.message).toMatch(said);
    // the branch is there all the same, and the outputs say so
    expect(run.outputs).toMatchObject({ created: 'true', branch_id: expect.stringMatching(/^br-/) });
    expect(run.outputs).not.toHaveProperty('db_url');
  });

  it('among which none is the conventional one must be chosen', async () => {
    await withScenario({ roles: ['app', 'web'], databases: ['app', 'web'] }, async (scene) => {
      const { service } = scene;
      const change = async (method: string, path: string, body?: unknown) => {
        const base = `${service.baseUrl}/projects/${service.projectId}/branches/${service.main.id}`;
        const headers = { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' };
        const answer = await fetch(`${base}/${path}`, { method, headers, body: body ? JSON.stringify(body) : null });
        expect({ path, ok: answer.ok }).toEqual({ path, ok: true });
        await service.idle();
      };
      await change('DELETE', 'databases/neondb');
      for (const name of ['app', 'web']) await change('PATCH', `databases/${name}`, { database: { owner_name: name } });
      await change('DELETE', 'roles/neondb_owner');
      const run = await scene.fails(fresh());
      expect(run.message).toMatch(
        /Which database of branch "[^"]+"\? It has "\w+", "\w+"\. Set the input `database`\.$/,
      );
      const chosen = await scene.fails({ event: push(), inputs: { database: 'app' } });
      expect(chosen.message).toMatch(/Which role of branch/);
    });
  });
});

describe('a branch that is there', () => {
  it('is used again, with the same address, at the cost of reads', async () => {
    const { event } = fresh();
    const first = await scene.succeeds({ event });
    const second = await scene.succeeds({ event });
    expect(second.calls.slice(0, 2)).toEqual(['POST /branches 409', 'GET /branches 200']);
    expect(unordered(second.calls.slice(2))).toEqual(unordered(reading));
    const { created: _, operation_ids: __, ...same } = first.outputs;
    expect(second.outputs).toEqual({ ...same, created: 'false', operation_ids: '[]' });
    expect(second.annotations).toMatchObject({
      notice: [`Reused branch "${first.outputs.branch_name}" (${first.outputs.branch_id})`],
      warning: [],
    });
  });

  it('fails the step where it must be new', async () => {
    const { event, name } = fresh();
    const { id } = await scene.service.addBranch({ name });
    const run = await scene.fails({ event, inputs: { if_exists: 'fail' } });
    expect(run.message).toBe(
      `Branch "${name}" (${id}) exists already, and \`if_exists: fail\` asks for a new one. Delete it, choose another name, or set \`if_exists: reuse\`.`,
    );
    expect(run.calls).toEqual(['POST /branches 409', 'GET /branches 200']);
    expect(run.outputs).toMatchObject({ created: 'false', branch_id: id });
    expect(run.outputs).not.toHaveProperty('db_url');
  });

  it('is new where nothing is there, with if_exists: fail too', async () => {
    expect((await scene.succeeds({ ...fresh(), inputs: { if_exists: 'fail' } })).outputs.created).toBe('true');
  });

  it('gets an endpoint where it has none, of the size that is asked for', async () => {
    const { event, name } = fresh();
    await scene.service.addBranch({ name, endpoint: false });
    const run = await scene.succeeds({ event, inputs: { min_cu: '0.5', max_cu: '1', suspend_timeout: '60' } });
    expect(run.calls.slice(0, 2)).toEqual(['POST /branches 409', 'GET /branches 200']);
    expect(run.calls.slice(4, 6)).toEqual(['POST /endpoints 201', 'GET /operations/{operation} 200']);
    expect(unordered([...run.calls.slice(2, 4), ...run.calls.slice(6)])).toEqual(unordered(reading));
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

  it('lives on from now where it expires, and is not touched where it does not', async () => {
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

  it('has its expiry set anew to a time as well, and not where it is that time already', async () => {
    const { event, name } = fresh();
    await scene.service.addBranch({ name });
    const expires_at = new Date(Date.now() + 86_400_000).toISOString();
    const methods = async () =>
      (await scene.succeeds({ event, inputs: { expires_at } })).requests.map((request) => request.method);
    expect(await methods()).toContain('PATCH');
    expect(await methods()).not.toContain('PATCH');
  });

  it('with another parent than asked for is used, with a warning', async () => {
    const { event, name } = fresh();
    const other = await scene.service.addBranch({ name: 'other-parent' });
    const { parent_id } = await scene.service.addBranch({ name });
    const run = await scene.succeeds({ event, inputs: { parent_branch: 'other-parent' } });
    expect(run.annotations.warning).toEqual([
      expect.stringContaining(`exists with parent ${parent_id}, and parent "other-parent" (${other.id}) was asked for`),
    ]);
    const right = await scene.succeeds({ event, inputs: { parent_branch: 'main' } });
    expect(right.annotations.warning).toEqual([]);
  });

  it('with data is used for schema-only, with a warning', async () => {
    const { event, name } = fresh();
    await scene.service.addBranch({ name });
    const run = await scene.succeeds({ event, inputs: { branch_type: 'schema-only' } });
    expect(run.annotations.warning).toEqual([expect.stringContaining('exists with data')]);
  });

  it('is found by its ID, and told from one of another name', async () => {
    const { name } = fresh();
    const { id } = await scene.service.addBranch({ name });
    const run = await scene.succeeds({ inputs: { command: 'create', branch_id: id } });
    expect(run.outputs).toMatchObject({ branch_id: id, branch_name: name, created: 'false' });
    const wrong = await scene.fails({ inputs: { command: 'create', branch_id: id, branch_name: 'x' } });
    expect(wrong.message).toContain(`Branch ${id} is named "${name}", not "x".`);
    const none = await scene.fails({ inputs: { command: 'create', branch_id: 'br-not-there-1' } });
    expect(none.message).toContain('With `branch_id`, `create` makes no branch; leave it out to make one by name.');
    expect(wrong.requests.filter((request) => request.method !== 'GET')).toEqual([]);
  });

  it('is matched whole, though others hold its name and it stands on a later page', async () => {
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

it('any number of runs at once end with one branch, and all succeed with it', async () => {
  const { event, name } = fresh();
  const runs = await Promise.all(Array.from({ length: 5 }, () => scene.play({ event })));
  expect(runs.map((run) => run.code)).toEqual([0, 0, 0, 0, 0]);
  expect(new Set(runs.map((run) => run.outputs.branch_id)).size).toBe(1);
  expect(new Set(runs.map((run) => run.outputs.db_url))).toEqual(new Set([scene.service.uri(name)]));
  expect(runs.filter((run) => run.outputs.created === 'true')).toHaveLength(1);
  expect(scene.service.branches().filter((branch) => branch.name === name)).toHaveLength(1);
});

it('any number of runs at once give a branch without an endpoint one, and all succeed with it', async () => {
  const { event, name } = fresh();
  await scene.service.addBranch({ name, endpoint: false });
  const runs = await Promise.all(Array.from({ length: 4 }, () => scene.play({ event })));
  expect(runs.map((run) => run.message)).toEqual(['', '', '', '']);
  expect(new Set(runs.map((run) => run.outputs.db_url))).toEqual(new Set([scene.service.uri(name)]));
  expect(scene.service.endpoints(name)).toHaveLength(1);
});

it('an endpoint that can only read is not taken for the branch’s own', async () => {
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
