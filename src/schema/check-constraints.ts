import { changedParts, detailOf, type Found, kept } from './compare.ts';
import {
  type Constraint,
  type ConstraintKind,
  type Index,
  isPartitioned,
  type Schema,
  type Table,
  tablesAbove,
} from './model.ts';
import { unqualified } from './names.ts';
import type { Sides } from './renames.ts';
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
  const { before, after } = sides;
  const [was, is] = [sidesOf(before), sidesOf(after)];
  const tables = kept(before.tables, after.tables).map(({ name }) => name);
  const views = [...before.materializedViews].filter((name) => after.materializedViews.has(name));
  return [...tables, ...views].flatMap((table) => {
    const above = tablesAbove(table, before).map((name) => before.tables.get(name));
    const inherited = above.flatMap((one) => [...(one?.constraints.values() ?? [])]);
    const pair = { table, was: was(table), is: is(table), inherited };
    return [...constraintsOf(pair), ...indexesOf(pair, sides)];
  });
}

function sidesOf({ tables, indexes }: Schema): (name: string) => Side {
  const byTable = Map.groupBy(indexes, ([, { table }]) => table);
  const ofView = { constraints: new Map(), columns: new Map(), made: '' };
  return (name) => ({ ...(tables.get(name) ?? ofView), indexes: new Map(byTable.get(name)) });
}

type Side = Pick<Table, 'constraints' | 'columns' | 'made'> & { indexes: Map<string, Index> };

interface Pair {
  table: string;
  was: Side;
  is: Side;
  /** Of the tables that it was a partition of: if it is detached, their constraints become its own. */
  inherited: Constraint[];
}

/** Whether all columns that something is about are gone; a column of another name counts as gone. */
function areGone({ columns }: { columns: string[] }, { was, is }: Pair): boolean {
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
    .filter(([name, one]) => one.validated && usableIndex(pair, one) !== name)
    .map(([name, one]) => {
      const changed = was.constraints.get(name)?.kind === one.kind ? 'changed' : '';
      const index = usableIndex(pair, one);
      const attached = index && `built anew unless it took over the index ${index}`;
      return found(addRules[one.kind], name, one, detailOf(columnList(one.columns), changed, attached));
    });
  const hadColumns = (name: string, { columns }: Constraint) =>
    `${was.constraints.get(name)?.columns}` === `${columns}`;
  const unindexed = fresh
    .filter(([name, one]) => one.kind === 'foreign key' && !isIndexed(one, is) && !hadColumns(name, one))
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

/** The unique index that a new key may have taken over with USING INDEX, which gives it the key's name: one that is gone. */
function usableIndex({ was, is }: Pair, { kind, columns }: Constraint): string | undefined {
  const dropped = isKey({ kind }) ? changedParts(was.indexes, is.indexes.values()) : [];
  const [name] = dropped.find(([, index]) => isUniqueOn(index, columns)) ?? [];
  return name && unqualified(name);
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

function indexesOf(pair: Pair, { before, after }: Sides): Found[] {
  const { table, was, is } = pair;
  const found = (rule: RuleName, object: string, detail: string): Found => ({
    rule,
    object,
    detail,
    table,
    // Each partition's index has a name of its own.
    part: object,
  });
  const fresh = changedParts(is.indexes, was.indexes.values());
  const added = fresh
    .filter(([name, index]) => !isPart(index, after.indexes, before.indexes) && !isEmpty(name, is, after.indexes))
    .map(([name, index]) => {
      const changed = was.indexes.has(name) ? 'changed' : '';
      const detail = detailOf(on(table, index), changed, 'blocks writes unless created CONCURRENTLY');
      return found(index.unique ? 'add-unique' : 'add-index', name, detail);
    });
  const replaced = new Set(fresh.map(([name]) => name));
  const dropped = changedParts(was.indexes, is.indexes.values())
    .filter(([, index]) => !isPart(index, before.indexes, after.indexes) && !areGone(index, pair))
    .filter(([name, index]) => !isPromoted(index, is) && !replaced.has(name))
    .map(([name, index]) =>
      found('drop-index', name, detailOf(on(table, index), index.unique ? 'duplicates are now allowed' : '')),
    );
  return [...added, ...dropped];
}

/** Whether the index is that of a partitioned table, and none of its partitions has a part of it. */
function isEmpty(name: string, side: Side, indexes: Map<string, Index>): boolean {
  return isPartitioned(side) && ![...indexes.values()].some(({ partOf }) => partOf === name);
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
  return `on ${table} ${columnList(columns)}`.trimEnd();
}

function columnList(columns: string[]): string {
  return columns.length > 0 ? `(${columns.join(', ')})` : '';
}
