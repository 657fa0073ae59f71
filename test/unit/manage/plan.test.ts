import { describe, expect, it } from 'vitest';
import type { Inputs } from '../../../src/inputs/fields.ts';
import { kindOf } from '../../../src/manage/kinds.ts';
import { givenName, payloadFor, planOf } from '../../../src/manage/plan.ts';

function plan(inputs: Partial<Inputs>) {
  const found = planOf({ branch_id: undefined, branch_name: undefined, ...inputs });
  if (!found) throw new Error('There is no plan');
  return found;
}

describe('a plan', () => {
  it.each<Partial<Inputs>>([
    {},
    { verb: 'get' },
    { resource: 'role' },
    { resource: 'a/b', verb: 'get' },
    { resource: 'role', verb: 'update' },
  ])('needs a valid kind and a verb that the kind has: %j', (inputs) => {
    expect(planOf(inputs)).toBeUndefined();
  });

  it.each<[Partial<Inputs>, string | undefined, boolean]>([
    [{ resource: 'role', verb: 'get', resource_id: 'app' }, 'app', false],
    // The name of a new role is part of the payload; that of a Data API is part of the path.
    [{ resource: 'role', verb: 'create', resource_id: 'app' }, undefined, false],
    [{ resource: 'data_api', verb: 'create', resource_id: 'neondb' }, 'neondb', false],
    [{ resource: 'project', verb: 'get', project_id: 'p' }, 'p', false],
    [{ resource: 'project', verb: 'list', project_id: 'p' }, undefined, false],
    [{ resource: 'project', verb: 'update', project_id: 'p' }, 'p', false],
    // Every step has a `project_id`.
    [{ resource: 'project', verb: 'delete', project_id: 'p' }, undefined, false],
    [{ resource: 'branch', verb: 'get', branch_id: 'br-1' }, 'br-1', false],
    [{ resource: 'branch', verb: 'get', branch_name: 'x' }, undefined, true],
    // The branch is read first, to compare its name and its ID.
    [{ resource: 'branch', verb: 'get', branch_id: 'br-1', branch_name: 'x' }, undefined, true],
    [{ resource: 'branch', verb: 'get', resource_id: 'br-1', branch_name: 'x' }, 'br-1', false],
    [{ resource: 'branch', verb: 'create', branch_name: 'x' }, undefined, false],
    [{ resource: 'role', verb: 'get', branch_name: 'x' }, undefined, false],
  ])('knows the ID of the object, or that it is looked up: %j', (inputs, id, idFromBranch) => {
    expect(plan(inputs)).toMatchObject({ id, idFromBranch });
  });

  it.each<[Partial<Inputs>, string]>([
    [{ resource: 'role', verb: 'list' }, 'required'],
    [{ resource: 'endpoint', verb: 'list' }, 'optional'],
    [{ resource: 'endpoint', verb: 'get', resource_id: 'ep-1' }, 'unused'],
    [{ resource: 'endpoint', verb: 'create', body: {} }, 'required'],
    [{ resource: 'endpoint', verb: 'create', body: { endpoint: { branch_id: 'br-2' } } }, 'unused'],
    [{ resource: 'snapshot', verb: 'create' }, 'required'],
    [{ resource: 'snapshot', verb: 'list' }, 'unused'],
    [{ resource: 'snapshot', verb: 'restore', resource_id: 's' }, 'optional'],
    [{ resource: 'branch', verb: 'create' }, 'unused'],
  ])('knows whether the branch of the object must be known: %j is %s', (inputs, branch) => {
    expect(plan(inputs).branch).toBe(branch);
  });

  it.each<[Partial<Inputs>, string]>([
    [{ resource: 'branch' }, 'list'],
    [{ resource: 'branch', branch_name: 'x' }, 'get'],
    [{ resource: 'branch', resource_id: 'br-1' }, 'get'],
    [{ resource: 'role', branch_name: 'x' }, 'list'],
    [{ resource: 'role', branch_name: 'x', resource_id: 'app' }, 'get'],
    [{ resource: 'user' }, 'get'],
    [{ resource: 'api_key', resource_id: '7' }, 'list'],
  ])('makes of a query with %j a %s', (inputs, verb) => {
    expect(plan({ ...inputs, verb: 'query' }).verb).toBe(verb);
  });
});

describe('a payload', () => {
  const payload = (inputs: Partial<Inputs>, metadata: Record<string, string> = {}) =>
    payloadFor({ plan: plan(inputs), inputs, branchId: 'br-1', metadata });

  it.each<[Partial<Inputs>, unknown]>([
    [{ resource: 'role', verb: 'list' }, undefined],
    [{ resource: 'role', verb: 'delete', resource_id: 'app' }, undefined],
    [{ resource: 'role', verb: 'delete', resource_id: 'app', body: {} }, undefined],
    [{ resource: 'cluster', verb: 'delete', resource_id: 'c' }, undefined],
    [{ resource: 'cluster', verb: 'delete', body: { id: 'c' } }, { cluster: { id: 'c' } }],
    [{ resource: 'cluster', verb: 'get', body: { id: 'c' } }, undefined],
    [
      { resource: 'snapshot', verb: 'restore', resource_id: 's', body: { name: 'b' } },
      { target_branch_id: 'br-1', name: 'b' },
    ],
    [{ resource: 'role', verb: 'create', resource_id: 'app' }, { role: { name: 'app' } }],
    [{ resource: 'branch', verb: 'create' }, { branch: {} }],
    [{ resource: 'endpoint', verb: 'create', body: { type: 'x' } }, { endpoint: { branch_id: 'br-1', type: 'x' } }],
    [{ resource: 'branch', verb: 'update', resource_id: 'br-2', body: { a: 1 } }, { branch: { a: 1 } }],
  ])('of %j is %j', (inputs, expected) => {
    expect(payload(inputs)).toStrictEqual(expected);
  });

  describe('of a new branch', () => {
    const metadata = { a: '1', b: '2' };
    const create = (annotation_value?: unknown): Partial<Inputs> => ({
      resource: 'branch',
      verb: 'create',
      body: annotation_value === undefined ? {} : { annotation_value },
    });

    it('has the metadata, unless its own has these keys, or is none', () => {
      expect(payload(create(), metadata)).toStrictEqual({ branch: {}, annotation_value: metadata });
      expect(payload(create({ b: 'own' }), metadata)).toMatchObject({ annotation_value: { a: '1', b: 'own' } });
      expect(payload(create('text'), metadata)).toMatchObject({ annotation_value: 'text' });
      expect(payload({ ...create(), verb: 'update', resource_id: 'br-1' }, metadata)).toStrictEqual({ branch: {} });
    });

    it('has only as many keys of metadata as the service keeps', () => {
      const own = Object.fromEntries(Array.from({ length: 49 }, (_, index) => [`own-${index}`, 'x']));
      expect(payload(create(own), metadata)).toStrictEqual({ branch: {}, annotation_value: { ...own, a: '1' } });
      const { 'own-0': _, ...fewer } = own;
      expect(payload(create({ ...fewer, a: 'own' }), metadata)).toStrictEqual({
        branch: {},
        annotation_value: { ...fewer, a: 'own', b: '2' },
      });
    });
  });
});

it('only a kind whose name is unique gets the name from another input', () => {
  const named = (kind: string, inputs: Partial<Inputs>) => {
    const found = kindOf(kind);
    return found && givenName(found, inputs);
  };
  expect(named('role', { resource_id: 'app' })).toBe('app');
  expect(named('branch', { branch_name: 'x' })).toBe('x');
  expect(named('branch', { branch_name: 'x', resource_id: 'y' })).toBe('y');
  expect(named('endpoint', { resource_id: 'ep-1' })).toBeUndefined();
});
