import { findBranch, getBranch, listNames, noSuchBranch } from '../api/branches.ts';
import { choose } from '../api/connection.ts';
import { NotFoundError } from '../api/errors.ts';
import { compareSchema, readSchema } from '../api/schema.ts';
import type { Branch } from '../api/types.ts';
import { requireTarget } from '../branch/target.ts';
import { type Command, type Context, projectOf } from '../context.ts';
import { ApiError } from '../http/errors.ts';
import { branchWindow, type PropagationWindow } from '../http/propagation-window.ts';
import { redacted } from '../report/redacted.ts';
import type { Destruction } from '../result.ts';
import { findDestruction, hasHidden } from '../schema/destructive.ts';
import { countChanges } from '../schema/unified.ts';
import { hidePasswords } from '../secrets/sql.ts';
import { count, listSome } from '../text/format.ts';
import { show } from '../text/inert.ts';

type Base = Pick<Branch, 'id' | 'name'>;

/** Compares the branch's schema with that of its base, for one database. */
export const diff: Command = async (context) => {
  const { inputs, api, log } = context;
  const project = projectOf(context);
  const { branch, date } = await requireTarget(context);
  context.progress({ branch });
  const window = branchWindow({ branch, clock: api.clock, date });
  const [base, databases] = await Promise.all([
    findBase({ context, branch, window }),
    listNames({ ...project, branchId: branch.id, kind: 'databases', window }),
  ]);
  const database = choose({ kind: 'database', wanted: inputs.database, names: databases, branch });
  log.info(
    `Comparing database ${show(database)} of branch ${show(branch.name)} (${branch.id}) with branch ${show(base.name)} (${base.id})`,
  );
  const raw = await compareSchema({ ...project, branch, base, database, window }).catch((error) =>
    explainMissing({ error, context, base, database }),
  );
  // Reviewed before its passwords are hidden, so that no text in the schema can hide a change from the review.
  const found = await destructiveChanges({ context, branch, database, text: raw });
  const destructive = redacted(found, hidePasswords);
  const text = hidePasswords(raw);
  if (destructive.length > 0) {
    const some = listSome(
      destructive.map((one) => `${one.does} ${one.to}`),
      5,
      '; ',
    );
    log.warning(
      `Applying the schema of branch ${show(branch.name)} to database ${show(database)} of branch ${show(base.name)} ${some}. Review the diff before you apply it to real data.`,
      `Database Branch: ${count(destructive.length, 'destructive change')}`,
    );
  }
  const { added, removed } = countChanges(text);
  const between = `in database ${show(database)} between branches ${show(branch.name)} and ${show(base.name)}`;
  return {
    branch,
    action: 'compared',
    knownParent: { id: base.id, name: base.name },
    diff: { text, baseName: base.name, database, destructive },
    done:
      text === ''
        ? `No schema difference ${between}`
        : `The schema differs ${between}: ${count(added, 'line')} added, ${removed} removed`,
  };
};

async function findBase(options: {
  context: Context;
  branch: Branch;
  window: PropagationWindow | undefined;
}): Promise<Base> {
  const { context, branch, window } = options;
  const project = projectOf(context);
  const wanted = context.inputs.base_branch;
  if (wanted !== undefined) {
    const base = await findBranch({ ...project, nameOrId: wanted });
    if (base) return base;
    throw noSuchBranch(`with the name or ID ${show(wanted)} (\`base_branch\`)`);
  }
  if (branch.parent_id === undefined) {
    throw new NotFoundError(
      `Branch ${show(branch.name)} (${branch.id}) is a root branch and has no parent to compare with. Set \`base_branch\`.`,
    );
  }
  // The parent of a new branch may be just as new.
  return (await getBranch({ ...project, branchId: branch.parent_id, window })).branch;
}

/** Throws a better error if the comparison failed because the base has no such database. */
async function explainMissing(options: {
  error: unknown;
  context: Context;
  base: Base;
  database: string;
}): Promise<never> {
  const { error, context, base, database } = options;
  if (!(error instanceof ApiError) || ![400, 404, 422].includes(error.status ?? 0)) throw error;
  const names = await listNames({ ...projectOf(context), branchId: base.id, kind: 'databases' });
  if (names.includes(database)) throw error;
  const explained = new NotFoundError(
    `Branch ${show(base.name)} (${base.id}) has no database ${show(database)} to compare with; it has ${names.map((name) => show(name)).join(', ') || 'none'}. Set \`database\` or \`base_branch\`.`,
  );
  explained.cause = error;
  throw explained;
}

/** The destructive changes. The whole schema is read only if the diff does not show the table of one of them. */
async function destructiveChanges(options: {
  context: Context;
  branch: Branch;
  database: string;
  text: string;
}): Promise<Destruction[]> {
  const { context, branch, database, text } = options;
  const found = findDestruction(text);
  if (!hasHidden(found)) return found;
  try {
    return findDestruction(text, await readSchema({ ...projectOf(context), branch, database }));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    context.log.debug(`Could not look up the tables that the diff does not show: ${error.message}`);
    return found;
  }
}
