import { changedParts, type Found, kept, type Sides } from './compare.ts';
import { type Constraint, type ConstraintKind, type Index, type Table, tablesAbove } from './model.ts';
import type { RuleName } from './rules.ts';

const addRules: Record<ConstraintKind, RuleName> = {
  check: 'add-check',
  unique: 'add-unique',
  'primary key': 'add-primary-key',
  exclusion: 'add-exclusion',
  'foreign key': 'add-foreign-key',
};

/** Constraints and indexes of what both schemas have. They are compared by what they say: a new name changes nothing. */
export function checkConstraints(sides: Sides): Found[] {
  const before = Map.groupBy(sides.before.indexes, ([, { table }]) => table);
  const after = Map.groupBy(sides.after.indexes, ([, { table }]) => table);
  const inTables = kept(sides.before.tables, sides.after.tables).flatMap(({ name, was, is }) => {
    const pair: Pair = {
      table: name,
      was: { ...was, indexes: new Map(before.get(name)) },
      is: { ...is, indexes: new Map(after.get(name)) },
      inherited: tablesAbove(name, sides.before).flatMap((above) => [
        ...(sides.before.tables.get(above)?.constraints.values() ?? []),
      ]),
    };
    return [...constraintsOf(pair), ...indexesOf(pair, sides)];
  });
  const views = [...sides.before.materializedViews].filter((name) => sides.after.materializedViews.has(name));
  const nothingElse = { constraints: new Map(), columns: new Map(), made: '' };
  const inViews = views.flatMap((name) => {
    const was = { ...nothingElse, indexes: new Map(before.get(name)) };
    const is = { ...nothingElse, indexes: new Map(after.get(name)) };
    return indexesOf({ table: name, was, is }, sides);
  });
  return [...inTables, ...inViews];
}

type Side = Pick<Table, 'constraints' | 'columns' | 'made'> & { indexes: Map<string, Index> };

interface Pair {
  table: string;
  was: Side;
  is: Side;
  /** Those of the partitioned table that it was a partition of. If it is detached, they become its own. */
  inherited: Constraint[];
}

/** Whether all columns that something is about are gone; a column of another name counts as gone. */
function areGone({ columns }: { columns: string[] }, { was, is }: Pick<Pair, 'was' | 'is'>): boolean {
  const own = columns.filter((column) => was.columns.has(column));
  return own.length > 0 && own.every((column) => !is.columns.has(column));
}

function constraintsOf(pair: Pair): Found[] {
  const { table, was, is, inherited } = pair;
  const found = (rule: RuleName, name: string, { definition }: Constraint, detail: string): Found => ({
    rule,
    object: `${table}.${name}`,
    detail,
    table,
    part: definition,
  });
  const fresh = changedParts(is.constraints, [...was.constraints.values(), ...inherited]);
  const replaced = new Set(fresh.filter(([, { validated }]) => validated).map(([name]) => name));
  const added = fresh
    .filter(([, one]) => one.validated && !usesIndex(pair, one) && !refersToNothing(one, pair))
    .map(([name, one]) => {
      const changed = was.constraints.get(name)?.kind === one.kind ? 'changed' : '';
      return found(addRules[one.kind], name, one, [columnList(one.columns), changed].filter(Boolean).join(', '));
    });
  const unindexed = fresh
    .filter(([name, one]) => one.kind === 'foreign key' && !isIndexed(one, is) && !was.constraints.has(name))
    .map(([name, one]) => found('foreign-key-without-index', name, one, columnList(one.columns)));
  const dropped = changedParts(was.constraints, is.constraints.values())
    .filter(([name, one]) => !areGone(one, pair) && !isReplaced(name, one))
    .map(([name, one]) => {
      const rule = one.kind === 'foreign key' ? 'drop-foreign-key' : 'drop-constraint';
      return found(rule, name, one, is.constraints.has(name) ? `${one.kind}, changed` : one.kind);
    });
  function isReplaced(name: string, { kind }: Constraint): boolean {
    return replaced.has(name) && is.constraints.get(name)?.kind === kind;
  }
  return [...added, ...dropped, ...unindexed];
}

/** Whether a unique index existed that the constraint has taken over. One that is still there has not been. */
function usesIndex({ was, is }: Pick<Pair, 'was' | 'is'>, { kind, columns }: Constraint): boolean {
  const dropped = isKey({ kind }) ? changedParts(was.indexes, is.indexes.values()) : [];
  return dropped.some(([, index]) => isUniqueOn(index, columns));
}

/** Whether all columns of a foreign key are new and NULL, so that Postgres has nothing to look up. */
function refersToNothing({ kind, columns }: Constraint, { was, is }: Pair): boolean {
  if (kind !== 'foreign key') return false;
  return columns.every((column) => {
    const one = is.columns.get(column);
    return one !== undefined && !was.columns.has(column) && !one.default && !one.generated && !one.identity;
  });
}

/** Whether an index or a key begins with the columns, in any order. */
function isIndexed({ columns }: Constraint, { constraints, indexes }: Side): boolean {
  return [...[...constraints.values()].filter(isKey), ...[...indexes.values()].filter(({ plain }) => plain)].some(
    (one) => {
      const first = one.columns.slice(0, columns.length);
      return columns.every((column) => first.includes(column));
    },
  );
}

function isKey({ kind }: Pick<Constraint, 'kind'>): boolean {
  return kind === 'unique' || kind === 'primary key';
}

function isUniqueOn(index: Index, columns: string[]): boolean {
  return index.unique && index.plain && `${index.columns}` === `${columns}`;
}

function indexesOf(pair: Omit<Pair, 'inherited'>, { before, after }: Sides): Found[] {
  const { table, was, is } = pair;
  const found = (rule: RuleName, object: string, detail: string): Found => ({ rule, object, detail, indexed: table });
  const fresh = changedParts(is.indexes, was.indexes.values());
  const added = fresh
    .filter(([name, index]) => !isPart(index, after.indexes, before.indexes) && !isEmpty(name, is, after.indexes))
    .map(([name, index]) => {
      const changed = was.indexes.has(name) ? ', changed' : '';
      return found(index.unique ? 'add-unique' : 'add-index', name, `${on(table, index)}${changed}`);
    });
  const replaced = new Set(fresh.map(([name]) => name));
  const dropped = changedParts(was.indexes, is.indexes.values())
    .filter(([, index]) => !isPart(index, before.indexes, after.indexes) && !areGone(index, pair))
    .filter(([name, index]) => !isPromoted(index, is) && !replaced.has(name))
    .map(([name, index]) =>
      found('drop-index', name, `${on(table, index)}${index.unique ? '; duplicates are now allowed' : ''}`),
    );
  return [...added, ...dropped];
}

/** Whether the index is that of a partitioned table, and none of its partitions has a part of it. */
function isEmpty(name: string, { made }: Side, indexes: Map<string, Index>): boolean {
  const isPartitioned = made !== '' && made !== 'foreign';
  return isPartitioned && ![...indexes.values()].some(({ partOf }) => partOf === name);
}

/** Whether the index is a part of one that is found itself. */
function isPart({ partOf = '' }: Index, own: Map<string, Index>, other: Map<string, Index>): boolean {
  const whole = own.get(partOf);
  return whole !== undefined && whole.definition !== other.get(partOf)?.definition;
}

/** Whether a constraint uses the index now. */
function isPromoted(index: Index, { constraints }: Side): boolean {
  return [...constraints.values()].some((one) => isKey(one) && isUniqueOn(index, one.columns));
}

function on(table: string, { columns }: Index): string {
  return `on ${table}${columns.length > 0 ? ` ${columnList(columns)}` : ''}`;
}

function columnList(columns: string[]): string {
  return columns.length > 0 ? `(${columns.join(', ')})` : '';
}
