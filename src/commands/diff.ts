import { waitUntilReady } from '../branch/ready.ts';
import { checkRequired } from '../branch/require.ts';
import { readTableSizes } from '../branch/table-sizes.ts';
import { type Found, findNamed, requireTarget } from '../branch/target.ts';
import { type Context, projectOf } from '../context.ts';
import { forEachLimited } from '../http/concurrent.ts';
import { ApiError } from '../http/errors.ts';
import { differenceIn, howToGet, warningsOf } from '../report/diff.ts';
import type { DatabaseDiff, SchemaDiff } from '../result.ts';
import { withoutIgnored } from '../schema/rules.ts';
import { hidePasswords } from '../secrets/passwords.ts';
import { getBranch, listNames, nameAndId } from '../service/branches.ts';
import { choose } from '../service/connection.ts';
import { RefusedError } from '../service/errors.ts';
import { unfinishedOperations } from '../service/operations.ts';
import { type Point, readSchema } from '../service/schema.ts';
import type { Branch } from '../service/types.ts';
import { asSentence, listSome } from '../text/format.ts';
import { show } from '../text/inert.ts';

/** Databases that are compared at the same time, with two requests each. */
const atOnce = 4;
/** Databases that a sentence names. */
const maxNamed = 5;

/** What is compared with what. */
interface Comparison {
  context: Context;
  seen: Found;
  base: Branch;
  /** The databases of the branch, and of the base. */
  names: string[];
  baseNames: string[];
  /** Where in the base's history the comparison starts. */
  point: Point;
  /** Whether that is where the branch was created or last reset. */
  isFork: boolean;
}

/** Compares the branch's schema with that of its base, for one database or all, and reviews the changes. */
export async function run(context: Context): Promise<void> {
  const { inputs, log } = context;
  const [found, named] = await Promise.all([
    requireTarget(context),
    findNamed(
      context,
      'base_branch',
      'Check its spelling, or remove the input to compare with the parent, if there is one.',
    ),
  ]);
  let { seen, running, base, names, baseNames } = await readSides(context, found, named);
  if (running.length > 0) {
    // While a reset is running, the branch still has its old schema, and shows the old point in its parent.
    log.info(`Branch ${show(seen.branch.name)} is not ready yet; waiting for its operations`);
    const ready = { ...seen, branch: await waitUntilReady(context, seen, running) };
    ({ seen, running, base, names, baseNames } = await readSides(context, ready, named));
  }
  const { branch } = seen;
  const sides = { context, seen, base, names, baseNames, ...pointOf(context, branch, base) };
  const all = inputs.database === '*';
  const chosen = all ? [...new Set([...names, ...baseNames])] : [chooseDatabase(context, sides)];
  const gone = baseNames.filter((database) => !names.includes(database));
  if (inputs.database === undefined && gone.length > 0) {
    const named = listSome(
      gone.map((name) => show(name)),
      maxNamed,
    );
    const one = gone.length === 1;
    const [were, them] = one ? ['was', 'it'] : ['were', 'them'];
    log.warning(
      `${one ? 'Database' : 'Databases'} ${named} of branch ${show(base.name)} ${were} not compared, because branch ${show(branch.name)} doesn't have ${them}. ${howToGet(one ? 'database' : 'databases', branch.name)} If the branch is meant not to have ${them}, set \`database\` to the database to compare.`,
      'Database Branch: diff',
    );
  }
  if (chosen.length === 0)
    throw new RefusedError(
      `Neither branch ${nameAndId(branch)} nor its base ${nameAndId(base)} has a database to compare.`,
    );
  const databases = chosen.map((database): DatabaseDiff => {
    const [isNew, isGone] = [!baseNames.includes(database), !names.includes(database)];
    return { database, isNew, isGone, text: '', findings: [], ignored: [] };
  });
  const shared = databases.filter(({ isNew, isGone }) => !isNew && !isGone);
  await forEachLimited(shared, atOnce, async (one) => {
    Object.assign(one, await compareDatabase({ ...sides, database: one.database }));
  });
  const result: SchemaDiff = {
    branchName: branch.name,
    baseName: base.name,
    basePoint: sides.isFork ? undefined : (sides.point.timestamp ?? sides.point.lsn),
    all,
    databases,
    failOn: inputs.fail_on,
  };
  for (const { line, title } of warningsOf(result, inputs)) log.warning(line, `Database Branch: ${title}`);
  context.progress({
    action: 'compared',
    knownParent: { id: base.id, name: base.name },
    diff: result,
    done: differenceIn(result),
  });
}

/** The databases of both sides, and the operations still running on the branch. */
async function readSides(context: Context, seen: Found, named: Branch | undefined) {
  const project = projectOf(context);
  const { branch } = seen;
  context.progress({ branch });
  await checkRequired(context, seen);
  const baseId = named?.id ?? baseIdOf(context, branch);
  const namesOn = (branchId: string) => listNames({ ...project, branchId, kind: 'databases' });
  const [base, names, baseNames, running] = await Promise.all([
    named ?? getBranch({ ...project, branchId: baseId }).then((found) => found.branch),
    namesOn(branch.id),
    namesOn(baseId),
    unfinishedOperations({ ...project, branchId: branch.id }),
  ]);
  return { seen, base, names, baseNames, running };
}

/** The ID of the base if no input names one: the parent, or for a root branch with a point in the past, the branch itself. */
function baseIdOf({ inputs }: Context, branch: Branch): string {
  if (branch.parent_id !== undefined) return branch.parent_id;
  if (typeof inputs.base_point === 'object') return branch.id;
  throw new RefusedError(
    `Branch ${nameAndId(branch)} is a root branch and has no parent to compare with. Set \`base_branch\`, or \`base_point\` to compare the branch with its own past.`,
  );
}

/** The fork point, unless the inputs say otherwise: the parent as it was when the branch was created or last reset. */
function pointOf({ inputs }: Context, branch: Branch, base: Branch): { point: Point; isFork: boolean } {
  const { base_point: wanted } = inputs;
  if (typeof wanted === 'object') return { point: wanted, isFork: false };
  const isParent = base.id === branch.parent_id;
  if (wanted === 'fork' && !isParent) {
    throw new RefusedError(
      `Branch ${nameAndId(base)} is not the parent of branch ${nameAndId(branch)}, so there is no fork point to compare with (\`base_point: fork\`). Remove \`base_point\` to compare with the current state of ${show(base.name)}.`,
    );
  }
  if (wanted === 'head' || !isParent) return { point: {}, isFork: false };
  if (branch.parent_lsn !== undefined) return { point: { lsn: branch.parent_lsn }, isFork: true };
  return { point: { timestamp: branch.parent_timestamp }, isFork: branch.parent_timestamp !== undefined };
}

function chooseDatabase({ inputs }: Context, sides: Pick<Comparison, 'seen' | 'base' | 'names' | 'baseNames'>): string {
  const { seen, base, names, baseNames } = sides;
  const database = choose({ kind: 'database', wanted: inputs.database, names, branch: seen.branch });
  if (baseNames.includes(database)) return database;
  const next =
    baseNames.length === 0
      ? 'it has no databases. Set `base_branch`.'
      : `it has ${baseNames.map((name) => show(name)).join(', ')}. Set \`database\` or \`base_branch\`.`;
  throw new RefusedError(`Branch ${nameAndId(base)} has no database ${show(database)} to compare with; ${next}`);
}

/** Compares and reviews a database that both sides have. Passwords are hidden first: both are made from what is shown. */
async function compareDatabase(options: Comparison & { database: string }): Promise<Partial<DatabaseDiff>> {
  const { context, seen, base, database, point, isFork } = options;
  const { api, inputs, log } = context;
  const of = { ...projectOf(context), database };
  const readBase = (point: Point) =>
    readSchema({ ...of, branch: base, point }).catch((error) => explainPast(error, point));
  log.info(
    `Comparing database ${show(database)} of branch ${nameAndId(seen.branch)} with branch ${nameAndId(base)}${isFork ? ' as of the fork point' : atPoint(point)}`,
  );
  let isForkLost = false as boolean;
  // The parser is large: it is loaded while the service responds.
  const [{ reviewSchemas }, { schemaReader }, { unifiedDiff }, ...schemas] = await Promise.all([
    import('../schema/review.ts'),
    import('../schema/read-schema.ts'),
    import('../schema/unified-diff.ts'),
    readBase(point).catch((error) => {
      if (!isFork || !(error instanceof RefusedError)) throw error;
      isForkLost = true;
      return readBase({});
    }),
    readSchema({ ...of, branch: seen.branch }),
  ]);
  const [before, after] = schemas.map((sql) => hidePasswords(withoutNoise(sql))) as [string, string];
  const { findings, ...review } = await reviewSchemas({
    ...{ before, after },
    read: schemaReader(api.deadline.signal),
    ignoreBelow: inputs.ignore_below,
    readSizes: () => readTableSizes(context, seen, database),
  });
  const text = unifiedDiff({ name: database, before, after });
  return {
    ...review,
    ...withoutIgnored(findings, inputs.ignore_rules),
    text: text ?? '',
    isTooLarge: text === undefined,
    isForkLost,
  };
}

/** Without what differs from one dump to the next, whatever the schema. The review reads the major version. */
function withoutNoise(sql: string): string {
  return sql
    .replace(/^(?:\\(?:un)?restrict \S+|-- Dumped by .*)\r?\n/gm, '')
    .replace(/^(-- Dumped from database version \d+).*$/gm, '$1');
}

function atPoint({ timestamp, lsn }: Point): string {
  const point = timestamp ?? lsn;
  return point === undefined ? '' : ` at ${point}`;
}

/** Throws an error that says what may be wrong with a point in the past, if the service refused to read it. */
function explainPast(error: unknown, { timestamp, lsn }: Point): never {
  const point = timestamp ?? lsn;
  if (point === undefined || !(error instanceof ApiError) || ![400, 404, 422].includes(error.status ?? 0)) throw error;
  throw new RefusedError(
    `${asSentence(error.message)} The base may not have had this database at ${point}, or its history may not reach back that far. Set \`base_point\` to a later point.`,
    { cause: error },
  );
}
