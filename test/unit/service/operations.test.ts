import { describe, expect, it } from 'vitest';
import { hasEnded, isBeingDeleted, pollOperations, unfinishedOperations } from '../../../src/service/operations.ts';
import type { Operation } from '../../../src/service/types.ts';
import { mockApi, type Reply } from '../../support/mock-api.ts';
import { at, branch, operation, start } from './samples.ts';

const projectId = 'p-1';

it.each([
  ['running', false],
  ['finished', true],
  ['skipped', true],
  ['error', true],
  ['cancelled', true],
  ['failed', true],
])('knows whether an operation has ended: %s', (status, ended) => {
  expect(hasEnded(operation({ status }))).toBe(ended);
});

it.each([
  ['was updated 29 s ago', { updated_at: at(-29_000) }, false],
  ['was updated 30 s ago', { updated_at: at(-30_000) }, true],
  ['is to be retried', { updated_at: at(-90_000), retry_at: at(60_000) }, false],
  ['was to be retried 31 s ago', { updated_at: at(-90_000), retry_at: at(-31_000) }, true],
])('knows whether a failed operation may still be retried: it %s', (_, times, ended) => {
  expect(hasEnded(operation({ status: 'failed', ...times }), start)).toBe(ended);
});

it.each([
  ['what it says', { pending_state: 'storage_deleted' }, [], true],
  ['an operation', {}, ['suspend_compute', 'delete_timeline'], true],
  ['neither', { pending_state: 'ready' }, ['suspend_compute'], false],
])('knows whether a branch is being deleted, by %s', (_, over, actions, expected) => {
  const running = actions.map((action) => operation({ action, branch_id: 'br-1' }));
  expect(isBeingDeleted(branch(over), running)).toBe(expected);
});

it('lists the unfinished operations of a branch, oldest first', async () => {
  const all = [
    operation({ id: 'newest', branch_id: 'br-1' }),
    operation({ id: 'other', branch_id: 'br-2' }),
    operation({ id: 'over', branch_id: 'br-1', status: 'finished' }),
    operation({ id: 'retried', branch_id: 'br-1', status: 'failed', retry_at: at(1_000) }),
    operation({ id: 'failed', branch_id: 'br-1', status: 'failed', retry_at: at(-60_000) }),
    operation({ id: 'oldest', branch_id: 'br-1', status: 'scheduling' }),
  ];
  const headers = { date: new Date(start).toUTCString() };
  const { api } = mockApi([{ body: { operations: all }, headers }, { status: 403 }]);
  const found = await unfinishedOperations({ api, projectId, branch: { id: 'br-1' } });
  expect(found.map((one) => one.id)).toEqual(['oldest', 'retried', 'newest']);
  await expect(unfinishedOperations({ api, projectId, branch: { id: 'br-1' } })).rejects.toThrow(
    'Could not list the operations of the project: 403',
  );
});

/** Waits for one operation that has these states, one per poll; the last one remains. */
function wait(states: (Partial<Operation> | Reply)[], over: Partial<Parameters<typeof pollOperations>[0]> = {}) {
  const replies = states.map((state): Reply => {
    const isReply = typeof state.status !== 'string';
    return isReply ? (state as Reply) : { body: { operation: operation(state as Partial<Operation>) } };
  });
  let polls = 0;
  const byId = (): Reply => replies[Math.min(polls++, replies.length - 1)] ?? {};
  const mock = mockApi(({ path }) => (path.includes('?') ? { body: { operations: [] } } : byId()));
  const ended: string[] = [];
  const run = async () => {
    const began = mock.clock.now();
    await pollOperations({
      ...{ api: mock.api, projectId, operations: [operation({ status: 'scheduling' })] },
      onDone: ({ id, status }) => ended.push(`${id} ${status}`),
      ...over,
    });
    return (mock.clock.now() - began) / 1_000;
  };
  const fail = async () => {
    const began = mock.clock.now();
    const error: unknown = await run().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    return { error: error as Error, seconds: (mock.clock.now() - began) / 1_000 };
  };
  return { ...mock, ended, run, fail };
}

const times = <T>(count: number, state: T): T[] => Array.from({ length: count }, () => state);

describe('waiting for an operation', () => {
  it.each(['finished', 'skipped'])('succeeds when it is %s', async (status) => {
    const { run, sent, ended } = wait([{ status: 'running' }, { status: 'something_new' }, { status }]);
    await run();
    const polled = ['/operations?limit=22', '/operations/op-1'].map((path) => `/api/v2/projects/p-1${path}`);
    expect(sent.map(({ path }) => path)).toEqual(times(3, polled).flat());
    expect(ended).toEqual([`op-1 ${status}`]);
  });

  it('sends nothing if it has ended according to the response', async () => {
    const { run, sent, ended } = wait([{}], { operations: [operation({ status: 'finished' })] });
    await run();
    expect([sent, ended]).toEqual([[], ['op-1 finished']]);
  });

  it.each(['error', 'cancelled'])('fails if it ends in %s, with its ID, action and error', async (status) => {
    const { fail, ended } = wait([{ status, error: 'disk\nfull' }]);
    const { error } = await fail();
    expect(error.message).toBe(
      `Operation start_compute (op-1) ended with status "${status}": "disk full"; run the step again`,
    );
    expect(ended).toEqual([]);
  });

  it.each([
    { seconds: 1, polls: 5 },
    { seconds: 3, polls: 12 },
    { seconds: 10, polls: 18 },
    { seconds: 60, polls: 30 },
  ])('takes $polls polls for $seconds s, and is at most a fifth too late', async ({ seconds, polls }) => {
    const begin = wait([]).clock.now();
    const mock = mockApi(() => {
      const status = mock.clock.now() - begin >= seconds * 1_000 ? 'finished' : 'running';
      return { body: { operations: [operation({ status })] } };
    });
    await pollOperations({ api: mock.api, projectId, operations: [operation()] });
    expect(mock.sent).toHaveLength(polls);
    expect(mock.clock.now() - begin).toBeLessThanOrEqual(seconds * 1_200);
  });

  it('reads it from its own project, if it names one', async () => {
    const operations = [operation({ project_id: 'p-2' })];
    const { run, sent } = wait([{ status: 'finished' }], { operations });
    await run();
    expect(sent.every(({ path }) => path.startsWith('/api/v2/projects/p-2/operations'))).toBe(true);
  });

  it('retries polls like any request, and fails if one fails for good', async () => {
    await wait([{ status: 500 }, { text: '{"oper' }, { status: 'finished' }]).run();
    await expect(wait([{ status: 401, body: { message: 'key revoked' } }]).run()).rejects.toThrow(
      'Could not read operation op-1: 401, key revoked',
    );
  });

  it('continues for ten seconds if it is unknown', async () => {
    await wait([...times(3, { status: 404 }), { status: 'finished' }]).run();
    const unknown = await wait([{ status: 404 }]).fail();
    expect(unknown.error.message).toBe(
      'Operation start_compute (op-1) is no longer known to the service, so its outcome is unknown; run the step again',
    );
    expect(unknown.seconds).toBeGreaterThanOrEqual(10);
    expect(unknown.seconds).toBeLessThan(13);
    expect(await wait([{ status: 404 }], { areDeletions: true }).run()).toBe(unknown.seconds);
  });

  it('says on timeout which operation it was waiting for', async () => {
    const { run, stop, clock } = wait([{ status: 'running' }]);
    clock.onSleep = () => clock.pauses.length > 3 && stop();
    await expect(run()).rejects.toThrow(
      'The time is over while waiting for operation start_compute (op-1, status "running")',
    );
  });
});

describe('a failed operation', () => {
  it('is final after 30 s without a sign of a retry, and not before', async () => {
    const { error, seconds } = await wait([{ status: 'failed', failures_count: 2, error: 'no host' }]).fail();
    expect(error.message).toBe(
      'Operation start_compute (op-1) failed, and the service is not retrying it: "no host"; run the step again',
    );
    expect(seconds).toBeGreaterThanOrEqual(30);
    expect(seconds).toBeLessThan(36);
  });

  it.each([
    ['runs again', [{ status: 'running' }, ...times(7, { status: 'failed' })]],
    ['fails more often', times(7, { status: 'failed', failures_count: 1 })],
    ['has another `retry_at`', times(7, { status: 'failed', retry_at: at(1_000), updated_at: at(0) })],
  ])('has 30 s more if it %s', async (_, states) => {
    const rest = times(20, { status: 'failed' });
    expect(await wait([...rest, ...states, { status: 'finished' }]).run()).toBeGreaterThan(40);
  });

  it('is polled until 30 s after its `retry_at`, by the clock of the service', async () => {
    const failed = { status: 'failed', retry_at: at(400_000), updated_at: at(300_000) };
    const { seconds } = await wait([failed]).fail();
    expect(seconds).toBeGreaterThanOrEqual(130);
    expect(seconds).toBeLessThan(136);
    const known = await wait([failed], { operations: [operation(failed)] }).fail();
    expect(known.seconds).toBeGreaterThanOrEqual(130);
    expect((await wait([{ status: 'failed', retry_at: 'soon' }]).fail()).seconds).toBeLessThan(36);
  });
});

describe('waiting for several operations', () => {
  const started = (count: number) =>
    Array.from({ length: count }, (_, i) => operation({ id: `op-${i}`, status: 'scheduling' }));
  const [one, two, three, four] = started(4) as [Operation, Operation, Operation, Operation];
  const finished = (...all: Operation[]) => all.map((each) => ({ ...each, status: 'finished' }));
  const page = (operations: Operation[], cursor?: string): Reply => ({
    body: { operations, pagination: { cursor } },
  });

  it('reads all from one list', async () => {
    const { api, sent } = mockApi([page([two, ...finished(one)]), page(finished(two, one))]);
    const ended: string[] = [];
    await pollOperations({ api, projectId, operations: [one, two], onDone: ({ id }) => ended.push(id) });
    expect(sent.map(({ path }) => path)).toEqual([
      '/api/v2/projects/p-1/operations?limit=24',
      '/api/v2/projects/p-1/operations?limit=22',
    ]);
    expect(ended).toEqual(['op-0', 'op-1']);
  });

  it('reads by its ID what is not on the list', async () => {
    const { api, sent } = mockApi(({ path }) =>
      path.includes('?') ? page([]) : { body: { operation: operation({ id: path.slice(-4), status: 'finished' }) } },
    );
    await pollOperations({ api, projectId, operations: [one, two] });
    expect(sent).toHaveLength(3);
  });

  it('knows one that it has seen, however long reading another one takes', async () => {
    let reads = 0;
    const { api } = mockApi(({ path }) => {
      if (!path.includes('?')) {
        const isFirst = ++reads === 1;
        return isFirst
          ? { status: 503, headers: { 'retry-after': '11' } }
          : { body: { operation: operation({ id: 'op-1', status: 'finished' }) } };
      }
      return page([{ ...one, status: reads < 2 ? 'running' : 'error' }]);
    });
    await expect(pollOperations({ api, projectId, operations: [one, two], areDeletions: true })).rejects.toThrow(
      '(op-0) ended with status "error"',
    );
  });

  it('fails with the first that failed, or hands failures over and waits for the others', async () => {
    const states = [
      { ...one, status: 'error', error: 'disk' },
      { ...two, status: 'cancelled' },
      ...finished(three, four),
    ];
    await expect(
      pollOperations({ api: mockApi([page(states.toReversed())]).api, projectId, operations: [one, two, three, four] }),
    ).rejects.toThrow('Operation start_compute (op-0) ended with status "error": "disk"');
    const [done, failed]: string[][] = [[], []];
    await pollOperations({
      ...{ api: mockApi([page(states)]).api, projectId, operations: [one, two, three, four] },
      onDone: ({ id }) => done?.push(id),
      onFailed: ({ id }) => failed?.push(id),
    });
    expect([done, failed]).toEqual([
      ['op-2', 'op-3'],
      ['op-0', 'op-1'],
    ]);
  });
});
