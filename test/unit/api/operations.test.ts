import { describe, expect, it } from 'vitest';
import { OperationError } from '../../../src/api/errors.ts';
import { pollOperations, unfinishedOperations } from '../../../src/api/operations.ts';
import type { Operation } from '../../../src/api/types.ts';
import { mockApi, type Reply } from '../../support/mock-api.ts';

const projectId = 'quiet-moon-1';
const operation = (id: string, over: Partial<Operation> = {}): Operation => ({
  id,
  action: 'create_branch',
  status: 'running',
  failures_count: 0,
  total_duration_ms: 0,
  ...over,
});
const answer = (id: string, over: Partial<Operation> = {}): Reply => ({ body: { operation: operation(id, over) } });

/** Waits for operations that go through the given states, poll by poll; the last one stays. */
function wait(
  states: Record<string, (Partial<Operation> | Reply)[]>,
  options: { timeoutMs?: number; started?: Operation[] } = {},
) {
  const polls: string[] = [];
  const counts = new Map<string, number>();
  const mock = mockApi(({ path }) => {
    const id = path.split('/').at(-1) ?? '';
    polls.push(id);
    const nth = counts.get(id) ?? 0;
    counts.set(id, nth + 1);
    const all = states[id] ?? [];
    const state = all[Math.min(nth, all.length - 1)] ?? {};
    const isReply = 'body' in state || 'text' in state || 'headers' in state || typeof state.status === 'number';
    return isReply ? (state as Reply) : answer(id, state as Partial<Operation>);
  }, options);
  const done: string[] = [];
  const run = () =>
    pollOperations({
      api: mock.api,
      projectId,
      operations: options.started ?? Object.keys(states).map((id) => operation(id, { status: 'scheduling' })),
      onDone: (one) => done.push(`${one.id} ${one.status}`),
    });
  return { ...mock, polls, done, run };
}

const fault = async (work: Promise<unknown>): Promise<OperationError> => {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(OperationError);
  return error as OperationError;
};

it('an operation without a name for its action is told by its ID alone', () => {
  for (const action of ['', ' ']) {
    expect(new OperationError({ id: 'op-1', action, status: 'error' }).message).toBe(
      'Operation op-1 ended in status "error"',
    );
  }
});

describe('waiting', () => {
  it('polls one operation after the other, and the second only once the first has ended', async () => {
    const { run, polls, done } = wait({
      one: [{ status: 'scheduling' }, { status: 'running' }, { status: 'finished', total_duration_ms: 40 }],
      two: [{ status: 'skipped' }],
    });
    expect(await run()).toMatchObject([
      { id: 'one', status: 'finished', total_duration_ms: 40 },
      { id: 'two', status: 'skipped' },
    ]);
    expect(polls).toEqual(['one', 'one', 'one', 'two']);
    expect(done).toEqual(['one finished', 'two skipped']);
  });

  it('asks about nothing that the answer says is over', async () => {
    const started = [operation('one', { status: 'finished' }), operation('two', { status: 'skipped' })];
    const { run, polls, done } = wait({}, { started });
    expect(await run()).toEqual(started);
    expect(polls).toEqual([]);
    expect(done).toHaveLength(2);
  });

  it('polls soon first, then with growing pauses that stay within seconds', async () => {
    const states = [...Array.from({ length: 20 }, () => ({ status: 'running' })), { status: 'finished' }];
    const { run, clock } = wait({ one: states });
    await run();
    const { pauses } = clock;
    expect(pauses[0]).toBeLessThanOrEqual(250);
    for (const [index, pause] of pauses.slice(1).entries())
      expect(pause).toBeGreaterThanOrEqual(pauses[index] as number);
    expect(pauses.at(-1)).toBe(3_000);
  });

  it.each(['cancelling', 'running', 'scheduling', 'something_new'])('goes on while it is %s', async (status) => {
    const { run, polls } = wait({ one: [{ status }, { status }, { status: 'finished' }] });
    await run();
    expect(polls).toHaveLength(3);
  });

  it.each(['error', 'cancelled'])(
    'ends with an operation that ends in %s, and asks for no later one',
    async (status) => {
      const { run, polls, done } = wait({
        one: [{ status, error: 'disk\nfull', action: 'start_compute' }],
        two: [{ status: 'finished' }],
      });
      const error = await fault(run());
      expect(error.message).toBe(`Operation start_compute (one) ended in status "${status}": "disk full"`);
      expect(error.operationId).toBe('one');
      expect({ polls, done }).toEqual({ polls: ['one'], done: [] });
    },
  );
});

describe('a failed operation', () => {
  const total = (pauses: number[]) => pauses.reduce((sum, one) => sum + one, 0);

  it('without a sign that the service tries again is final after 30 s, and not before', async () => {
    const { run, clock } = wait({ one: [{ status: 'failed', failures_count: 2, error: 'no host' }] });
    const error = await fault(run());
    expect(error.message).toBe('Operation create_branch (one) failed, and the service is not retrying it: "no host"');
    expect(total(clock.pauses)).toBeGreaterThanOrEqual(30_000);
    expect(total(clock.pauses)).toBeLessThan(34_000);
  });

  it('counts the 30 s from when it was seen to have failed, not from the start', async () => {
    const running = Array.from({ length: 40 }, () => ({ status: 'running' }));
    const { run, clock } = wait({ one: [...running, { status: 'failed' }] });
    await fault(run());
    expect(total(clock.pauses.slice(41))).toBeGreaterThanOrEqual(30_000);
    expect(total(clock.pauses.slice(41))).toBeLessThan(34_000);
  });

  it('is waited for while failures_count rises', async () => {
    const failed = Array.from({ length: 60 }, (_, n) => ({ status: 'failed', failures_count: Math.floor(n / 8) }));
    const { run, clock } = wait({ one: [...failed, { status: 'finished', failures_count: 8 }] });
    expect(await run()).toMatchObject([{ status: 'finished' }]);
    expect(total(clock.pauses)).toBeGreaterThan(120_000);
  });

  it('is not kept alive by a failures_count that goes down and up again', async () => {
    const failed = Array.from({ length: 100 }, (_, n) => ({ status: 'failed', failures_count: n % 2 }));
    const { run, clock } = wait({ one: failed });
    await fault(run());
    expect(total(clock.pauses)).toBeLessThan(40_000);
  });

  it('is waited for until its retry_at, and 30 s more', async () => {
    const at = Date.parse('2026-03-04T05:06:07Z');
    const retry = (ms: number) => ({ status: 'failed', failures_count: 1, retry_at: new Date(at + ms).toISOString() });
    const patient = wait({ one: [...Array.from({ length: 40 }, () => retry(100_000)), { status: 'finished' }] });
    expect(await patient.run()).toMatchObject([{ status: 'finished' }]);

    const over = wait({ one: [retry(100_000)] });
    await fault(over.run());
    expect(total(over.clock.pauses)).toBeGreaterThanOrEqual(130_000);
    expect(total(over.clock.pauses)).toBeLessThan(134_000);
  });

  it('that runs again and fails again has 30 s anew', async () => {
    const round = [...Array.from({ length: 10 }, () => ({ status: 'failed' })), { status: 'running' }];
    const { run } = wait({ one: [...round, ...round, ...round, ...round, { status: 'finished' }] });
    expect(await run()).toMatchObject([{ status: 'finished' }]);
  });

  it('with a retry_at that is no time is final like any other', async () => {
    const { run, clock } = wait({ one: [{ status: 'failed', retry_at: 'soon' }] });
    await fault(run());
    expect(total(clock.pauses)).toBeLessThan(34_000);
  });
});

describe('a poll', () => {
  it.each([
    ['a 500', { status: 500 }],
    ['a 429', { status: 429 }],
    ['a page', { status: 502, text: '<html>' }],
    ['half an answer', { text: '{"oper' }],
  ] satisfies [string, Reply][])('that gets %s is sent again', async (_, reply) => {
    const { run } = wait({ one: [reply, reply, { status: 'finished' }] });
    expect(await run()).toMatchObject([{ status: 'finished' }]);
  });

  it('that is refused ends the wait with the refusal', async () => {
    const { run, polls } = wait({ one: [{ status: 401, body: { message: 'key revoked' } }] });
    await expect(run()).rejects.toThrow('Could not read operation one: 401, key revoked');
    expect(polls).toHaveLength(1);
  });

  it('of an operation that is not known yet is repeated for seconds', async () => {
    const { run } = wait({ one: [{ status: 404 }, { status: 404 }, { status: 404 }, { status: 'finished' }] });
    expect(await run()).toMatchObject([{ status: 'finished' }]);
  });

  it('of an operation that stays unknown says so', async () => {
    const { run, clock } = wait({ one: [{ status: 404 }] });
    const error = await fault(run());
    expect(error.message).toBe(
      'Operation create_branch (one) is no longer known to the service, so its outcome is unknown',
    );
    expect(error.unknown).toBe(true);
    expect(clock.pauses.reduce((sum, one) => sum + one, 0)).toBeLessThan(15_000);
  });

  it('that is answered with another operation is a fault', async () => {
    const { run } = wait({ one: [answer('two', { status: 'finished' })] });
    expect((await fault(run())).message).toBe('Operation one was requested, but the service returned operation two');
  });
});

it('says which operation it was waiting for when the time is over', async () => {
  const { run } = wait({ one: [{ status: 'running', action: 'start_compute' }] }, { timeoutMs: 20_000 });
  await expect(run()).rejects.toThrow(
    'The time is over while waiting for operation start_compute (one, status "running")',
  );
});

it('lists what is unfinished on a branch, oldest first', async () => {
  const all = [
    operation('newest', { branch_id: 'br-1' }),
    operation('other', { branch_id: 'br-2' }),
    operation('over', { branch_id: 'br-1', status: 'finished' }),
    operation('broken', { branch_id: 'br-1', status: 'failed' }),
    operation('oldest', { branch_id: 'br-1', status: 'scheduling' }),
  ];
  const { api } = mockApi([{ body: { operations: all } }]);
  const found = await unfinishedOperations({ api, projectId, branchId: 'br-1' });
  expect(found.map((one) => one.id)).toEqual(['oldest', 'newest']);
});
