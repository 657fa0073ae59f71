import type { Renames } from './apply-renames.ts';
import type { Schema, Table } from './model.ts';
import { bare, isLost, lost, tableOf, unqualified, withoutLost } from './names.ts';
import type { ParsedSchema } from './read-schema.ts';
import { Changed, matchColumns, usualNotNull } from './rename-columns.ts';
import { formatType } from './type.ts';

/** All renames of tables and columns, if they are known from elsewhere. */
export type KnownRenames = Pick<Renames, 'tables' | 'columns'>;

/** What two schemas show of names that changed. */
export interface RenameEvidence {
  /** What is proven. */
  renames: Renames;
  /** What else a table or a column that is gone may be called now, by its old name. */
  maybe: Map<string, string[]>;
}

/**
 * Finds renames that the schemas prove. Tables: the names of indexes, sequences and NOT NULL constraints stay when a table is renamed.
 * Columns: new ones are always added at the end, so a new name in front of a column that stayed belongs to an old column; and whatever
 * refers to a column follows it. With `known` tables and columns, only enums are left to find.
 */
export function findRenames(old: ParsedSchema, fresh: ParsedSchema, known?: KnownRenames): RenameEvidence {
  const [before, after] = [old.model, fresh.model];
  const tables = new Map(known?.tables ?? renamedTables(before, after));
  const columns = new Map(known?.columns);
  const [types, values] = [renamedTypes(before, after), renamedValues(before, after)];
  const renames = { tables, columns, types, values };
  const maybe = known ? new Map() : guessedTables(before, after, tables);
  const taken = new Set(tables.values());
  const changed = new Changed(old.statements, fresh.statements);
  for (const [old, was] of known ? [] : before.tables) {
    const now = tables.get(old) ?? (taken.has(old) ? undefined : old);
    const is = now === undefined ? undefined : after.tables.get(now);
    if (!is || now === undefined) continue;
    if (matchColumns({ old, was, fresh: now, is, statements: changed, renames, maybe })) tables.set(old, lost(now));
  }
  markTaken(renames, before);
  return { renames, maybe };
}

/** If an object is gone and a renamed one now has its name, the old one gets an impossible name, so that the two are not compared. */
function markTaken({ tables, columns }: Renames, before: Schema): void {
  for (const fresh of tables.values()) {
    if (before.tables.has(fresh) && !tables.has(fresh)) tables.set(fresh, lost(fresh));
  }
  for (const [old, fresh] of columns) {
    const taken = `${tableOf(old)}.${unqualified(fresh)}`;
    const isTaken = before.tables.get(tableOf(old))?.columns.has(unqualified(fresh)) === true;
    if (isTaken && !columns.has(taken)) columns.set(taken, lost(fresh));
  }
}

/** Marks tables whose name one of another kind has now: they were dropped or renamed. Returns whether there are any. */
export function markReplaced({ tables }: Renames, before: Schema, after: Schema): boolean {
  const replaced = [...before.tables].filter(([name, { made }]) => (after.tables.get(name)?.made ?? made) !== made);
  const oldNames = new Map([...tables].map(([old, fresh]) => [fresh, old]));
  for (const [name] of replaced) tables.set(oldNames.get(name) ?? name, lost(oldNames.get(name) ?? name));
  return replaced.length > 0;
}

/** What is known about an object that is gone, by its old name: which object has that name now, or what it may be called now. */
export function fateOf({ renames, maybe }: RenameEvidence, object: string): string {
  const old = withoutLost(object);
  const [taker] = [...renames.tables, ...renames.columns].find(([, fresh]) => fresh === old) ?? [];
  const names = maybe.get(old) ?? [];
  const isMarked = isLost(renames.tables.get(old) ?? renames.columns.get(old) ?? '');
  const made = renames.columns.has(old) ? 'added' : 'created';
  const again = taker === undefined ? `dropped and ${made} again` : `${taker} now has this name`;
  const guess = names.length === 0 ? '' : `possibly renamed to ${names.slice(0, 3).join(' or ')}`;
  return [isMarked ? again : '', guess].filter(Boolean).join('; ');
}

/** A table, and the names that stay when it gets another one. */
interface Traces {
  table: Table;
  /** Of indexes and sequences: there is only one of each in a schema. */
  names: Set<string>;
  /** Of checks and foreign keys, which another table may have, too. */
  constraints: Set<string>;
  notNulls: Set<string>;
}

function tracesIn({ tables, indexes, sequences }: Schema): Map<string, Traces> {
  const built = Map.groupBy(indexes, ([, { table }]) => table);
  const owned = Map.groupBy(sequences, ([, { owner = '' }]) => tableOf(owner));
  return new Map(
    [...tables].map(([name, table]) => {
      const { columns, constraints, partitionOf } = table;
      const shared = Map.groupBy(constraints, ([, { kind }]) => kind === 'check' || kind === 'foreign key');
      const lists = [shared.get(false), built.get(name), owned.get(name)];
      // A partition has the names of its partitioned table.
      const ofColumns = [...columns].filter(
        ([, { notNull, notNullName }]) => notNull && (notNullName === undefined || partitionOf === undefined),
      );
      return [
        name,
        {
          table,
          names: new Set(lists.flatMap((list = []) => list.map(([one]) => bare(one)))),
          constraints: new Set(shared.get(true)?.map(([one]) => bare(one))),
          notNulls: new Set(ofColumns.map(([column, { notNullName }]) => notNullName ?? usualNotNull(name, column))),
        },
      ];
    }),
  );
}

function renamedTables(before: Schema, after: Schema): Map<string, string> {
  const [then, now] = [tracesIn(before), tracesIn(after)];
  const fresh = [...now].filter(([name]) => !then.has(name));
  const replaced = [...now].filter(([name, is]) => isAnother(then.get(name)?.table, is.table));
  if (fresh.length + replaced.length === 0) return new Map();
  const byTrace = Map.groupBy(
    [...fresh, ...replaced].flatMap(([name, is]) => allOf(is).map((trace) => ({ trace, name, is }))),
    ({ trace }) => trace,
  );
  const pairs = [...then].flatMap(([old, was]) => {
    const stayed = now.get(old);
    // A table of the old name may be a new one, if what the old one had is now elsewhere.
    if (stayed && !isReplaced(was, stayed)) return [];
    const alike = new Map(allOf(was).flatMap((trace) => (byTrace.get(trace) ?? []).map(({ name, is }) => [name, is])));
    return [...alike].flatMap(([name, is]) => {
      const isTaken = then.has(name);
      if (name === old || (isTaken && stayed)) return [];
      const points = weigh({ old, was, name, is, isTaken });
      return points > 0 ? [{ old, name, points }] : [];
    });
  });
  pairs.sort((a, b) => b.points - a.points);
  const found = new Map<string, string>();
  const taken = new Set<string>();
  for (const { old, name } of pairs) {
    if (found.has(old) || taken.has(name)) continue;
    found.set(old, name);
    taken.add(name);
  }
  return found;
}

function allOf({ names, constraints, notNulls }: Traces): string[] {
  return [...names, ...constraints, ...notNulls];
}

/** Whether a table has nothing of the one that had its name before. */
function isReplaced(was: Traces, is: Traces): boolean {
  return was.names.size > 0 && ![...was.names].some((name) => is.names.has(name));
}

/** Whether a table has another one's NOT NULL constraints, and none of the old table with its name. */
function isAnother(was: Table | undefined, is: Table): boolean {
  const notNull = [...is.columns].filter(([, one]) => one.notNull);
  if (!was || notNull.every(([, { notNullName }]) => notNullName === undefined)) return false;
  return !notNull.some(([column, { notNullName }]) => {
    const old = was.columns.get(column);
    return old?.notNull === true && old.notNullName === notNullName;
  });
}

/** How much speaks for a table to be another one under a new name; 0 if nothing does that could not be chance. */
function weigh(pair: { old: string; was: Traces; name: string; is: Traces; isTaken: boolean }): number {
  const { old, was, name, is, isTaken } = pair;
  // In another schema, a new table has the same names. Schemas alone can't show that it was moved.
  if (tableOf(old) !== tableOf(name)) return 0;
  const [a, b] = [was.table, is.table];
  const common = [...a.columns.keys()].filter((column) => b.columns.has(column)).length;
  const names = [...was.names].filter((one) => is.names.has(one)).length;
  // A name that Postgres derived from the old table's.
  const constraints = [...was.constraints].filter((one) => is.constraints.has(one) && one.startsWith(`${bare(old)}_`));
  const shared = isTaken ? 0 : names + constraints.length;
  if (common * 2 < Math.max(1, a.columns.size) && shared < 2) return 0;
  const usual = [...b.columns].filter(
    ([, { notNullName }]) => b.partitionOf === undefined && notNullName !== undefined && was.notNulls.has(notNullName),
  );
  return shared + usual.length;
}

/** Renamed enums: they have the same values, perhaps more, and every column that had the old enum has the new one. */
function renamedTypes(before: Schema, after: Schema): Map<string, string> {
  const found = new Map<string, string>();
  const fresh = [...after.enums.keys()].filter((name) => !before.enums.has(name));
  const gone = [...before.enums.keys()].filter((name) => !after.enums.has(name));
  if (fresh.length * gone.length === 0) return found;
  const columns = [...before.tables].flatMap(([table, one]) =>
    [...one.columns].map(([column, { type }]) => ({
      type: type.name,
      now: after.tables.get(table)?.columns.get(column)?.type.name,
    })),
  );
  for (const old of gone) {
    const values = before.enums.get(old) ?? [];
    const now = new Set(columns.filter(({ type, now }) => type === old && now !== undefined).map(({ now }) => now));
    const same = fresh.filter((name) => after.enums.get(name)?.join('\0') === values.join('\0'));
    const larger = fresh.filter(
      (name) => now.has(name) && values.every((value) => after.enums.get(name)?.includes(value)),
    );
    const [name, other] = now.size > 0 ? (same.length > 0 ? same.filter((one) => now.has(one)) : larger) : same;
    if (name !== undefined && other === undefined && now.size < 2) found.set(old, name);
  }
  return found;
}

/**
 * The new names of an enum's values, by its name. A new value may be anywhere, and a recreated type has its values in any order. Only an
 * object that uses a value, such as a check or an index, proves that it was renamed.
 */
function renamedValues(before: Schema, after: Schema): Map<string, Map<string, string>> {
  const found = new Map<string, Map<string, string>>();
  for (const [type, was] of before.enums) {
    const is = after.enums.get(type);
    if (!is || was.every((value) => is.includes(value))) continue;
    const names = new Map(was.map((value, place) => [value, is[place] ?? '']));
    const isElsewhere = ([value, now]: [string, string]) => value !== now && (is.includes(value) || names.has(now));
    if (![...names].some(isElsewhere) && isRenamed(names, before, after)) found.set(type, names);
  }
  return found;
}

/**
 * Whether the values were renamed: each is in its old place, and objects that use one, such as checks or indexes, now have the new name.
 */
function isRenamed(names: Map<string, string>, before: Schema, after: Schema): boolean {
  const now = new Map(definitionsIn(after));
  return [...definitionsIn(before)].some(([key, text]) => {
    const renamed = text.replace(/"sval":("(?:[^"\\]|\\.)*")/g, (whole, value: string) => {
      const fresh = names.get(JSON.parse(value) as string);
      return fresh === undefined ? whole : `"sval":${JSON.stringify(fresh)}`;
    });
    return renamed !== text && now.get(key) === renamed;
  });
}

/** The objects that may contain a value, by name: they would have to be dropped before the type could be recreated. */
function* definitionsIn({ tables, indexes, views }: Schema): Generator<[key: string, text: string]> {
  for (const [table, { constraints, policies }] of tables)
    for (const [name, { definition }] of [...constraints, ...policies]) yield [`${table}.${name}`, definition];
  for (const [name, { definition }] of [...indexes, ...views]) yield [name, definition];
}

/** Tables that are gone, and new ones with the same columns: a guess. `renamed`: those that are known. */
function guessedTables(before: Schema, after: Schema, renamed: Map<string, string>): RenameEvidence['maybe'] {
  const maybe: RenameEvidence['maybe'] = new Map();
  const taken = new Set(renamed.values());
  // A dropped partition and a new one have the same columns, too.
  const fresh = [...after.tables].filter(
    ([name, { partitionOf }]) => !before.tables.has(name) && !taken.has(name) && partitionOf === undefined,
  );
  const byShape = Map.groupBy(fresh, ([, is]) => shapeOf(is));
  for (const [old, was] of before.tables) {
    if (after.tables.has(old) || renamed.has(old) || was.columns.size === 0) continue;
    const alike = byShape.get(shapeOf(was)) ?? [];
    const names = alike.map(([name]) => name);
    if (names.length > 0) maybe.set(old, names);
  }
  return maybe;
}

/** The columns of a table with their types. */
function shapeOf(table: Table): string {
  return [...table.columns].map(([name, { type }]) => `${name} ${formatType(type)}`).join(', ');
}
