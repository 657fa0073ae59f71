import { beforeEach, describe, expect, it } from 'vitest';
import type { FaultAction } from '../../../tools/service/index.ts';
import { type Played, scenario } from '../../support/scenario.ts';

/** Lost responses: an idempotent request is sent again or looked up; any other one is not, and the error says so. */
const scene = scenario({ compute: 'none', operationMs: 5 });
const manage = (inputs: Record<string, string>) => ({
  inputs: { command: 'manage', branch_name: 'preview/repeats', timeout: '15s', ...inputs },
});
beforeEach(async () => {
  scene.service.faults.clear();
  await scene.service.idle();
  if (scene.service.branch('preview/repeats')) await scene.service.removeBranch('preview/repeats');
  await scene.service.addBranch({ name: 'preview/repeats' });
});

/** A fault for the first matching request. */
const once = (method: string, path: RegExp, action: FaultAction) =>
  scene.service.faults.add({ method, path, nth: 1, ...action });
const count = (run: Played, method: string) => run.requests.filter((one) => one.method === method).length;

const lost: [string, FaultAction][] = [
  ['lost', { close: 'after' }],
  ['cut off', { truncate: 'half' }],
  ['a 504 although it acted', { status: 504, acted: true }],
];
const refused: [string, FaultAction][] = [
  ['a 423', { status: 423 }],
  ['a 503', { status: 503, headers: { 'retry-after': '1' } }],
];

describe.each([
  ['role', lost, refused],
  ['database', lost.slice(0, 1), refused.slice(0, 1)],
] as const)('a create of a %s', (kind, lost, refused) => {
  const body = JSON.stringify({ name: 'app', ...(kind === 'database' && { owner_name: 'neondb_owner' }) });
  const create = manage({ resource: kind, verb: 'create', body });

  it.each([...lost, ['empty', { empty: true }]] as [string, FaultAction][])(
    'is looked up and not sent again if its response is %s',
    async (_, action) => {
      once('POST', /s$/, action);
      const run = await scene.succeeds(create);
      expect(run.outputs).toMatchObject({ created: 'true', status: '200' });
      expect(count(run, 'POST')).toBe(1);
      expect(JSON.parse(run.outputs.response ?? '')).toMatchObject({ [kind]: { name: 'app' } });
    },
  );

  it.each([['a connection closed before it acted', { close: 'before' }], ...refused] as [string, FaultAction][])(
    'is sent again after %s',
    async (_, action) => {
      once('POST', /s$/, action);
      const run = await scene.succeeds(create);
      expect(run.outputs).toMatchObject({ created: 'true', status: '201' });
      expect(count(run, 'POST')).toBe(2);
    },
  );

  it('fails if it exists and `if_exists` is fail', async () => {
    await scene.succeeds(create);
    const run = await scene.fails({ inputs: { ...create.inputs, if_exists: 'fail' } });
    expect(run.outputs).toMatchObject({ created: 'false', status: '409' });
    expect(run.message).toMatch(
      /: 409 \w+_ALREADY_EXISTS, .* \(request id .*"app" on branch .* already exists\. Delete it/,
    );
  });

  it('fails on a 409 that is not about its name', async () => {
    scene.service.faults.add({ method: 'POST', path: /s$/, status: 409, body: { code: 'X', message: 'not now' } });
    const run = await scene.fails(create);
    expect(run.message).toContain(': 409 X, not now');
  });
});

it('a database that exists with another owner is reused, with a warning', async () => {
  const create = manage({ resource: 'database', verb: 'create', body: '{"name": "neondb", "owner_name": "somebody"}' });
  const run = await scene.succeeds(create);
  expect(run.outputs).toMatchObject({ created: 'false', status: '200' });
  expect(run.annotations.warning.join()).toMatch(/"neondb" .*already exists with different values for owner_name/);
});

it('a branch that exists is found by its name', async () => {
  const create = manage({ resource: 'branch', verb: 'create' });
  const run = await scene.succeeds(create);
  expect(run.outputs).toMatchObject({ created: 'false', status: '200' });
  expect(JSON.parse(run.outputs.response ?? '').branch.name).toBe('preview/repeats');
});

/** A create or a change that the service can't recognize, so it must not be sent twice. */
const others: { what: string; inputs: Record<string, string>; look: string }[] = [
  {
    what: 'a create of an API key',
    inputs: { resource: 'api_key', verb: 'create', body: '{"key_name": "x"}' },
    look: 'check with `verb: list`',
  },
  {
    what: 'a create of a compute endpoint',
    inputs: { resource: 'endpoint', verb: 'create', body: '{"type": "read_only"}' },
    look: 'check with `verb: list`',
  },
  {
    what: 'a create of a project',
    inputs: { resource: 'project', verb: 'create', body: '{"name": "x"}' },
    look: 'check with `verb: list`',
  },
  {
    what: 'an update of a database',
    inputs: { resource: 'database', verb: 'update', resource_id: 'neondb', body: '{"name": "x"}' },
    look: 'check with `verb: get`',
  },
  {
    what: 'a raw request',
    inputs: { method: 'POST', path: '/api_keys', body: '{"key_name": "x"}' },
    look: 'check whether the request took effect, for example with `method: GET`',
  },
];

describe.each(others.map((other, index) => ({ ...other, index })))('$what', ({ inputs, look, index }) => {
  const method = inputs.verb === 'update' ? 'PATCH' : 'POST';
  // the first in every form, the others in one form each
  const formsOf = <T>(forms: T[]) => (index === 0 ? forms : [forms[index % forms.length] as T]);

  it.each(formsOf(lost))(
    'is not sent again if its response is %s, and the error says how to look',
    async (_, action) => {
      once(method, /./, action);
      const run = await scene.fails(manage(inputs));
      expect(count(run, method)).toBe(1);
      expect(run.message).toContain('The request may have taken effect, so it was not retried');
      expect(run.message).toContain(look);
      expect(run.outputs.created).toBe('false');
    },
  );

  it.each(formsOf(refused))('is sent again after %s, since nothing was done', async (_, action) => {
    once(method, /./, action);
    const run = await scene.succeeds(manage(inputs));
    expect(count(run, method)).toBe(2);
  });
});

it('an empty response to a raw request is accepted', async () => {
  once('POST', /./, { empty: true });
  const run = await scene.succeeds(manage({ method: 'POST', path: '/api_keys', body: '{"key_name": "x"}' }));
  expect(run.outputs).toMatchObject({ response: 'null', status: '200' });
});

describe('a delete', () => {
  it.each([...lost, ...refused])('is sent again after %s, and succeeds', async (_, action) => {
    await scene.succeeds(manage({ resource: 'role', verb: 'create', resource_id: 'app' }));
    once('DELETE', /./, action);
    const run = await scene.succeeds(manage({ resource: 'role', verb: 'delete', resource_id: 'app' }));
    expect(run.outputs.deleted).toBe('true');
    expect(count(run, 'DELETE')).toBe(2);
  });
});

describe('operations', () => {
  const create = manage({ resource: 'role', verb: 'create', resource_id: 'app' });

  it('that fail also fail the step, which still reports what it did', async () => {
    scene.service.faults.operation({ action: 'apply_config', nth: 1, outcome: 'error', message: 'no space' });
    const run = await scene.fails(create);
    expect(run.message).toMatch(/Operation apply_config \([\w-]+\) ended with status "error": "no space"/);
    expect(run.outputs).toMatchObject({ created: 'true', status: '201' });
    expect(JSON.parse(run.outputs.operation_ids ?? '')).toHaveLength(1);
  });

  it('that cannot be polled fail the step, which still sets the outputs of the request', async () => {
    scene.service.faults.add({ method: 'GET', path: /\/operations/, status: 401 });
    const run = await scene.fails(create);
    expect(run.message).toMatch(/Could not read operation [\w-]+: 401/);
    expect(run.outputs).toMatchObject({ created: 'true', status: '201' });
    expect(JSON.parse(run.outputs.response ?? '')).toMatchObject({ role: { name: 'app' } });
  });

  it('of another run are waited for, but not in `operation_ids`', async () => {
    await scene.succeeds({ inputs: { ...create.inputs, wait: 'false' } });
    await scene.service.idle();
    scene.service.faults.add({
      method: 'GET',
      path: /\/operations$/,
      times: 3,
      transform: (body) => ({
        ...(body as object),
        operations: (body as { operations: object[] }).operations.map((one, index) => ({
          ...one,
          ...(index === 0 && { status: 'running' }),
        })),
      }),
    });
    const run = await scene.succeeds(create);
    expect(run.outputs).toMatchObject({ created: 'false', operation_ids: '[]' });
    expect(run.requests.filter((one) => one.path.endsWith('/operations'))).toHaveLength(4);
  });

  it('are not waited for with `wait: false`', async () => {
    const run = await scene.succeeds({ inputs: { ...create.inputs, wait: 'false' } });
    expect(run.calls).toEqual(['GET /branches 200', 'POST /branches/{branch}/roles 201']);
    expect(JSON.parse(run.outputs.operation_ids ?? '')).toHaveLength(1);
  });

  it('of any project can be read and waited for by ID', async () => {
    const other = await scene.succeeds(
      manage({ resource: 'project', verb: 'create', body: '{"name": "other"}', wait: 'false' }),
    );
    const { id } = JSON.parse(other.outputs.response ?? '').project as { id: string };
    const operations = JSON.parse(other.outputs.operation_ids ?? '') as string[];
    scene.service.faults.add({ method: 'GET', path: /\/operations\//, times: 1, transform: stillRunning });
    const run = await scene.succeeds(
      manage({ resource: 'operation', verb: 'get', project_id: id, resource_id: operations[0] ?? '' }),
    );
    expect(JSON.parse(run.outputs.response ?? '').operation).toMatchObject({ status: 'finished', project_id: id });
    expect(run.calls).toEqual([
      'GET /operations/{operation} 200',
      'GET /operations 200',
      'GET /operations/{operation} 200',
    ]);
  });

  it('of a new project are waited for in that project', async () => {
    const run = await scene.succeeds(manage({ resource: 'project', verb: 'create', body: '{"name": "waited"}' }));
    const { id } = JSON.parse(run.outputs.response ?? '').project as { id: string };
    expect(scene.service.operations(id).map((one) => one.status)).toEqual(['finished', 'finished']);
    const polls = run.requests.filter((one) => one.path.endsWith('/operations'));
    expect(new Set(polls.map((one) => one.path.split('/')[2]))).toEqual(new Set([id]));
  });
});

function stillRunning(body: unknown): unknown {
  const { operation } = body as { operation: object };
  return { operation: { ...operation, status: 'running' } };
}
