import { describe, expect, it } from 'vitest';
import { deleteStale } from '../../../src/prune/carry-out.ts';
import { createRecheck } from '../../../src/prune/evidence.ts';
import type { Reply, Sent } from '../../support/mock-api.ts';
import { pruneContext, stale } from './prune-context.ts';

const operation = { id: 'op-1', action: 'delete_timeline', status: 'running', failures_count: 0, total_duration_ms: 0 };
const branch = { id: 'a', name: 'a', created_at: '2025-01-01T00:00:00Z' };
const rateLimit: Reply = { status: 429, headers: { 'retry-after': '3600' } };

async function deletion(
  replies: Reply[] | ((request: Sent, stop: () => void) => Reply),
  timeoutMs?: number,
  { afterMs = 0, one = stale('a') } = {},
) {
  const script = typeof replies === 'function' ? (request: Sent) => replies(request, stop) : replies;
  const { context, outcomes, stop, clock, sent } = pruneContext(script, timeoutMs);
  clock.pass(afterMs);
  const recheck = createRecheck(context, [one]);
  const result = await deleteStale({ context, stale: one, date: 0, outcomes, recheck }).catch((error: Error) => error);
  const methods = sent.map(({ method }) => method);
  return { result, methods, outcomes: outcomes.all().map(({ outcome, note }) => ({ outcome, ...(note && { note }) })) };
}

describe('deleting one branch', () => {
  it('returns the operations that it started', async () => {
    const { result, outcomes } = await deletion([{ body: { branch, operations: [operation] } }]);
    expect(result).toMatchObject({ operations: [{ id: 'op-1' }] });
    expect(outcomes).toEqual([{ outcome: 'deleted' }]);
  });

  it.each([204, 404])('records a branch that no longer exists (%i)', async (status) => {
    const { result, outcomes } = await deletion([{ status }]);
    expect(result).toEqual({ operations: [] });
    expect(outcomes).toEqual([{ outcome: 'gone' }]);
  });

  it('records an error and goes on', async () => {
    const { result, outcomes } = await deletion([{ status: 403 }]);
    expect(result).toEqual({ operations: [] });
    expect(outcomes).toEqual([{ outcome: 'failed', note: '403' }]);
  });

  it('is unsure if an earlier attempt lost its response', async () => {
    const { outcomes } = await deletion([{ status: 504 }, { status: 403 }]);
    expect(outcomes).toEqual([{ outcome: 'unsure', note: '403 (2 attempts)' }]);
  });

  it('is unsure if it does not send a deletion again because the branch was renamed', async () => {
    const renamed = { body: { branch: { ...branch, name: 'b' } } };
    const { outcomes } = await deletion(({ method }) => (method === 'DELETE' ? { status: 504 } : renamed));
    expect(outcomes).toEqual([
      {
        outcome: 'unsure',
        note: expect.stringMatching(
          /not sent again, because the branch must be kept now \(it was renamed to "b" in the meantime\)$/,
        ),
      },
    ]);
  });

  it.each<[number, object, object | undefined]>([
    [1_999, { name: 'b' }, undefined],
    [2_000, {}, undefined],
    [2_000, { name: 'b' }, { outcome: 'kept', note: 'it was renamed to "b" in the meantime' }],
    [2_000, { protected: true }, { outcome: 'kept', note: 'it was protected in the meantime' }],
  ])('reads the branch again if the list was requested 2 s before (%i ms, %j)', async (afterMs, fields, kept) => {
    const { outcomes, methods } = await deletion(
      () => ({ body: { branch: { ...branch, ...fields }, operations: [] } }),
      undefined,
      { afterMs },
    );
    expect(outcomes).toEqual([kept ?? { outcome: 'deleted' }]);
    expect(methods).toEqual([...(afterMs >= 2_000 ? ['GET'] : []), ...(kept ? [] : ['DELETE'])]);
  });

  it.each([{ owner: 'alice' }, { 'github-commit-repo': 'octo/api' }])(
    'always reads one that is judged by its name, and keeps it if it has metadata: %j',
    async (value) => {
      const one = stale('a');
      one.evidence.byName = true;
      const { outcomes, methods } = await deletion([{ body: { branch, annotation: { value } } }], undefined, { one });
      expect(outcomes).toEqual([
        {
          outcome: 'kept',
          note: expect.stringContaining('the list of branches showed no metadata for it, but it has some'),
        },
      ]);
      expect(methods).toEqual(['GET']);
    },
  );

  it('is unsure if there is no time to retry after a lost response', async () => {
    const { outcomes } = await deletion([{ status: 504 }], 100);
    expect(outcomes).toMatchObject([{ outcome: 'unsure' }]);
  });

  it('is unsure, and throws, if the step ends before the response', async () => {
    const { result, outcomes } = await deletion((_, stop) => {
      stop();
      return { status: 200 };
    });
    expect(result).toMatchObject({ name: 'StoppedError' });
    expect(outcomes).toMatchObject([{ outcome: 'unsure' }]);
  });

  it('throws without an outcome if the step ends before a deletion was accepted', async () => {
    const { result, outcomes } = await deletion(({ method }, stop) => {
      if (method === 'GET') stop();
      return { status: 423 };
    });
    expect(result).toMatchObject({ name: 'StoppedError' });
    expect(outcomes).toEqual([]);
  });

  it('returns a rate limit that outlasts the step', async () => {
    const { result, outcomes } = await deletion([rateLimit], 60_000);
    expect(result).toMatchObject({ operations: [], rateLimit: { status: 429 } });
    expect(outcomes).toMatchObject([{ outcome: 'failed' }]);
  });

  it('throws if the key is rejected, because no other deletion can succeed', async () => {
    const { result, outcomes } = await deletion([{ status: 401 }]);
    expect(result).toMatchObject({ status: 401 });
    expect(outcomes).toEqual([]);
  });

  it('records a branch that may be deleted before it throws', async () => {
    const { result, outcomes } = await deletion([{ status: 504 }, { status: 401 }]);
    expect(result).toMatchObject({ status: 401 });
    expect(outcomes).toMatchObject([{ outcome: 'unsure' }]);
  });
});
