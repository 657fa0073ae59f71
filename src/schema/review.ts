import { size } from '../text/format.ts';
import { ShapeError } from '../text/json.ts';
import { checkConstraints } from './check-constraints.ts';
import { checkObjects } from './check-objects.ts';
import { checkRights } from './check-rights.ts';
import { checkTables } from './check-tables.ts';
import { detailOf, type Found } from './compare.ts';
import { tablesAbove } from './model.ts';
import { isLost, literal, tableOf, unqualified, withoutLost } from './names.ts';
import { readSchema } from './read-schema.ts';
import { alignSchemas, type KnownRenames, type Sides } from './renames.ts';
import { type Finding, levelOf, levels, type RuleName } from './rules.ts';

/** How many bytes tables have, with their indexes and TOAST, by qualified name; a partitioned table is as large as its partitions. */
export type TableSizes = ReadonlyMap<string, number>;

export interface Review {
  findings: Finding[];
  /** Why the review could not see everything, as a clause; undefined if it could. */
  incomplete?: string;
}

/**
 * Reviews what changes from one schema to another, as `pg_dump --schema-only` writes them. Ends with the signal's reason.
 */
export async function reviewSchemas(options: {
  before: string;
  after: string;
  /** If they are known, for example from the catalog: all of them. Otherwise the review looks for evidence in the schemas. */
  renames?: KnownRenames;
  /** Below how many bytes a table is small. */
  ignoreBelow?: number;
  /** Only called if that matters. */
  readSizes?: () => Promise<TableSizes>;
  signal: AbortSignal;
}): Promise<Review> {
  if (options.before === options.after && !options.renames?.again.length) return { findings: [] };
  const { signal } = options;
  let found: Found[];
  try {
    const sides = alignSchemas(
      await readSchema(options.before, signal),
      await readSchema(options.after, signal),
      options.renames,
    );
    const checks = [checkObjects, checkTables, checkRights, checkConstraints];
    found = withoutRepeats([...renamed(sides), ...checks.flatMap((check) => check(sides))], sides).sort(byLevel);
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    return { findings: [], incomplete: error.message };
  }
  const { ignoreBelow: below, readSizes } = options;
  const isSized = below !== undefined && found.some((one) => levelOf(one) === 'locking');
  const sizes = isSized ? await readSizes?.() : undefined;
  return { findings: found.map((one) => shown(one, { sizes, below })) };
}

/** Without what is found for a whole partitioned table and again for each of its partitions. */
function withoutRepeats(found: Found[], { after }: Pick<Sides, 'after'>): Found[] {
  const key = ({ rule, part }: Found, table: string | undefined) => JSON.stringify([rule, table, part]);
  const known = new Set(found.map((one) => key(one, one.table)));
  return found.filter((one) => !tablesAbove(one.table ?? '', after).some((name) => known.has(key(one, name))));
}

/** A `locking` finding says how large its table is. One whose size is unknown is not small. */
function shown(
  { rule, object, table = '', detail }: Found,
  { sizes, below = 0 }: { sizes: TableSizes | undefined; below: number | undefined },
): Finding {
  const bytes = levelOf({ rule }) === 'locking' ? sizes?.get(table) : undefined;
  const shown = detailOf(detail, bytes === undefined ? '' : size(bytes));
  const finding = { rule, object: withoutLost(object), detail: withoutLost(shown) };
  return bytes !== undefined && bytes < below ? { ...finding, isSmall: true } : finding;
}

function renamed({ before, renames: { tables, columns, types, values } }: Sides): Found[] {
  const found = (rule: RuleName, names: Map<string, string>) =>
    [...names].flatMap(([object, fresh]): Found[] => (isLost(fresh) ? [] : [{ rule, object, detail: `now ${fresh}` }]));
  // Parts of a partitioned table have the new names of its columns, too.
  const own = [...columns].filter(([column]) => {
    const parent = before.tables.get(tableOf(column))?.partitionOf;
    return !columns.has(`${parent}.${unqualified(column)}`);
  });
  return [
    ...found('rename-table', tables),
    ...found('drop-type', types),
    ...[...values].map(([object, names]): Found => {
      const pairs = [...names].filter(([value, fresh]) => value !== fresh);
      const detail = pairs.map(([value, fresh]) => `${literal(value)} → ${literal(fresh)}`).join(', ');
      return { rule: 'rename-enum-value', object, detail };
    }),
    ...found('rename-column', new Map(own)),
  ];
}

function byLevel(a: Found, b: Found): number {
  return levels.indexOf(levelOf(a)) - levels.indexOf(levelOf(b));
}
