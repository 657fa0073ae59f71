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
  const kept: StaleBranch[] = [];
  const staying = all.filter(({ id }) => !deletable.has(id));
  // Grows while it is gone through.
  for (const { parent_id = '' } of staying) {
    const parent = deletable.get(parent_id);
    if (parent === undefined) continue;
    deletable.delete(parent_id);
    kept.push(parent);
    staying.push(parent.branch);
  }
  const keptParents = kept.map((one) => ({
    ...one,
    children: (children.get(one.branch.id) ?? []).filter((child) => !deletable.has(child.id)),
  }));

  const layers: StaleBranch[][] = [];
  /** By ID, how many children are still to be deleted. */
  const before = new Map([...deletable.keys()].map((id) => [id, children.get(id)?.length ?? 0]));
  let layer = [...deletable.values()].filter(({ branch }) => before.get(branch.id) === 0);
  // Branches that are each other's parents are in no layer: nothing is done about such a response.
  while (layer.length > 0) {
    layers.push(layer);
    layer = layer.flatMap(({ branch: { parent_id = '' } }) => {
      const left = (before.get(parent_id) ?? 0) - 1;
      before.set(parent_id, left);
      return left === 0 ? (deletable.get(parent_id) ?? []) : [];
    });
  }
  return { layers, keptParents };
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
