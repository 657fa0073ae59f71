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
  /** Whether the new schema has the names of NOT NULL constraints. */
  namesNotNull: boolean;
  statements: Changed;
  /** What is proven, and what may be; columns are added to both. */
  renames: Renames;
  maybe: Map<string, string[]>;
  /** Whether so many tables have a column of this name that it is no guess. */
  isCommon(column: string): boolean;
}

/**
 * Matches the old and new columns of a table. The new list begins with what is left of the old columns, in their order, and ends with what was
 * added: a new name in front of a column that stayed belongs to an old column. Whatever refers to a column follows it. Returns whether the
 * table was dropped and created again: then its columns are in another order.
 */
export function matchColumns(pair: Pair): boolean {
  const { old, was, fresh, is } = pair;
  const [olds, news] = [[...was.columns.keys()], [...is.columns.keys()]];
  const isSame = olds.join() === news.join();
  if (isSame && was.partitionOf !== undefined) return false;
  const isAlike = alikeIn(pair);
  const isDisproved = disprovedBy(pair);
  const known = proven(pair, { isAlike, isDisproved });
  if (isSame && known.size === 0) return false;
  const { kept, rest, unsure } = align(olds, news, { known, isAlike, isDisproved });
  const shared = olds.filter((name) => is.columns.has(name));
  const again = shared.filter((name) => !kept.has(name));
  const isNew = (kept.size === 0 && olds.length > 1) || (again.length > 1 && again.length * 2 >= shared.length);
  if (old === fresh && shared.length > 0 && isNew) return true;
  for (const column of olds) {
    if (kept.has(column)) continue;
    const candidates = unsure.get(column) ?? rest.filter((one) => !was.columns.has(one) && !pair.isCommon(one));
    const alike = candidates.filter((one) => isAlike(column, one) && !isDisproved(column, one));
    if (alike.length > 0) pair.maybe.set(`${old}.${column}`, alike);
  }
  for (const column of olds) {
    const now = kept.get(column) ?? (is.columns.has(column) ? lost(column) : column);
    if (now !== column) pair.renames.columns.set(`${old}.${column}`, `${fresh}.${now}`);
  }
  return false;
}

/** Whether something holds for an old and a new column. */
type Test = (old: string, fresh: string) => boolean;

function alikeIn({ was, is }: Pair): Test {
  return (a, b) => typeIn(was, a) === typeIn(is, b);
}

export function typeIn({ columns }: Table, column: string): string | undefined {
  const found = columns.get(column);
  return found && formatType(found.type);
}

/** Whether the names of NOT NULL constraints say that a new column is not the old one. */
function disprovedBy({ old, was, fresh, is, namesNotNull }: Pair): Test {
  const [then, now] = [notNullNames(old, was), notNullNames(fresh, is)];
  return (a, b) => {
    const [name, other] = [then.get(a), now.get(b)];
    if (!namesNotNull || other === undefined || other === name) return false;
    if (a === b) return name !== undefined && isOfAnother(other, usualNotNull(fresh, b));
    return name !== undefined || [...then.values()].includes(other);
  };
}

interface Alignment {
  /** Old columns with their new names, those that kept their name included. */
  kept: Map<string, string>;
  /** The columns at the end, which are new. */
  rest: string[];
  /** Old columns that are gone, one of which has one of these new names. */
  unsure: Map<string, string[]>;
}

/** Reads both lists from the left, from one column that stayed to the next. `known` are renames that something else proves. */
function align(
  olds: string[],
  news: string[],
  test: { known: Map<string, string>; isAlike: Test; isDisproved: Test },
): Alignment {
  const { known, isDisproved } = test;
  const oldNames = new Map([...known].map(([old, fresh]) => [fresh, old]));
  const places = new Map(olds.map((name, index) => [name, index]));
  const placeOf = (name: string) => {
    const isOwn = !known.has(name) && !isDisproved(name, name);
    return places.get(oldNames.get(name) ?? (isOwn ? name : '')) ?? -1;
  };
  const kept: Alignment['kept'] = new Map();
  const unsure: Alignment['unsure'] = new Map();
  let [next, done] = [0, 0];
  while (done < news.length) {
    let end = done;
    while (end < news.length && placeOf(news[end] ?? '') < next + end - done) end++;
    const [between, renamed] = [olds.slice(next, placeOf(news[end] ?? '')), news.slice(done, end)];
    const gone = between.filter((name) => !known.has(name));
    // A name that another old column had is no proof by itself: that would be a table that was created again.
    if (end === news.length || renamed.some((name) => places.has(name))) break;
    const isWhole = gone.length === renamed.length;
    const isPossible = !isWhole || gone.every((name, index) => !isDisproved(name, renamed[index] ?? ''));
    const ways = isWhole && isPossible ? [gone] : choices(gone, renamed, test);
    if (ways.length === 0) break;
    if (ways.length === 1) for (const [index, name] of renamed.entries()) kept.set(ways[0]?.[index] ?? '', name);
    else for (const name of gone) unsure.set(name, renamed);
    const place = placeOf(news[end] ?? '');
    kept.set(olds[place] ?? '', news[end] ?? '');
    [next, done] = [place + 1, end + 1];
  }
  return { kept, rest: news.slice(done), unsure };
}

/** The ways to choose an old column of the same type for each new name, in order; at most two, because more don't matter. */
function choices(olds: string[], news: string[], test: { isAlike: Test; isDisproved: Test }): string[][] {
  const [fresh, ...rest] = news;
  if (fresh === undefined) return [[]];
  const found: string[][] = [];
  for (const [index, old] of olds.entries()) {
    if (olds.length - index < news.length || found.length > 1) break;
    if (!test.isAlike(old, fresh) || test.isDisproved(old, fresh)) continue;
    for (const more of choices(olds.slice(index + 1), rest, test)) found.push([old, ...more]);
  }
  return found.slice(0, 2);
}

/** Column renames proven by names that stay: of NOT NULL constraints, and of objects that refer to the column. */
function proven(
  { old, was, fresh, is, statements, renames }: Pair,
  { isAlike, isDisproved }: { isAlike: Test; isDisproved: Test },
): Map<string, string> {
  const found = new Map<string, string>();
  const named = new Map([...notNullNames(fresh, is)].map(([column, name]) => [name, column]));
  for (const [a, name] of notNullNames(old, was)) {
    const b = named.get(name);
    if (b !== undefined && b !== a && is.columns.get(b)?.notNullName) found.set(a, b);
  }
  const used = new Set(found.values());
  const gone = [...was.columns.keys()].filter((name) => !is.columns.has(name) && !found.has(name));
  const added = [...is.columns.keys()].filter((name) => !was.columns.has(name) && !used.has(name));
  if (gone.length * added.length > 400) return found;
  const { tables } = renames;
  const isFollowed = (a: string, b: string) =>
    statements.follow(new Map([[bare(a), bare(b)]]), {
      ...noRenames(),
      tables,
      columns: new Map([[`${old}.${a}`, `${fresh}.${b}`]]),
    });
  for (const a of gone) {
    const b = added.find((one) => !used.has(one) && isAlike(a, one) && !isDisproved(a, one) && isFollowed(a, one));
    if (b === undefined) continue;
    used.add(b);
    found.set(a, b);
  }
  return found;
}

/** Statements, and parts of tables, that only one of two schemas has. */
export class Changed {
  readonly #sides: [before: Statement[], after: Statement[]];
  #texts: { before: Map<string, Node[]>; after: Set<string> } | undefined;

  constructor(before: Statement[], after: Statement[]) {
    this.#sides = [before, after];
  }

  /** Read only if needed: they are as large as the schemas. The old ones are indexed by their words. */
  #read() {
    const [was, is] = this.#sides.map(
      (list) =>
        new Map(
          list.flatMap(({ node }) => (node ? partsOf(node) : [])).map((node) => [canonical(node), node] as const),
        ),
    ) as [Map<string, Node>, Map<string, Node>];
    const before = new Map<string, Node[]>();
    for (const [text, node] of was) {
      if (is.delete(text)) continue;
      for (const word of new Set(text.match(/"(?:[^"\\]|\\.)*"/g))) {
        const known = before.get(word);
        if (known) known.push(node);
        else before.set(word, [node]);
      }
    }
    return { before, after: new Set([...is].flatMap(([text, node]) => (isUsualKey(node) ? [] : [text]))) };
  }

  /**
   * Whether something that has one of the old names is now the same with the new ones: a constraint, an index, a policy, a view, a comment.
   */
  follow(names: Map<string, string>, renames: Renames): boolean {
    this.#texts ??= this.#read();
    const { before, after } = this.#texts;
    if (after.size === 0) return false;
    const fresh = [...names.values()].map((name) => JSON.stringify(name));
    const nodes = new Set([...names.keys()].flatMap((name) => before.get(JSON.stringify(name)) ?? []));
    return [...nodes].some((node) => {
      const [renamed] = withRenames([{ node, start: 0, end: 0 }], renames);
      const now = canonical(renamed?.node);
      return after.has(now) && fresh.some((name) => now.includes(name));
    });
  }
}

/** What of a statement shows the new name of a column or a value. The names in a table, in an enum and in privileges may be new ones. */
function partsOf(node: Node): Node[] {
  if ('GrantStmt' in node || 'CreateEnumStmt' in node) return [];
  const alter = as(node, 'AlterTableStmt');
  const table = as(node, 'CreateStmt') ?? as(node, 'CreateForeignTableStmt')?.base;
  if (!alter && !table) return [node];
  const { relation } = alter ?? table ?? {};
  const part = (def: Node): Node => ({ AlterTableStmt: { relation, cmds: [{ AlterTableCmd: { def } }] } });
  const written = [...all(alter?.cmds, 'AlterTableCmd').flatMap(({ def }) => def ?? []), ...(table?.tableElts ?? [])];
  const constraints = all(written, 'Constraint').filter(
    ({ conname, contype }) => conname !== undefined && contype !== 'CONSTR_NOTNULL',
  );
  const generated = all(table?.tableElts, 'ColumnDef').flatMap(({ colname, constraints }) =>
    all(constraints, 'Constraint')
      .filter(({ contype }) => contype === 'CONSTR_GENERATED')
      .map((Constraint) => ({ ColumnDef: { colname, constraints: [{ Constraint }] } })),
  );
  const key: Node[] = table?.partspec ? [{ PartitionSpec: table.partspec }] : [];
  return [...constraints.map((Constraint) => ({ Constraint })), ...generated, ...key].map(part);
}

/** Whether it is a primary key with the name that Postgres gives: a new key gets the same one. */
function isUsualKey(node: Node): boolean {
  const { relation, cmds } = as(node, 'AlterTableStmt') ?? {};
  const key = as(all(cmds, 'AlterTableCmd')[0]?.def, 'Constraint');
  return key?.contype === 'CONSTR_PRIMARY' && key.conname === `${relation?.relname}_pkey`;
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

/** Whether the name of a NOT NULL constraint is one that Postgres gave to another column. One that people chose says nothing. */
export function isOfAnother(name: string, usual: string): boolean {
  return name !== usual && /_not_null\d*"?$/.test(name);
}
