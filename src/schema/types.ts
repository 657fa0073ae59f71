/** What a change of type means for existing values: they all fit (`wider`), some may not (`narrower`), or they are converted (`other`). */
export type Change = 'same' | 'wider' | 'narrower' | 'other';

interface Type {
  /** Without modifiers, in Postgres' own spelling. */
  name: string;
  /** `(10,2)` as numbers. */
  modifiers: number[];
  array: string;
}

const spellings: Record<string, string> = {
  int: 'integer',
  int2: 'smallint',
  int4: 'integer',
  int8: 'bigint',
  varchar: 'character varying',
  char: 'character',
  bpchar: 'character',
  decimal: 'numeric',
  bool: 'boolean',
  float4: 'real',
  float8: 'double precision',
  timestamp: 'timestamp without time zone',
  timestamptz: 'timestamp with time zone',
  time: 'time without time zone',
  timetz: 'time with time zone',
  varbit: 'bit varying',
};

/** All dimensions of an array. The lookbehind keeps the match from starting within them, which would take quadratic time. */
const dimensions = /(?<!\])(\[\d*\])+$/;

function read(text: string): Type {
  const array = dimensions.exec(text)?.[0].replace(/\d/g, '') ?? '';
  const plain = text.replace(dimensions, '').toLowerCase();
  const modifiers = /\(([\d, ]+)\)/.exec(plain)?.[1]?.split(',').map(Number) ?? [];
  const bare = plain
    .replace(/\([\d, ]+\)/, '')
    .replace(/\s+/g, ' ')
    .trim();
  return { name: spellings[bare] ?? bare, modifiers, array };
}

/** From narrow to wide: a value of one type fits into every later one. */
const ladders = [
  ['smallint', 'integer', 'bigint', 'numeric'],
  ['smallint', 'integer', 'double precision'],
  ['real', 'double precision'],
  ['date', 'timestamp without time zone', 'timestamp with time zone'],
  ['time without time zone', 'time with time zone'],
  ['character', 'character varying', 'text'],
  ['bit', 'bit varying'],
  ['json', 'jsonb'],
  ['jsonb', 'json'],
  ['cidr', 'inet'],
];

/** The limit of a type; without a modifier, its default. */
function limit(type: Type): number {
  const [first] = type.modifiers;
  if (first !== undefined) return first;
  if (['character', 'bit'].includes(type.name)) return 1;
  if (/^(time|timestamp|interval)/.test(type.name)) return 6;
  return Number.POSITIVE_INFINITY;
}

function changeOfModifiers(from: Type, to: Type): Change {
  if (from.name !== 'numeric') {
    const [before, after] = [limit(from), limit(to)];
    return before === after ? 'same' : before < after ? 'wider' : 'narrower';
  }
  // Digits before and after the decimal point.
  const digits = ({ modifiers: [precision, scale = 0] }: Type) =>
    precision === undefined ? [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY] : [precision - scale, scale];
  const [wholeBefore = 0, partBefore = 0] = digits(from);
  const [wholeAfter = 0, partAfter = 0] = digits(to);
  if (wholeAfter < wholeBefore || partAfter < partBefore) return 'narrower';
  return wholeAfter === wholeBefore && partAfter === partBefore ? 'same' : 'wider';
}

const integers: Record<string, number> = { smallint: 5, integer: 10, bigint: 19 };

/** Compares two types of a column. */
export function typeChange(before: string, after: string): Change {
  const from = read(before);
  const to = read(after);
  if (from.array !== to.array)
    return isText(to) && to.array === '' && limit(to) === Number.POSITIVE_INFINITY ? 'wider' : 'other';
  if (from.name === to.name) return changeOfModifiers(from, to);
  // Every value can be written as text; arrays of them differ.
  if (isText(to) && limit(to) === Number.POSITIVE_INFINITY && from.array === '') return 'wider';
  const wholeDigits = integers[from.name];
  if (wholeDigits !== undefined && to.name === 'numeric' && to.modifiers.length > 0) {
    const [precision = 0, scale = 0] = to.modifiers;
    return precision - scale >= wholeDigits ? 'wider' : 'narrower';
  }
  const place = (ladder: string[]) => [ladder.indexOf(from.name), ladder.indexOf(to.name)] as const;
  const steps = ladders.map(place).filter(([a, b]) => a >= 0 && b >= 0);
  const cut = Number.isFinite(limit(from)) && limit(to) < limit(from);
  if (steps.some(([a, b]) => a < b)) return cut ? 'narrower' : 'wider';
  return steps.length > 0 ? 'narrower' : 'other';
}

function isText({ name }: Type): boolean {
  return name === 'text' || name === 'character varying';
}

const words =
  /^(smallint|integer|bigint|int[248]?|numeric|decimal|real|double precision|money|text|character varying|character|varchar|char|bpchar|name|bytea|boolean|bool|date|timestamp|timestamptz|time|timetz|interval|uuid|jsonb?|xml|inet|cidr|macaddr8?|bit|varbit|tsvector|tsquery|point|line|lseg|box|path|polygon|circle|oid|(int[48]|num|ts|tstz|date)(multi)?range|pg_lsn|citext|hstore|ltree|vector|geometry|geography)\b/;

/** Whether a text may be a type: a common one, or one with a schema. */
export function looksLikeType(text: string): boolean {
  return words.test(text) || /^("[^"]+"|[a-z_][\w$]*)\.("[^"]+"|[a-z_][\w$]*)(\(|\[|$)/.test(text);
}
