import { forEachLimited } from '../http/concurrent.ts';
import { ApiError } from '../http/errors.ts';
import { withoutIgnored } from '../schema/rules.ts';
import { hidePasswords } from '../secrets/passwords.ts';
import { nameAndId } from '../service/branches.ts';
import { RefusedError } from '../service/errors.ts';
import { type Point, readSchema } from '../service/schema.ts';
import { asSentence } from '../text/format.ts';
import { show } from '../text/inert.ts';
import type { DatabaseDiff } from './facts.ts';
import type { DiffStep, Sides } from './sides.ts';

/** Databases that are compared at the same time, with two requests each. */
const atOnce = 4;

/** Compares and reviews the databases that both sides have. */
export async function compareAll(step: DiffStep, sides: Sides): Promise<DatabaseDiff[]> {
  const databases = sides.databases.map((database): DatabaseDiff => {
    const [isNew, isGone] = [!sides.ofBase.includes(database), !sides.own.includes(database)];
    return { database, isNew, isGone, text: '', findings: [], ignored: [] };
  });
  const shared = databases.filter(({ isNew, isGone }) => !isNew && !isGone);
  await forEachLimited(shared, atOnce, async (one) => {
    Object.assign(one, await compare(step, sides, one.database));
  });
  return databases;
}

/** The passwords are hidden first: the diff and the review are both made from what is shown. */
async function compare(step: DiffStep, sides: Sides, database: string): Promise<Partial<DatabaseDiff>> {
  const { inputs, api, log } = step;
  const { branch, base, point, isFork } = sides;
  const readBase = (point: Point) =>
    readSchema({ ...sides, branch: base, database, point }).catch((error) => explainPast(error, point));
  const place = isFork ? ' as of the fork point' : sides.basePoint === undefined ? '' : ` at ${sides.basePoint}`;
  log.info(
    `Comparing database ${show(database)} of branch ${nameAndId(branch)} with branch ${nameAndId(base)}${place}`,
  );
  let isForkLost = false as boolean;
  // The parser is large: it is loaded while the service responds.
  const [{ reviewSchemas }, { schemaReader }, { unifiedDiff }, ...schemas] = await Promise.all([
    import('../schema/review.ts'),
    import('../schema/read-schema.ts'),
    import('./unified-diff.ts'),
    readBase(point).catch((error) => {
      if (!isFork || !(error instanceof RefusedError)) throw error;
      isForkLost = true;
      return readBase({});
    }),
    readSchema({ ...sides, database, point: {} }),
  ]);
  const [before, after] = schemas.map((sql) => hidePasswords(withoutNoise(sql))) as [string, string];
  const { findings, ...review } = await reviewSchemas({
    ...{ before, after },
    read: schemaReader(api.deadline.signal),
    ignoreBelow: inputs.ignore_below,
    readSizes: async () => (await import('./table-sizes.ts')).readTableSizes(step, sides, database),
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

/** Throws an error that says what may be wrong with a point in the past, if the service refused to read it. */
function explainPast(error: unknown, { timestamp, lsn }: Point): never {
  const point = timestamp ?? lsn;
  if (point === undefined || !(error instanceof ApiError) || ![400, 404, 422].includes(error.status ?? 0)) throw error;
  throw new RefusedError(
    `${asSentence(error.message)} The base may not have had this database at ${point}, or its history may not reach back that far. Set \`base_point\` to a later point.`,
    { cause: error },
  );
}
