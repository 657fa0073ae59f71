import { namesIn, noRenames, type Renames } from './apply-renames.ts';
import type { Schema, Table } from './model.ts';
import { identifier } from './tree.ts';
import { formatType } from './type.ts';

/** What two schemas show of names that changed. */
export interface RenameEvidence {
  /** What is proven. */
  renames: Renames;
  /** Columns that were dropped, although there is one of that name again: `public.users.email`, by their old names. */
  addedAgain: Set<string>;
  /** What else a table or a column that is gone may be called now, by its old name. */
  maybe: Map<string, string[]>;
}

/**
 * Finds renames that the schemas prove. Tables: the names of constraints, indexes and sequences stay when a table is renamed. Columns:
 * new ones are always added at the end, so a new name in front of a column that stayed is an old column's; and the names of what is
 * built on a column stay.
 */
export function findRenames(before: Schema, after: Schema): RenameEvidence {
  const evidence: RenameEvidence = { renames: noRenames(), addedAgain: new Set(), maybe: new Map() };
  const { tables } = evidence.renames;
  for (const [old, fresh] of renamedTables(before, after)) tables.set(old, fresh);
  guessTables(before, after, evidence);
  const taken = new Set(tables.values());
  for (const [old, was] of before.tables) {
    const fresh = tables.get(old) ?? (taken.has(old) ? undefined : old);
    const is = fresh === undefined ? undefined : after.tables.get(fresh);
    if (is && fresh !== undefined) compareColumns({ old, was, fresh, is, before, after, evidence });
  }
  return evidence;
}

/** Names that stay when the table gets another one. */
interface Traces {
  names: Set<string>;
  notNulls: Set<string>;
}

function tracesOf(name: string, { indexes, sequences, tables }: Schema): Traces {
  const table = tables.get(name) as Table;
  const owned = [...sequences].filter(([, { owner = '' }]) => owner.startsWith(`${name}.`)).map(([one]) => bare(one));
  const built = [...indexes].filter(([, index]) => index.table === name).map(([one]) => bare(one));
  const notNulls = [...table.columns].flatMap(([column, { notNull, notNullName }]) =>
    // A partition has the names of its partitioned table.
    notNull && (notNullName === undefined || table.partitionOf === undefined)
      ? [bare(notNullName ?? usualNotNull(name, column))]
      : [],
  );
  return {
    names: new Set([...[...table.constraints.keys()].map(bare), ...built, ...owned]),
    notNulls: new Set(notNulls),
  };
}

function schemaOf(name: string): string {
  return namesIn(name).slice(0, -1).join('.');
}

/** The name without its schema and its quotes. */
function bare(name: string): string {
  return namesIn(name).at(-1) ?? '';
}

/** What Postgres calls a NOT NULL constraint that has no name of its own. */
function usualNotNull(table: string, column: string): string {
  return identifier(`${bare(table)}_${bare(column)}_not_null`);
}

function renamedTables(before: Schema, after: Schema): Map<string, string> {
  const fresh = [...after.tables.keys()].filter((name) => !before.tables.has(name));
  if (fresh.length === 0) return new Map();
  const traces = new Map(fresh.map((name) => [name, tracesOf(name, after)]));
  const pairs = [...before.tables.keys()].flatMap((old) => {
    const was = tracesOf(old, before);
    const stayed = after.tables.get(old) && tracesOf(old, after);
    // A table of the old name may be a new one, if what the old one had is now elsewhere.
    if (stayed && !isReplaced(was, stayed)) return [];
    return fresh.flatMap((name) => {
      const is = traces.get(name) as Traces;
      const points = weigh({ old, was, name, is, before, after });
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

/** Whether a table has nothing of the one that had its name before. */
function isReplaced(was: Traces, is: Traces): boolean {
  return was.names.size > 0 && ![...was.names].some((name) => is.names.has(name));
}

/** How much speaks for a table to be another one under a new name; 0 if nothing does that could not be chance. */
function weigh(pair: { old: string; was: Traces; name: string; is: Traces; before: Schema; after: Schema }): number {
  const { old, was, name, is, before, after } = pair;
  const [a, b] = [before.tables.get(old) as Table, after.tables.get(name) as Table];
  const common = [...a.columns.keys()].filter((column) => b.columns.has(column)).length;
  const shared = [...was.names].filter((one) => is.names.has(one)).length;
  // In another schema, a new table has the same names. Schemas alone can't show that it was moved.
  if (schemaOf(old) !== schemaOf(name)) return 0;
  if (common * 2 < Math.max(1, a.columns.size) && shared < 2) return 0;
  const usual = [...b.columns].filter(
    ([, { notNullName }]) =>
      b.partitionOf === undefined && notNullName !== undefined && was.notNulls.has(bare(notNullName)),
  );
  return shared + usual.length;
}

/** Tables that are gone, and new ones with the same columns: a guess. */
function guessTables(before: Schema, after: Schema, { renames, maybe }: RenameEvidence): void {
  const taken = new Set(renames.tables.values());
  const fresh = [...after.tables].filter(([name]) => !before.tables.has(name) && !taken.has(name));
  for (const [old, was] of before.tables) {
    if (after.tables.has(old) || renames.tables.has(old) || was.columns.size === 0) continue;
    // A dropped partition and a new one have the same columns, too.
    const alike = fresh.filter(([, is]) => shapeOf(is) === shapeOf(was) && is.partitionOf === undefined);
    if (alike.length > 0)
      maybe.set(
        old,
        alike.map(([name]) => name),
      );
  }
}

/** The columns of a table with their types. */
function shapeOf(table: Table): string {
  return [...table.columns].map(([name, { type }]) => `${name} ${formatType(type)}`).join(', ');
}

interface Pair {
  old: string;
  was: Table;
  fresh: string;
  is: Table;
  before: Schema;
  after: Schema;
  evidence: RenameEvidence;
}

function compareColumns(pair: Pair): void {
  const { old, was, fresh, is, evidence } = pair;
  const [olds, news] = [[...was.columns.keys()], [...is.columns.keys()]];
  if (olds.join() === news.join()) return;
  const typeIn = (table: Table, column: string) => {
    const found = table.columns.get(column);
    return found && formatType(found.type);
  };
  const isAlike = (a: string, b: string) => typeIn(was, a) === typeIn(is, b);
  const { kept, maybe } = align(olds, news, isAlike, new Map(proven(pair)));
  for (const [column, candidates] of maybe) {
    const alike = kept.has(column) ? [] : candidates.filter((one) => isAlike(column, one));
    if (alike.length > 0) evidence.maybe.set(`${old}.${column}`, alike);
  }
  for (const column of olds) {
    const now = kept.get(column);
    if (now !== undefined && now !== column) evidence.renames.columns.set(`${old}.${column}`, `${fresh}.${now}`);
    if (now === undefined && is.columns.has(column)) evidence.addedAgain.add(`${old}.${column}`);
  }
}

/**
 * Puts the old and the new columns of a table side by side. The new list begins with what is left of the old columns, in their order,
 * and ends with what was added. `known` are renames that something else proves.
 */
function align(
  olds: string[],
  news: string[],
  isAlike: (old: string, fresh: string) => boolean,
  known: Map<string, string>,
): {
  /** Old columns with their new names, those that kept their name included. */
  kept: Map<string, string>;
  maybe: Map<string, string[]>;
} {
  const renamedTo = new Map([...known].map(([old, fresh]) => [fresh, old]));
  const places = new Map(olds.map((name, index) => [name, index]));
  const placeOf = (fresh: string) => {
    const old = renamedTo.get(fresh);
    if (old !== undefined) return places.get(old);
    return known.has(fresh) ? undefined : places.get(fresh);
  };
  const kept = new Map<string, string>();
  const maybe = new Map<string, string[]>();
  let last = -1;
  let between: string[] = [];
  let left = news;
  for (const [index, fresh] of news.entries()) {
    const place = placeOf(fresh);
    if (place === undefined) {
      between.push(fresh);
      continue;
    }
    // It stands where only added columns can: it was added again, and so were all behind it.
    if (place <= last || place - last - 1 < between.length) {
      left = news.slice(0, index);
      // What stands at its old place is the old column, if its type is the same, too.
      const slots = olds.slice(last + 1);
      const isSame = slots.length === between.length && slots.every((old, n) => isAlike(old, between[n] ?? ''));
      if (isSame) assign(slots, between, { isAlike, kept, maybe });
      break;
    }
    assign(olds.slice(last + 1, place), between, { isAlike, kept, maybe });
    kept.set(olds[place] ?? '', fresh);
    last = place;
    between = [];
  }
  // Whether these are old columns or new ones, their place doesn't tell.
  const candidates = left.filter((fresh) => between.includes(fresh));
  for (const old of olds.slice(last + 1)) if (!kept.has(old) && candidates.length > 0) maybe.set(old, candidates);
  return { kept, maybe };
}

/** Each of the new names is that of one of the old columns, in the same order. */
function assign(
  olds: string[],
  news: string[],
  options: {
    isAlike: (old: string, fresh: string) => boolean;
    kept: Map<string, string>;
    maybe: Map<string, string[]>;
  },
): void {
  const { isAlike, kept, maybe } = options;
  if (news.length === 0) return;
  const ways = olds.length === news.length ? [olds] : choices(olds, news, isAlike);
  if (ways.length === 1) for (const [index, fresh] of news.entries()) kept.set(ways[0]?.[index] ?? '', fresh);
  else for (const old of olds) maybe.set(old, news);
}

/** The ways to choose an old column of the same type for each new name, in order; at most two, because more don't matter. */
function choices(olds: string[], news: string[], isAlike: (old: string, fresh: string) => boolean): string[][] {
  const [fresh, ...rest] = news;
  if (fresh === undefined) return [[]];
  const found: string[][] = [];
  for (const [index, old] of olds.entries()) {
    if (olds.length - index < news.length || found.length > 1) break;
    if (!isAlike(old, fresh)) continue;
    for (const more of choices(olds.slice(index + 1), rest, isAlike)) found.push([old, ...more]);
  }
  return found.slice(0, 2);
}

/** Renames of columns that the names of their constraints, indexes, policies or sequences prove. */
function* proven({ old, was, fresh, is, before, after }: Pair): Generator<[old: string, fresh: string]> {
  const gone = [...was.columns].filter(([name]) => !is.columns.has(name));
  const added = [...is.columns].filter(([name]) => !was.columns.has(name));
  if (gone.length === 0 || added.length === 0 || gone.length * added.length > 400) return;
  const named = (table: Table, name: string, { indexes }: Schema) =>
    new Map([
      ['made', table.made] as const,
      ...[...table.constraints].map(([key, { definition }]) => [`constraint ${key}`, definition] as const),
      ...[...table.policies].map(([key, { definition }]) => [`policy ${key}`, definition] as const),
      ...[...table.triggers].map(([key, definition]) => [`trigger ${key}`, definition] as const),
      ...[...indexes].filter(([, one]) => one.table === name).map(([key, one]) => [key, one.definition] as const),
    ]);
  const [then, now] = [named(was, old, before), named(is, fresh, after)];
  const changed = [...then].filter(([key, definition]) => now.has(key) && now.get(key) !== definition);
  const owners = (name: string, { sequences }: Schema) =>
    new Map(
      [...sequences].flatMap(([key, { owner }]) => (owner?.startsWith(`${name}.`) ? [[key, owner] as const] : [])),
    );
  const [ownedThen, ownedNow] = [owners(old, before), owners(fresh, after)];
  const used = new Set<string>();
  for (const [a, column] of gone) {
    const isSame = ([b, other]: (typeof added)[number]) => {
      if (used.has(b)) return false;
      const usual = column.notNullName ?? usualNotNull(old, a);
      if (column.notNull && other.notNullName === usual) return true;
      if ([...ownedThen].some(([key, owner]) => owner === `${old}.${a}` && ownedNow.get(key) === `${fresh}.${b}`))
        return true;
      const texts = new Map([[a, b]]);
      return changed.some(([key, definition]) => withNewNames(definition, texts) === now.get(key));
    };
    const found = added.find(isSame);
    if (!found) continue;
    used.add(found[0]);
    yield [a, found[0]];
  }
}

/** A definition from before with other names in it. */
function withNewNames(definition: string, renames: Map<string, string>): string {
  let text = definition;
  for (const [old, fresh] of renames) text = text.replaceAll(`:${inTree(old)}`, `:${inTree(fresh)}`);
  return text;
}

/** How a syntax tree writes a name. */
function inTree(name: string): string {
  return JSON.stringify(namesIn(name)[0] ?? '');
}
