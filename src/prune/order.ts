import type { Branch } from '../api/types.ts';
import type { Taken } from './rules.ts';

/** A branch that the rules take and that stays all the same, because a child of it stays. */
export interface Kept extends Taken {
  /** The children that stay. */
  children: Branch[];
}

export interface Order {
  /** Children before their parents: each layer can go once the one before is gone. */
  layers: Taken[][];
  kept: Kept[];
}

/** Puts what is to be deleted in order, and leaves out every branch with a child that is not part of it. */
export function orderOf(taken: Taken[], all: Branch[]): Order {
  const children = Map.groupBy(
    all.filter((branch) => branch.parent_id !== undefined),
    (branch) => branch.parent_id ?? '',
  );
  const going = new Map(taken.map((one) => [one.branch.id, one]));
  const kept: Kept[] = [];
  for (let changed = true; changed; ) {
    changed = false;
    for (const [id, one] of going) {
      const staying = (children.get(id) ?? []).filter((child) => !going.has(child.id));
      if (staying.length === 0) continue;
      kept.push({ ...one, children: staying });
      going.delete(id);
      changed = true;
    }
  }

  const layers: Taken[][] = [];
  let left = new Map(going);
  while (left.size > 0) {
    const layer = [...left.values()].filter(
      (one) => !(children.get(one.branch.id) ?? []).some((child) => left.has(child.id)),
    );
    // Branches that are each other's parents cannot be; whoever says so is not believed.
    if (layer.length === 0) break;
    layers.push(layer);
    const gone = new Set(layer);
    left = new Map([...left].filter(([, one]) => !gone.has(one)));
  }
  return { layers, kept };
}

/** Whether a branch is a root: only deleting such a one makes room for another root. */
export function isRoot(branch: Branch): boolean {
  return branch.parent_id === undefined;
}

/** Of an order only the roots, and what has to go before them. */
export function onlyRootTrees({ layers, kept }: Order): Order {
  const going = new Set<string>();
  const trees: Taken[][] = [];
  // From the last layer back, so that each parent is seen before its children.
  for (const layer of layers.toReversed()) {
    const part = layer.filter(({ branch }) => isRoot(branch) || going.has(branch.parent_id ?? ''));
    for (const { branch } of part) going.add(branch.id);
    if (part.length > 0) trees.unshift(part);
  }
  return { layers: trees, kept: kept.filter(({ branch }) => isRoot(branch)) };
}
