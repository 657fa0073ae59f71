import { statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { pullRequest } from '../../../tools/runner/events.ts';
import { scenario, withScenario } from '../../support/scenario.ts';

const scene = scenario({ compute: 'none', operationMs: 5 });
const manage = (inputs: Record<string, string>) => ({ action: 'manage' as const, inputs });

describe('a raw request', () => {
  it.each([
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

  it('waits for the operations that it starts, on the branch of the event', async () => {
    const { id } = await scene.service.addBranch({ name: 'preview/pr-7' });
    const [endpoint] = scene.service.endpoints('preview/pr-7');
    const raw = { method: 'POST', path: '/projects/{project_id}/endpoints/{resource_id}/suspend' };
    const suspended = await scene.succeeds(manage({ ...raw, resource_id: endpoint?.id ?? '' }));
    expect(JSON.parse(suspended.outputs.operation_ids ?? '')).toHaveLength(1);
    expect(endpoint?.current_state).toBe('idle');
    const path = '/projects/{project_id}/branches/{branch_id}/roles/neondb_owner';
    const run = await scene.succeeds({ event: pullRequest({ number: 7 }), ...manage({ method: 'GET', path }) });
    expect(run.requests.at(-1)?.path).toBe(`/projects/${scene.service.projectId}/branches/${id}/roles/neondb_owner`);
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
});

describe('a response', () => {
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
      // more than one page
      expect((JSON.parse(file) as unknown[]).length).toBe(2_401);
    });
  });
});

describe('the step', () => {
  it('reports all invalid inputs at once, before it sends anything', async () => {
    const run = await scene.fails(manage({ resource: 'role', verb: 'get', project_id: '', timeout: 'x' }));
    expect(run.requests).toEqual([]);
    expect(run.message).toMatch(/^3 invalid inputs:/);
  });

  it('reports in log and summary what it did, or would do', async () => {
    const { id } = await scene.service.addBranch({ name: 'preview/told' });
    const create = { resource: 'role', verb: 'create', branch_name: 'preview/told', body: '{"name": "app"}' };
    const at = `/projects/${scene.service.projectId}/branches`;
    const dry = await scene.succeeds(manage({ ...create, dry_run: 'true' }));
    expect(dry.requests).toEqual([]);
    expect(dry.stdout).toContain(`Dry run: would send POST ${at}/{branch_id}/roles`);
    expect(dry.outputs).toMatchObject({ created: 'false', deleted: 'false', operation_ids: '[]' });
    const run = await scene.succeeds(manage(create));
    expect(run.stdout).toContain(`Sending POST ${at}/${id}/roles`);
    expect(run.annotations.notice).toEqual([`Created role "app" on branch ${id}`]);
    for (const { summary } of [dry, run]) expect(summary).toContain(`POST ${at}/`);
  });

  it('shows no secret of its payload, whatever its characters', async () => {
    const secret = 'p"a\\s%s/w:ö`rd|7';
    const uri = 'postgresql://u:n0tToBeSeen@host/db';
    const body = JSON.stringify({ name: uri, password: secret, nested: [{ client_secret: `2${secret}` }] });
    const run = await scene.succeeds({
      ...manage({ resource: 'team', verb: 'create', body, dry_run: 'true' }),
      secrets: [secret, `2${secret}`, uri, 'n0tToBeSeen'],
    });
    for (const text of [run.stdout.replace(/^::add-mask::.*$/gm, ''), run.summary]) {
      expect(text).not.toMatch(/w:ö|n0tToBeSeen/);
      expect(text).toContain('"client_secret"');
    }
  });

  it('shows a hostile name as plain text', async () => {
    await scene.service.addBranch({ name: 'preview/hostile' });
    const name = '::error::[x](https://evil.test)\n<b>';
    const create = { resource: 'role', verb: 'create', branch_name: 'preview/hostile', body: JSON.stringify({ name }) };
    const run = await scene.play(manage(create));
    expect(run.annotations.error.filter((one) => one.includes('[x]'))).toHaveLength(run.code === 0 ? 0 : 1);
    expect(run.summary).not.toContain('<b>');
  });
});
