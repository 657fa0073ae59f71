import type { Branch } from '../service/types.ts';
import type { StaleBranch } from './rules.ts';

/** A stale branch that is kept because some of its children are. */
export interface KeptParent extends StaleBranch {
  /** The children that are kept. */
  children: Branch[];
}

export interface DeletionOrder {
  /** Children before their parents: a layer can be deleted once the one before it is gone. */
  layers: StaleBranch[][];
  keptParents: KeptParent[];
}

/** Puts stale branches in the order of their deletion, and leaves out every branch with a child that is not deleted. */
export function orderDeletions(stale: StaleBranch[], all: Branch[]): DeletionOrder {
  const children = Map.groupBy(all, (branch) => branch.parent_id);
  const deletable = new Map(stale.map((one) => [one.branch.id, one]));
  const keptParents: KeptParent[] = [];
  for (let changed = true; changed; ) {
    changed = false;
    for (const [id, one] of deletable) {
      const kept = (children.get(id) ?? []).filter((child) => !deletable.has(child.id));
      if (kept.length === 0) continue;
      keptParents.push({ ...one, children: kept });
      deletable.delete(id);
      changed = true;
    }
  }

  const layers: StaleBranch[][] = [];
  const remaining = new Map(deletable);
  for (;;) {
    const layer = [...remaining.values()].filter(
      (one) => !children.get(one.branch.id)?.some((child) => remaining.has(child.id)),
    );
    // Nothing remains, or branches that are each other's parents: nothing is done about such a response.
    if (layer.length === 0) return { layers, keptParents };
    layers.push(layer);
    for (const one of layer) remaining.delete(one.branch.id);
  }
}

/** Whether deleting the branch frees a slot for another root branch. */
export function isRoot(branch: Branch): boolean {
  return branch.parent_id === undefined;
}

/** Only the roots of an order, and the descendants that must be deleted before them. */
export function onlyRootTrees({ layers, keptParents }: DeletionOrder): DeletionOrder {
  const included = new Set<string>();
  const trees: StaleBranch[][] = [];
  // From the last layer back, so that each parent comes before its children.
  for (const layer of layers.toReversed()) {
    const part = layer.filter(({ branch }) => isRoot(branch) || included.has(branch.parent_id ?? ''));
    for (const { branch } of part) included.add(branch.id);
    if (part.length > 0) trees.unshift(part);
  }
  return { layers: trees, keptParents: keptParents.filter(({ branch }) => isRoot(branch)) };
}
