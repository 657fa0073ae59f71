import { expect, it } from 'vitest';
import { branch as readBranch } from '../../../src/api/types.ts';
import type { Context } from '../../../src/context.ts';
import { removeAll } from '../../../src/prune/remove.ts';
import type { PrunedBranch } from '../../../src/result.ts';
import { parseEvent } from '../../../src/runner/event.ts';
import * as events from '../../support/events.ts';
import { mockApi, type Reply } from '../../support/mock-api.ts';

const take = (id: string, more: object = {}) => ({
  branch: readBranch({ id, name: id, created_at: '2025-01-01T00:00:00Z', ...more }, 'branch'),
  reason: 'old',
  ageMs: undefined,
});

/** A child and then its parent are to go: what is told of them, and how it ends. */
async function outcomesOf(replies: Reply[]) {
  const { api } = mockApi(replies);
  const quiet = () => {};
  const context: Context = {
    inputs: { project_id: 'p', hard_delete: false } as Context['inputs'],
    command: 'prune',
    event: parseEvent(events.pullRequest()),
    api,
    log: { info: quiet, debug: quiet, notice: quiet, warning: quiet },
    mask: quiet,
    progress: quiet,
    remember: quiet,
  };
  const layers = [[take('child', { parent_id: 'parent' })], [take('parent')]];
  let told: PrunedBranch[] = [];
  const report = ({ pruned }: { pruned: PrunedBranch[] }) => {
    told = pruned;
  };
  const plan = { layers, kept: [], total: 2, now: 0 };
  const error = await removeAll({ context, plan, wait: true, report }).then(
    () => undefined,
    (thrown: Error) => thrown.message,
  );
  return { error, told: told.map(({ id, outcome, note }) => [id, outcome, note]) };
}

it.each([
  ['could not be deleted', [{ status: 403 }], 'failed', 'its child branch "child" could not be deleted'],
  [
    'may be gone',
    [{ status: 504 }, { status: 403 }],
    'unsure',
    'whether its child branch "child" is gone was not seen',
  ],
] as const)('a parent stays, and says why, where its child %s', async (_, replies, outcome, why) => {
  expect((await outcomesOf([...replies])).told).toEqual([
    ['child', outcome, expect.stringContaining('answered 403')],
    ['parent', 'failed', why],
  ]);
});

it('a branch that may be gone is told where the key is rejected after that', async () => {
  const { error, told } = await outcomesOf([{ status: 504 }, { status: 401 }]);
  expect(error).toContain('answered 401');
  expect(told).toEqual([['child', 'unsure', expect.stringContaining('answered 401')]]);
});
