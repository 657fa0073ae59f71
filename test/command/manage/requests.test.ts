import { statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { pullRequest } from '../../../tools/runner/events.ts';
import { scenario, withScenario } from '../../support/scenario.ts';

const scene = scenario({ compute: 'none', operationMs: 5 });
const manage = (inputs: Record<string, string>) => ({ inputs: { command: 'manage', ...inputs } });

describe('a raw request', () => {
  it.each([
    ['GET', '/regions', '/regions', {}],
    ['GET', 'users/me', '/users/me', {}],
    [
      'GET',
      '/projects/{project_id}/branches?search=a b&limit=2',
      '/projects/{p}/branches',
      { search: 'a b', limit: '2' },
    ],
    ['GET', '/projects/{project_id}/branches?search=%C3%A4%26ö', '/projects/{p}/branches', { search: 'ä&ö' }],
  ] as const)('%s %s', async (method, path, asked, query) => {
    const run = await scene.succeeds(manage({ method, path }));
    expect(run.requests).toHaveLength(1);
    expect(run.requests[0]).toMatchObject({ method, path: asked.replace('{p}', scene.service.projectId), query });
    expect(JSON.parse(run.outputs.response ?? '')).toEqual(run.requests[0]?.responseBody);
    expect(run.outputs).toMatchObject({ status: '200', created: 'false', deleted: 'false', operation_ids: '[]' });
  });

  it('starts, suspends and restarts a compute endpoint, and waits for it', async () => {
    await scene.service.addBranch({ name: 'preview/power' });
    const endpoint = () => scene.service.endpoints('preview/power')[0];
    const send = (what: string) =>
      scene.succeeds(manage({ method: 'POST', path: `/projects/{project_id}/endpoints/${endpoint()?.id}/${what}` }));
    const suspended = await send('suspend');
    expect(JSON.parse(suspended.outputs.operation_ids ?? '')).toHaveLength(1);
    expect(endpoint()?.current_state).toBe('idle');
    await send('start');
    expect(endpoint()?.current_state).toBe('active');
    const restarted = await send('restart');
    expect(JSON.parse(restarted.outputs.operation_ids ?? '')).toHaveLength(2);
    expect(restarted.outputs).toMatchObject({ created: 'false', status: '200' });
    expect(endpoint()?.current_state).toBe('active');
  });

  it('finds the branch of the event for {branch_id}', async () => {
    const branch = await scene.service.addBranch({ name: 'preview/pr-7' });
    const run = await scene.succeeds({
      event: pullRequest({ number: 7 }),
      ...manage({
        method: 'GET',
        path: '/projects/{project_id}/branches/{branch_id}/roles/{resource_id}',
        resource_id: 'neondb_owner',
      }),
    });
    expect(run.requests.at(-1)?.path).toBe(
      `/projects/${scene.service.projectId}/branches/${branch.id}/roles/neondb_owner`,
    );
  });

  it('sets `created` or `deleted`', async () => {
    const made = await scene.succeeds(
      manage({ method: 'POST', path: '/projects/{project_id}/branches', body: '{"branch": {"name": "by path"}}' }),
    );
    expect(made.outputs).toMatchObject({ created: 'true', deleted: 'false', status: '201' });
    const { id } = JSON.parse(made.outputs.response ?? '').branch as { id: string };
    const path = `/projects/{project_id}/branches/${id}`;
    const gone = await scene.succeeds(manage({ method: 'DELETE', path }));
    expect(gone.outputs).toMatchObject({ created: 'false', deleted: 'true', status: '200' });
    const again = await scene.succeeds(manage({ method: 'DELETE', path }));
    expect(again.outputs).toMatchObject({ deleted: 'false', status: '204', response: 'null' });
  });

  it('never leaves the API', async () => {
    const run = await scene.fails(manage({ method: 'GET', path: '/x%3F/../../users/me' }));
    expect(run.requests).toEqual([]);
    expect(run.message).toContain('path: ');
  });

  it('to an unknown path reports the request and the response', async () => {
    const run = await scene.fails(manage({ method: 'GET', path: '/teams/a/b' }));
    expect(run.message).toMatch(/Could not complete GET \/teams\/a\/b: 404, .*\(request id [\w-]+\)\. Check `path`/);
    expect(run.outputs).toMatchObject({ status: '404' });
    expect(JSON.parse(run.outputs.response ?? '')).toMatchObject({ message: 'the local service has no such path' });
  });

  it.each([
    ['abcd+efgh+ijklmnop', 'abcd efgh ijklmnop'],
    ['abcd%2fefgh%2fijkl', 'abcd/efgh/ijkl'],
    ['abcd+efgh%2fijkl', 'abcd efgh/ijkl'],
    ['ab*cd$ef~ghij', 'ab*cd$ef~ghij'],
    ['100%25+sure%2B', '100% sure+'],
  ])('never shows a token in its query, encoded or decoded: %s', async (written, meant) => {
    const request = { method: 'GET', path: `/teams/a?page=2&token=${written}&x=1` };
    const secrets = [written, meant, decodeURIComponent(written), encodeURIComponent(meant)];
    const rehearsed = await scene.succeeds({ ...manage({ ...request, dry_run: 'true' }), secrets });
    const refused = await scene.fails({ ...manage(request), secrets, env: { RUNNER_DEBUG: '1' } });
    for (const run of [rehearsed, refused]) {
      expect(run.stdout).toContain('GET /teams/a?page=2&token=***&x=1');
      expect(run.summary).toContain('GET /teams/a?page=2&token=***&x=1');
    }
  });

  it('fails if the response is not JSON, and does not output it', async () => {
    scene.service.faults.add({ path: /^\/regions$/, times: 3, status: 200, text: '<html><title>Login</title></html>' });
    const run = await scene.fails(manage({ method: 'GET', path: '/regions' }));
    expect(run.message).toMatch(/Could not complete GET \/regions: 200 with an unexpected body: not JSON/);
    expect(run.outputs.response ?? '').not.toContain('html');
  });
});

describe('a list', () => {
  it('contains all pages in one array', async () => {
    await withScenario({ pageSize: 7 }, async (other) => {
      await other.service.addBranches(Array.from({ length: 23 }, (_, index) => ({ name: `b-${index}` })));
      const run = await other.succeeds(manage({ resource: 'branches', verb: 'list' }));
      const all = JSON.parse(run.outputs.response ?? '') as { name: string }[];
      expect(new Set(all.map((one) => one.name)).size).toBe(24);
      expect(run.requests).toHaveLength(4);
      expect(run.annotations.notice.join()).toContain('Listed 24 branches');
    });
  });

  it('of endpoints is limited to the branch that an input names', async () => {
    const branch = await scene.service.addBranch({ name: 'preview/narrow' });
    const whole = await scene.succeeds(manage({ resource: 'endpoints', verb: 'list' }));
    expect(JSON.parse(whole.outputs.response ?? '').length).toBeGreaterThan(1);
    for (const by of [{ branch_id: branch.id }, { branch_name: 'preview/narrow' }] as Record<string, string>[]) {
      const run = await scene.succeeds(manage({ resource: 'endpoints', verb: 'list', ...by }));
      const ids = (JSON.parse(run.outputs.response ?? '') as { branch_id: string }[]).map((one) => one.branch_id);
      expect(ids).toEqual([branch.id]);
    }
  });

  it('over 1 MB is written to a file that only the owner can read', async () => {
    await withScenario({}, async (other) => {
      const names = Array.from({ length: 2_400 }, (_, index) => ({ name: `long-${index}-${'x'.repeat(200)}` }));
      await other.service.addBranches(names);
      const run = await other.succeeds({
        ...manage({ resource: 'branches', verb: 'list' }),
        between: (main) => {
          expect(statSync(main.outputs.response_path ?? '').mode & 0o777).toBe(0o600);
        },
      });
      expect(run.outputs).toMatchObject({ response: '', status: '200' });
      const file = run.files[run.outputs.response_path ?? ''] ?? '';
      expect(Object.keys(run.files)).toHaveLength(1);
      expect(Buffer.byteLength(file)).toBeGreaterThan(1_000_000);
      expect((JSON.parse(file) as unknown[]).length).toBe(2_401);
    });
  });
});

describe('a dry run', () => {
  it.each([
    [{ resource: 'api_key', verb: 'create', body: '{"key_name": "x"}' }, 'POST /api_keys', '{"key_name":"x"}'],
    [
      { resource: 'role', verb: 'create', branch_name: 'preview/x', body: '{"name": "app"}' },
      'POST /projects/{p}/branches/{branch_id}/roles',
      '{"role":{"name":"app"}}',
    ],
    [{ resource: 'project', verb: 'delete', resource_id: 'p-1' }, 'DELETE /projects/p-1', undefined],
    [{ method: 'PUT', path: '/a b', body: '[1]' }, 'PUT /a%20b', '[1]'],
    [{ resource: 'clusters', verb: 'list' }, 'GET /clusters', undefined],
  ] as [Record<string, string>, string, string | undefined][])(
    'of %j shows %s, and sends nothing',
    async (inputs, line, payload) => {
      const run = await scene.succeeds(manage({ ...inputs, dry_run: 'true' }));
      const told = line.replace('{p}', scene.service.projectId);
      expect(run.requests).toEqual([]);
      expect(run.stdout).toContain(`Dry run: would send ${told}`);
      expect(run.summary).toContain(told);
      if (payload) expect(run.stdout).toContain(`Payload: ${payload}`);
      expect(run.outputs).toMatchObject({ created: 'false', deleted: 'false', operation_ids: '[]' });
      expect(run.outputs).not.toHaveProperty('status');
    },
  );

  it('shows no secret of its payload, whatever its characters', async () => {
    const secret = 'p"a\\s%s/w:ö`rd|7';
    const body = JSON.stringify({ name: 'x', password: secret, nested: [{ client_secret: `2${secret}` }] });
    const uri = 'postgresql://u:n0tToBeSeen@host/db';
    const run = await scene.succeeds({
      ...manage({ resource: 'team', verb: 'create', body: body.replace('"x"', JSON.stringify(uri)), dry_run: 'true' }),
      secrets: [secret, `2${secret}`, uri, 'n0tToBeSeen'],
    });
    for (const text of [run.stdout.replace(/^::add-mask::.*$/gm, ''), run.summary]) {
      expect(text).not.toMatch(/w:ö|n0tToBeSeen/);
      expect(text).toContain('"client_secret"');
    }
  });
});
