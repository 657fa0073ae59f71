import { type Found, keptTables, type Sides } from './found.ts';
import type { Constraint, ConstraintKind, Index, Schema, Table } from './model.ts';
import { renamedColumns, withNewNames } from './renames.ts';
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
    const renames = renamedColumns(was, is);
    const pair: Pair = {
      table: name,
      was: { constraints: was.constraints, indexes: new Map(before.get(name)), columns: was.columns },
      is: { constraints: is.constraints, indexes: new Map(after.get(name)), columns: is.columns },
      inherited: constraintsAbove(was, sides.before),
      renamed: (definition) => withNewNames(definition, renames),
      isGone: (column) => was.columns.has(column) && !is.columns.has(column) && !renames.has(column),
    };
    return [...constraintsOf(pair), ...indexesOf(pair, sides)];
  });
  const views = [...sides.before.materializedViews].filter((name) => sides.after.materializedViews.has(name));
  const inViews = views.flatMap((name) => {
    const side = (indexes: typeof before): Side => ({
      constraints: new Map(),
      indexes: new Map(indexes.get(name)),
      columns: new Map(),
    });
    return indexesOf(
      { table: name, was: side(before), is: side(after), renamed: (text) => text, isGone: () => false },
      sides,
    );
  });
  return [...inTables, ...inViews];
}

type Side = Pick<Table, 'constraints' | 'columns'> & { indexes: Map<string, Index> };

interface Pair {
  table: string;
  was: Side;
  is: Side;
  /** Those of the partitioned table that it was a partition of. If it is detached, they become its own. */
  inherited: Constraint[];
  /** A definition from before with the columns' new names. */
  renamed: (definition: string) => string;
  /** Whether a column was dropped. */
  isGone: (column: string) => boolean;
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

function constraintsOf({ table, was, is, inherited, renamed, isGone }: Pair): Found[] {
  const known = new Set([...was.constraints.values(), ...inherited].map(({ definition }) => renamed(definition)));
  const kept = new Set([...is.constraints.values()].map(({ definition }) => definition));
  const found = (rule: RuleName, name: string, { definition }: Constraint, detail: string): Found => ({
    rule,
    object: `${table}.${name}`,
    detail,
    table,
    part: definition,
  });
  const added = [...is.constraints]
    .filter(([, one]) => one.validated && !known.has(one.definition) && !hasIndex(was, one))
    .map(([name, one]) => found(addRules[one.kind], name, one, columnList(one.columns)));
  const dropped = [...was.constraints]
    .filter(([, one]) => !kept.has(renamed(one.definition)) && !one.columns.some(isGone))
    .map(([name, one]) => {
      const rule = one.kind === 'foreign key' ? 'drop-foreign-key' : 'drop-constraint';
      return found(rule, name, one, is.constraints.has(name) ? `${one.kind}, changed` : one.kind);
    });
  return [...added, ...dropped];
}

/** Whether a unique index existed that the constraint may use. */
function hasIndex({ indexes }: Side, { kind, columns }: Constraint): boolean {
  if (kind !== 'unique' && kind !== 'primary key') return false;
  return [...indexes.values()].some((index) => isUniqueOn(index, columns));
}

/** An index of some rows, or of an expression, is of no use to a constraint. */
function isUniqueOn(index: Index, columns: string[]): boolean {
  const isPlain = !/"(?:whereClause|expr)"/.test(index.definition);
  return index.unique && isPlain && `${index.columns}` === `${columns}`;
}

function indexesOf({ table, was, is, renamed, isGone }: Omit<Pair, 'inherited'>, { before, after }: Sides): Found[] {
  const known = new Set([...was.indexes.values()].map(({ definition }) => renamed(definition)));
  const kept = new Set([...is.indexes.values()].map(({ definition }) => definition));
  const isNew = ({ definition }: Index) => !known.has(definition);
  const isDropped = ({ definition }: Index) => !kept.has(renamed(definition));
  const found = (rule: RuleName, name: string, detail: string): Found => ({ rule, object: name, detail });
  const added = [...is.indexes]
    .filter(([, index]) => isNew(index) && !isPart(index, after.indexes, before.indexes))
    .map(([name, index]) => found(index.unique ? 'add-unique' : 'add-index', name, on(table, index)));
  const dropped = [...was.indexes]
    .filter(([, index]) => isDropped(index) && !isPart(index, before.indexes, after.indexes))
    .filter(([, index]) => !index.columns.some(isGone) && !isPromoted(index, is))
    .map(([name, index]) => found('drop-index', name, on(table, index)));
  return [...added, ...dropped];
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
