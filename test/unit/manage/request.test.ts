import { describe, expect, it } from 'vitest';
import type { Context } from '../../../src/context.ts';
import { planOf, requestFromInputs } from '../../../src/manage/plan.ts';
import type { RunEvent } from '../../../src/step/event.ts';
import { branch, load, onPush, onSchedule, project } from './loaded.ts';

describe('a request from the inputs', () => {
  const sent = (given: Record<string, string>, at?: RunEvent) => {
    const inputs = load(given, at);
    const plan = planOf(inputs);
    if (!plan) throw new Error('There is no plan');
    const { method, path, payload } = requestFromInputs({ inputs, event: at ?? onSchedule } as Context, plan);
    return [`${method} ${path}`, ...(payload === undefined ? [] : [payload])];
  };

  it.each([
    [
      { resource: 'role', verb: 'create', ...branch, resource_id: 'app' },
      'POST /projects/shiny-wind-028834/branches/br-1/roles',
      { role: { name: 'app' } },
    ],
    [
      { resource: 'branch', verb: 'create', ...project, branch_name: 'x' },
      'POST /projects/shiny-wind-028834/branches',
      { branch: { name: 'x' }, annotation_value: { 'database-branch-create-id': expect.any(String) } },
    ],
    [{ resource: 'project', verb: 'create', resource_id: 'mine' }, 'POST /projects', { project: { id: 'mine' } }],
    [
      { resource: 'endpoint', verb: 'create', ...branch, body: '{"type":"read_only"}' },
      'POST /projects/shiny-wind-028834/endpoints',
      { endpoint: { branch_id: 'br-1', type: 'read_only' } },
    ],
    [{ resource: 'api_key', verb: 'create', body: '{"key_name":"ci"}' }, 'POST /api_keys', { key_name: 'ci' }],
    [
      { resource: 'cluster', verb: 'update', resource_id: 'c 1', body: '{"size":2}' },
      'PATCH /clusters?id=c+1',
      { cluster: { size: 2 } },
    ],
    [{ resource: 'cluster', verb: 'query', resource_id: 'c' }, 'GET /clusters?id=c'],
    [{ resource: 'cluster', verb: 'query' }, 'GET /clusters'],
    [{ resource: 'project', verb: 'get', ...project }, 'GET /projects/shiny-wind-028834'],
    [{ resource: 'project', verb: 'query', ...project }, 'GET /projects'],
    [{ resource: 'project', verb: 'query', resource_id: 'other' }, 'GET /projects/other'],
    [{ resource: 'branch', verb: 'query', ...branch }, 'GET /projects/shiny-wind-028834/branches/br-1'],
    [
      { resource: 'branch', verb: 'delete', ...project, branch_name: 'x' },
      'DELETE /projects/shiny-wind-028834/branches/{branch_id}',
    ],
    [
      { resource: 'role', verb: 'get', ...project, branch_name: 'x', resource_id: 'a/b' },
      'GET /projects/shiny-wind-028834/branches/{branch_id}/roles/a%2Fb',
    ],
    [
      { resource: 'snapshot', verb: 'restore', ...project, resource_id: 's' },
      'POST /projects/shiny-wind-028834/snapshots/s/restore',
      {},
    ],
    [
      { resource: 'snapshot', verb: 'restore', ...branch, resource_id: 's', body: '{"finalize_restore": true}' },
      'POST /projects/shiny-wind-028834/snapshots/s/restore',
      { target_branch_id: 'br-1', finalize_restore: true },
    ],
    [{ resource: 'operations', verb: 'query', ...project }, 'GET /projects/shiny-wind-028834/operations'],
    [{ resource: 'users', verb: 'query' }, 'GET /users/me'],
  ] as [Record<string, string>, string, unknown?][])('is, for %j, %s', (given, line, payload) => {
    expect(sent(given)).toEqual(payload === undefined ? [line] : [line, payload]);
  });

  it('has a placeholder for a branch that must be looked up', () => {
    const given = { resource: 'endpoint', verb: 'create', ...project, body: '{"type":"read_only"}' };
    expect(sent(given, onPush)).toEqual([
      'POST /projects/shiny-wind-028834/endpoints',
      { endpoint: { branch_id: '{branch_id}', type: 'read_only' } },
    ]);
  });
});
