import { noRenames, type Renames } from './apply-renames.ts';
import type { Domain, Schema, Table } from './model.ts';
import { bare, isLost, lost, tableOf, unqualified, withoutLost } from './names.ts';
import type { ParsedSchema } from './read-schema.ts';
import { Changed, isOfAnother, matchColumns, notNullNames, typeIn, usualNotNull } from './rename-columns.ts';
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
 * Finds renames that the schemas prove: there is evidence, and nothing that speaks against it. Tables: the names of indexes, keys, sequences
 * and NOT NULL constraints stay when a table is renamed. Columns: see `matchColumns`. With `known` tables and columns, only types and the
 * values of enums are left to find.
 */
export function findRenames(old: ParsedSchema, fresh: ParsedSchema, known?: KnownRenames): RenameEvidence {
  const [before, after] = [old.model, fresh.model];
  const tables = new Map(known?.tables ?? renamedTables(before, after));
  const columns = new Map(known?.columns);
  const changed = new Changed(old.statements, fresh.statements);
  const [types, values] = [renamedTypes(before, after), renamedValues(before, after, changed)];
  const renames = { tables, columns, types, values };
  const maybe = guesses(before, after, renames, known !== undefined);
  const taken = new Set(tables.values());
  const isCommon = commonNames(after);
  for (const [old, was] of known ? [] : before.tables) {
    const now = tables.get(old) ?? (taken.has(old) ? undefined : old);
    const is = now === undefined ? undefined : after.tables.get(now);
    if (!is || now === undefined) continue;
    const { namesNotNull } = after;
    const pair = { old, was, fresh: now, is, namesNotNull, statements: changed, renames, maybe, isCommon };
    if (matchColumns(pair)) tables.set(old, lost(now));
  }
  markTaken(renames, before);
  return { renames, maybe };
}

/** In so many tables, a column's name says nothing about what another one is called now: `created_at`. */
const mostTables = 6;

function commonNames({ tables }: Schema): (column: string) => boolean {
  const counts = new Map<string, number>();
  for (const { columns } of tables.values())
    for (const name of columns.keys()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return (name) => (counts.get(name) ?? 0) >= mostTables;
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

/** Names that a finding says an object may have now. */
const mostGuesses = 3;

/** What is known about an object that is gone, by its old name: which object has that name now, or what it may be called now. */
export function fateOf({ renames, maybe }: RenameEvidence, object: string): string {
  const old = withoutLost(object);
  const [taker] = [...renames.tables, ...renames.columns].find(([, fresh]) => fresh === old) ?? [];
  const names = maybe.get(old) ?? [];
  const isMarked = isLost(renames.tables.get(old) ?? renames.columns.get(old) ?? '');
  const made = renames.columns.has(old) ? 'added' : 'created';
  const again = taker === undefined ? `dropped and ${made} again` : `${taker} now has this name`;
  const isMoved = names.length > 0 && names.every((name) => unqualified(name) === unqualified(old));
  const guess =
    names.length === 0
      ? ''
      : `possibly ${isMoved ? 'moved' : 'renamed'} to ${names.slice(0, mostGuesses).join(' or ')}`;
  return [isMarked ? again : '', guess].filter(Boolean).join('; ');
}

/** A table, and the names that stay when it gets another one. */
interface Traces {
  table: Table;
  /** Of indexes, keys and sequences: there is only one of each in a schema. */
  names: Set<string>;
  /** Of checks and foreign keys, which another table may have, too. */
  constraints: Set<string>;
  /** Of NOT NULL constraints, by column. */
  notNulls: Map<string, string>;
}

function tracesIn({ tables, indexes, sequences }: Schema): Map<string, Traces> {
  const built = Map.groupBy(indexes, ([, { table }]) => table);
  const owned = Map.groupBy(sequences, ([, { owner = '' }]) => tableOf(owner));
  return new Map(
    [...tables].map(([name, table]) => {
      const shared = Map.groupBy(table.constraints, ([, { kind }]) => kind === 'check' || kind === 'foreign key');
      const lists = [shared.get(false), built.get(name), owned.get(name)];
      const traces = {
        table,
        names: new Set(lists.flatMap((list = []) => list.map(([one]) => bare(one)))),
        constraints: new Set(shared.get(true)?.map(([one]) => bare(one))),
        // All partitions may have the names of their partitioned table.
        notNulls: table.partitionOf === undefined ? notNullNames(name, table) : new Map<string, string>(),
      };
      return [name, traces];
    }),
  );
}

function renamedTables(before: Schema, after: Schema): Map<string, string> {
  const [then, now] = [tracesIn(before), tracesIn(after)];
  const isOther = ([name, is]: [string, Traces]) => {
    const was = then.get(name);
    return was === undefined || isAnotherTable(name, was, is);
  };
  const others = new Map([...now].filter(isOther));
  const found = new Map<string, string>();
  if (others.size === 0) return found;
  const byTrace = Map.groupBy(
    [...others].flatMap(([name, is]) => tracesOf(is).map((trace) => ({ trace, name, is }))),
    ({ trace }) => trace,
  );
  const pairs = [...then].flatMap(([old, was]) => {
    const stayed = now.get(old);
    // A table of the old name may be a new one, if what the old one had is now elsewhere.
    if (stayed && !others.has(old) && !hasNoneOf(was, stayed)) return [];
    const alike = new Map(
      tracesOf(was).flatMap((trace) => (byTrace.get(trace) ?? []).map(({ name, is }) => [name, is])),
    );
    return [...alike].flatMap(([name, is]) => {
      const isTaken = then.has(name);
      if (name === old || (isTaken && stayed && !others.has(old))) return [];
      const points = weigh({ old, was, name, is, isTaken, namesNotNull: after.namesNotNull });
      return points > 0 ? [{ old, name, points }] : [];
    });
  });
  pairs.sort((a, b) => b.points - a.points);
  const taken = new Set<string>();
  for (const { old, name } of pairs) {
    if (found.has(old) || taken.has(name)) continue;
    found.set(old, name);
    taken.add(name);
  }
  for (const name of others.keys()) if (then.has(name) && !found.has(name)) found.set(name, lost(name));
  return found;
}

function tracesOf({ names, constraints, notNulls }: Traces): string[] {
  return [...names, ...constraints, ...notNulls.values()];
}

function hasNoneOf(was: Traces, is: Traces): boolean {
  return was.names.size > 0 && ![...was.names].some((name) => is.names.has(name));
}

/** Whether all NOT NULL constraints that a table shares with the one that had its name before are named after another table. */
function isAnotherTable(name: string, was: Traces, is: Traces): boolean {
  const shared = [...is.notNulls].filter(([column]) => was.notNulls.has(column));
  const known = new Set(was.notNulls.values());
  const isOther = ([column, one]: [string, string]) => !known.has(one) && isOfAnother(one, usualNotNull(name, column));
  return shared.length > 0 && shared.every(isOther);
}

/**
 * How much speaks for a table to be another one under a new name; 0 if nothing does that could not be chance, or if the names of its NOT NULL
 * constraints contradict it.
 */
function weigh(pair: {
  old: string;
  was: Traces;
  name: string;
  is: Traces;
  isTaken: boolean;
  namesNotNull: boolean;
}): number {
  const { old, was, name, is, isTaken, namesNotNull } = pair;
  // In another schema, a new table has the same names. Schemas alone can't show that it was moved.
  if (tableOf(old) !== tableOf(name)) return 0;
  const [a, b] = [was.table, is.table];
  const common = [...a.columns.keys()].filter((column) => b.columns.has(column));
  const isSimilar = common.length * 2 >= Math.max(1, a.columns.size);
  // A name that Postgres derived from the old table's.
  const constraints = [...was.constraints].filter((one) => is.constraints.has(one) && one.startsWith(`${bare(old)}_`));
  const names = [...was.names].filter((one) => is.names.has(one));
  const shared = isTaken ? 0 : names.length + constraints.length;
  const known = new Set(was.notNulls.values());
  const kept = [...is.notNulls].filter(([column, one]) => known.has(one) && one !== usualNotNull(name, column));
  if (kept.length > 0) return isSimilar || kept.length + shared > 1 ? kept.length * 2 + shared : 0;
  const isContradicted = common.some((column) => was.notNulls.has(column) && is.notNulls.has(column));
  if (namesNotNull && isContradicted) return 0;
  // One name may be chance, unless it is all that the old table had, and so are the columns.
  const isSame = (column: string) => typeIn(a, column) === typeIn(b, column);
  const isWhole = shared === 1 && was.names.size === 1 && common.length === a.columns.size && common.every(isSame);
  return (shared > 1 && isSimilar) || shared > 2 || isWhole ? shared : 0;
}

/** What each type is made of, as text. */
function typesIn({ enums, domains, types }: Schema): Map<string, string> {
  const made = ({ base, notNull, default: initial, constraints }: Domain) =>
    JSON.stringify([
      base,
      notNull,
      initial?.text,
      [...constraints.values()].map(({ definition }) => definition).sort(),
    ]);
  return new Map([
    ...[...enums].map(([name, values]) => [name, `enum ${JSON.stringify(values)}`] as const),
    ...[...domains].map(([name, domain]) => [name, `domain ${made(domain)}`] as const),
    // Nothing is known of what a range is made of.
    ...[...types].flatMap(([name, one]) => (one.size > 0 ? [[name, `type ${JSON.stringify([...one])}`] as const] : [])),
  ]);
}

/** Renamed types: they are made of the same, an enum perhaps of more, and every column that had the old type has the new one. */
function renamedTypes(before: Schema, after: Schema): Map<string, string> {
  const found = new Map<string, string>();
  const [then, now] = [typesIn(before), typesIn(after)];
  const fresh = [...now.keys()].filter((name) => !then.has(name));
  const gone = [...then.keys()].filter((name) => !now.has(name));
  if (fresh.length * gone.length === 0) return found;
  const columns = [...before.tables].flatMap(([table, one]) =>
    [...one.columns].map(([column, { type }]) => ({
      type: type.name,
      now: after.tables.get(table)?.columns.get(column)?.type.name,
    })),
  );
  for (const old of gone) {
    const values = before.enums.get(old);
    const used = new Set(columns.filter(({ type, now }) => type === old && now !== undefined).map(({ now }) => now));
    const same = fresh.filter((name) => now.get(name) === then.get(old));
    const larger = fresh.filter(
      (name) => used.has(name) && values?.every((value) => after.enums.get(name)?.includes(value)),
    );
    const [name, other] = used.size > 0 ? (same.length > 0 ? same.filter((one) => used.has(one)) : larger) : same;
    if (name !== undefined && other === undefined && used.size < 2) found.set(old, name);
  }
  return found;
}

/**
 * The new names of an enum's values, by its name. A new value may be anywhere, and a recreated type has its values in any order. Only an
 * object that uses a value, such as a check or an index, proves that it was renamed.
 */
function renamedValues(before: Schema, after: Schema, changed: Changed): Renames['values'] {
  const found: Renames['values'] = new Map();
  for (const [type, was] of before.enums) {
    const is = after.enums.get(type);
    if (!is || is.length < was.length || was.every((value) => is.includes(value))) continue;
    const names = new Map(was.map((value, place) => [value, is[place] ?? '']));
    const isElsewhere = ([value, now]: [string, string]) => value !== now && (is.includes(value) || names.has(now));
    if ([...names].some(isElsewhere)) continue;
    if (changed.follow(names, { ...noRenames(), values: new Map([[type, names]]) })) found.set(type, names);
  }
  return found;
}

/** What objects that are gone may be called now: new ones of the same kind that say the same. */
function guesses(before: Schema, after: Schema, renames: Renames, areTablesKnown: boolean): RenameEvidence['maybe'] {
  const maybe: RenameEvidence['maybe'] = new Map();
  const pair = (was: Map<string, string>, is: Map<string, string>, known: Map<string, string> = new Map()) => {
    const taken = new Set(known.values());
    const fresh = [...is].filter(([name]) => !was.has(name) && !taken.has(name));
    const alike = Map.groupBy(fresh, ([, text]) => text);
    for (const [name, text] of was) {
      const names =
        is.has(name) || known.has(name) ? [] : (alike.get(text) ?? []).slice(0, mostGuesses).map(([one]) => one);
      if (names.length > 0) maybe.set(name, names);
    }
  };
  if (!areTablesKnown) pair(shapesIn(before), shapesIn(after), renames.tables);
  pair(typesIn(before), typesIn(after), renames.types);
  const texts = <T extends { definition: string }>(all: Map<string, T>, key = (name: string) => unqualified(name)) =>
    new Map([...all].map(([name, { definition }]) => [name, `${key(name)} ${definition}`]));
  const free = ({ sequences }: Schema) => new Map([...sequences].filter(([, { owner }]) => owner === undefined));
  pair(
    texts(free(before), () => ''),
    texts(free(after), () => ''),
  );
  // A function's own name is in its definition. In another schema, all the rest is the same.
  const routines = ({ functions }: Schema) =>
    new Map([...functions].map(([name, one]) => [name, `${unqualified(one.name)} ${one.inputs} ${one.result}`]));
  pair(routines(before), routines(after));
  pair(texts(before.views), texts(after.views));
  return maybe;
}

/** The columns of each table with their types. A dropped partition and a new one have the same, so partitions are left out. */
function shapesIn({ tables }: Schema): Map<string, string> {
  const whole = [...tables].filter(([, { columns, partitionOf }]) => columns.size > 0 && partitionOf === undefined);
  return new Map(
    whole.map(([name, { columns }]) => [
      name,
      [...columns].map(([column, { type }]) => `${column} ${formatType(type)}`).join(', '),
    ]),
  );
}
