import { type Found, keptTables, type Sides } from './found.ts';
import type { Constraint, ConstraintKind, Index, Schema, Table } from './model.ts';
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
  const inTables = keptTables(sides).flatMap(({ name, was, is }) => {
    const pair: Pair = {
      table: name,
      was: { ...was, indexes: new Map(before.get(name)) },
      is: { ...is, indexes: new Map(after.get(name)) },
      inherited: constraintsAbove(was, sides.before),
    };
    return [...constraintsOf(pair), ...indexesOf(pair, sides)];
  });
  const views = [...sides.before.materializedViews].filter((name) => sides.after.materializedViews.has(name));
  const inViews = views.flatMap((name) => {
    const side = (indexes: typeof before): Side => ({
      constraints: new Map(),
      indexes: new Map(indexes.get(name)),
      columns: new Map(),
      made: '',
    });
    return indexesOf({ table: name, was: side(before), is: side(after) }, sides);
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

function constraintsAbove({ partitionOf }: Table, { tables }: Schema): Constraint[] {
  const above: Constraint[] = [];
  let parent = tables.get(partitionOf ?? '');
  for (let depth = 0; parent && depth < 16; depth++) {
    above.push(...parent.constraints.values());
    parent = tables.get(parent.partitionOf ?? '');
  }
  return above;
}

/** Whether all columns that something is about are gone; a column of another name counts as gone. */
function areGone({ columns }: { columns: string[] }, { was, is }: Pick<Pair, 'was' | 'is'>): boolean {
  const own = columns.filter((column) => was.columns.has(column));
  return own.length > 0 && own.every((column) => !is.columns.has(column));
}

function constraintsOf(pair: Pair): Found[] {
  const { table, was, is, inherited } = pair;
  const known = new Set([...was.constraints.values(), ...inherited].map(({ definition }) => definition));
  const kept = new Set([...is.constraints.values()].map(({ definition }) => definition));
  const found = (rule: RuleName, name: string, { definition }: Constraint, detail: string): Found => ({
    rule,
    object: `${table}.${name}`,
    detail,
    table,
    part: definition,
  });
  const fresh = [...is.constraints].filter(([, { definition }]) => !known.has(definition));
  const replaced = new Set(fresh.filter(([, { validated }]) => validated).map(([name]) => name));
  const added = fresh
    .filter(([, one]) => one.validated && !usesIndex(pair, one) && !refersToNothing(one, pair))
    .map(([name, one]) => {
      const isChanged = was.constraints.get(name)?.kind === one.kind;
      return found(
        addRules[one.kind],
        name,
        one,
        [columnList(one.columns), isChanged ? 'changed' : ''].filter(Boolean).join(', '),
      );
    });
  const unindexed = fresh
    .filter(([, one]) => one.kind === 'foreign key' && !isIndexed(one, is))
    .filter(([name]) => !was.constraints.has(name))
    .map(([name, one]) => found('foreign-key-without-index', name, one, columnList(one.columns)));
  const dropped = [...was.constraints]
    .filter(([name, one]) => !kept.has(one.definition) && !areGone(one, pair) && !isReplaced(name, one))
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
  if (kind !== 'unique' && kind !== 'primary key') return false;
  const left = new Set([...is.indexes.values()].map(({ definition }) => definition));
  return [...was.indexes.values()].some((index) => isUniqueOn(index, columns) && !left.has(index.definition));
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
  const keys = [...constraints.values()].filter(({ kind }) => kind === 'unique' || kind === 'primary key');
  const plain = [...indexes.values()].filter((index) => !/"(?:whereClause|expr)"/.test(index.definition));
  return [...keys, ...plain].some((one) => {
    const first = one.columns.slice(0, columns.length);
    return columns.every((column) => first.includes(column));
  });
}

/** An index of some rows, or of an expression, is of no use to a constraint. */
function isUniqueOn(index: Index, columns: string[]): boolean {
  const isPlain = !/"(?:whereClause|expr)"/.test(index.definition);
  return index.unique && isPlain && `${index.columns}` === `${columns}`;
}

function indexesOf(pair: Omit<Pair, 'inherited'>, { before, after }: Sides): Found[] {
  const { table, was, is } = pair;
  const known = new Set([...was.indexes.values()].map(({ definition }) => definition));
  const kept = new Set([...is.indexes.values()].map(({ definition }) => definition));
  const isNew = ({ definition }: Index) => !known.has(definition);
  const isDropped = ({ definition }: Index) => !kept.has(definition);
  const found = (rule: RuleName, name: string, detail: string): Found => ({
    rule,
    object: name,
    detail,
    indexed: table,
  });
  const fresh = [...is.indexes].filter(([, index]) => isNew(index));
  const added = fresh
    .filter(([name, index]) => !isPart(index, after.indexes, before.indexes) && !isEmpty(name, is, after.indexes))
    .map(([name, index]) =>
      found(
        index.unique ? 'add-unique' : 'add-index',
        name,
        [on(table, index), was.indexes.has(name) ? 'changed' : ''].filter(Boolean).join(', '),
      ),
    );
  const replaced = new Set(fresh.map(([name]) => name));
  const dropped = [...was.indexes]
    .filter(([, index]) => isDropped(index) && !isPart(index, before.indexes, after.indexes))
    .filter(([name, index]) => !areGone(index, pair) && !isPromoted(index, is) && !replaced.has(name))
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
  return [...constraints.values()].some(
    ({ kind, columns }) => (kind === 'unique' || kind === 'primary key') && isUniqueOn(index, columns),
  );
}

function on(table: string, { columns }: Index): string {
  return `on ${table}${columns.length > 0 ? ` ${columnList(columns)}` : ''}`;
}

function columnList(columns: string[]): string {
  return columns.length > 0 ? `(${columns.join(', ')})` : '';
}
