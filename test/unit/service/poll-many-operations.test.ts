import { describe, expect, it } from 'vitest';
import { pollManyOperations } from '../../../src/service/poll-operations.ts';
import type { Operation } from '../../../src/service/types.ts';
import { mockApi } from '../../support/mock-api.ts';

const started = (count: number): Operation[] =>
  Array.from({ length: count }, (_, i) => ({
    id: `op-${i}`,
    action: 'delete_timeline',
    status: 'scheduling',
    failures_count: 0,
    total_duration_ms: 0,
  }));

const page = (operations: Operation[], cursor?: string) => ({
  body: { operations, ...(cursor ? { pagination: { cursor } } : {}) },
});
const ended = (operations: Operation[], status = 'finished') => operations.map((one) => ({ ...one, status }));

describe('waiting for many operations', () => {
  it('reads only as many pages of the list as needed', async () => {
    const all = started(2_500).reverse();
    const { api, sent } = mockApi((request) => {
      const cursor = Number(new URLSearchParams(request.path.split('?')[1]).get('cursor') ?? 0);
      const part = ended(all.slice(cursor, cursor + 1_000));
      return page(part, cursor + 1_000 < 9_000 ? String(cursor + 1_000) : undefined);
    });
    const result = await pollManyOperations({ api, projectId: 'p', operations: all });
    expect(result.operations).toHaveLength(2_500);
    expect(result.failed.size).toBe(0);
    expect(sent).toHaveLength(3);
  });

  it('polls until each has ended, and returns failures separately', async () => {
    const all = started(4);
    const [one, two, three, four] = all as [Operation, Operation, Operation, Operation];
    const { api, sent, clock } = mockApi((_, nth) =>
      nth === 1
        ? page([...ended([one]), two, ...ended([three], 'failed'), four])
        : page([...ended([one, two]), ...ended([three], 'failed'), { ...four, status: 'error', error: 'disk' }]),
    );
    const start = clock.now();
    const result = await pollManyOperations({ api, projectId: 'p', operations: all });
    expect(result.operations.map((op) => op.id)).toEqual(['op-0', 'op-1']);
    expect([...result.failed].map(([id, error]) => [id, error.message])).toEqual([
      ['op-3', 'Operation delete_timeline (op-3) ended with status "error": "disk"'],
      ['op-2', 'Operation delete_timeline (op-2) failed, and the service is not retrying it'],
    ]);
    expect(clock.now() - start).toBeGreaterThanOrEqual(30_000);
    expect(sent.length).toBeLessThan(20);
  });

  it('finds the oldest one, even if all newer ones have ended', async () => {
    const all = started(8_000).reverse();
    const { api, sent, clock } = mockApi((request, nth) => {
      const cursor = Number(new URLSearchParams(request.path.split('?')[1]).get('cursor') ?? 0);
      const part = all.slice(cursor, cursor + 1_000).map((one) => ({
        ...one,
        status: one.id === 'op-0' && nth < 80 ? 'running' : 'finished',
      }));
      return page(part, cursor < 7_000 ? String(cursor + 1_000) : undefined);
    });
    const start = clock.now();
    const result = await pollManyOperations({ api, projectId: 'p', operations: all });
    expect(result.operations).toHaveLength(8_000);
    expect(clock.now() - start).toBeGreaterThan(10_000);
    expect(sent.length).toBe(80);
  });

  it('returns one that was cancelled as a failure', async () => {
    const { api } = mockApi([page(ended(started(1), 'cancelled'))]);
    const { operations, failed } = await pollManyOperations({ api, projectId: 'p', operations: started(1) });
    expect(operations).toEqual([]);
    expect(failed.get('op-0')).toMatchObject({
      message: 'Operation delete_timeline (op-0) ended with status "cancelled"',
      unknown: false,
    });
  });

  it('gives up on one that the service has not listed for 5 s', async () => {
    const { api, clock } = mockApi([page([])]);
    const begin = clock.now();
    const result = await pollManyOperations({ api, projectId: 'p', operations: started(1) });
    expect(result.failed.get('op-0')).toMatchObject({
      message: expect.stringContaining('is no longer known to the service'),
      unknown: true,
    });
    expect(clock.now() - begin).toBeGreaterThanOrEqual(5_000);
    expect(clock.now() - begin).toBeLessThan(8_000);
  });

  it('looks for one no further than a few pages beyond its place in the list', async () => {
    const others = started(1_000).map((one) => ({ ...one, id: `other-${one.id}` }));
    const { api, sent, clock } = mockApi((_, nth) => page(others, String(nth)));
    await pollManyOperations({ api, projectId: 'p', operations: started(1) });
    expect(sent).toHaveLength(4 * clock.pauses.length);
  });

  it('sends nothing if there are no operations, or all have ended', async () => {
    const { api, sent } = mockApi([]);
    await pollManyOperations({ api, projectId: 'p', operations: [] });
    await pollManyOperations({ api, projectId: 'p', operations: ended(started(2), 'skipped') });
    expect(sent).toEqual([]);
  });

  it('says on timeout what it was waiting for', async () => {
    const all = started(3);
    const { api } = mockApi([page(all)], { timeoutMs: 5_000 });
    await expect(pollManyOperations({ api, projectId: 'p', operations: all })).rejects.toThrow(
      /The time is over while waiting for 3 operations, such as delete_timeline \(op-0\)/,
    );
    const one = mockApi([page(started(1))], { timeoutMs: 5_000 });
    await expect(pollManyOperations({ api: one.api, projectId: 'p', operations: started(1) })).rejects.toThrow(
      /The time is over while waiting for operation delete_timeline \(op-0\)$/,
    );
  });
});
