import type { ChangedTexts } from './changed-texts.ts';
import type { Table } from './model.ts';
import { bare, identifier, lost } from './names.ts';
import { formatType } from './type.ts';

interface Pair {
  /** Its name after, and the one that it was created with or had before. */
  name: string;
  oldName: string;
  was: Table;
  is: Table;
  namesNotNull: boolean;
  changed: ChangedTexts;
}

/** With the names of NOT NULL constraints by column, before and after. */
type Named = Pair & Record<'before' | 'after', Map<string, string>>;

export interface ColumnMatch {
  /** Whether the table was dropped and created again: then its columns are in another order. */
  isAgain: boolean;
  /** The new names of old columns; impossible ones for those that are gone while another column has their name. */
  renamed: Map<string, string>;
  /** What columns that are gone may be called now. */
  maybe: Map<string, string[]>;
}

/** Whether something holds for an old and a new column. */
type Test = (old: string, fresh: string) => boolean;

/**
 * Matches the old and new columns of a table. The new list begins with what is left of the old columns, in their order, and ends with what was
 * added: a new name in front of a column that stayed belongs to an old column. Whatever refers to a column follows it.
 */
export function matchColumns(given: Pair): ColumnMatch {
  const { was, is } = given;
  const pair = { ...given, before: notNullNames(given.oldName, was), after: notNullNames(given.name, is) };
  const [olds, news] = [[...was.columns.keys()], [...is.columns.keys()]];
  const isAlike: Test = (old, fresh) => typeIn(was, old) === typeIn(is, fresh) && !isDisproved(pair, old, fresh);
  const proven = provenBy(pair, isAlike);
  const isSame = olds.join() === news.join();
  if (isSame && (proven.size === 0 || was.partitionOf !== undefined))
    return { isAgain: false, renamed: new Map(), maybe: new Map() };
  const { kept, rest, unsure } = align(pair, { olds, news, proven, isAlike });
  const shared = olds.filter((name) => is.columns.has(name));
  const again = shared.filter((name) => !kept.has(name));
  const isNew = (kept.size === 0 && olds.length > 1) || (again.length > 1 && again.length * 2 >= shared.length);
  const renamed = new Map<string, string>();
  const maybe = new Map<string, string[]>();
  for (const column of olds) {
    const now = kept.get(column) ?? (is.columns.has(column) ? lost(column) : column);
    if (now !== column) renamed.set(column, now);
    const candidates = unsure.get(column) ?? rest.filter((one) => !was.columns.has(one));
    if (!kept.has(column))
      maybe.set(
        column,
        candidates.filter((one) => isAlike(column, one)),
      );
  }
  return { isAgain: pair.oldName === pair.name && shared.length > 0 && isNew, renamed, maybe };
}

export function typeIn({ columns }: Table, column: string): string | undefined {
  const found = columns.get(column);
  return found && formatType(found.type);
}

/** Whether the names of NOT NULL constraints say that a new column is not the old one. */
function isDisproved({ before, after, ...pair }: Named, old: string, fresh: string): boolean {
  const [name, other] = [before.get(old), after.get(fresh)];
  if (!pair.namesNotNull || other === undefined || other === name) return false;
  if (old === fresh) return name !== undefined && isOfAnother(other, pair.name, fresh);
  return name !== undefined || [...before.values()].includes(other);
}

/** Renames proven by names that stay: of NOT NULL constraints, and of what refers to the column. */
function provenBy(pair: Named, isAlike: Test): Map<string, string> {
  const { name: table, oldName, was, is, changed, before, after } = pair;
  const found = new Map<string, string>();
  const named = new Map([...after].map(([column, name]) => [name, column]));
  for (const old of was.columns.keys()) {
    // One that became NOT NULL before it was renamed has a constraint with its old name, too.
    const fresh = named.get(before.get(old) ?? (is.columns.has(old) ? '' : usualNotNull(oldName, old)));
    if (fresh !== undefined && fresh !== old && is.columns.get(fresh)?.notNullName) found.set(old, fresh);
  }
  const used = new Set(found.values());
  const gone = [...was.columns.keys()].filter((name) => !is.columns.has(name) && !found.has(name));
  const added = [...is.columns.keys()].filter((name) => !was.columns.has(name) && !used.has(name));
  for (const old of gone) {
    const fresh = added.find((one) => !used.has(one) && isAlike(old, one) && changed.followColumn(table, old, one));
    if (fresh === undefined) continue;
    used.add(fresh);
    found.set(old, fresh);
  }
  return found;
}

interface Alignment {
  /** Old columns with their new names, those that kept their name included. */
  kept: Map<string, string>;
  /** The columns at the end, which are new. */
  rest: string[];
  /** Old columns that are gone, some of which have these new names. */
  unsure: Map<string, string[]>;
}

/** Reads both lists from the left, from one column that stayed to the next. `proven` are renames that something else proves. */
function align(
  pair: Named,
  { olds, news, proven, isAlike }: { olds: string[]; news: string[]; proven: Map<string, string>; isAlike: Test },
): Alignment {
  const oldNames = new Map([...proven].map(([old, fresh]) => [fresh, old]));
  const placeOf = (name: string) => {
    const isOwn = !proven.has(name) && !isDisproved(pair, name, name);
    return olds.indexOf(oldNames.get(name) ?? (isOwn ? name : ''));
  };
  const kept: Alignment['kept'] = new Map();
  const unsure: Alignment['unsure'] = new Map();
  let next = 0;
  let rest: string[] = [];
  for (const [index, name] of news.entries()) {
    const place = placeOf(name);
    if (place < next + rest.length) {
      rest.push(name);
      continue;
    }
    const gone = olds.slice(next, place).filter((one) => !proven.has(one));
    const isWhole = gone.length === rest.length;
    const old = isWhole ? gone : gone.filter((one) => rest.some((fresh) => isAlike(one, fresh)));
    const isWrong = isWhole && gone.some((one, n) => isDisproved(pair, one, rest[n] ?? ''));
    // A name that another old column had is no proof by itself: that would be a table that was created again.
    if (isWrong || old.length < rest.length || rest.some((one) => olds.includes(one))) {
      rest = [...rest, ...news.slice(index)];
      break;
    }
    for (const [n, one] of old.entries()) {
      if (old.length === rest.length) kept.set(one, rest[n] ?? '');
      else unsure.set(one, rest);
    }
    kept.set(olds[place] ?? '', name);
    [next, rest] = [place + 1, []];
  }
  return { kept, rest, unsure };
}

/** What Postgres calls a NOT NULL constraint that has no name of its own. */
export function usualNotNull(table: string, column: string): string {
  return identifier(`${bare(table)}_${bare(column)}_not_null`);
}

/** The names of a table's NOT NULL constraints by column. A partition has those of its partitioned table, if it has not its own. */
export function notNullNames(table: string, { columns, partitionOf }: Table): Map<string, string> {
  return new Map(
    [...columns].flatMap(([column, { notNullName: name }]) =>
      name === undefined || (name === '' && partitionOf !== undefined)
        ? []
        : [[column, name || usualNotNull(table, column)]],
    ),
  );
}

/** Whether Postgres gave this name of a NOT NULL constraint to another column. One that people chose says nothing. */
export function isOfAnother(name: string, table: string, column: string): boolean {
  return name !== usualNotNull(table, column) && /_not_null\d*"?$/.test(name);
}
