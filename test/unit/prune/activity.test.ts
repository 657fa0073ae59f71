import { describe, expect, it } from 'vitest';
import { keptForUse } from '../../../src/prune/activity.ts';
import { pruneContext, stale } from './prune-context.ts';

const now = Date.parse('2026-03-04T05:06:07Z');
const day = 86_400_000;
const at = (days: number) => new Date(now - days * day).toISOString();

/** Why each branch is kept with `unused_for: 3d`, if the project has these endpoints. */
async function kept(endpoints: object[], branches = [stale('a'), stale('b')]) {
  const { context, sent } = pruneContext([{ body: { endpoints } }]);
  const whys = await keptForUse(context, branches, { unusedFor: 3 * day, now });
  expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /api/v2/projects/p/endpoints']);
  return Object.fromEntries(whys);
}

describe('`unused_for`', () => {
  it.each([
    [3, undefined],
    [2, 'its compute was last active 2d ago, which is less than `unused_for`'],
    [-1, 'its compute is active'],
  ])('uses the last activity of the compute (%s days ago)', async (days, why) => {
    const endpoints = [
      { branch_id: 'a', last_active: at(days) },
      { branch_id: 'b', last_active: at(9) },
    ];
    expect(await kept(endpoints)).toEqual(why === undefined ? {} : { a: why });
  });

  it('uses the most recent activity of several endpoints', async () => {
    const endpoints = [9, 1, 9].map((days) => ({ branch_id: 'a', last_active: at(days) }));
    expect(await kept(endpoints)).toEqual({
      a: 'its compute was last active 24h ago, which is less than `unused_for`',
    });
  });

  it.each(['active', 'init'])('keeps a branch whose compute is %s, whenever it was last active', async (state) => {
    const endpoints = [
      { branch_id: 'a', last_active: at(9), current_state: state },
      { branch_id: 'b', last_active: at(9), current_state: 'idle' },
    ];
    expect(await kept(endpoints)).toEqual({ a: 'its compute is active' });
  });

  it.each([undefined, null, '', 'never', 5])(
    'keeps a branch whose last activity is unknown (%j)',
    async (lastActive) => {
      const endpoints = [
        { branch_id: 'a', last_active: lastActive },
        { branch_id: 'a', last_active: at(9) },
      ];
      expect(await kept(endpoints)).toEqual({ a: 'its last activity is unknown' });
    },
  );

  it('counts a branch without compute as unused since it was created or reset', async () => {
    const branches = [
      stale('a', { created_at: at(2) }),
      stale('b', { created_at: at(9) }),
      stale('c', { created_at: at(9), last_reset_at: at(1) }),
      stale('d', { created_at: 'never' }),
    ];
    expect(await kept([], branches)).toEqual({
      a: 'it has no compute, and was created or reset 2d ago, which is less than `unused_for`',
      c: 'it has no compute, and was created or reset 24h ago, which is less than `unused_for`',
      d: 'its last activity is unknown',
    });
  });

  it('keeps every branch if the time is unknown', async () => {
    const { context } = pruneContext([{ body: { endpoints: [{ branch_id: 'a', last_active: at(9) }] } }]);
    const branches = [stale('a'), stale('b', { created_at: at(9) })];
    const whys = await keptForUse(context, branches, { unusedFor: 3 * day, now: Number.NaN });
    expect([...whys.keys()]).toEqual(['a', 'b']);
  });

  it.each([{ endpoints: undefined }, { endpoints: [{ last_active: at(9) }] }])(
    'fails if the list is unreadable',
    async (body) => {
      const { context } = pruneContext([{ body }]);
      await expect(keptForUse(context, [stale('a')], { unusedFor: day, now })).rejects.toThrow('unexpected body');
    },
  );
});
