import { describe, expect, it } from 'vitest';
import { pullRequest } from '../../tools/runner/events.ts';
import { jdbcUrls } from '../support/jdbc.ts';
import { scenario, withScenario } from '../support/scenario.ts';

const scene = scenario();
const branch = (name: string) => scene.service.addBranch({ name, createdAt: Date.now() - 3_600_000 });
const get = (inputs: object) => ({ inputs: { command: 'get', ...inputs } });

const reads = [
  'GET /branches/{branch}/databases 200',
  'GET /branches/{branch}/endpoints 200',
  'GET /branches/{branch}/roles 200',
  'GET /connection_uri 200',
  'GET /connection_uri 200',
  'GET /operations 200',
];

describe('get', () => {
  it.each(['name', 'ID', 'event'])('reads a branch by %s and changes nothing', async (by) => {
    const name = by === 'event' ? 'preview/pr-7' : `by-${by}`;
    const { id, parent_id } = await branch(name);
    const run = await scene.succeeds({
      event: pullRequest({ number: 7 }),
      ...get(by === 'ID' ? { branch_id: id } : by === 'name' ? { branch_name: name } : {}),
    });
    expect(run.outputs).toEqual({
      command: 'get',
      skipped: 'false',
      created: 'false',
      deleted: 'false',
      branch_id: id,
      branch_name: name,
      parent_id,
      endpoint_id: scene.service.endpoints(name)[0]?.id,
      db_url: scene.service.uri(name),
      db_url_pooled: scene.service.uri(name, { pooled: true }),
      ...jdbcUrls(scene.service, name),
      db_host: new URL(scene.service.uri(name)).hostname,
      db_host_pooled: new URL(scene.service.uri(name, { pooled: true })).hostname,
      db_port: '5432',
      database: 'neondb',
      role: 'neondb_owner',
      password: new URL(scene.service.uri(name)).password,
    });
    expect(run.calls[0]).toBe(by === 'ID' ? 'GET /branches/{branch} 200' : 'GET /branches 200');
    expect(run.calls.slice(1).sort()).toEqual(reads);
    expect(run.annotations.notice).toEqual([`Read branch "${name}" (${id})`]);
  });

  it('accepts an ID and a name if they match, and rejects them otherwise', async () => {
    const { id, name } = await branch('agreed');
    expect((await scene.succeeds(get({ branch_id: id, branch_name: name }))).outputs.branch_id).toBe(id);
    const run = await scene.fails(get({ branch_id: id, branch_name: 'agree' }));
    expect(run.message).toBe(
      `Branch ${id} is named "agreed", not "agree". Remove \`branch_id\` or \`branch_name\`, or correct the one that is wrong.`,
    );
    expect(run.outputs).not.toHaveProperty('db_url');
  });

  it('does not match part of a name', async () => {
    await branch('part-of-it');
    const run = await scene.fails(get({ branch_name: 'part-of' }));
    expect(run.message).toBe(
      'The project has no branch "part-of". It may have expired, been deleted, or never been created; or its name, its ID or `project_id` is wrong. The root action creates one with `command: create`; if the pull request is closed, skip this step.',
    );
    expect(run.calls).toEqual(['GET /branches 200']);
  });

  it('finds a name on a later page', async () => {
    await withScenario({ pageSize: 1 }, async (scene) => {
      const { id } = await scene.service.addBranch({ name: 'a', createdAt: Date.now() - 3_600_000 });
      await scene.service.addBranches([{ name: 'ab' }, { name: 'ba' }, { name: 'aa' }, { name: 'A' }]);
      expect((await scene.succeeds(get({ branch_name: 'a' }))).outputs.branch_id).toBe(id);
    });
  });

  it('reports an unknown ID', async () => {
    const run = await scene.fails(get({ branch_id: 'br-not-there-1' }));
    expect(run.message).toContain('The project has no branch br-not-there-1.');
  });

  it('reports an unknown project', async () => {
    const run = await scene.fails(get({ project_id: 'no-such-project-1', branch_name: 'x' }));
    expect(run.message).toMatch(
      /: 404, .*\(request id [\w-]+\)\. Check that `project_id` is the project's ID, not its name, that `api_host` is correct, and that the key has access to the project; a branch that the step names may also be gone\.$/,
    );
  });

  it('does not find a branch in another project', async () => {
    const { service } = scene;
    const { id } = await branch('in-this-project');
    const made = await fetch(`${service.baseUrl}/projects`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ project: { name: 'another' } }),
    });
    const { project } = (await made.json()) as { project: { id: string } };
    await service.idle();
    for (const which of [{ branch_id: id }, { branch_name: 'in-this-project' }]) {
      const run = await scene.fails(get({ project_id: project.id, ...which }));
      expect(run.message).toContain('The project has no branch');
      expect(run.outputs).not.toHaveProperty('db_url');
    }
  });

  it('says how to add an endpoint to the default branch, which `create` refuses', async () => {
    await withScenario({}, async (own) => {
      const manage = (inputs: object) =>
        own.succeeds({ action: 'manage', inputs: { resource: 'compute endpoint', ...inputs } });
      const id = own.service.branch('main')?.id ?? '';
      await manage({ verb: 'delete', resource_id: own.service.endpoints('main')[0]?.id });
      const run = await own.fails(get({ branch_name: 'main' }));
      const body = '{"type": "read_write"}';
      expect(run.message).toContain(
        'Add one with the action `manage`, `resource: compute endpoint` and `verb: create`.',
      );
      await manage({ branch_id: id, verb: 'create', body });
      expect((await own.succeeds(get({ branch_name: 'main' }))).outputs.branch_id).toBe(id);
    });
  });

  it('says how to add an endpoint to a branch without one', async () => {
    await scene.service.addBranch({ name: 'without-compute', endpoint: false });
    const run = await scene.fails(get({ branch_name: 'without-compute' }));
    expect(run.message).toMatch(
      /has no read-write compute endpoint, so it has no host\. Add one with the action `manage`, /,
    );
    expect(run.requests.every((request) => request.method === 'GET')).toBe(true);
  });
});

describe('connection details of another branch are never output', () => {
  const ask = async (method: string, path: string, body: object) => {
    const { baseUrl, projectId, apiKey } = scene.service;
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    const response = await fetch(`${baseUrl}/projects/${projectId}${path}`, {
      method,
      headers,
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(201);
    await scene.service.idle();
  };

  it.each([
    ['role', 'roles', {}],
    ['database', 'databases', { owner_name: 'neondb_owner' }],
  ])('if only the parent has the %s', async (kind, path, more) => {
    const { id } = await branch(`without-${kind}`);
    await ask('POST', `/branches/${scene.service.main.id}/${path}`, { [kind]: { name: `late_${kind}`, ...more } });
    const run = await scene.fails(get({ branch_id: id, [kind]: `late_${kind}` }));
    expect(run.message).toContain(`has no ${kind} "late_${kind}"`);
    expect(run.outputs).not.toHaveProperty('db_url');
    expect(run.outputs).not.toHaveProperty('password');
  });

  it('if a read-only replica is listed first', async () => {
    const { id, name } = await branch('with-replica');
    await ask('POST', '/endpoints', { endpoint: { branch_id: id, type: 'read_only' } });
    const fault = scene.service.faults.add({
      path: /\/endpoints$/,
      transform: (body) => {
        const { endpoints } = body as { endpoints: { type: string }[] };
        expect(endpoints).toHaveLength(2);
        return { endpoints: endpoints.toSorted((one, other) => one.type.localeCompare(other.type)) };
      },
    });
    try {
      const run = await scene.succeeds(get({ branch_id: id }));
      expect(run.outputs.db_url).toBe(scene.service.uri(name));
      const readOnly = scene.service.endpoints(name).find(({ type }) => type === 'read_only');
      expect(readOnly?.host).toMatch(/./);
      expect(run.outputs.db_host).not.toBe(readOnly?.host);
    } finally {
      fault.remove();
    }
  });

  // Whatever the service returns, nothing of another branch may be output.
  const lies: [string, RegExp, (body: never, other: { id: string; uri: string }) => unknown, RegExp][] = [
    [
      'the branch',
      /\/branches\/br-[\w-]+$/,
      (body: { branch: object }, other) => ({ ...body, branch: { ...body.branch, id: other.id } }),
      /Could not read branch/,
    ],
    [
      'its endpoints',
      /\/endpoints$/,
      (body: { endpoints: object[] }, other) => ({
        endpoints: body.endpoints.map((one) => ({ ...one, branch_id: other.id })),
      }),
      /has no read-write compute endpoint/,
    ],
    [
      'its URI',
      /\/connection_uri$/,
      (_: never, other) => ({ uri: other.uri }),
      /The service returned a connection URI/,
    ],
  ];

  it.each(lies)('if the service returns the wrong data for %s', async (what, path, lie, said) => {
    const { id } = await branch(`lied-about-${what.replace(' ', '-')}`);
    const other = await branch(`other-than-${what.replace(' ', '-')}`);
    const uri = scene.service.uri(other.name);
    const fault = scene.service.faults.add({ path, transform: (body) => lie(body as never, { id: other.id, uri }) });
    try {
      const run = await scene.fails(get({ branch_id: id }));
      expect(run.message).toMatch(said);
      expect(Object.keys(run.outputs)).not.toEqual(expect.arrayContaining(['db_url']));
      expect(JSON.stringify(run.outputs)).not.toContain(other.id);
    } finally {
      fault.remove();
    }
  });

  it('if only the pooled connection URI belongs to another branch', async () => {
    const { id } = await branch('lied-about-pooler');
    const other = await branch('other-pooler');
    const uri = scene.service.uri(other.name, { pooled: true });
    const fault = scene.service.faults.add({
      path: /\/connection_uri$/,
      when: (request) => request.query.pooled === 'true',
      transform: () => ({ uri }),
    });
    try {
      expect((await scene.fails(get({ branch_id: id }))).message).toMatch(/The service returned a connection URI/);
    } finally {
      fault.remove();
    }
  });

  it('if the response to a create is about another branch', async () => {
    const other = await branch('answered-instead');
    const fault = scene.service.faults.add({
      method: 'POST',
      path: /\/branches$/,
      transform: (body) => ({ ...(body as object), branch: other }),
    });
    try {
      const run = await scene.fails({ event: pullRequest({ number: 70 }) });
      expect(run.message).toMatch(/The service returned branch "answered-instead"/);
      expect(run.outputs).not.toHaveProperty('db_url');
      expect(JSON.stringify(run.outputs)).not.toContain(other.id);
    } finally {
      fault.remove();
    }
  });
});
