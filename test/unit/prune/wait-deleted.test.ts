import { describe, expect, it } from 'vitest';
import { waitUntilDeleted } from '../../../src/prune/carry-out.ts';
import { operation as readOperation } from '../../../src/service/types.ts';
import type { Sent } from '../../support/mock-api.ts';
import { pruneContext, stale } from './prune-context.ts';

const operation = (id: string, status: string) => ({
  id,
  action: 'delete_timeline',
  status,
  failures_count: 0,
  total_duration_ms: 0,
});

/** Waits for the deletions of the branches a and b, with these operations listed and these branches still existing. */
async function wait({ listed, existing = [] }: { listed: object[]; existing?: string[] }) {
  const { context, outcomes } = pruneContext(({ path }: Sent) => {
    if (path.includes('/operations?')) return { body: { operations: listed } };
    if (path.includes('/operations')) return { status: 404 };
    return { body: { branches: existing.map((id) => ({ id, name: id, created_at: '2025-01-01T00:00:00Z' })) } };
  });
  const deletions = ['a', 'b'].map((id) => ({
    stale: stale(id),
    operations: [readOperation(operation(`op-${id}`, 'running'), 'operation')],
  }));
  for (const deletion of deletions) outcomes.deleted(deletion.stale);
  await waitUntilDeleted({ context, deletions, outcomes });
  const { operations } = context.result();
  return { ended: operations.map(({ id }) => id).sort(), outcomes: outcomes.all().map(({ outcome }) => outcome) };
}

describe('waiting for deletions', () => {
  it('returns the operations that succeeded', async () => {
    const listed = ['op-a', 'op-b'].map((id) => operation(id, 'finished'));
    expect(await wait({ listed })).toEqual({ ended: ['op-a', 'op-b'], outcomes: ['deleted', 'deleted'] });
  });

  it('records a failed operation as a failed deletion', async () => {
    const listed = [operation('op-a', 'error'), operation('op-b', 'finished')];
    expect(await wait({ listed })).toEqual({ ended: ['op-b'], outcomes: ['failed', 'deleted'] });
  });

  it.each([
    { existing: [], outcome: 'deleted' },
    { existing: ['a'], outcome: 'failed' },
  ])('checks the branch if its operation is forgotten (existing: $existing)', async ({ existing, outcome }) => {
    const listed = [operation('op-b', 'finished')];
    expect(await wait({ listed, existing })).toEqual({ ended: ['op-b'], outcomes: [outcome, 'deleted'] });
  });
});
