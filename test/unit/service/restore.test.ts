import { describe, expect, it } from 'vitest';
import type { RetryWindow } from '../../../src/http/request.ts';
import { restoration } from '../../../src/service/restore.ts';
import type { Branch, Operation } from '../../../src/service/types.ts';
import { mockApi, type Reply, type Sent } from '../../support/mock-api.ts';
import { seen } from '../../support/seen.ts';
import { at, branch, lost, operation, start, trail } from './samples.ts';

/** What a service shows of the branch, and how it responds to each request for a restore. */
interface Shown {
  restore: Reply[];
  /** The branch at each successive read; the last one repeats. */
  branch?: Partial<Branch>[];
  /** The project's operations, likewise. */
  operations?: Operation[][];
  /** Branches with the name of the old state. */
  kept?: Partial<Branch>[];
  headers?: Record<string, string>;
  /** Milliseconds from a request for a restore to its response. */
  takes?: number;
}

const before = branch({ last_reset_at: at(-60_000) });
const restored: Reply = { body: { branch: before, operations: [operation({ action: 'apply_config' })] } };

interface Options {
  restore?: Parameters<typeof restoration>[1];
  window?: RetryWindow;
  branch?: Branch;
  beforeAttempt?: () => Promise<void>;
}

function play(shown: Shown, options: Options = {}) {
  const counts = { restore: 0, branch: 0, operations: 0 };
  const nth = <T>(kind: keyof typeof counts, all: T[]): T => all[Math.min(counts[kind]++, all.length - 1)] as T;
  const reply = ({ path }: Sent): Reply => {
    if (path.endsWith('/restore')) {
      mock.clock.pass(shown.takes ?? 0);
      return nth('restore', shown.restore);
    }
    if (path.includes('/operations?')) return { body: { operations: nth('operations', shown.operations ?? [[]]) } };
    if (path.includes('/branches?')) return { body: { branches: (shown.kept ?? []).map((one) => branch(one)) } };
    const headers = shown.headers ?? {};
    return { headers, body: { branch: { ...before, ...nth('branch', shown.branch ?? [{}]) } } };
  };
  const mock = mockApi(reply);
  const { restore = { sourceId: 'br-main' }, window, branch: asked = before, beforeAttempt } = options;
  const about = seen({ api: mock.api, branch: asked, window });
  const run = () => about.change(restoration(about, { ...restore, beforeAttempt }));
  const restores = () => mock.sent.filter(({ path }) => path.endsWith('/restore')).length;
  return { ...mock, run, restores };
}

const ours = (over: Partial<Operation> = {}) =>
  operation({ branch_id: 'br-1', action: 'create_timeline', created_at: at(0), ...over });
const compute = ours({ action: 'start_compute' });
const keep = { restore: { sourceId: 'br-main', preserveUnderName: 'old' } };

describe('restoring a branch', () => {
  it('sends the source, the point in its history, and the name for the old state', async () => {
    const restore = { sourceId: 'br-main', timestamp: at(-5_000), preserveUnderName: 'old' };
    const { run, sent } = play({ restore: [restored] }, { restore });
    expect(await run()).toMatchObject({ branch: { id: 'br-1' }, operations: [{ id: 'op-1' }] });
    expect(trail(sent)).toEqual(['POST /branches/br-1/restore']);
    expect(sent[0]?.body).toEqual({
      source_branch_id: 'br-main',
      source_timestamp: at(-5_000),
      preserve_under_name: 'old',
    });
    const byLsn = play({ restore: [restored] }, { restore: { sourceId: 'br-main', lsn: '0/1' } });
    await byLsn.run();
    expect(byLsn.sent[0]?.body).toEqual({ source_branch_id: 'br-main', source_lsn: '0/1' });
  });

  it('fails if the response is about another branch', async () => {
    const { run } = play({ restore: [{ body: { branch: branch({ id: 'br-2' }) } }] });
    await expect(run()).rejects.toThrow('The request was to reset branch br-1, but the response is about branch br-2');
  });

  it('calls `beforeAttempt` before each attempt, and sends nothing if it throws', async () => {
    let calls = 0;
    const beforeAttempt = async () => {
      if (++calls === 2) throw new Error('no longer');
    };
    const { run, restores } = play({ restore: [{ status: 423 }, restored] }, { beforeAttempt });
    await expect(run()).rejects.toThrow('no longer');
    expect([calls, restores()]).toEqual([2, 1]);
  });

  it('is retried for seconds if a new branch is not ready, but not if it is unknown', async () => {
    const window = { statuses: [404, 422], until: start + 15_000 };
    const { run, clock } = play({ restore: [{ status: 422 }] }, { window });
    await expect(run()).rejects.toThrow('Could not reset branch "preview/pr-7": 422');
    expect(clock.now() - start).toBeGreaterThanOrEqual(5_000);
    expect(clock.now() - start).toBeLessThan(8_000);
    const unknown = play({ restore: [{ status: 404 }] }, { window });
    await expect(unknown.run()).rejects.toThrow(': 404');
    expect(unknown.restores()).toBe(1);
  });
});

describe('a restore whose response was lost', () => {
  it.each<[string, Omit<Shown, 'restore'>, string[]]>([
    ['the branch has another time of its last reset', { branch: [{ last_reset_at: at(0) }] }, []],
    ['the branch is being reset', { branch: [{ current_state: 'resetting' }] }, []],
    ['an operation of the branch is creating its new state', { operations: [[ours()]] }, ['op-1']],
    ['such an operation is called create_branch', { operations: [[ours({ action: 'create_branch' })]] }, ['op-1']],
    ['such an operation began within the second before', { operations: [[ours({ created_at: at(-900) })]] }, ['op-1']],
    [
      'such an operation is queued after a compute',
      { operations: [[ours({ id: 'op-2' }), compute]] },
      ['op-1', 'op-2'],
    ],
    [
      'the branch was reset, and a compute that was starting before is not ours',
      { branch: [{ last_reset_at: at(0) }], operations: [[compute, ours({ id: 'op-0', created_at: at(-9_000) })]] },
      ['op-1'],
    ],
  ])('is not retried if %s', async (_, shown, operations) => {
    const { run, restores, clock } = play({ restore: [lost, restored], ...shown });
    const result = await run();
    expect(result.branch).toMatchObject({ id: 'br-1', ...shown.branch?.[0] });
    expect(result.operations.map((one) => one.id)).toEqual(operations);
    expect({ restores: restores(), pauses: clock.pauses }).toEqual({ restores: 1, pauses: [] });
  });

  it.each<[string, Omit<Shown, 'restore'>]>([
    ['nothing has changed', {}],
    ['an operation of another branch is running', { operations: [[ours({ branch_id: 'br-2' })]] }],
    ['such an operation has ended', { operations: [[ours({ status: 'finished' })]] }],
    ['such an operation began before', { operations: [[ours({ created_at: at(-9_000) })], []] }],
    ['such an operation does not say when it began', { operations: [[operation({ branch_id: 'br-1' })], []] }],
    ...[
      ...['start_compute', 'suspend_compute', 'apply_config', 'timeline_archive', 'timeline_unarchive'],
      ...['timeline_mark_invisible', 'detach_parent_branch', 'swap_binding_id', 'delete_timeline'],
    ].map((action): [string, Omit<Shown, 'restore'>] => [
      `only another operation was running (${action})`,
      { operations: [[ours({ action })], []] },
    ]),
  ])('is retried if %s', async (_, shown) => {
    const { run, restores } = play({ restore: [lost, restored], ...shown });
    expect(await run()).toMatchObject({ operations: [{ id: 'op-1', action: 'apply_config' }] });
    expect(restores()).toBe(2);
  });

  it('is not shown by the operation that created the branch itself', async () => {
    const young = { ...before, created_at: at(0) };
    const shown = { restore: [lost, restored], operations: [[ours({ created_at: at(1_000) })], []] };
    const { run, restores } = play(shown, { branch: young });
    await run();
    expect(restores()).toBe(2);
    const later = play({ ...shown, operations: [[ours({ created_at: at(1_001) })]] }, { branch: young });
    await later.run();
    expect(later.restores()).toBe(1);
  });

  it.each([
    { ahead: "the service's clock is an hour ahead", ms: 3_600_000 },
    { ahead: "the service's clock is an hour behind", ms: -3_600_000 },
  ])('is recognized even if $ahead', async ({ ms }) => {
    const headers = { date: new Date(start + 20_000 + ms).toUTCString() };
    for (const [age, restores] of [
      [-1_001, 2],
      [-1_000, 1],
      [5_000, 1],
    ] as const) {
      const operations = [[ours({ created_at: at(age + ms) })], []];
      const old = { ...before, created_at: at(-9_000_000) };
      const mock = play({ restore: [lost, restored], operations, headers, takes: 20_000 }, { branch: old });
      await mock.run();
      expect({ age, restores: mock.restores() }).toEqual({ age, restores });
    }
  });

  it("is recognized without the service's clock too", async () => {
    const { run, restores } = play({ restore: [lost, restored], operations: [[ours()]], takes: 20_000 });
    await run();
    expect(restores()).toBe(1);
  });

  it('is looked at again once the computes are idle, with growing delays', async () => {
    const busy = Array.from({ length: 7 }, () => [compute]);
    const { run, restores, clock } = play({
      restore: [lost, restored],
      branch: [{}, { last_reset_at: at(9_000) }],
      operations: [...busy, []],
    });
    expect(await run()).toMatchObject({ branch: { last_reset_at: at(9_000) }, operations: [] });
    expect(restores()).toBe(1);
    expect(clock.pauses).toEqual([250, 500, 1_000, 2_000, 4_000, 4_000, 4_000]);
  });

  it('says what it was checking if the step ends', async () => {
    const { run, clock, stop } = play({ restore: [lost], operations: [[compute]] });
    clock.onSleep = () => stop();
    await expect(run()).rejects.toThrow('The time is over while checking whether branch "preview/pr-7" was reset');
  });

  it('reads a new branch until the service knows it', async () => {
    const window = { statuses: [404], until: start + 15_000 };
    let reads = 0;
    const mock = mockApi(({ path }) => {
      if (path.endsWith('/restore')) return lost;
      if (path.includes('?')) return { body: { operations: [] } };
      return ++reads < 3 ? { status: 404 } : { body: { branch: { ...before, last_reset_at: at(0) } } };
    });
    const about = seen({ api: mock.api, branch: before, window });
    expect(await about.change(restoration(about, { sourceId: 'br-main' }))).toMatchObject({ operations: [] });
    expect(reads).toBe(3);
  });
});

describe('a restore whose response timed out', () => {
  const timedOut: Reply[] = [
    { status: 504 },
    { status: 524 },
    { error: Object.assign(new Error('timeout'), { code: 'UND_ERR_HEADERS_TIMEOUT' }) },
  ];

  it.each(timedOut)('is not sent again if it happens late (%j)', async (reply) => {
    const { run, restores, clock } = play({
      restore: [reply, restored],
      branch: [{}, {}, {}, { last_reset_at: at(9_000) }],
    });
    expect(await run()).toMatchObject({ branch: { last_reset_at: at(9_000) } });
    expect(restores()).toBe(1);
    expect(clock.pauses).toEqual([500, 1_000, 2_000]);
  });

  it.each(timedOut)('is sent again only once the service would have acted on it (%j)', async (reply) => {
    const { run, restores, clock } = play({ restore: [reply, restored] });
    await run();
    expect(restores()).toBe(2);
    const beforeRetry = clock.pauses.slice(0, -1).reduce((sum, ms) => sum + ms, 0);
    expect(beforeRetry).toBe(30_000);
  });

  it('says that it may still take effect if the step ends before that', async () => {
    const { run, restores, clock, stop } = play({ restore: [{ status: 504 }, restored] });
    clock.onSleep = () => stop();
    await expect(run()).rejects.toMatchObject({
      message:
        'The time is over while checking whether branch "preview/pr-7" was reset; the request to reset it failed: 504',
      mayHaveActed: true,
    });
    expect(restores()).toBe(1);
  });

  it('is sent again soon if the connection was only reset', async () => {
    const reply = { error: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) };
    const { run, restores, clock } = play({ restore: [reply, restored] });
    await run();
    expect([restores(), clock.pauses]).toEqual([2, [500]]);
  });
});

describe('a restore that keeps the old state', () => {
  it('has not happened only because a branch of that name has just been created', async () => {
    const { run, restores, sent } = play(
      { restore: [lost, restored], kept: [{ name: 'old', created_at: at(0) }] },
      keep,
    );
    await run();
    expect(restores()).toBe(2);
    expect(trail(sent)).not.toContain('GET /branches');
  });

  const taken: Reply = { status: 409, body: { code: 'BRANCH_ALREADY_EXISTS' } };

  it('has happened if a response was lost and the name is taken afterwards', async () => {
    const { run, restores } = play({ restore: [lost, taken], branch: [{}, { last_reset_at: at(0) }] }, keep);
    expect(await run()).toMatchObject({ branch: { last_reset_at: at(0) } });
    expect(restores()).toBe(2);
  });

  it.each([
    ['the name was taken before', [taken], 'GET /branches/br-1', 0],
    ['the branch does not show it', [lost, taken], 'GET /branches/br-1', 2],
    ['the error is another one', [lost, { status: 422 }], 'GET /branches/br-1', 1],
  ])('fails if %s', async (_, restore, request, looks) => {
    const { run, sent } = play({ restore }, keep);
    await expect(run()).rejects.toThrow(/Could not reset branch "preview\/pr-7": 4(09|22)/);
    expect(trail(sent).filter((line) => line === request)).toHaveLength(looks);
  });
});
