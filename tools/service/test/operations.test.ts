import { expect, it } from 'vitest';
import { call } from './client.ts';
import { service, start } from './started.ts';

const create = (name: string, parent?: string) => ({
  body: { branch: { name, ...(parent && { parent_id: parent }) }, endpoints: [{ type: 'read_write' }] },
});

it('runs the operations of a project one after another', async () => {
  const project = await start();
  const { body } = await call(service, 'POST', `${project}/branches`, create('a'));
  const [first, second] = body.operations;
  expect([first.status, second.status]).toEqual(['running', 'scheduling']);
  await call(service, 'POST', `${project}/branches`, create('b'));
  await service.idle();
  const { operation } = (await call(service, 'GET', `${project}/operations/${first.id}`)).body;
  expect(operation).toMatchObject({ status: 'finished', action: 'create_branch', branch_id: body.branch.id });
  const listed = await call(service, 'GET', `${project}/operations?limit=4`);
  expect(listed.body.operations.map(({ action }: { action: string }) => action)).toEqual([
    'start_compute',
    'create_branch',
    'start_compute',
    'create_branch',
  ]);
  const rest = await call(service, 'GET', `${project}/operations?cursor=${listed.body.pagination.cursor}`);
  expect(rest.body.operations.at(-1).action).toBe('create_timeline');
});

it('responds with 423 to conflicting changes only', async () => {
  const project = await start({ operationMs: Number.POSITIVE_INFINITY });
  const { body } = await call(service, 'POST', `${project}/branches`, create('a'));
  const path = `${project}/branches/${body.branch.id}`;
  const responses = [
    await call(service, 'DELETE', path),
    await call(service, 'PATCH', path, { body: { branch: { name: 'c' } } }),
    await call(service, 'POST', `${project}/branches`, create('child', body.branch.id)),
    await call(service, 'POST', `${path}/roles`, { body: { role: { name: 'r' } } }),
    await call(service, 'POST', `${project}/branches`, create('sibling')),
    await call(service, 'GET', path),
  ];
  expect(responses.map(({ status }) => status)).toEqual([423, 423, 423, 423, 201, 200]);
});

it.each(['error', 'cancelled'] as const)('ends an operation in %s and cancels the next one', async (outcome) => {
  const project = await start();
  const fault = service.faults.operation({ action: 'create_branch', outcome, message: 'out of disk' });
  const { body } = await call(service, 'POST', `${project}/branches`, create('a'));
  await service.idle();
  expect(fault.fired()).toBe(1);
  const [first, second] = service.operations().slice(0, 2).reverse();
  expect([first?.id, first?.status, second?.status]).toEqual([body.operations[0].id, outcome, 'cancelled']);
  expect(first?.error).toBe(outcome === 'error' ? 'out of disk' : undefined);
  expect(service.branch('a')?.current_state).toBe('init');
});

it('fails with retry_at, retries and finishes', async () => {
  const project = await start();
  const retryMs = Number.POSITIVE_INFINITY;
  service.faults.operation({ action: 'start_compute', outcome: 'recovers', failures: 2, retryMs, times: 1 });
  const { body } = await call(service, 'POST', `${project}/branches`, create('a'));
  const path = `${project}/operations/${body.operations[1].id}`;
  /** The operation, once it is in this state. */
  const reached = async (state: string) => {
    for (;;) {
      const { operation } = (await call(service, 'GET', path)).body;
      if (`${operation.status} ${operation.failures_count}` === state) return operation;
    }
  };
  for (const state of ['failed 1', 'failed 2']) {
    expect((await reached(state)).retry_at).toBeDefined();
    service.release();
  }
  expect(await reached('finished 2')).not.toHaveProperty('retry_at');
});

it('never ends, or is unknown', async () => {
  const project = await start();
  service.faults.operation({ action: 'create_branch', nth: 1, outcome: 'never' });
  service.faults.operation({ action: 'create_branch', nth: 2, outcome: 'unknown' });
  const ids: string[] = [];
  for (const name of ['b', 'c']) {
    ids.push((await call(service, 'POST', `${project}/branches`, create(name))).body.operations[0].id);
  }
  await service.idle();
  const read = await Promise.all(ids.map((id) => call(service, 'GET', `${project}/operations/${id}`)));
  expect(read.map(({ status, body }) => body.operation?.status ?? status)).toEqual(['running', 404]);
  expect(service.branch('c')?.current_state).toBe('ready');
  const remove = (name: string) => call(service, 'DELETE', `${project}/branches/${service.branch(name)?.id}`);
  expect((await remove('b')).status).toBe(423);
});
