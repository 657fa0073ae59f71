import { describe, expect, it } from 'vitest';
import type { ManageInputs } from '../../../src/manage/inputs.ts';
import { planOf, requestOf, usesBranch } from '../../../src/manage/request.ts';
import { given } from './given.ts';

const metadata = { 'github-commit-repo': 'octo/app' };

/** What is sent, as `METHOD path` and the body. */
function sent(inputs: Partial<ManageInputs>, branchId: string | undefined = 'br-1') {
  const plan = planOf(given(inputs));
  if (!plan) throw new Error('There is no plan');
  const { method, path, body } = requestOf({ plan, inputs: given(inputs), branchId, metadata });
  return body === undefined ? [`${method} ${path}`] : [`${method} ${path}`, body];
}

describe('a request', () => {
  it.each<[Partial<ManageInputs>, unknown[]]>([
    [{ resource: 'project', verb: 'get' }, ['GET /projects/p']],
    [{ resource: 'project', verb: 'get', resource_id: 'q' }, ['GET /projects/q']],
    [{ resource: 'branch', verb: 'get' }, ['GET /projects/p/branches/br-1']],
    [{ resource: 'role', verb: 'get', resource_id: 'a/b ?' }, ['GET /projects/p/branches/br-1/roles/a%2Fb%20%3F']],
    [{ resource: 'auth', verb: 'get' }, ['GET /projects/p/branches/br-1/auth']],
    [{ resource: 'user', verb: 'get' }, ['GET /users/me']],
    [{ resource: 'cluster', verb: 'query' }, ['GET /clusters']],
    [{ resource: 'cluster', verb: 'query', resource_id: 'c 1' }, ['GET /clusters?id=c%201']],
    [{ resource: 'cluster', verb: 'delete', body: { name: 'x' } }, ['DELETE /clusters', { cluster: { name: 'x' } }]],
    [{ resource: 'team', verb: 'delete', resource_id: 't' }, ['DELETE /teams/t']],
    [
      { method: 'PUT', path: '/projects/{project_id}/x/{resource_id}?a={branch_id}', resource_id: 'a b', body: [1] },
      ['PUT /projects/p/x/a%20b?a=br-1', [1]],
    ],
  ])('of %j', (inputs, expected) => {
    expect(sent(inputs)).toEqual(expected);
  });

  it('keeps the place of a branch whose ID is not known', () => {
    const noBranch = { resource: 'branch', verb: 'delete', branch_name: 'x' } as const;
    const plan = planOf(given(noBranch));
    if (!plan) throw new Error('There is no plan');
    const request = requestOf({ plan, inputs: given(noBranch), branchId: undefined, metadata });
    expect(request.path).toBe('/projects/p/branches/{branch_id}');
  });
});

describe('a payload', () => {
  const branch = '/projects/p/branches/br-1';

  it.each<[Partial<ManageInputs>, string, unknown]>([
    [{ resource: 'role', body: { name: 'app' } }, `${branch}/roles`, { role: { name: 'app' } }],
    [{ resource: 'role', body: { role: { name: 'app' } } }, `${branch}/roles`, { role: { name: 'app' } }],
    [{ resource: 'role', resource_id: 'app' }, `${branch}/roles`, { role: { name: 'app' } }],
    [{ resource: 'project' }, '/projects', { project: {} }],
    [
      { resource: 'endpoint', body: { type: 'read_only' } },
      '/projects/p/endpoints',
      { endpoint: { branch_id: 'br-1', type: 'read_only' } },
    ],
    [
      { resource: 'endpoint', body: { branch_id: 'br-2', type: 'read_only' } },
      '/projects/p/endpoints',
      { endpoint: { branch_id: 'br-2', type: 'read_only' } },
    ],
    [{ resource: 'bucket', body: { name: 'files' } }, `${branch}/buckets`, { name: 'files' }],
    [{ resource: 'bucket', resource_id: 'files' }, `${branch}/buckets`, { name: 'files' }],
    [{ resource: 'credential', body: { scopes: [] } }, `${branch}/credentials`, { scopes: [] }],
    [{ resource: 'api_key', body: { key_name: 'ci' } }, '/api_keys', { key_name: 'ci' }],
    [{ resource: 'data_api', resource_id: 'shop' }, `${branch}/data-api/shop`, {}],
    [{ resource: 'snapshot', body: { name: 'a b', lsn: '0/1' } }, `${branch}/snapshot?name=a+b&lsn=0%2F1`, undefined],
    [
      { resource: 'branch', branch_name: 'x', body: { endpoints: [{ type: 'read_write' }] } },
      '/projects/p/branches',
      { branch: { name: 'x' }, endpoints: [{ type: 'read_write' }], annotation_value: metadata },
    ],
    [
      { resource: 'branch', body: { branch: { name: 'x' }, annotation_value: { 'github-commit-repo': 'none' } } },
      '/projects/p/branches',
      { branch: { name: 'x' }, annotation_value: { 'github-commit-repo': 'none' } },
    ],
  ])('of a new object: %j', (inputs, path, body) => {
    const [line, payload] = sent({ verb: 'create', ...inputs });
    expect([line, payload]).toEqual([`POST ${path}`, body]);
  });

  it('of an update has the fields of the body, and no metadata', () => {
    const update = { verb: 'update', body: { name: 'y' } } as const;
    expect(sent({ ...update, resource: 'branch' })[1]).toEqual({ branch: { name: 'y' } });
    expect(sent({ ...update, resource: 'function', resource_id: 'f' })[1]).toEqual({ name: 'y' });
  });

  it('of a restore has the branch that an input names', () => {
    const restore = { resource: 'snapshot', verb: 'restore', resource_id: 's', body: { name: 'y' } } as const;
    const path = 'POST /projects/p/snapshots/s/restore';
    expect(sent(restore)).toEqual([path, { target_branch_id: 'br-1', name: 'y' }]);
    const plan = planOf(restore);
    expect(plan && [usesBranch(plan, restore), usesBranch(plan, { ...restore, branch_id: 'br-1' })]).toEqual([
      false,
      true,
    ]);
  });
});
