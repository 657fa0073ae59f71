import { describe, expect, it } from 'vitest';
import { check as checkTogether } from '../../../src/manage/check.ts';
import type { ManageInputs } from '../../../src/manage/inputs.ts';
import { given, onPush, onSchedule } from './given.ts';

const check = (inputs: Partial<ManageInputs>, event = onSchedule) => checkTogether({ inputs: given(inputs), event });
const role = { resource: 'role', branch_id: 'br-1' };

describe('valid inputs', () => {
  it.each([
    { resource: 'projects', verb: 'list', project_id: undefined },
    { resource: 'project', verb: 'get' },
    { resource: 'project', verb: 'delete', resource_id: 'p-2', project_id: undefined },
    { resource: 'branch', verb: 'update', branch_name: 'x', body: { protected: true } },
    { resource: 'branch', verb: 'create' },
    { ...role, verb: 'create', body: { name: 'app' } },
    { ...role, verb: 'create', resource_id: 'app' },
    { ...role, verb: 'delete', resource_id: 'a/b' },
    { resource: 'endpoint', verb: 'create', body: { endpoint: { branch_id: 'br-1', type: 'read_only' } } },
    { resource: 'operations', verb: 'list' },
    { resource: 'user', verb: 'query', project_id: undefined },
    { resource: 'cluster', verb: 'delete', project_id: undefined, body: { name: 'x' } },
    { method: 'POST', path: '/regions', body: [1], project_id: undefined },
    { method: 'GET', path: '/x/{branch_id}/{other}', branch_name: 'x' },
  ] as Partial<ManageInputs>[])('%j', (inputs) => {
    expect(check(inputs)).toEqual([]);
  });

  it('may leave the branch that something belongs to to the event', () => {
    expect(check({ resource: 'role', verb: 'list' }, onPush)).toEqual([]);
    expect(check({ method: 'GET', path: '/projects/{project_id}/branches/{branch_id}' }, onPush)).toEqual([]);
  });
});

describe('an error', () => {
  const needs = (input: string, request: string) => `${input} is required: the request is ${request}`;
  const branch = '/projects/{project_id}/branches/{branch_id}';

  it('about an unknown kind lists all kinds, and names `method` and `path`', () => {
    const [error, ...more] = check({ resource: 'gadget', verb: 'list' });
    expect(more).toEqual([]);
    expect(error).toMatch(/^resource: "gadget" is invalid; expected project, branch, .* team or workspace; /);
    expect(error).toMatch(/for anything else, set `method` and `path`$/);
  });

  it.each<[Partial<ManageInputs>, string[]]>([
    [{}, [expect.stringMatching(/^resource is required: .*`method` and `path`/) as unknown as string]],
    [{ resource: 'role', path: '/x' }, ['`resource` and `verb` are mutually exclusive with `method` and `path`']],
    [{ method: 'GET' }, ['path is required: a raw request needs `method` and `path`']],
    [{ path: '/x' }, ['method is required: a raw request needs `method` and `path`']],
    [role, ['verb is required: set it to create, delete, get or list']],
    [{ ...role, verb: 'update' }, ['verb: "update" is invalid for roles; expected create, delete, get or list']],
    [{ ...role, verb: 'query' }, ['verb: "query" is invalid for roles; expected create, delete, get or list']],
    // The project of the step is not what a `resource_id` that came out empty has meant.
    [{ resource: 'project', verb: 'delete' }, [needs('resource_id', 'DELETE /projects/{resource_id}')]],
    [
      { resource: 'branch', verb: 'get' },
      [needs('resource_id, branch_id or branch_name', 'GET /projects/{project_id}/branches/{resource_id|branch_id}')],
    ],
    [
      { resource: 'role', verb: 'get', project_id: undefined },
      [
        needs('project_id', `GET ${branch}/roles/{resource_id}`),
        needs('branch_id or branch_name', `GET ${branch}/roles/{resource_id}, and event "schedule" names no branch`),
        needs('resource_id', `GET ${branch}/roles/{resource_id}`),
      ],
    ],
    [
      { method: 'GET', path: '/x/{branch_id}', branch_name: 'x', project_id: undefined },
      [needs('project_id', 'GET /x/{branch_id}')],
    ],
    [{ ...role, verb: 'list', resource_id: 'app' }, ['resource_id must be empty to list roles']],
    [{ ...role, verb: 'delete', resource_id: '..' }, ['resource_id: ".." is invalid; expected an ID or a name']],
    [{ ...role, verb: 'list', body: { name: 'app' } }, ['body must be empty for a GET request']],
    [{ ...role, verb: 'create', body: ['app'] }, ['body is invalid; expected a JSON object such as {"name": "app"}']],
  ])('%j', (inputs, errors) => {
    expect(check(inputs)).toEqual(errors);
  });

  it('does not take the object itself from the event', () => {
    expect(check({ resource: 'branch', verb: 'delete' }, onPush)[0]).toMatch(
      /^resource_id, branch_id or branch_name is/,
    );
  });
});
