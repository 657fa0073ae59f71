import { namesIn, type Renames, withRenames } from './apply-renames.ts';
import { checkColumns } from './check-columns.ts';
import { checkConstraints } from './check-constraints.ts';
import { checkObjects } from './check-objects.ts';
import { checkRights } from './check-rights.ts';
import { checkTables } from './check-tables.ts';
import { type Found, type Sides, withoutRepeats } from './found.ts';
import { ParserError, parseSchema } from './parser.ts';
import { readSchema } from './read.ts';
import { findRenames } from './renames.ts';
import { type Finding, levelOf, levels } from './rules.ts';
import { bySize, type TableSizes } from './sizes.ts';
import { identifier, qualified } from './tree.ts';

export interface Review {
  /** Most serious level first. */
  findings: Finding[];
  /** What it also found, about tables that are too small to count. */
  small?: Finding[];
  /** Why the review could not see everything, as a sentence; undefined if it could. */
  incomplete?: string;
}

/** A schema of this many UTF-16 code units takes the parser a few seconds, and a few hundred megabytes. */
const longestSchema = 64_000_000;

/**
 * Reviews what changes from one schema to another, both as `pg_dump --schema-only` writes them. Loads the parser.
 * Ends with the signal's reason.
 */
export async function reviewSchemas(options: {
  before: string;
  after: string;
  /** If they are known, for example from the catalog: all of them. Otherwise the review looks for evidence in the schemas. */
  renames?: Renames;
  /** `locking` findings about smaller tables, in bytes, don't count. The sizes are only read if there are any. */
  ignoreBelow?: { bytes: number; readSizes(): Promise<TableSizes> } | undefined;
  signal: AbortSignal;
}): Promise<Review> {
  const { signal } = options;
  if (options.before === options.after) return { findings: [] };
  const longest = Math.max(options.before.length, options.after.length);
  if (longest > longestSchema) {
    return { findings: [], incomplete: `The schema is too large to review (${longest} characters).` };
  }
  let found: Found[];
  try {
    const statements = await parseSchema({ text: options.before, signal });
    const was = readSchema(options.before, statements);
    const after = readSchema(options.after, await parseSchema({ text: options.after, signal }));
    const evidence = options.renames
      ? { renames: options.renames, addedAgain: new Set<string>(), maybe: new Map<string, string[]>() }
      : findRenames(was, after);
    const { tables, columns } = evidence.renames;
    const isSame = tables.size + columns.size === 0;
    const before = isSame ? was : readSchema(options.before, withRenames(statements, evidence.renames));
    const sides = { before, after, was, evidence };
    const checks = [checkObjects, checkTables, checkColumns, checkRights, checkConstraints];
    found = withoutRepeats([...renamed(sides), ...checks.flatMap((check) => check(sides))], sides).sort(byLevel);
  } catch (error) {
    if (!(error instanceof ParserError)) throw error;
    return { findings: [], incomplete: `The schema could not be reviewed: ${error.message}.` };
  }
  const all = found.map(({ rule, object, detail, table, indexed }) => ({
    finding: { rule, object, detail },
    table: indexed ?? table,
  }));
  const { ignoreBelow } = options;
  if (!ignoreBelow || found.every((one) => levelOf(one) !== 'locking')) {
    return { findings: all.map(({ finding }) => finding) };
  }
  return bySize(all, { sizes: await ignoreBelow.readSizes(), below: ignoreBelow.bytes });
}

/** Parts of a partitioned table have the new names of its columns, too. */
function renamed({ was, evidence }: Sides): Found[] {
  const { tables, columns } = evidence.renames;
  return [
    ...[...tables].map(([object, fresh]): Found => ({ rule: 'rename-table', object, detail: `now ${fresh}` })),
    ...[...columns]
      .filter(([object]) => {
        const parts = namesIn(object);
        const table = was.tables.get(qualified(parts.slice(0, -1)));
        return !columns.has(`${table?.partitionOf}.${identifier(parts.at(-1) ?? '')}`);
      })
      .map(([object, fresh]): Found => ({ rule: 'rename-column', object, detail: `now ${fresh}` })),
  ];
}

function byLevel(a: Finding, b: Finding): number {
  return levels.indexOf(levelOf(a)) - levels.indexOf(levelOf(b));
}
