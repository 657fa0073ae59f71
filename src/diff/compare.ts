import { forEachLimited } from '../http/concurrent.ts';
import { ApiError, unlessNotFound } from '../http/errors.ts';
import { withoutIgnored } from '../schema/rules.ts';
import { hidePasswords } from '../secrets/passwords.ts';
import { nameAndId } from '../service/branches.ts';
import { RefusedError } from '../service/errors.ts';
import { readSchema } from '../service/schema.ts';
import { asSentence } from '../text/format.ts';
import { show } from '../text/inert.ts';
import type { DatabaseDiff } from './facts.ts';
import type { DiffStep, Sides } from './sides.ts';

/** Databases that are compared at the same time, with two requests each. */
const atOnce = 4;

export async function compareAll(step: DiffStep, sides: Sides): Promise<DatabaseDiff[]> {
  const databases: DatabaseDiff[] = [];
  for (const one of sides.databases) {
    // One that the base has had only since the fork point is not missing.
    if (!one.isGone || (await wasThere(sides, one.database)))
      databases.push({ ...one, text: '', findings: [], ignored: [] });
  }
  const shared = databases.filter(({ isNew, isGone }) => !isNew && !isGone);
  await forEachLimited(shared, atOnce, async (one) => {
    Object.assign(one, await compare(step, sides, one.database));
  });
  return databases;
}

async function wasThere(sides: Sides, database: string): Promise<boolean> {
  return (await unlessNotFound(readSchema({ ...sides, branch: sides.base, database }))) !== undefined;
}

/** The passwords are hidden first: the diff and the review are both made from what is shown. */
async function compare(step: DiffStep, sides: Sides, database: string): Promise<Partial<DatabaseDiff>> {
  const { inputs, api, log } = step;
  const { branch, base } = sides;
  log.info(`Comparing database ${show(database)} of branch ${nameAndId(branch)} with branch ${nameAndId(base)}`);
  // The parser is large: it is loaded while the service responds.
  const [{ reviewSchemas }, { unifiedDiff }, ofBase, ofBranch] = await Promise.all([
    import('../schema/review.ts'),
    import('./unified-diff.ts'),
    readBase(sides, database),
    readSchema({ ...sides, database, point: {} }),
  ]);
  const [before, after] = [ofBase.sql, ofBranch].map((sql) => hidePasswords(withoutNoise(sql))) as [string, string];
  const { findings, ...review } = await reviewSchemas({
    ...{ before, after },
    signal: api.deadline.signal,
    ignoreBelow: inputs.ignore_below,
    readSizes: async () => (await import('./table-sizes.ts')).readTableSizes(step, sides, database),
  });
  return {
    ...review,
    ...withoutIgnored(findings, inputs.ignore_rules),
    text: unifiedDiff({ name: database, before, after }),
    isForkLost: ofBase.isForkLost,
  };
}

/** The base's schema at its point; as it is now if that is the fork point, and its history no longer reaches back to it. */
async function readBase(sides: Sides, database: string): Promise<{ sql: string; isForkLost: boolean }> {
  const { base: branch, point, isFork } = sides;
  try {
    return { sql: await readSchema({ ...sides, branch, database, point }), isForkLost: false };
  } catch (error) {
    const isPast = Object.keys(point).length > 0;
    if (!isPast || !(error instanceof ApiError) || ![400, 404, 422].includes(error.status ?? 0)) throw error;
    if (isFork) return { sql: await readSchema({ ...sides, branch, database, point: {} }), isForkLost: true };
    const next = 'Check that the history of the base reaches back to `base_point`, and that it had this database then.';
    throw new RefusedError(`${asSentence(error.message)} ${next}`, { cause: error });
  }
}

/** Without what differs from one dump to the next, whatever the schema. The review reads the major version. */
function withoutNoise(sql: string): string {
  return sql
    .replace(/^(?:\\(?:un)?restrict \S+|-- Dumped by .*)\r?\n/gm, '')
    .replace(/^(-- Dumped from database version \d+).*$/gm, '$1');
}
