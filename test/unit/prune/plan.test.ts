import { describe, expect, it } from 'vitest';
import type { Context } from '../../../src/context.ts';
import { planPrune } from '../../../src/prune/plan.ts';
import { parseEvent } from '../../../src/runner/event.ts';
import * as events from '../../support/events.ts';
import { mockApi, type Reply } from '../../support/mock-api.ts';

const event = parseEvent(events.pullRequest());

const raw = (id: string, more: object = {}) => ({ id, name: id, created_at: '2025-01-01T00:00:00Z', ...more });

function page(branches: { id: string }[], next?: string): Reply {
  const annotation = { value: { 'github-commit-repo': event.repository } };
  const annotations = Object.fromEntries(branches.map(({ id }) => [id, annotation]));
  return { body: { branches, annotations, pagination: next === undefined ? {} : { next } } };
}

/** The IDs that a prune by age would delete, in order. */
async function planned(pages: Reply[]): Promise<string[]> {
  const { api } = mockApi(pages);
  const quiet = () => {};
  const { layers } = await planPrune({
    inputs: { project_id: 'p', older_than: 1 } as Context['inputs'],
    command: 'prune',
    event,
    api,
    log: { info: quiet, debug: quiet, notice: quiet, warning: quiet },
    mask: quiet,
    progress: quiet,
    saveForPostStep: quiet,
  });
  return layers.flat().map(({ branch }) => branch.id);
}

describe('a branch that is listed twice', () => {
  it.each(['default', 'primary', 'protected'])('is kept if either entry says that it is %s', async (guard) => {
    const [now, before] = [raw('br-1'), raw('br-1', { [guard]: true })];
    expect(await planned([page([before], 'b'), page([now, raw('br-2')])])).toEqual(['br-2']);
    expect(await planned([page([now], 'b'), page([before, raw('br-2')])])).toEqual(['br-2']);
    expect(await planned([page([before, now])])).toEqual([]);
  });

  it('has the parent of its last entry', async () => {
    const guarded = raw('br-3', { protected: true, parent_id: 'br-1' });
    expect(
      await planned([page([raw('br-1'), raw('br-2'), guarded], 'b'), page([raw('br-3', { parent_id: 'br-2' })])]),
    ).toEqual(['br-1']);
  });
});
