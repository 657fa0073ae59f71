import type { Node, TypeName } from 'libpg-query';
import { as, qualified, strings } from './tree.ts';

/** The type of a column. */
export interface Type {
  /** Qualified unless it is built in; built-in types have Postgres' internal name: `int4`. */
  name: string;
  /** `(10,2)`; an extension's type may have words. */
  modifiers: (number | string)[];
  isArray: boolean;
}

/** What SQL calls the types whose internal name it does not use. */
const names = new Map([
  ['int2', 'smallint'],
  ['int4', 'integer'],
  ['int8', 'bigint'],
  ['float4', 'real'],
  ['float8', 'double precision'],
  ['bool', 'boolean'],
  ['bpchar', 'character'],
  ['varchar', 'character varying'],
  ['varbit', 'bit varying'],
  ['time', 'time without time zone'],
  ['timetz', 'time with time zone'],
  ['timestamp', 'timestamp without time zone'],
  ['timestamptz', 'timestamp with time zone'],
]);

export function readType(tree: TypeName | undefined): Type {
  const parts = strings(tree?.names);
  // Postgres' own names are never quoted, except for the one that would mean another type.
  const isOwn = parts[0] === 'pg_catalog' && parts[1] !== 'char';
  const name = isOwn ? parts.slice(1).join('.') : qualified(parts[0] === 'pg_catalog' ? parts.slice(1) : parts);
  const modifiers = (tree?.typmods ?? []).map(readModifier);
  return { name, modifiers, isArray: (tree?.arrayBounds?.length ?? 0) > 0 };
}

function readModifier(node: Node): number | string {
  const constant = as(node, 'A_Const');
  if (constant?.ival) return constant.ival.ival ?? 0;
  return constant?.sval?.sval ?? strings(as(node, 'ColumnRef')?.fields).join('.');
}

/** The type as SQL writes it. */
export function formatType({ name, modifiers, isArray }: Type): string {
  // Without a length, `character` would be `character(1)`.
  const unlimited = name === 'bpchar' && modifiers.length === 0;
  const [first = '', ...rest] = (unlimited ? name : (names.get(name) ?? name)).split(' ');
  const shown = name === 'interval' ? modifiers.slice(1) : modifiers;
  const list = shown.length > 0 ? `(${shown.join(',')})` : '';
  const isTime = /^time/.test(name);
  const text = isTime ? [`${first}${list}`, ...rest].join(' ') : `${[first, ...rest].join(' ')}${list}`;
  return isArray ? `${text}[]` : text;
}

/** The types of a function's arguments, by which Postgres tells functions of one name apart. */
export function formatTypes(trees: (TypeName | undefined)[]): string {
  return trees.map((tree) => formatType(readType(tree))).join(', ');
}
