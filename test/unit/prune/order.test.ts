import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Branch } from '../../../src/api/types.ts';
import { onlyRootTrees, orderOf } from '../../../src/prune/order.ts';
import type { Taken } from '../../../src/prune/rules.ts';

function branch(id: string, parent?: string): Branch {
  return {
    id,
    name: id,
    default: false,
    protected: false,
    current_state: 'ready',
    created_at: '',
    annotations: {},
    ...(parent === undefined ? {} : { parent_id: parent }),
  };
}

const taken = (one: Branch): Taken => ({ branch: one, reason: 'r', ageMs: undefined });

describe('the order of deletions', () => {
  it('puts children before their parents, and keeps a parent with a child that stays', () => {
    const all = [
      branch('main'),
      branch('a', 'main'),
      branch('b', 'a'),
      branch('c', 'b'),
      branch('d', 'main'),
      branch('e', 'd'),
    ];
    const order = orderOf(all.filter((one) => !['main', 'e'].includes(one.id)).map(taken), all);
    expect(order.layers.map((layer) => layer.map((one) => one.branch.id))).toEqual([['c'], ['b'], ['a']]);
    expect(order.kept.map((one) => [one.branch.id, one.children.map((child) => child.id)])).toEqual([['d', ['e']]]);
  });

  it('keeps every branch above one that stays', () => {
    const all = [branch('a'), branch('b', 'a'), branch('c', 'b')];
    const order = orderOf([taken(branch('a')), taken(branch('b', 'a'))], all);
    expect(order.layers).toEqual([]);
    expect(order.kept.map((one) => one.branch.id).sort()).toEqual(['a', 'b']);
  });

  it('deletes nothing of branches that are said to be each other’s parents', () => {
    const all = [branch('a', 'b'), branch('b', 'a')];
    expect(orderOf(all.map(taken), all).layers).toEqual([]);
  });

  it('never deletes a branch before its children, and none with a child that stays', () => {
    const trees = fc.array(fc.tuple(fc.nat(), fc.boolean()), { maxLength: 40 });
    fc.assert(
      fc.property(trees, (specs) => {
        const all = specs.map(([parent], index) => branch(`n${index}`, index === 0 ? undefined : `n${parent % index}`));
        const wanted = all.filter((_, index) => specs[index]?.[1]);
        const { layers, kept } = orderOf(wanted.map(taken), all);
        const gone = new Set<string>();
        for (const layer of layers) {
          for (const { branch: one } of layer) {
            for (const child of all.filter((other) => other.parent_id === one.id)) expect(gone).toContain(child.id);
          }
          for (const { branch: one } of layer) gone.add(one.id);
        }
        expect(gone.size + kept.length).toBe(wanted.length);
        for (const one of kept) expect(one.children.length).toBeGreaterThan(0);
      }),
    );
  });

  it('may leave out all but roots and what stands on them', () => {
    const all = [
      branch('main'),
      branch('a', 'main'),
      branch('b', 'a'),
      branch('root'),
      branch('c', 'root'),
      branch('d', 'c'),
      branch('kept'),
      branch('stays', 'kept'),
      branch('e', 'kept'),
    ];
    const order = orderOf(all.filter((one) => !['main', 'stays'].includes(one.id)).map(taken), all);
    const { layers, kept } = onlyRootTrees(order);
    expect(layers.map((layer) => layer.map((one) => one.branch.id))).toEqual([['d'], ['c'], ['root']]);
    expect(kept.map((one) => one.branch.id)).toEqual(['kept']);
    expect(onlyRootTrees(orderOf([taken(branch('a', 'main'))], all)).layers).toEqual([]);
  });

  it('is quick for thousands', { timeout: 5_000 }, () => {
    const all = Array.from({ length: 10_000 }, (_, i) => branch(`n${i}`, i % 3 === 0 ? undefined : `n${i - 1}`));
    expect(orderOf(all.map(taken), all).layers.map((layer) => layer.length)).toEqual([3334, 3333, 3333]);
  });
});
