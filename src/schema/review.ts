import { noRenames, type Renames, withRenames } from './apply-renames.ts';
import { checkColumns } from './check-columns.ts';
import { checkConstraints } from './check-constraints.ts';
import { checkObjects } from './check-objects.ts';
import { checkRights } from './check-rights.ts';
import { checkTables } from './check-tables.ts';
import { type Found, withoutRepeats } from './found.ts';
import type { Schema } from './model.ts';
import { ParserError, parseSchema } from './parser.ts';
import { readSchema } from './read.ts';
import { type Finding, levelOf, levels, type RuleName } from './rules.ts';

export interface Review {
  /** Most serious level first. */
  findings: Finding[];
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
  signal: AbortSignal;
}): Promise<Review> {
  const { signal, renames = noRenames() } = options;
  if (options.before === options.after) return { findings: [] };
  const longest = Math.max(options.before.length, options.after.length);
  if (longest > longestSchema) {
    return { findings: [], incomplete: `The schema is too large to review (${longest} characters).` };
  }
  try {
    const before = await modelOf(options.before, signal, renames);
    const after = await modelOf(options.after, signal);
    const sides = { before, after };
    const checks = [checkObjects, checkTables, checkColumns, checkRights, checkConstraints];
    const found = [...renamed(renames), ...checks.flatMap((check) => check(sides))];
    return { findings: withoutRepeats(found, sides).sort(byLevel) };
  } catch (error) {
    if (!(error instanceof ParserError)) throw error;
    return { findings: [], incomplete: `The schema could not be reviewed: ${error.message}.` };
  }
}

async function modelOf(text: string, signal: AbortSignal, renames = noRenames()): Promise<Schema> {
  return readSchema(text, withRenames(await parseSchema({ text, signal }), renames));
}

function renamed({ tables, columns }: Renames): Found[] {
  const found = (rule: RuleName, names: Map<string, string>) =>
    [...names].map(([object, fresh]): Found => ({ rule, object, detail: `now ${fresh}` }));
  return [...found('rename-table', tables), ...found('rename-column', columns)];
}

function byLevel(a: Finding, b: Finding): number {
  return levels.indexOf(levelOf(a)) - levels.indexOf(levelOf(b));
}
