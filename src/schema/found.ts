import { isLost, withoutLost } from './apply-renames.ts';
import type { Schema } from './model.ts';
import type { RenameEvidence } from './renames.ts';
import type { Finding } from './rules.ts';

/** Two schemas of one database. */
export interface Sides {
  /** With the new names of what was renamed. */
  before: Schema;
  after: Schema;
  /** The old one with its own names. */
  was: Schema;
  evidence: RenameEvidence;
}

/** A finding of a check, with what tells whether it is the same as another. */
export interface Found extends Omit<Finding, 'detail'> {
  detail?: string;
  table?: string;
  /** What the same part of another partition is called, too. */
  part?: string;
  /** The table that an index is on: its object doesn't say. */
  indexed?: string;
}

/** An object that both schemas have. */
export interface Kept<T> {
  name: string;
  was: T;
  is: T;
}

export function kept<T>(before: Map<string, T>, after: Map<string, T>): Kept<T>[] {
  return [...before].flatMap(([name, was]) => {
    const is = after.get(name);
    return is === undefined ? [] : [{ name, was, is }];
  });
}

/** Without what is found for a whole partitioned table and again for each of its partitions. */
export function withoutRepeats(found: Found[], { after }: Pick<Sides, 'after'>): Found[] {
  const key = ({ rule, part }: Found, table: string | undefined) => JSON.stringify([rule, table, part]);
  const known = new Set(found.map((one) => key(one, one.table)));
  return found.filter((one) => !tablesAbove(one.table ?? '', after).some((name) => known.has(key(one, name))));
}

/** The names of the tables that a table is a partition of, the innermost first. */
export function tablesAbove(name: string, { tables }: Schema): string[] {
  const above: string[] = [];
  let parent = tables.get(name)?.partitionOf;
  for (; parent !== undefined && above.length < 16; parent = tables.get(parent)?.partitionOf) above.push(parent);
  return above;
}

/** The parts of one side that say what none of the other side says, whatever they are called. */
export function changedParts<T extends { definition: string }>(
  own: Map<string, T>,
  others: Iterable<T>,
): [name: string, part: T][] {
  const known = new Set([...others].map(({ definition }) => definition));
  return [...own].filter(([, { definition }]) => !known.has(definition));
}

/** The names in the first collection that the second does not have. */
export function missing(from: Iterable<string>, to: { has(name: string): boolean }): string[] {
  return [...from].filter((name) => !to.has(name));
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
