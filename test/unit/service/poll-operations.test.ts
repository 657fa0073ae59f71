import { describe, expect, it } from 'vitest';
import { OperationError } from '../../../src/service/errors.ts';
import { pollOperations } from '../../../src/service/poll-operations.ts';
import type { Operation } from '../../../src/service/types.ts';
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
const response = (id: string, over: Partial<Operation> = {}): Reply => ({ body: { operation: operation(id, over) } });

/** Waits for operations that have these states, one per poll; the last one remains. The project's list has none of them. */
function wait(
  states: Record<string, (Partial<Operation> | Reply)[]>,
  options: { timeoutMs?: number; started?: Operation[] } = {},
) {
  const polls: string[] = [];
  const counts = new Map<string, number>();
  const mock = mockApi(({ path }) => {
    if (path.includes('/operations?')) return { body: { operations: [] } };
    const id = path.split('/').at(-1) ?? '';
    polls.push(id);
    const nth = counts.get(id) ?? 0;
    counts.set(id, nth + 1);
    const all = states[id] ?? [];
    const state = all[Math.min(nth, all.length - 1)] ?? {};
    const isReply = 'body' in state || 'text' in state || 'headers' in state || typeof state.status === 'number';
    return isReply ? (state as Reply) : response(id, state as Partial<Operation>);
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

const operationError = async (work: Promise<unknown>): Promise<OperationError> => {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(OperationError);
  return error as OperationError;
};

describe('waiting for operations', () => {
  it('polls them in sequence, each once the one before has ended', async () => {
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

  it('does not poll operations that have ended according to the response', async () => {
    const started = [operation('one', { status: 'finished' }), operation('two', { status: 'skipped' })];
    const { run, polls, done } = wait({}, { started });
    expect(await run()).toEqual(started);
    expect(polls).toEqual([]);
    expect(done).toHaveLength(2);
  });

  it('polls with growing delays, from 100 ms to 3 s, if no earlier run is known', async () => {
    const states = [...Array.from({ length: 60 }, () => ({ status: 'running' })), { status: 'finished' }];
    const { run, clock } = wait({ one: states });
    await run();
    const { pauses: delays } = clock;
    expect(delays[0]).toBe(100);
    for (const [index, delay] of delays.slice(1).entries())
      expect(delay).toBeGreaterThanOrEqual(delays[index] as number);
    expect(delays.at(-1)).toBe(3_000);
  });

  it.each(['cancelling', 'running', 'scheduling', 'something_new'])(
    'continues while the status is %s',
    async (status) => {
      const { run, polls } = wait({ one: [{ status }, { status }, { status: 'finished' }] });
      await run();
      expect(polls).toHaveLength(3);
    },
  );

  it.each(['error', 'cancelled'])('fails if an operation ends in %s, and polls no later one', async (status) => {
    const { run, polls, done } = wait({
      one: [{ status, error: 'disk\nfull', action: 'start_compute' }],
      two: [{ status: 'finished' }],
    });
    const error = await operationError(run());
    expect(error.message).toBe(`Operation start_compute (one) ended with status "${status}": "disk full"`);
    expect(error.operationId).toBe('one');
    expect({ polls, done }).toEqual({ polls: ['one'], done: [] });
  });
});

describe('polling by the list of operations', () => {
  const ours = ['one', 'two'].map((id) => operation(id, { status: 'scheduling', action: id }));
  /** Earlier runs of the same two actions, each of which took this long. */
  const earlier = (ms: number, runs = 10) =>
    Array.from({ length: runs }, (_, nth) =>
      ours.map(({ action }) =>
        operation(`${action}-${nth}`, { action, status: 'finished', total_duration_ms: ms * (0.9 + 0.02 * nth) }),
      ),
    ).flat();

  /** A service on which each operation takes this long, one after the other, and others are between ours and the end of the list. */
  function waitFor(options: { ms: number; listed?: Operation[]; list?: () => Reply | undefined; timeoutMs?: number }) {
    const { ms, listed = earlier(ms), list = () => undefined } = options;
    const begin: number[] = [];
    const mock = mockApi(({ path }) => {
      const elapsed = mock.clock.now() - (begin[0] ?? 0);
      const now = ours.map((one, index): Operation => {
        if (elapsed >= ms * (index + 1)) return { ...one, status: 'finished', total_duration_ms: ms };
        return { ...one, status: elapsed >= ms * index ? 'running' : 'scheduling' };
      });
      const single = /operations\/(\w+)$/.exec(path)?.[1];
      if (single !== undefined) return { body: { operation: now.find(({ id }) => id === single) } };
      return list() ?? { body: { operations: [...now.toReversed(), ...listed] } };
    }, options);
    begin.push(mock.clock.now());
    const run = async () => {
      const done = await pollOperations({ api: mock.api, projectId, operations: ours, random: () => 0.5 });
      return { done, ms: mock.clock.now() - (begin[0] ?? 0) };
    };
    return { ...mock, run };
  }

  it.each([200, 800, 1_700, 3_200])('meets the end of two operations of %i ms with few polls', async (ms) => {
    const { run, sent } = waitFor({ ms });
    const ended = await run();
    expect(ended.done.map(({ status }) => status)).toEqual(['finished', 'finished']);
    expect(ended.ms - 2 * ms).toBeLessThan(40 + 0.05 * ms);
    expect(sent.length).toBeLessThanOrEqual(6);
    expect(new Set(sent.map(({ path }) => path))).toEqual(
      new Set([`/api/v2/projects/${projectId}/operations?limit=100`]),
    );
  });

  it('notices that another step started the operation long ago', async () => {
    const started = new Date(Date.parse('2026-03-04T05:06:07Z')).toISOString();
    const old = operation('one', { action: 'one', created_at: started });
    let polls = 0;
    const { api, clock } = mockApi(() => ({
      headers: { date: new Date(Date.parse(started) + 9_000).toUTCString() },
      body: { operations: [polls++ === 0 ? old : { ...old, status: 'finished' }, ...earlier(10_000)] },
    }));
    const begin = clock.now();
    await pollOperations({ api, projectId, operations: [{ ...old, created_at: undefined as never }] });
    expect(clock.now() - begin).toBeLessThan(3_000);
  });

  it('continues by ID if the operations are not on the first page', async () => {
    const { run, sent } = waitFor({ ms: 500, list: () => ({ body: { operations: earlier(500) } }) });
    expect((await run()).done).toHaveLength(2);
    expect(sent.filter(({ path }) => path.includes('?'))).toHaveLength(1);
    expect(sent.length).toBeLessThanOrEqual(8);
  });

  it.each([401, 403, 404, 422])('continues by ID if the list is a %i', async (status) => {
    const { run, sent } = waitFor({ ms: 500, list: () => ({ status }) });
    expect((await run()).done).toHaveLength(2);
    expect(sent.filter(({ path }) => path.includes('?'))).toHaveLength(1);
  });

  it('polls less often after a rate limit', async () => {
    const limited = { status: 429, headers: { 'retry-after': '1' } };
    let lists = 0;
    const { run, clock } = waitFor({ ms: 20_000, list: () => (++lists === 2 || lists === 4 ? limited : undefined) });
    await run();
    const slept = clock.pauses;
    expect(Math.min(...slept.slice(2))).toBeGreaterThanOrEqual(1_000);
  });

  it('fails with the error of the first operation that failed', async () => {
    const [one, two] = ours as [Operation, Operation];
    const failed = { ...one, status: 'error', error: 'disk full' };
    const { api } = mockApi([{ body: { operations: [{ ...two, status: 'cancelled' }, failed] } }]);
    await expect(pollOperations({ api, projectId, operations: ours })).rejects.toThrow('Operation one (one) ended');
  });
});

describe('a failed operation', () => {
  const total = (delays: number[]) => delays.reduce((sum, one) => sum + one, 0);

  it('is final after 30 s without a sign of a retry, and not before', async () => {
    const { run, clock } = wait({ one: [{ status: 'failed', failures_count: 2, error: 'no host' }] });
    const error = await operationError(run());
    expect(error.message).toBe('Operation create_branch (one) failed, and the service is not retrying it: "no host"');
    expect(total(clock.pauses)).toBeGreaterThanOrEqual(30_000);
    expect(total(clock.pauses)).toBeLessThan(34_000);
  });

  it('has 30 s from when the failure was seen, not from the start', async () => {
    const running = Array.from({ length: 40 }, () => ({ status: 'running' }));
    const { run, clock } = wait({ one: [...running, { status: 'failed' }] });
    await operationError(run());
    expect(total(clock.pauses.slice(41))).toBeGreaterThanOrEqual(30_000);
    expect(total(clock.pauses.slice(41))).toBeLessThan(34_000);
  });

  it('is polled while failures_count rises', async () => {
    const failed = Array.from({ length: 60 }, (_, n) => ({ status: 'failed', failures_count: Math.floor(n / 8) }));
    const { run, clock } = wait({ one: [...failed, { status: 'finished', failures_count: 8 }] });
    expect(await run()).toMatchObject([{ status: 'finished' }]);
    expect(total(clock.pauses)).toBeGreaterThan(120_000);
  });

  it('is final even if failures_count falls and rises again', async () => {
    const failed = Array.from({ length: 100 }, (_, n) => ({ status: 'failed', failures_count: n % 2 }));
    const { run, clock } = wait({ one: failed });
    await operationError(run());
    expect(total(clock.pauses)).toBeLessThan(40_000);
  });

  it('is polled until 30 s after its retry_at', async () => {
    const at = Date.parse('2026-03-04T05:06:07Z');
    const retry = (ms: number) => ({ status: 'failed', failures_count: 1, retry_at: new Date(at + ms).toISOString() });
    const patient = wait({ one: [...Array.from({ length: 40 }, () => retry(100_000)), { status: 'finished' }] });
    expect(await patient.run()).toMatchObject([{ status: 'finished' }]);

    const over = wait({ one: [retry(100_000)] });
    await operationError(over.run());
    expect(total(over.clock.pauses)).toBeGreaterThanOrEqual(130_000);
    expect(total(over.clock.pauses)).toBeLessThan(134_000);
  });

  it('gets another 30 s if it runs and fails again', async () => {
    const round = [...Array.from({ length: 10 }, () => ({ status: 'failed' })), { status: 'running' }];
    const { run } = wait({ one: [...round, ...round, ...round, ...round, { status: 'finished' }] });
    expect(await run()).toMatchObject([{ status: 'finished' }]);
  });

  it('is final like any other if its retry_at is invalid', async () => {
    const { run, clock } = wait({ one: [{ status: 'failed', retry_at: 'soon' }] });
    await operationError(run());
    expect(total(clock.pauses)).toBeLessThan(34_000);
  });
});

describe('a poll', () => {
  it.each([
    ['a 500', { status: 500 }],
    ['a 429', { status: 429 }],
    ['an HTML page', { status: 502, text: '<html>' }],
    ['half a response', { text: '{"oper' }],
  ] satisfies [string, Reply][])('is retried after %s', async (_, reply) => {
    const { run } = wait({ one: [reply, reply, { status: 'finished' }] });
    expect(await run()).toMatchObject([{ status: 'finished' }]);
  });

  it('ends the wait if it fails with a permanent error', async () => {
    const { run, polls } = wait({ one: [{ status: 401, body: { message: 'key revoked' } }] });
    await expect(run()).rejects.toThrow('Could not read operation one: 401, key revoked');
    expect(polls).toHaveLength(1);
  });

  it('is retried for seconds if the operation is not known yet', async () => {
    const { run } = wait({ one: [{ status: 404 }, { status: 404 }, { status: 404 }, { status: 'finished' }] });
    expect(await run()).toMatchObject([{ status: 'finished' }]);
  });

  it('fails if the operation remains unknown', async () => {
    const { run, clock } = wait({ one: [{ status: 404 }] });
    const error = await operationError(run());
    expect(error.message).toBe(
      'Operation create_branch (one) is no longer known to the service, so its outcome is unknown',
    );
    expect(error.unknown).toBe(true);
    expect(clock.pauses.reduce((sum, one) => sum + one, 0)).toBeLessThan(15_000);
  });

  it('fails if the response is about another operation', async () => {
    const { run } = wait({ one: [response('two', { status: 'finished' })] });
    await expect(run()).rejects.toMatchObject({
      name: 'MismatchError',
      message: 'The service returned operation two instead of operation one',
    });
  });
});

it('says on timeout which operation it was waiting for', async () => {
  const { run } = wait({ one: [{ status: 'running', action: 'start_compute' }] }, { timeoutMs: 20_000 });
  await expect(run()).rejects.toThrow(
    'The time is over while waiting for operation start_compute (one, status "running")',
  );
});
