import type { Node } from 'libpg-query';
import { noRenames, type Renames, withRenames } from './apply-renames.ts';
import type { Table } from './model.ts';
import { bare, identifier, lost } from './names.ts';
import type { Statement } from './parser.ts';
import { all, as, canonical } from './tree.ts';
import { formatType } from './type.ts';

/** A table before and after, under its old and new name. */
interface Pair {
  old: string;
  was: Table;
  fresh: string;
  is: Table;
  statements: Changed;
  /** What is proven, and what may be; columns are added to both. */
  renames: Renames;
  maybe: Map<string, string[]>;
}

/** Matches the old and new columns of a table. Returns whether it is a different table, because none of its columns is old. */
export function matchColumns(pair: Pair): boolean {
  const { old, was, fresh, is } = pair;
  const [olds, news] = [[...was.columns.keys()], [...is.columns.keys()]];
  if (olds.join() === news.join() && was.partitionOf !== undefined) return false;
  const typeIn = (table: Table, column: string) => {
    const found = table.columns.get(column);
    return found && formatType(found.type);
  };
  const isAlike = (a: string, b: string) => typeIn(was, a) === typeIn(is, b);
  const known = new Map(proven(pair, isAlike));
  if (olds.join() === news.join() && known.size === 0) return false;
  const { kept, maybe } = align(olds, news, isAlike, known);
  if (kept.size === 0 && olds.length > 1 && olds.some((name) => is.columns.has(name))) return true;
  for (const [column, candidates] of maybe) {
    const alike = kept.has(column) ? [] : candidates.filter((one) => one !== column && isAlike(column, one));
    if (alike.length > 0) pair.maybe.set(`${old}.${column}`, alike);
  }
  for (const column of olds) {
    const now = kept.get(column) ?? (is.columns.has(column) ? lost(column) : column);
    if (now !== column) pair.renames.columns.set(`${old}.${column}`, `${fresh}.${now}`);
  }
  return false;
}

type IsAlike = (old: string, fresh: string) => boolean;

/**
 * Puts the old and the new columns of a table side by side. The new list begins with what is left of the old columns, in their order,
 * and ends with what was added. `known` are renames that something else proves. Columns between two that stayed are old, too; those after
 * the last one may be old or new.
 */
function align(
  olds: string[],
  news: string[],
  isAlike: IsAlike,
  known: Map<string, string>,
): {
  /** Old columns with their new names, those that kept their name included. */
  kept: Map<string, string>;
  maybe: Map<string, string[]>;
} {
  const kept = new Map<string, string>();
  const maybe = new Map<string, string[]>();
  let [old, fresh] = [0, 0];
  for (const [index, place] of anchorsOf(olds, news, isAlike, known)) {
    assign(olds.slice(old, index), news.slice(fresh, place), { isAlike, kept, maybe });
    kept.set(olds[index] ?? '', news[place] ?? '');
    [old, fresh] = [index + 1, place + 1];
  }
  if (fresh < news.length) for (const one of olds.slice(old)) maybe.set(one, news.slice(fresh));
  return { kept, maybe };
}

/** How far back to look for the column that stayed before another one; limits the time that this takes. */
const mostSkipped = 200;

/**
 * The columns that stayed, by their places before and after. A column of the same name stayed, unless the order of the others
 * contradicts that. Then the interpretation with the fewest changes wins: two columns that swapped names, rather than ten that were dropped
 * and added again.
 */
function anchorsOf(olds: string[], news: string[], isAlike: IsAlike, known: Map<string, string>): [number, number][] {
  const places = new Map(news.map((name, index) => [name, index]));
  const taken = new Set(known.values());
  const pairs = olds.flatMap((name, index): [number, number][] => {
    const place = places.get(known.get(name) ?? (taken.has(name) ? '' : name));
    return place === undefined ? [] : [[index, place]];
  });
  /** The cost of renaming and dropping columns between two that stayed; infinite if there is no room for the new ones. */
  const costBetween = ([a, b]: [number, number], [c, d]: [number, number]) => {
    const [room, renamed] = [c - a - 1, d - b - 1];
    if (renamed > room) return Number.POSITIVE_INFINITY;
    const isRetyped = (old: string, n: number) => !isAlike(old, news[b + 1 + n] ?? '');
    const retyped = room === renamed && room <= 50 ? olds.slice(a + 1, c).filter(isRetyped).length : 0;
    const stayed = isAlike(olds[c] ?? '', news[d] ?? '') ? 0 : 1;
    return room + 3 * retyped + stayed;
  };
  const isOrdered = pairs.every((pair, n) => {
    const previous = pairs[n - 1] ?? [-1, -1];
    return pair[1] > previous[1] && costBetween(previous, pair) < Number.POSITIVE_INFINITY;
  });
  if (isOrdered) return pairs;
  const skip = (from: number, to: number) =>
    pairs.slice(from, to).reduce((sum, [index]) => sum + (known.has(olds[index] ?? '') ? 3 : 0.2), 0);
  const best: { cost: number; previous: number }[] = [];
  for (const [n, pair] of pairs.entries()) {
    let found = { cost: costBetween([-1, -1], pair) + skip(0, n), previous: -1 };
    let skipped = 0;
    for (let m = n - 1; m >= Math.max(0, n - mostSkipped); m--) {
      const one = pairs[m] as [number, number];
      const cost = (best[m]?.cost ?? 0) + costBetween(one, pair) + skipped;
      if (one[1] < pair[1] && cost < found.cost) found = { cost, previous: m };
      skipped += skip(m, m + 1);
    }
    best.push(found);
  }
  let end = { cost: olds.length + news.length + skip(0, pairs.length), previous: -1 };
  for (const [n, [index, place]] of pairs.entries()) {
    const rest = olds.length - index - 1 + (news.length - place - 1) + skip(n + 1, pairs.length);
    const cost = (best[n]?.cost ?? 0) + rest;
    if (cost < end.cost) end = { cost, previous: n };
  }
  const chosen: [number, number][] = [];
  for (let n = end.previous; n >= 0; n = best[n]?.previous ?? -1) chosen.unshift(pairs[n] as [number, number]);
  return chosen;
}

/** Each of the new names is that of one of the old columns, in the same order. */
function assign(
  olds: string[],
  news: string[],
  options: { isAlike: IsAlike; kept: Map<string, string>; maybe: Map<string, string[]> },
): void {
  const { isAlike, kept, maybe } = options;
  if (news.length === 0) return;
  const ways = olds.length === news.length ? [olds] : choices(olds, news, isAlike);
  if (ways.length === 1) for (const [index, fresh] of news.entries()) kept.set(ways[0]?.[index] ?? '', fresh);
  else for (const old of olds) maybe.set(old, news);
}

/** The ways to choose an old column of the same type for each new name, in order; at most two, because more don't matter. */
function choices(olds: string[], news: string[], isAlike: IsAlike): string[][] {
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

/** Column renames proven by names that stay: of NOT NULL constraints, and of objects that refer to the column. */
function* proven(pair: Pair, isAlike: IsAlike): Generator<[old: string, fresh: string]> {
  const { old, was, fresh, is, statements, renames } = pair;
  const used = new Set<string>();
  // A partition has the names of its partitioned table.
  const named = new Map(
    [...is.columns].flatMap(([name, { notNullName }]) => (notNullName === undefined ? [] : [[notNullName, name]])),
  );
  const found = new Set<string>();
  for (const [a, { notNull, notNullName }] of was.columns) {
    if (!notNull || (notNullName === undefined && was.partitionOf !== undefined)) continue;
    const b = named.get(notNullName ?? usualNotNull(old, a));
    if (b === undefined || b === a) continue;
    used.add(b);
    found.add(a);
    yield [a, b];
  }
  const gone = [...was.columns.keys()].filter((name) => !is.columns.has(name) && !found.has(name));
  const added = [...is.columns.keys()].filter((name) => !was.columns.has(name) && !used.has(name));
  if (gone.length * added.length > 400) return;
  for (const a of gone) {
    const b = added.find(
      (one) =>
        !used.has(one) &&
        isAlike(a, one) &&
        (isBuiltOn(pair, a, one) || statements.follow(`${old}.${a}`, `${fresh}.${one}`, renames)),
    );
    if (b === undefined) continue;
    used.add(b);
    yield [a, b];
  }
}

/** Whether some part of the table kept its name, and now uses the new column instead of the old one. */
function isBuiltOn({ was, fresh, is }: Pair, a: string, b: string): boolean {
  const usualKey = identifier(`${bare(fresh)}_pkey`);
  const definitions = ({ made, constraints, columns }: Table) => {
    const texts = new Map([['made', made]]);
    for (const [name, { kind, definition }] of constraints) {
      // A primary key's default name proves nothing: a new key gets the same one.
      if (kind !== 'primary key' || name !== usualKey) texts.set(`constraint ${name}`, definition);
    }
    for (const [name, { generated }] of columns) if (generated) texts.set(`column ${name}`, generated.text);
    return texts;
  };
  const now = definitions(is);
  return [...definitions(was)].some(
    ([key, text]) => now.get(key) !== text && text.replaceAll(`:${inTree(a)}`, `:${inTree(b)}`) === now.get(key),
  );
}

/** How a syntax tree writes the name of a column. */
function inTree(column: string): string {
  return JSON.stringify(bare(column));
}

/**
 * Statements of both schemas that the other one doesn't have, except for tables and privileges: those don't show what an object is called
 * now.
 */
export class Changed {
  readonly #sides: [before: Statement[], after: Statement[]];
  #texts: { before: Map<string, Statement[]>; after: Set<string> } | undefined;

  constructor(before: Statement[], after: Statement[]) {
    this.#sides = [before, after];
  }

  /** Read only if needed: they are as large as the schemas. The old ones are indexed by their words. */
  #read() {
    const [was, is] = this.#sides.map(
      (list) =>
        new Map(
          list.flatMap((one) => (one.node && !isTableOrGrant(one.node) ? [[canonical(one.node), one] as const] : [])),
        ),
    ) as [Map<string, Statement>, Map<string, Statement>];
    const before = new Map<string, Statement[]>();
    for (const [text, statement] of was) {
      if (is.delete(text)) continue;
      for (const word of new Set(text.match(/"(?:[^"\\]|\\.)*"/g))) {
        const known = before.get(word);
        if (known) known.push(statement);
        else before.set(word, [statement]);
      }
    }
    return { before, after: new Set(is.keys()) };
  }

  /** Whether a statement about the old column is now the same about the new one: an index, a policy, a view, a comment. */
  follow(old: string, fresh: string, { tables }: Renames): boolean {
    this.#texts ??= this.#read();
    const { before, after } = this.#texts;
    if (after.size === 0) return false;
    return (before.get(inTree(old)) ?? []).some((statement) => {
      const [renamed] = withRenames([statement], { ...noRenames(), tables, columns: new Map([[old, fresh]]) });
      const now = canonical(renamed?.node);
      return now.includes(inTree(fresh)) && after.has(now);
    });
  }
}

function isTableOrGrant(node: Node): boolean {
  const alter = as(node, 'AlterTableStmt');
  // Of other tables, a foreign key may refer to the column.
  const isForeignKey = all(alter?.cmds, 'AlterTableCmd').some(
    ({ def }) => as(def, 'Constraint')?.contype === 'CONSTR_FOREIGN',
  );
  return (alter !== undefined && !isForeignKey) || 'CreateStmt' in node || 'GrantStmt' in node;
}

/** What Postgres calls a NOT NULL constraint that has no name of its own. */
export function usualNotNull(table: string, column: string): string {
  return identifier(`${bare(table)}_${bare(column)}_not_null`);
}
