import type { ColumnRef, FuncCall, Node, RangeVar, RoleSpec } from 'libpg-query';
import { identifier, qualified } from './names.ts';

type Kind = Node extends infer N ? (N extends N ? keyof N : never) : never;
type Tree<K extends Kind> = Extract<Node, Record<K, unknown>> extends Record<K, infer T> ? T : never;

/** A function for each kind of node that needs one; the node is its last argument. */
export type ByKind<Context extends unknown[], Result> = {
  [K in Kind]?: (...args: [...context: Context, tree: Tree<K>]) => Result;
};

/** The function for a kind, which must get a node of that kind. */
export function ofKind<Context extends unknown[], Result>(table: ByKind<Context, Result>, kind: string | undefined) {
  return table[kind as Kind] as ((...args: [...context: Context, tree: unknown]) => Result) | undefined;
}

/** The node as one of a kind; undefined if it is of another. */
export function as<K extends Kind>(node: Node | undefined, kind: K): Tree<K> | undefined {
  return (node as Record<K, Tree<K>> | undefined)?.[kind];
}

export function all<K extends Kind>(nodes: Node[] | undefined, kind: K): Tree<K>[] {
  return (nodes ?? []).map((node) => as(node, kind)).filter((tree) => tree !== undefined);
}

/** The value of an option in a list, such as `WITH (…)`. */
export function optionOf(options: Node[] | undefined, name: string): Node | undefined {
  return all(options, 'DefElem').find(({ defname }) => defname === name)?.arg;
}

/** The parts of a name, or the items of a list of names. */
export function strings(nodes: Node[] | undefined): string[] {
  return all(nodes, 'String').map(({ sval }) => sval ?? '');
}

/** How the fields end that say where a node stood in the text, and that pg_dump writes only while a constraint is not validated. */
const incidental = ['location', '_start', '_end', '_len', 'skip_validation', 'initially_valid'];

/** A tree as text that is the same for the same SQL, wherever it stands. `except` are fields to leave out. */
export function canonical(tree: unknown, except: string[] = []): string {
  return (
    JSON.stringify(tree, (key, value) =>
      incidental.some((end) => key.endsWith(end)) || except.includes(key) ? undefined : value,
    ) ?? ''
  );
}

/** An expression in which each `(SELECT x)` without a table is `x`: it is evaluated once instead of for each row. */
export function withoutSubselects(tree: unknown): unknown {
  if (Array.isArray(tree)) return tree.map(withoutSubselects);
  if (typeof tree !== 'object' || tree === null) return tree;
  const link = as(tree as Node, 'SubLink');
  const select = link?.subLinkType === 'EXPR_SUBLINK' ? as(link.subselect, 'SelectStmt') : undefined;
  const [target, ...others] = all(select?.targetList, 'ResTarget');
  const isAlone = select && others.length === 0 && !select.fromClause && !select.whereClause && !select.larg;
  if (isAlone && target?.val) return withoutSubselects(target.val);
  return Object.fromEntries(Object.entries(tree).map(([key, value]) => [key, withoutSubselects(value)]));
}

export function relationName(relation: RangeVar | undefined): string {
  return qualified([relation?.schemaname, relation?.relname].filter((part) => part !== undefined));
}

export function roleName(role: RoleSpec | undefined): string {
  return role?.roletype === 'ROLESPEC_PUBLIC' ? 'PUBLIC' : identifier(role?.rolename ?? '');
}

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

export interface Expression {
  /** Its syntax tree as text. */
  text: string;
  /** The functions that it calls, as it writes them: unqualified names are built in. */
  calls: string[];
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

/** What a query reads from, without the joins in between. */
export function joinedIn(from: Node[] | undefined): Node[] {
  return (from ?? []).flatMap((node) => {
    const join = as(node, 'JoinExpr');
    return join ? joinedIn([join.larg, join.rarg].filter((one) => one !== undefined)) : [node];
  });
}

/** The tables that a query reads, by alias. */
export function tablesIn(from: Node[] | undefined): Map<string, string> {
  const tables = all(joinedIn(from), 'RangeVar');
  return new Map(tables.map((one) => [one.alias?.aliasname ?? one.relname ?? '', relationName(one)]));
}
