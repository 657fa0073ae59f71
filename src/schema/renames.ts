import type { Table } from './model.ts';
import { formatType } from './type.ts';

/**
 * Guesses which new name an old one may have been changed to: a name that disappeared, and one that appeared in its place. `isAlike`
 * tells whether the two may be the same thing.
 */
export function guessRenames(
  before: string[],
  after: string[],
  isAlike: (old: string, fresh: string) => boolean,
): Map<string, string> {
  const removed = byPlace(before, new Set(after));
  const added = byPlace(after, new Set(before));
  const guesses = new Map<string, string>();
  for (const [place, names] of removed) {
    for (const [index, old] of names.entries()) {
      const fresh = added.get(place)?.[index];
      if (fresh !== undefined && isAlike(old, fresh)) guesses.set(old, fresh);
    }
  }
  return guesses;
}

/** The names that do not stay, by the name before them that does. */
function byPlace(names: string[], others: Set<string>): Map<string | undefined, string[]> {
  const places = new Map<string | undefined, string[]>();
  let place: string | undefined;
  for (const name of names) {
    const here = places.get(place);
    if (others.has(name)) place = name;
    else if (here) here.push(name);
    else places.set(place, [name]);
  }
  return places;
}

/** The columns that may have been renamed, by their old names. */
export function renamedColumns(was: Table, is: Table): Map<string, string> {
  const typeOf = (table: Table, name: string) => {
    const column = table.columns.get(name);
    return column && formatType(column.type);
  };
  return guessRenames(
    [...was.columns.keys()],
    [...is.columns.keys()],
    (old, fresh) => typeOf(was, old) === typeOf(is, fresh),
  );
}

/** The columns of a table with their types, as text: a renamed table keeps it. */
export function shapeOf(table: Table): string {
  return [...table.columns].map(([name, { type }]) => `${name} ${formatType(type)}`).join(', ');
}

/** A definition from before with the columns' new names. */
export function withNewNames(definition: string, renames: Map<string, string>): string {
  let text = definition;
  for (const [old, fresh] of renames) text = text.replaceAll(`:${inTree(old)}`, `:${inTree(fresh)}`);
  return text;
}

/** How a syntax tree writes a name. */
function inTree(name: string): string {
  return JSON.stringify(name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name);
}
