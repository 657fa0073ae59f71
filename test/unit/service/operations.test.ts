import { describe, expect, it } from 'vitest';
import { OperationError } from '../../../src/service/errors.ts';
import { hasEnded, listOperations, unfinishedOperations } from '../../../src/service/operations.ts';
import { pollOperations } from '../../../src/service/poll-operations.ts';
import { mockApi, type Reply, type Sent } from '../../support/mock-api.ts';
import { operation, start } from './samples.ts';

const projectId = 'p-1';

it('names an operation without an action by its ID alone', () => {
  for (const action of ['', ' ']) {
    expect(new OperationError({ id: 'op-1', action, status: 'error' }).message).toBe(
      'Operation op-1 ended with status "error"',
    );
  }
});

it.each([
  ['scheduling', false],
  ['running', false],
  ['cancelling', false],
  ['finished', true],
  ['skipped', true],
  ['error', true],
  ['cancelled', true],
  ['failed', true],
])('knows whether an operation has ended: %s', (status, ended) => {
  expect(hasEnded(operation({ status }))).toBe(ended);
});

describe('the list of operations', () => {
  it("comes with the service's time, and says what it is for if it fails", async () => {
    const headers = { date: new Date(start).toUTCString() };
    const { api, sent } = mockApi([{ headers, body: { operations: [operation()] } }, { status: 403 }]);
    expect(await listOperations({ api, projectId })).toEqual({ items: [operation()], next: undefined, date: start });
    expect(sent[0]?.path).toBe('/api/v2/projects/p-1/operations?limit=100');
    await expect(listOperations({ api, projectId })).rejects.toThrow('Could not list the operations of the project');
    await expect(unfinishedOperations({ api, projectId, branchId: 'br-1' })).rejects.toThrow(
      'Could not list the operations of branch br-1: 403',
    );
  });

  it('shows the unfinished operations of a branch, oldest first', async () => {
    const all = [
      operation({ id: 'newest', branch_id: 'br-1' }),
      operation({ id: 'other', branch_id: 'br-2' }),
      operation({ id: 'over', branch_id: 'br-1', status: 'finished' }),
      operation({ id: 'broken', branch_id: 'br-1', status: 'failed' }),
      operation({ id: 'oldest', branch_id: 'br-1', status: 'scheduling' }),
    ];
    const { api } = mockApi([{ body: { operations: all } }]);
    const found = await unfinishedOperations({ api, projectId, branchId: 'br-1' });
    expect(found.map((one) => one.id)).toEqual(['oldest', 'newest']);
  });
});

describe('an operation that is polled', () => {
  /** Polls one operation that the list does not have; its replies are those to the requests by its ID. */
  const poll = (replies: Reply[], over: Partial<Parameters<typeof pollOperations>[0]> = {}, list?: Reply) => {
    const byId: Sent[] = [];
    const mock = mockApi((request) => {
      if (request.path.includes('?')) return list ?? { body: { operations: [] } };
      byId.push(request);
      return replies[Math.min(byId.length, replies.length) - 1] ?? {};
    });
    const options = { api: mock.api, projectId, operations: [operation()] };
    return { ...mock, byId, run: () => pollOperations({ ...options, ...over }) };
  };
  const running: Reply = { body: { operation: operation() } };
  const finished: Reply = { body: { operation: operation({ status: 'finished' }) } };

  it('is read from its own project, if it names one', async () => {
    const { run, byId } = poll([finished], { operations: [operation({ project_id: 'p-2' })] });
    await run();
    expect(byId[0]?.path).toBe('/api/v2/projects/p-2/operations/op-1');
    const unknown = poll([finished], { projectId: undefined });
    await expect(unknown.run()).rejects.toThrow(
      'Operation start_compute (op-1) cannot be waited for, because its project is unknown. Set `project_id`.',
    );
    expect(unknown.sent).toEqual([]);
  });

  it('may be unknown for as long as the caller says', async () => {
    const { run, byId } = poll([{ status: 404 }, finished], { unknownMs: 0 });
    await expect(run()).rejects.toThrow('is no longer known to the service');
    expect(byId).toHaveLength(1);
  });

  it('may be unknown only right after it was started', async () => {
    const { run, byId } = poll([...Array.from({ length: 20 }, () => running), { status: 404 }, finished]);
    await expect(run()).rejects.toThrow('is no longer known to the service');
    expect(byId).toHaveLength(21);
  });

  it('is named by its ID if the step ends before it was read', async () => {
    const { run, stop, clock } = poll([], { operations: [{ id: 'op-1' }] });
    clock.onSleep = () => stop();
    await expect(run()).rejects.toThrow(/ while waiting for operation op-1$/);
  });

  it('is not polled less often because of an earlier rate limit', async () => {
    const delays = async (first: Reply[]) => {
      const { api, clock } = mockApi([...first, {}, { body: { operations: [] } }, running, running, finished]);
      await api.request({ goal: 'look', method: 'GET', path: '/x', read: () => undefined });
      await pollOperations({ api, projectId, operations: [operation()] });
      return clock.pauses.slice(first.length);
    };
    expect(await delays([{ status: 429 }])).toEqual(await delays([]));
  });

  it('is not read by its ID if there is no time left for the list', async () => {
    const mock = mockApi([{ status: 503 }], { timeoutMs: 5_000 });
    await expect(pollOperations({ api: mock.api, projectId, operations: [operation()] })).rejects.toThrow(
      /^Could not list the operations of the project: 503.*; gave up: /,
    );
    expect(mock.sent.filter(({ path }) => !path.includes('?'))).toEqual([]);
  });
});
