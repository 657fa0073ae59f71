import type { Type } from './type.ts';

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
  ['varchar', ['text', 'citext']],
  ['text', ['varchar', 'citext']],
  ['citext', ['varchar', 'text', 'citext']],
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

/**
 * Types between which values are converted with a loss, unless `wider` says otherwise.
 */
const families = [
  ['int2', 'int4', 'int8', 'numeric', 'float4', 'float8'],
  ['date', 'timestamp'],
  ['cidr', 'inet'],
];

/** Types that are stored alike. Postgres changes nothing but the catalog. */
const alike = [
  ['text', 'varchar', 'citext'],
  ['cidr', 'inet'],
];

const texts = ['text', 'varchar', 'bpchar'];

/** Compares two types of a column; domains must have been replaced by what they are made of. */
export function typeChange(from: Type, to: Type): TypeChange {
  if (from.name === to.name && from.isArray === to.isArray && `${from.modifiers}` === `${to.modifiers}`) return 'none';
  if (from.isArray !== to.isArray) return isUnlimitedText(to) ? 'rewrite' : 'convert';
  const change = from.name === to.name ? ofModifiers(from, to) : ofNames(from, to);
  // Postgres looks at each element of an array if there is a limit, or another type.
  const isRead = from.isArray && (from.name !== to.name || to.modifiers.length > 0);
  return change === 'none' && isRead ? 'rewrite' : change;
}

function ofModifiers(from: Type, to: Type): TypeChange {
  // Nothing is converted to fit a type without a limit.
  if (to.modifiers.length === 0) return 'none';
  const [before, after] = [limitOf(from), limitOf(to)];
  switch (from.name) {
    case 'numeric':
      return ofDigits(digitsOf(from), digitsOf(to));
    case 'bpchar':
      return before < after ? 'rewrite' : 'narrow';
    case 'interval':
      return 'narrow';
    case 'varchar':
    case 'varbit':
    case 'time':
    case 'timetz':
    case 'timestamp':
    case 'timestamptz':
      return before <= after ? 'none' : 'narrow';
    default:
      return 'convert';
  }
}

function ofNames(from: Type, to: Type): TypeChange {
  const [a, b] = [lastPart(from.name), lastPart(to.name)];
  const whole = digits.get(a);
  if (whole !== undefined && b === 'numeric') {
    return ofDigits({ whole, fraction: 0 }, digitsOf(to)) === 'narrow' ? 'narrow' : 'rewrite';
  }
  if (wider.get(a)?.includes(b)) {
    if (limitOf(from) > limitOf(to)) return 'narrow';
    return alike.some((group) => group.includes(a) && group.includes(b)) ? 'none' : 'rewrite';
  }
  if (isUnlimitedText(to)) return 'rewrite';
  if (texts.includes(b)) return from.isArray ? 'convert' : 'narrow';
  return families.some((family) => family.includes(a) && family.includes(b)) ? 'narrow' : 'convert';
}

interface Digits {
  /** Before and after the decimal point. */
  whole: number;
  fraction: number;
}

function ofDigits(from: Digits, to: Digits): TypeChange {
  if (to.whole < from.whole || to.fraction < from.fraction) return 'narrow';
  return to.fraction === from.fraction ? 'none' : 'rewrite';
}

function digitsOf({ modifiers: [precision, scale = 0] }: Type): Digits {
  if (typeof precision !== 'number') return { whole: Number.POSITIVE_INFINITY, fraction: Number.POSITIVE_INFINITY };
  return { whole: precision - Number(scale), fraction: Number(scale) };
}

/** How long or how exact a value may be. */
function limitOf({ name, modifiers: [first] }: Type): number {
  if (typeof first === 'number') return first;
  if (name === 'date') return 0;
  return name.startsWith('time') ? 6 : Number.POSITIVE_INFINITY;
}

function isUnlimitedText({ name, modifiers, isArray }: Type): boolean {
  return (name === 'text' || name === 'varchar') && modifiers.length === 0 && !isArray;
}

/** An extension's type may be in any schema. */
function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}
