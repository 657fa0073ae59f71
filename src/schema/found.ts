import { isLost, withoutLost } from './apply-renames.ts';
import type { Schema, Table } from './model.ts';
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

/** A finding about a part of a table. */
export interface Found extends Finding {
  table?: string;
  /** What the same part of another partition is called, too. */
  part?: string;
  /** The table that an index is on: its object doesn't say. */
  indexed?: string;
}

/** The tables that both schemas have. */
export function keptTables({
  before,
  after,
}: Pick<Sides, 'before' | 'after'>): { name: string; was: Table; is: Table }[] {
  return [...before.tables].flatMap(([name, was]) => {
    const is = after.tables.get(name);
    return is ? [{ name, was, is }] : [];
  });
}

/** Without what is found for a whole partitioned table and again for each of its partitions. */
export function withoutRepeats(found: Found[], { after }: Pick<Sides, 'after'>): Found[] {
  const key = ({ rule, part }: Found, table: string | undefined) => JSON.stringify([rule, table, part]);
  const known = new Set(found.map((one) => key(one, one.table)));
  const isRepeat = (one: Found): boolean => {
    let parent = after.tables.get(one.table ?? '')?.partitionOf;
    for (let depth = 0; parent !== undefined && depth < 16; depth++) {
      if (known.has(key(one, parent))) return true;
      parent = after.tables.get(parent)?.partitionOf;
    }
    return false;
  };
  return found.filter((one) => !isRepeat(one));
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
