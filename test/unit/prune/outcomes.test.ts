import { describe, expect, it } from 'vitest';
import { isFailure } from '../../../src/result.ts';
import { pruneContext, stale } from './prune-context.ts';

describe('outcomes', () => {
  it('are listed and logged in order, with what is known of each branch', () => {
    const { outcomes, lines } = pruneContext([]);
    outcomes.deleted(stale('a', {}, { ageMs: 5 }));
    outcomes.gone(stale('b'));
    outcomes.failed(stale('c'), 'no');
    outcomes.failed(stale('d'), 'no response', { mayHaveActed: true });
    const reason = 'old';
    expect(outcomes.all()).toEqual([
      { id: 'a', name: 'a', reason, outcome: 'deleted', ageMs: 5 },
      { id: 'b', name: 'b', reason, outcome: 'gone' },
      { id: 'c', name: 'c', reason, outcome: 'failed', note: 'no' },
      { id: 'd', name: 'd', reason, outcome: 'unsure', note: 'no response' },
    ]);
    expect(outcomes.all().map(isFailure)).toEqual([false, false, true, true]);
    expect(lines).toEqual([
      'Deleted branch "a" (a): old',
      'Branch "b" (b) was already gone; it was stale, because old',
      'Branch "c" (c) was not deleted: no',
      'Branch "d" (d) may still exist: no response',
    ]);
  });

  it('are replaced by later ones', () => {
    const { outcomes } = pruneContext([]);
    outcomes.deleted(stale('a'));
    outcomes.failed(stale('a'), 'the operation failed');
    expect(outcomes.all()).toMatchObject([{ id: 'a', outcome: 'failed' }]);
  });

  it.each([
    [false, 'its child branch "child" could not be deleted'],
    [true, 'its child branch "child" may still exist'],
  ])('of a failed child block its parent (may have acted: %s)', (mayHaveActed, why) => {
    const { outcomes } = pruneContext([]);
    outcomes.deleted(stale('other', { parent_id: 'parent' }));
    expect(outcomes.blocked(stale('parent'))).toBe(false);
    outcomes.failed(stale('child', { parent_id: 'parent' }), 'no', { mayHaveActed });
    expect(outcomes.blocked(stale('parent'))).toBe(true);
    expect(outcomes.all().at(-1)).toMatchObject({ id: 'parent', outcome: 'failed', note: why });
    expect(outcomes.blocked(stale('child'))).toBe(false);
  });

  it('of a child that is kept keep its parent, unless another child failed', () => {
    const { outcomes } = pruneContext([]);
    outcomes.kept(stale('child', { parent_id: 'parent' }), 'pull request #7 is open');
    expect(outcomes.blocked(stale('parent'))).toBe(true);
    expect(outcomes.all()).toMatchObject([
      { id: 'child', outcome: 'kept', note: 'pull request #7 is open' },
      { id: 'parent', outcome: 'kept', note: 'its child branch "child" is kept' },
    ]);
    outcomes.failed(stale('other', { parent_id: 'parent' }), 'no');
    expect(outcomes.blocked(stale('parent'))).toBe(true);
    expect(outcomes.all()[1]).toMatchObject({ id: 'parent', outcome: 'failed' });
    outcomes.kept(stale('third', { parent_id: 'parent' }), 'pull request #8 is open');
    expect(outcomes.blocked(stale('parent'))).toBe(true);
    expect(outcomes.all()[1]).toMatchObject({ note: 'its child branch "other" could not be deleted' });
  });
});
