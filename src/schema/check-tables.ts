import { listSome } from '../text/format.ts';
import { detailOf, type Found, findingsOf, type Kept, kept, missing } from './compare.ts';
import { type Column, type Domain, hasIndex, type Index, isPartitioned, type Schema, type Table } from './model.ts';
import { unqualified } from './names.ts';
import { fateOf, type Sides } from './renames.ts';
import { formatType, isText, staysUnique, type Type, type TypeChange, typeChange } from './type.ts';

export function checkTables(sides: Sides): Found[] {
  const changes = kept(sides.before.tables, sides.after.tables).flatMap(changesOf);
  return [...droppedTables(sides), ...changes, ...attached(sides), ...columns(sides)];
}

function droppedTables(sides: Sides): Found[] {
  const { before, after } = sides;
  // A partition goes with the partitioned table.
  const isPart = (name: string) => {
    const parent = before.tables.get(name)?.partitionOf;
    return parent !== undefined && !after.tables.has(parent);
  };
  return missing(before.tables.keys(), after.tables).flatMap((object): Found[] =>
    isPart(object) ? [] : [{ rule: 'drop-table', object, detail: fateOf(sides, object) }],
  );
}

function changesOf({ name, was, is }: Kept<Table>): Found[] {
  const isDetached = was.partitionOf !== undefined && is.partitionOf !== was.partitionOf;
  return findingsOf({ object: name, table: name }, [
    ['set-unlogged', is.unlogged && !was.unlogged],
    ['set-logged', was.unlogged && !is.unlogged],
    ['detach-partition', isDetached, `detached from ${was.partitionOf}`],
  ]);
}

/** Partitions that are new in a partitioned table: Postgres reads those that were tables before, and the default partition. */
function attached({ before, after }: Sides): Found[] {
  return [...after.tables].flatMap(([name, { partitionOf = '', isDefault }]): Found[] => {
    const [was, parent] = [before.tables.get(name), before.tables.get(partitionOf)];
    if (!parent || !isPartitioned(parent) || was?.partitionOf === partitionOf) return [];
    const [standard] = [...before.tables].find(([, one]) => one.partitionOf === partitionOf && one.isDefault) ?? [];
    const isRead = standard !== undefined && standard !== name && !isDefault;
    if (!was && !isRead) return [];
    const parts = [...(was ? [name] : []), ...(isRead ? [`the default partition ${standard}`] : [])];
    const detail = `to ${partitionOf}; scans ${parts.join(' and ')}`;
    return [{ rule: 'attach-partition', object: name, detail, table: was ? name : standard }];
  });
}

/** The columns of the tables that both schemas have. */
function columns(sides: Sides): Found[] {
  const byTable = Map.groupBy(sides.before.indexes, ([, { table }]) => table);
  return kept(sides.before.tables, sides.after.tables).flatMap(({ name: table, was, is }) => {
    const indexes = byTable.get(table) ?? [];
    const all = new Set([...was.columns.keys(), ...is.columns.keys()]);
    return [...all].flatMap((column): Found[] => {
      const [before, after] = [was.columns.get(column), is.columns.get(column)];
      const about = { object: `${table}.${column}`, table, part: column };
      if (!before) return after ? findingsOf(about, added(after, sides.after)) : [];
      if (after) return findingsOf(about, changed({ before, after, sides, of: { was, indexes, column } }));
      const fate = fateOf(sides, `${table}.${column}`);
      return [{ rule: 'drop-column', detail: detailOf(formatType(before.type), fate), ...about }];
    });
  });
}

type Checks = Parameters<typeof findingsOf>[1];

/** A column of a table before, and the table's indexes. */
interface Part {
  was: Table;
  indexes: [name: string, index: Index][];
  column: string;
}

function changed(options: { before: Column; after: Column; sides: Sides; of: Part }): Checks {
  const { before, after, sides, of } = options;
  const change = changeOfType(before.type, after.type, sides);
  const collation = (one: Type) => one.collation && ` COLLATE ${one.collation}`;
  const types = [before, after].map(({ type }) => `${formatType(type)}${collation(type)}`).join(' → ');
  const rewrite = detailOf(
    types,
    rewriteOf(before.type, after.type),
    rebuilt(of, !staysUnique(before.type, after.type)),
  );
  const left = new Set(domainsOf(after.type, sides.after).map(({ name }) => name));
  const lost = strictDomains(before.type, sides.before).filter((name) => !left.has(name));
  const [was, is] = [before.generated, after.generated];
  const isFilled = (after.default ?? after.identity ?? is) !== undefined;
  const expression = !was ? formatType(after.type) : was.stored ? 'its expression changed' : 'was virtual';
  return [
    // A column can't become a generated one.
    ['drop-column', is !== undefined && !was, `${formatType(before.type)}, replaced by a generated column`],
    ['narrow-type', change === 'narrow', types],
    ['convert-type', change === 'convert', types],
    ['rewrite-type', change === 'rewrite', rewrite],
    ['drop-constraint', change === 'none' && lost.length > 0, `without the checks of ${lost.join(', ')}`],
    ['set-not-null', after.notNull && !before.notNull && !refusesNull(of.was, of.column)],
    ['drop-not-null', before.notNull && !after.notNull],
    ['drop-default', (before.default ?? was) !== undefined && !isFilled],
    ['drop-identity', before.identity !== undefined && !after.identity],
    ['change-identity', before.identity === 'by default' && after.identity === 'always'],
    ['stored-generated', is?.stored === true && (!was?.stored || was.text !== is.text), expression],
  ];
}

/** Whether a validated check says no more than that the column is not NULL. */
function refusesNull({ constraints }: Table, column: string): boolean {
  return [...constraints.values()].some(
    ({ refusesNull, columns, validated }) => refusesNull && validated && `${columns}` === column,
  );
}

/** What else a change does that rewrites a table. */
function rewriteOf(from: Type, to: Type): string {
  const [a, b] = [from.name, to.name];
  if (/^timestamp(tz)?$/.test(a) && /^timestamp(tz)?$/.test(b) && a !== b)
    return "rewrites the table unless the session's time zone is UTC";
  if (`${a} ${b}` === 'json jsonb') return 'the order of keys and duplicate keys are not kept';
  const isOnlySorted =
    from.collation !== to.collation && typeChange({ ...from, collation: to.collation }, to) === 'none';
  if (isOnlySorted || /(^|\.)citext$/.test(a) !== /(^|\.)citext$/.test(b))
    return 'rebuilds indexes, not the table; comparisons change';
  return '';
}

/** The indexes and keys that Postgres builds anew with a column of another type. */
function rebuilt({ was, indexes, column }: Part, mayFail: boolean): string {
  const names = [...[...was.constraints].filter(hasIndex), ...indexes]
    .filter(([, { columns }]) => columns.includes(column))
    .map(([name, one]) => {
      const isUnique = 'kind' in one || one.unique;
      return `${unqualified(name)}${isUnique && mayFail ? ' (unique, may fail)' : ''}`;
    });
  return names.length === 0 ? '' : `rebuilds ${listSome(names, 5)}`;
}

/** A domain is compared by what it is made of. One with constraints is checked in every row. */
function changeOfType(from: Type, to: Type, { before, after }: Sides): TypeChange {
  const base = baseOf(from, before);
  // It works, or it fails; no value becomes another one.
  const isEnum = after.enums.has(to.name) && isText(base) && base.isArray === to.isArray;
  const change = isEnum ? 'rewrite' : typeChange(base, baseOf(to, after));
  const known = new Set(domainsOf(from, before).map(({ name }) => name));
  const isStricter = strictDomains(to, after).some((name) => !known.has(name));
  return isStricter && change === 'none' ? 'rewrite' : change;
}

function baseOf(type: Type, schema: Schema): Type {
  return domainsOf(type, schema).at(-1)?.base ?? type;
}

/** The domains that a type is made of, from the outermost, each with what it is made of itself. */
function domainsOf(type: Type, schema: Schema, depth = 0): { name: string; domain: Domain; base: Type }[] {
  const domain = depth < 16 ? schema.domains.get(type.name) : undefined;
  if (!domain) return [];
  const { base: own } = domain;
  const base = { ...own, isArray: type.isArray || own.isArray, collation: type.collation || own.collation };
  return [{ name: type.name, domain, base }, ...domainsOf(base, schema, depth + 1)];
}

/** The names of those that Postgres checks in every row, even if all have the same value. */
function strictDomains(type: Type, schema: Schema): string[] {
  const strict = domainsOf(type, schema).filter(({ domain }) => domain.notNull || domain.constraints.size > 0);
  return strict.map(({ name }) => name);
}

function added(after: Column, schema: Schema): Checks {
  const { type, identity, generated } = after;
  const domains = type.isArray ? [] : domainsOf(type, schema).map(({ domain }) => domain);
  const initial = after.default ?? domains.find((one) => one.default)?.default;
  const notNull = after.notNull || domains.some((one) => one.notNull);
  const isStrict = !type.isArray && strictDomains(type, schema).length > 0;
  const volatile = initial?.calls.find((call) => isVolatile(call, schema));
  return [
    ['add-not-null-column', notNull && !initial && !generated && !identity, formatType(type)],
    ['rewrite-type', isStrict, `${formatType(type)}, a domain with constraints`],
    ['stored-generated', generated?.stored === true, formatType(type)],
    ['volatile-default', (identity ?? volatile) !== undefined, identity ? 'identity' : `${volatile}()`],
  ];
}

/** Postgres' own functions that return another value in each row. */
const volatileFunctions = /^(clock_timestamp|gen_random_uuid|nextval|random(_normal)?|uuidv[47])$/;

/** Whether a function returns another value in each row; a function of an extension may. */
function isVolatile(call: string, { functions }: Schema): boolean {
  if (!call.includes('.')) return volatileFunctions.test(call);
  const known = [...functions.values()].filter(({ name }) => name === call);
  return known.length === 0 || known.some(({ volatile }) => volatile);
}
