import { isDeepStrictEqual } from 'node:util';
import type { CollateClause, Node, TypeName } from 'libpg-query';
import { qualified } from './names.ts';
import { as, strings } from './tree.ts';

export interface Type {
  /** Qualified unless it is built in; built-in types have Postgres' internal name: `int4`. */
  name: string;
  /** `(10,2)`; an extension's type may have words. */
  modifiers: (number | string)[];
  isArray: boolean;
  /** Qualified; empty for the type's usual one. */
  collation: string;
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

export function readType(tree: TypeName | undefined, collate?: CollateClause): Type {
  const parts = strings(tree?.names);
  // Postgres' own names are never quoted, except for the one that would mean another type.
  const isOwn = parts[0] === 'pg_catalog' && parts[1] !== 'char';
  const name = isOwn ? parts.slice(1).join('.') : qualified(parts[0] === 'pg_catalog' ? parts.slice(1) : parts);
  const modifiers = (tree?.typmods ?? []).map(readModifier);
  const collation = qualified(strings(collate?.collname));
  return { name, modifiers, isArray: (tree?.arrayBounds?.length ?? 0) > 0, collation };
}

function readModifier(node: Node): number | string {
  const constant = as(node, 'A_Const');
  if (constant?.ival) return constant.ival.ival ?? 0;
  return constant?.sval?.sval ?? strings(as(node, 'ColumnRef')?.fields).join('.');
}

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

/**
 * What a change of a column's type does to existing rows. `none`: nothing is read or written. `rewrite`: every value fits, but the
 * table is rewritten. `narrow`: some values may not fit. `convert`: values become something else, or the change fails.
 */
export type TypeChange = 'none' | 'rewrite' | 'narrow' | 'convert';

/** The types that hold every value of a type; of dates, every one before the year 294277. */
const wider = new Map([
  ['int2', ['int4', 'int8', 'float4', 'float8']],
  ['int4', ['int8', 'float8']],
  ['float4', ['float8']],
  ['date', ['timestamp']],
  ['timestamp', ['timestamptz']],
  ['timestamptz', ['timestamp']],
  ['bpchar', ['varchar', 'text']],
  ['varchar', ['text', 'citext', 'json', 'jsonb']],
  ['text', ['varchar', 'citext', 'json', 'jsonb']],
  ['citext', ['varchar', 'text']],
  ['json', ['jsonb']],
  ['jsonb', ['json']],
  ['cidr', ['inet']],
  ['bit', ['varbit']],
]);

/** The digits that an integer type needs as a `numeric`. */
const digits = new Map([
  ['int2', 5],
  ['int4', 10],
  ['int8', 19],
]);

/** Types between which values are converted with a loss, unless `wider` says otherwise. */
const families = [
  ['int2', 'int4', 'int8', 'numeric', 'float4', 'float8'],
  ['date', 'timestamp'],
  ['cidr', 'inet'],
];

/** Types that are stored alike. Postgres changes nothing but the catalog. */
const alike = [
  ['text', 'varchar'],
  ['cidr', 'inet'],
];

const texts = ['text', 'varchar', 'bpchar'];

export function isText({ name }: Type): boolean {
  return texts.includes(name);
}

/** Whether different values stay different: then a unique index can't fail. They do in Postgres' own collations. */
export function staysUnique(from: Type, to: Type): boolean {
  if (to.collation !== from.collation && !/^(pg_catalog\..*)?$/.test(to.collation)) return false;
  return from.name === to.name || (digits.has(from.name) && (digits.has(to.name) || to.name === 'numeric'));
}

/** Compares two types of a column; domains must have been replaced by what they are made of. */
export function typeChange(from: Type, to: Type): TypeChange {
  if (isDeepStrictEqual(from, to)) return 'none';
  if (from.isArray !== to.isArray) return isUnlimitedText(to) ? 'rewrite' : 'convert';
  const change = from.name === to.name ? ofModifiers(from, to) : ofNames(from, to);
  // Postgres looks at each element of an array if there is a limit, or another type.
  const isRead = from.isArray && (from.name !== to.name || to.modifiers.length > 0);
  return change === 'none' && (isRead || from.collation !== to.collation) ? 'rewrite' : change;
}

function ofModifiers(from: Type, to: Type): TypeChange {
  // Nothing is converted to fit a type without a limit.
  if (to.modifiers.length === 0) return 'none';
  if (from.name === 'numeric') return ofDigits(digitsOf(from), digitsOf(to));
  const fits = limitOf(from) <= limitOf(to);
  if (/^(varchar|varbit|time(stamp)?(tz)?)$/.test(from.name)) return fits ? 'none' : 'narrow';
  if (from.name === 'bpchar') return fits ? 'rewrite' : 'narrow';
  return from.name === 'interval' ? 'narrow' : 'convert';
}

function ofNames(from: Type, to: Type): TypeChange {
  const [a, b] = [lastPart(from.name), lastPart(to.name)];
  const whole = digits.get(a);
  if (whole !== undefined && b === 'numeric') {
    return ofDigits([whole, 0], digitsOf(to)) === 'narrow' ? 'narrow' : 'rewrite';
  }
  // An extension was moved to another schema.
  if (a === b && from.name !== to.name) return 'none';
  if (wider.get(a)?.includes(b)) {
    if (limitOf(from) > limitOf(to)) return 'narrow';
    return alike.some((group) => group.includes(a) && group.includes(b)) ? 'none' : 'rewrite';
  }
  if (isUnlimitedText(to)) return 'rewrite';
  if (texts.includes(b)) return from.isArray ? 'convert' : 'narrow';
  return families.some((family) => family.includes(a) && family.includes(b)) ? 'narrow' : 'convert';
}

/** How many there are before and after the decimal point. */
type Digits = [whole: number, fraction: number];

function ofDigits(from: Digits, to: Digits): TypeChange {
  if (to[0] < from[0] || to[1] < from[1]) return 'narrow';
  return to[1] === from[1] ? 'none' : 'rewrite';
}

function digitsOf({ modifiers: [precision, scale = 0] }: Type): Digits {
  return typeof precision === 'number' ? [precision - Number(scale), Number(scale)] : [Infinity, Infinity];
}

/** How long or how exact a value may be. */
function limitOf({ name, modifiers: [first] }: Type): number {
  if (typeof first === 'number') return first;
  if (name === 'date') return 0;
  return name.startsWith('time') ? 6 : Infinity;
}

function isUnlimitedText({ name, modifiers, isArray }: Type): boolean {
  return (name === 'text' || name === 'varchar') && modifiers.length === 0 && !isArray;
}

/** An extension's type may be in any schema. */
function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}
