import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { onlyRootTrees, orderDeletions } from '../../../src/prune/order.ts';
import type { StaleBranch } from '../../../src/prune/rules.ts';
import type { Branch } from '../../../src/service/types.ts';

function branch(id: string, parent?: string): Branch {
  return {
    id,
    name: id,
    default: false,
    protected: false,
    current_state: 'ready',
    created_at: '',
    metadata: {},
    ...(parent === undefined ? {} : { parent_id: parent }),
  };
}

const stale = (one: Branch): StaleBranch => ({
  branch: one,
  reason: 'r',
  ageMs: undefined,
  evidence: { pullRequests: [], headRefs: [], gitRefs: [] },
  readAt: 0,
});

/** What `work` returns within 2 seconds of processor time, which other work on the machine does not count towards. */
function inTime<T>(work: () => T): T {
  const started = process.threadCpuUsage();
  const result = work();
  const { user, system } = process.threadCpuUsage(started);
  expect((user + system) / 1_000).toBeLessThan(2_000);
  return result;
}

describe('the order of deletions', () => {
  it('puts children before parents, and keeps a parent if one of its children is kept', () => {
    const all = [
      branch('main'),
      branch('a', 'main'),
      branch('b', 'a'),
      branch('c', 'b'),
      branch('d', 'main'),
      branch('e', 'd'),
    ];
    const order = orderDeletions(all.filter((one) => !['main', 'e'].includes(one.id)).map(stale), all);
    expect(order.layers.map((layer) => layer.map((one) => one.branch.id))).toEqual([['c'], ['b'], ['a']]);
    expect(order.keptParents.map((one) => [one.branch.id, one.children.map((child) => child.id)])).toEqual([
      ['d', ['e']],
    ]);
  });

  it('keeps all ancestors of a branch that is kept', () => {
    const all = [branch('a'), branch('b', 'a'), branch('c', 'b')];
    const order = orderDeletions([stale(branch('a')), stale(branch('b', 'a'))], all);
    expect(order.layers).toEqual([]);
    expect(order.keptParents.map((one) => one.branch.id).sort()).toEqual(['a', 'b']);
  });

  it("deletes no branches that are each other's parents", () => {
    const all = [branch('a', 'b'), branch('b', 'a')];
    expect(orderDeletions(all.map(stale), all).layers).toEqual([]);
  });

  it('never deletes a branch before its children, or with a child that is kept', () => {
    const trees = fc.array(fc.tuple(fc.nat(), fc.boolean()), { maxLength: 40 });
    fc.assert(
      fc.property(trees, (specs) => {
        const all = specs.map(([parent], index) => branch(`n${index}`, index === 0 ? undefined : `n${parent % index}`));
        const wanted = all.filter((_, index) => specs[index]?.[1]);
        const { layers, keptParents } = orderDeletions(wanted.map(stale), all);
        const gone = new Set<string>();
        for (const layer of layers) {
          for (const { branch: one } of layer) {
            for (const child of all.filter((other) => other.parent_id === one.id)) expect(gone).toContain(child.id);
          }
          for (const { branch: one } of layer) gone.add(one.id);
        }
        expect(gone.size + keptParents.length).toBe(wanted.length);
        for (const one of keptParents) expect(one.children.length).toBeGreaterThan(0);
      }),
    );
  });

  it('can be reduced to roots and their descendants', () => {
    const all = [
      branch('main'),
      branch('a', 'main'),
      branch('b', 'a'),
      branch('root'),
      branch('c', 'root'),
      branch('d', 'c'),
      branch('kept'),
      branch('other', 'kept'),
      branch('e', 'kept'),
    ];
    const order = orderDeletions(all.filter((one) => !['main', 'other'].includes(one.id)).map(stale), all);
    const { layers, keptParents } = onlyRootTrees(order);
    expect(layers.map((layer) => layer.map((one) => one.branch.id))).toEqual([['d'], ['c'], ['root']]);
    expect(keptParents.map((one) => one.branch.id)).toEqual(['kept']);
  });

  it('has no roots and no descendants of roots if only other branches are stale', () => {
    const all = [branch('main'), branch('a', 'main'), branch('b', 'main'), branch('c', 'b')];
    const order = orderDeletions(
      ['a', 'b'].map((id) => stale(branch(id, 'main'))),
      all,
    );
    expect(onlyRootTrees(order)).toEqual({ layers: [], keptParents: [] });
  });

  it('names all children that are kept, also if only because of their own', () => {
    const all = [branch('a'), branch('b', 'a'), branch('c', 'b'), branch('d', 'a'), branch('e', 'a')];
    const { keptParents } = orderDeletions(
      ['a', 'b', 'd'].map((id) => stale(branch(id, all.find((one) => one.id === id)?.parent_id))),
      all,
    );
    const names = keptParents.map((one) => [one.branch.id, one.children.map(({ id }) => id)]);
    expect(Object.fromEntries(names)).toEqual({ a: ['b', 'e'], b: ['c'] });
  });

  it.each(['deleted', 'kept'])('is fast for a chain of thousands of branches that are %s', (what) => {
    const all = Array.from({ length: 20_000 }, (_, i) => branch(`n${i}`, i === 0 ? undefined : `n${i - 1}`));
    const wanted = (what === 'kept' ? all.slice(0, -1) : all).map(stale);
    const { layers, keptParents } = inTime(() => orderDeletions(wanted, all));
    expect([layers.length, keptParents.length]).toEqual(what === 'kept' ? [0, 19_999] : [20_000, 0]);
  });

  it('is fast for thousands of branches', () => {
    const all = Array.from({ length: 10_000 }, (_, i) => branch(`n${i}`, i % 3 === 0 ? undefined : `n${i - 1}`));
    const { layers } = inTime(() => orderDeletions(all.map(stale), all));
    expect(layers.map((layer) => layer.length)).toEqual([3334, 3333, 3333]);
  });
});
