import { describe, expect, it } from 'vitest';
import { carryOut } from '../../../src/prune/carry-out.ts';
import type { StaleBranch } from '../../../src/prune/rules.ts';
import type { Reply, Sent } from '../../support/mock-api.ts';
import { pruneContext, stale } from './prune-context.ts';

const deleted = (id: string): Reply => ({
  body: { branch: { id, name: id, created_at: '2025-01-01T00:00:00Z' }, operations: [] },
});
const operation = { id: 'op-1', action: 'delete_timeline', status: 'running', failures_count: 0, total_duration_ms: 0 };
const rateLimit: Reply = { status: 429, headers: { 'retry-after': '3600' } };

const child = [stale('child', { parent_id: 'parent' })];
const parent = [stale('parent')];

/** Removes these layers, by default a child and then its parent. */
async function removal(
  replies: Reply[] | ((request: Sent) => Reply),
  {
    layers = [child, parent],
    timeoutMs,
    wait = true,
  }: { layers?: StaleBranch[][]; timeoutMs?: number; wait?: boolean } = {},
) {
  const { context, sent, lines, clock } = pruneContext(replies, timeoutMs);
  const error = await carryOut(context, { layers, keptParents: [], total: 2, now: 0 }, { wait }).then(
    () => undefined,
    (thrown: Error) => thrown.message,
  );
  return {
    error,
    lines,
    pauses: clock.pauses,
    reported: context.result().pruned?.map(({ id, outcome, note }) => [id, outcome, note]),
    sent: sent.map(({ method, path }) => `${method} ${path.replace(/.*\/projects\/p|\?.*/g, '')}`),
  };
}

describe('removing the branches of a plan', () => {
  it('deletes children first', async () => {
    const { error, reported, sent } = await removal([deleted('child'), deleted('parent')]);
    expect(error).toBeUndefined();
    expect(reported).toEqual([
      ['child', 'deleted', undefined],
      ['parent', 'deleted', undefined],
    ]);
    expect(sent).toEqual(['DELETE /branches/child', 'DELETE /branches/parent']);
  });

  it('waits for the children even without `wait`', async () => {
    const withOperation = (id: string): Reply => ({ body: { branch: { id, name: id }, operations: [operation] } });
    const finished: Reply = { body: { operations: [{ ...operation, status: 'finished' }] } };
    const { sent } = await removal(
      ({ method, path }) => (method === 'GET' ? finished : withOperation(path.includes('child') ? 'child' : 'parent')),
      { wait: false },
    );
    expect(sent).toEqual(['DELETE /branches/child', 'GET /operations', 'DELETE /branches/parent']);
  });

  it.each([
    ['could not be deleted', [{ status: 403 }], 'failed', 'its child branch "child" could not be deleted'],
    ['may still exist', [{ status: 504 }, { status: 403 }], 'unsure', 'its child branch "child" may still exist'],
  ] as const)('keeps a parent if its child %s', async (_, replies, outcome, why) => {
    const { error, reported, sent } = await removal([...replies]);
    expect(error).toBeUndefined();
    expect(reported).toEqual([
      ['child', outcome, expect.stringContaining('403')],
      ['parent', 'failed', why],
    ]);
    expect(sent).not.toContain('DELETE /branches/parent');
  });

  it('reports a branch that may be deleted even if the key is rejected after that', async () => {
    const { error, reported } = await removal([{ status: 504 }, { status: 401 }]);
    expect(error).toContain('401');
    expect(reported).toEqual([['child', 'unsure', expect.stringContaining('401')]]);
  });

  it('throws if it cannot wait for the children', async () => {
    const { error, reported } = await removal(({ method }) =>
      method === 'GET'
        ? { status: 403 }
        : { body: { branch: { id: 'child', name: 'child' }, operations: [operation] } },
    );
    expect(error).toBe('Could not list the operations of the project: 403');
    expect(reported).toEqual([['child', 'deleted', undefined]]);
  });

  describe('at a rate limit that outlasts the step', () => {
    const timeoutMs = 60_000;

    it('fails the remaining deletions without sending them', async () => {
      const others = Array.from({ length: 100 }, (_, index) => stale(`br-${index}`));
      const { error, reported, sent, pauses } = await removal([rateLimit], { layers: [others], timeoutMs });
      expect(error).toBeUndefined();
      expect(reported?.map(([, outcome]) => outcome)).toEqual(others.map(() => 'failed'));
      // Only those in flight when the limit is met.
      expect(sent.length).toBeLessThanOrEqual(4);
      // Without the pace of requests that are sent.
      expect(pauses).toEqual([]);
    });

    const limitedReads = ({ method }: Sent): Reply =>
      method === 'GET' ? rateLimit : { body: { ...(deleted('child').body as object), operations: [operation] } };

    it('keeps the parents if it cannot wait for their children', async () => {
      const { error, reported, sent, lines } = await removal(limitedReads, { timeoutMs });
      expect(error).toBeUndefined();
      expect(reported).toEqual([
        ['child', 'deleted', undefined],
        ['parent', 'failed', expect.stringContaining('rate-limiting')],
      ]);
      expect(sent).not.toContain('DELETE /branches/parent');
      expect(lines).toContainEqual(expect.stringMatching(/^Stopped waiting for the deletions: .*: 429/));
    });

    it('throws if it could delete everything but not wait for it', async () => {
      const { error, reported } = await removal(limitedReads, { layers: [child], timeoutMs });
      expect(error).toMatch(/^Could not list the operations of the project: 429/);
      expect(reported).toEqual([['child', 'deleted', undefined]]);
    });
  });
});
