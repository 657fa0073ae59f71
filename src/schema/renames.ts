import { noRenames, type Renames, withRenames } from './apply-renames.ts';
import { ChangedTexts } from './changed-texts.ts';
import { byKey, detailOf, kept, missing } from './compare.ts';
import { type Domain, hasIndex, type Schema, type Table } from './model.ts';
import { isLost, lost, tableOf, unqualified, withoutLost } from './names.ts';
import { modelOf, type ParsedSchema } from './read-schema.ts';
import { isOfAnother, matchColumns, notNullNames, typeIn, usualNotNull } from './rename-columns.ts';
import { formatType } from './type.ts';

/** All renames of tables, and of columns by their table's new name, if they are known from elsewhere. */
export interface KnownRenames extends Pick<Renames, 'tables' | 'columns'> {
  /** Columns that were dropped, and others added under their names. */
  again: string[];
}

export interface Sides {
  /** With the new names of what was renamed. */
  before: Schema;
  after: Schema;
  renames: Renames;
  /** What an object that is gone may be called now, by its old name. */
  maybe: Map<string, string[]>;
}

/**
 * Finds renames that the schemas prove: there is evidence, and nothing that speaks against it. First those of tables and types; then, with
 * their new names, those of columns and of the values of enums. With `known` tables and columns, only the others are left to find.
 */
export function alignSchemas(old: ParsedSchema, { model: after }: ParsedSchema, known?: KnownRenames): Sides {
  const first: Renames = {
    ...noRenames(),
    tables: withTaken(known?.tables ?? renamedTables(old.model, after), old.model.tables),
    types: renamedTypes(old.model, after),
  };
  const named = renamed(old, first);
  const { model: before } = named;
  const maybe = guesses(before, after, known !== undefined);
  const changed = new ChangedTexts(before, after);
  const second: Renames = { ...noRenames(), values: renamedValues(before, after, changed) };
  if (known) {
    const has = (name: string) => before.tables.get(tableOf(name))?.columns.has(unqualified(name)) === true;
    const again = known.again.map((name) => [name, lost(name)] as const);
    second.columns = new Map([...withTaken(known.columns, { has }), ...again]);
  } else {
    const oldNames = new Map([...first.tables].map(([name, fresh]) => [fresh, name]));
    const byColumn = byKey(after.tables.values(), ({ columns }) => columns.keys());
    for (const { name, was, is } of kept(before.tables, after.tables)) {
      const oldName = oldNames.get(name) ?? name;
      const match = matchColumns({ name, oldName, was, is, namesNotNull: after.namesNotNull, changed });
      if (match.isAgain) second.tables.set(name, lost(name));
      else for (const [column, fresh] of match.renamed) second.columns.set(`${name}.${column}`, `${name}.${fresh}`);
      const tells = (column: string) => (byColumn.get(column)?.length ?? 0) < mostTables;
      for (const [column, names] of match.maybe) maybe.set(`${name}.${column}`, names.filter(tells));
    }
  }
  const aligned = renamed(named, second);
  // One of another kind was created under the name of a table that was dropped.
  const replaced = kept(aligned.model.tables, after.tables).filter(({ was, is }) => was.made !== is.made);
  const third = new Map(replaced.map(({ name }) => [name, lost(name)]));
  const tables = new Map([...first.tables, ...second.tables, ...third]);
  return {
    before: renamed(aligned, { ...noRenames(), tables: third }).model,
    after,
    renames: { ...second, tables, types: first.types },
    maybe,
  };
}

/** The old schema with the new names put in, so that only other changes are left to compare. */
function renamed(old: ParsedSchema, renames: Renames): ParsedSchema {
  const statements = withRenames(old.statements, renames);
  return statements === old.statements ? old : { ...old, statements, model: modelOf(old.text, statements) };
}

/** If a renamed object now has the name of one that is gone, that gets an impossible name, so that the two are not compared. */
function withTaken(renames: Map<string, string>, all: { has(name: string): boolean }): Map<string, string> {
  const taken = [...renames.values()].filter((name) => all.has(name) && !renames.has(name));
  return new Map([...renames, ...taken.map((name) => [name, lost(name)] as const)]);
}

/** In so many tables, a column's name says nothing about what another one is called now: `created_at`. */
const mostTables = 6;

/** What is known about an object that is gone: which object has its name now, or what it may be called now. */
export function fateOf({ renames, maybe }: Sides, object: string): string {
  const old = withoutLost(object);
  const all = isLost(object) ? [...renames.tables, ...renames.columns] : [];
  const [taker] = all.find(([, fresh]) => fresh === old) ?? [];
  const names = (maybe.get(old) ?? []).slice(0, 3);
  const made = renames.columns.has(old) ? 'added' : 'created';
  const again = taker ? `${taker} now has this name` : `dropped and ${made} again`;
  const isMoved = names.every((name) => unqualified(name) === unqualified(old));
  const guess = names.length === 0 ? '' : `possibly ${isMoved ? 'moved' : 'renamed'} to ${names.join(' or ')}`;
  return detailOf(isLost(object) ? again : '', guess);
}

interface Traces {
  table: Table;
  /** The names of indexes, keys and sequences: there is only one of each in a schema. */
  names: Set<string>;
  /** The names of NOT NULL constraints by column. All partitions may have those of their partitioned table. */
  notNulls: Map<string, string>;
}

function tracesIn({ tables, indexes, sequences }: Schema): Map<string, Traces> {
  const traces = new Map<string, Traces>();
  for (const [name, table] of tables) {
    const keys = [...table.constraints].filter(hasIndex);
    const notNulls = table.partitionOf === undefined ? notNullNames(name, table) : new Map<string, string>();
    traces.set(name, { table, names: new Set(keys.map(([key]) => key)), notNulls });
  }
  for (const [name, { table }] of indexes) traces.get(table)?.names.add(unqualified(name));
  for (const [name, { owner = '' }] of sequences) traces.get(tableOf(owner))?.names.add(unqualified(name));
  return traces;
}

/** Tables with their new names, and with impossible ones if another table has their name. */
function renamedTables(before: Schema, after: Schema): Map<string, string> {
  const [then, now] = [tracesIn(before), tracesIn(after)];
  const others = new Map([...now].filter(([name, is]) => isAnotherTable(name, then.get(name), is)));
  const keys = ({ names, notNulls }: Traces) => [...names, ...notNulls.values()];
  const alike = byKey(others, ([, is]) => keys(is));
  const pairs = [...then].flatMap(([old, was]) => {
    const stayed = now.get(old);
    // A table of the old name may also be a new one if what the old one had is now elsewhere.
    const isBare = was.names.size > 0 && missing(was.names, stayed?.names ?? was.names).length === was.names.size;
    if (stayed && !others.has(old) && !isBare) return [];
    const candidates = new Map(keys(was).flatMap((key) => alike.get(key) ?? []));
    return [...candidates].flatMap(([name, is]) => {
      const points = name === old ? 0 : weigh({ old, was, name, is }, { isTaken: then.has(name), after });
      return points > 0 ? [{ old, name, points }] : [];
    });
  });
  const found = new Map<string, string>();
  const taken = new Set<string>();
  for (const { old, name } of pairs.sort((a, b) => b.points - a.points)) {
    if (found.has(old) || taken.has(name)) continue;
    found.set(old, name);
    taken.add(name);
  }
  for (const name of others.keys()) if (then.has(name) && !found.has(name)) found.set(name, lost(name));
  return found;
}

/** Whether a table is new, or has only NOT NULL constraints that are named after another table. */
function isAnotherTable(name: string, was: Traces | undefined, is: Traces): boolean {
  if (!was) return true;
  const known = new Set([
    ...was.notNulls.values(),
    ...[...was.table.columns.keys()].map((one) => usualNotNull(name, one)),
  ]);
  const shared = [...is.notNulls].filter(([column]) => was.notNulls.has(column));
  return shared.length > 0 && shared.every(([column, one]) => !known.has(one) && isOfAnother(one, name, column));
}

/**
 * How much speaks for a table to be another one under a new name; 0 if nothing does that could not be chance, or if the names of its NOT NULL
 * constraints contradict it.
 */
function weigh(
  { old, was, name, is }: { old: string; was: Traces; name: string; is: Traces },
  { isTaken, after }: { isTaken: boolean; after: Schema },
): number {
  // In another schema, a new table has the same names. Schemas alone can't show that it was moved.
  if (tableOf(old) !== tableOf(name)) return 0;
  const known = new Set(was.notNulls.values());
  const kept = [...is.notNulls].filter(([column, one]) => known.has(one) && isOfAnother(one, name, column)).length;
  const shared = isTaken ? 0 : was.names.size - missing(was.names, is.names).length;
  const points = kept * 2 + shared;
  if (points === 0) return 0;
  const columns = [...was.table.columns.keys()];
  const common = columns.filter((column) => is.table.columns.has(column));
  const isNamed = (column: string) => was.notNulls.has(column) && is.notNulls.has(column);
  if (kept === 0 && after.namesNotNull && common.some(isNamed)) return 0;
  // One name may be chance, unless it is all that the old table had, and so are the columns.
  const isSame =
    common.length === columns.length && common.every((one) => typeIn(was.table, one) === typeIn(is.table, one));
  const isSimilar = common.length * 2 >= columns.length;
  return points >= (isSimilar ? 2 : 3) || (isSame && was.names.size === shared) ? points : 0;
}

/** What each object that may have another name says, apart from that name. Nothing is known of what a range is made of. */
function shapesIn({ tables, enums, domains, types, sequences }: Schema): Map<string, string> {
  const shape = (kind: string, ...parts: unknown[]) => `${kind} ${JSON.stringify(parts)}`;
  const checks = ({ constraints }: Domain) => [...constraints.values()].map(({ definition }) => definition).sort();
  const shapes = new Map<string, string>();
  for (const [name, { columns, partitionOf }] of tables) {
    // A dropped partition and a new one have the same columns.
    if (columns.size === 0 || partitionOf !== undefined) continue;
    shapes.set(name, shape('table', ...[...columns].map(([column, { type }]) => [column, formatType(type)])));
  }
  for (const [name, values] of enums) shapes.set(name, shape('enum', values));
  for (const [name, one] of domains)
    shapes.set(name, shape('domain', one.base, one.notNull, one.default?.text, checks(one)));
  for (const [name, attributes] of types) if (attributes.size > 0) shapes.set(name, shape('type', ...attributes));
  for (const [name, { owner, definition }] of sequences)
    if (owner === undefined) shapes.set(name, shape('sequence', definition));
  return shapes;
}

/** What objects that are gone may be called now: new ones of the same kind that say the same. */
function guesses(before: Schema, after: Schema, areTablesKnown: boolean): Sides['maybe'] {
  const [then, now] = [shapesIn(before), shapesIn(after)];
  const fresh = Map.groupBy(
    [...now].filter(([name]) => !then.has(name)),
    ([, shape]) => shape,
  );
  const gone = [...then].filter(([name, shape]) => !now.has(name) && !(areTablesKnown && shape.startsWith('table ')));
  return new Map(gone.map(([name, shape]) => [withoutLost(name), (fresh.get(shape) ?? []).map(([one]) => one)]));
}

/** Renamed types: they are made of the same, an enum perhaps of more, and every column that had the old type has the new one. */
function renamedTypes(before: Schema, after: Schema): Map<string, string> {
  const found = new Map<string, string>();
  const [then, now] = [before, after].map(
    (schema) => new Map([...shapesIn(schema)].filter(([, shape]) => /^(enum|domain|type) /.test(shape))),
  ) as [Map<string, string>, Map<string, string>];
  const fresh = [...now.keys()].filter((name) => !then.has(name));
  for (const [old, shape] of then) {
    if (now.has(old) || fresh.length === 0) continue;
    const used = new Set(
      [...before.tables].flatMap(([table, { columns }]) =>
        [...columns].flatMap(([column, { type }]) =>
          type.name === old ? (after.tables.get(table)?.columns.get(column)?.type.name ?? []) : [],
        ),
      ),
    );
    const values = before.enums.get(old);
    const same = fresh.filter((name) => now.get(name) === shape);
    const larger = fresh.filter((name) => values?.every((value) => after.enums.get(name)?.includes(value)));
    const names = used.size === 0 ? same : (same.length > 0 ? same : larger).filter((name) => used.has(name));
    const [name] = names;
    if (name !== undefined && names.length === 1 && used.size < 2) found.set(old, name);
  }
  return found;
}

/**
 * The new names of an enum's values, by its name. A new value may be anywhere, and a recreated type has its values in any order. Only an
 * object that uses a value, such as a check or an index, proves that it was renamed.
 */
function renamedValues(before: Schema, after: Schema, changed: ChangedTexts): Renames['values'] {
  const found: Renames['values'] = new Map();
  for (const [type, was] of before.enums) {
    const is = after.enums.get(type);
    if (!is || is.length < was.length || was.every((value) => is.includes(value))) continue;
    const names = new Map(was.map((value, place) => [value, is[place] ?? '']));
    const isElsewhere = ([value, now]: [string, string]) => value !== now && (is.includes(value) || names.has(now));
    if ([...names].some(isElsewhere)) continue;
    if (changed.followValues(type, names)) found.set(type, names);
  }
  return found;
}
