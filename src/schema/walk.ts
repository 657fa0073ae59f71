import type { ColumnRef, FuncCall, Node } from 'libpg-query';
import type { Expression } from './model.ts';
import { canonical, qualified, strings } from './tree.ts';

/** All nodes of one kind in a tree, at any depth. */
function nodesIn<T>(tree: unknown, kind: string): T[] {
  const found: T[] = [];
  const open: unknown[] = [tree];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    for (const [key, value] of Object.entries(next)) {
      if (key === kind) found.push(value as T);
      open.push(value);
    }
  }
  return found;
}

/** The columns of its table that an expression reads. */
export function columnsIn(tree: unknown): string[] {
  return nodesIn<ColumnRef>(tree, 'ColumnRef').flatMap(({ fields }) => strings(fields).at(-1) ?? []);
}

export function readExpression(node: Node | undefined): Expression {
  return {
    text: canonical(node),
    calls: nodesIn<FuncCall>(node, 'FuncCall').map(({ funcname }) => {
      const parts = strings(funcname);
      return qualified(parts[0] === 'pg_catalog' ? parts.slice(1) : parts);
    }),
  };
}
