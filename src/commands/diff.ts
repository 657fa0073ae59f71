import { findBranch, getBranch, listNames, noSuchBranch, type Settling, settlingOf } from '../api/branches.ts';
import { choose } from '../api/connection.ts';
import { NotFoundError } from '../api/errors.ts';
import { compareSchema, readSchema } from '../api/schema.ts';
import type { Branch } from '../api/types.ts';
import { requireTarget } from '../branch/target.ts';
import { type Command, type Context, projectOf } from '../context.ts';
import { ApiError } from '../http/errors.ts';
import type { Destruction } from '../result.ts';
import { findDestruction, hasHidden } from '../schema/destructive.ts';
import { countChanges } from '../schema/unified.ts';
import { count } from '../text/format.ts';
import { show } from '../text/inert.ts';

type Base = Pick<Branch, 'id' | 'name'>;

/** Schema difference between the branch and its base, for one database. */
export const diff: Command = async (context) => {
  const { inputs, api, log } = context;
  const project = projectOf(context);
  const { branch, date } = await requireTarget(context);
  context.progress({ branch });
  const settling = settlingOf({ branch, now: api.clock.now(), date, made: false });
  const [base, databases] = await Promise.all([
    findBase({ context, branch, settling }),
    listNames({ ...project, branchId: branch.id, kind: 'databases', settling }),
  ]);
  const database = choose({ kind: 'database', wanted: inputs.database, names: databases, branch });
  log.info(
    `Comparing database ${show(database)} of branch ${show(branch.name)} (${branch.id}) with ${show(base.name)} (${base.id})`,
  );
  const text = await compareSchema({ ...project, branch, base, database, settling }).catch((error) =>
    explainMissing({ error, context, base, database, settling }),
  );
  const destructive = await destruction({ context, branch, database, text });
  if (destructive.length > 0) {
    const some = destructive.slice(0, 5).map((one) => `${one.does} ${one.to}`);
    const more = destructive.length > some.length ? ` and ${destructive.length - some.length} more` : '';
    log.warning(
      `The schema of database ${show(database)} on branch ${show(branch.name)} ${some.join('; ')}${more}. Look at the diff before this goes further.`,
      `Database Branch: ${count(destructive.length, 'destructive change')}`,
    );
  }
  const { added, removed } = countChanges(text);
  const between = `database ${show(database)} between branch ${show(branch.name)} and ${show(base.name)}`;
  return {
    branch,
    ...(base.id === branch.parent_id ? { parentName: base.name } : {}),
    diff: { text, baseName: base.name, database, destructive },
    done:
      text === ''
        ? `No schema difference in ${between}`
        : `Schema differs in ${between}: ${count(added, 'line')} added, ${removed} removed`,
  };
};

async function findBase(options: { context: Context; branch: Branch; settling: Settling | undefined }): Promise<Base> {
  const { context, branch, settling } = options;
  const project = projectOf(context);
  const wanted = context.inputs.base_branch;
  if (wanted !== undefined) {
    const base = await findBranch({ ...project, nameOrId: wanted });
    if (base) return base;
    throw noSuchBranch(`with the name or ID ${show(wanted)}`, ', so that it cannot be the `base_branch`');
  }
  if (branch.parent_id === undefined) {
    throw new NotFoundError(
      `Branch ${show(branch.name)} (${branch.id}) is a root branch: it has no parent to compare with. Set \`base_branch\` to the branch that it is to be compared with.`,
    );
  }
  // The parent of a branch that was made a moment ago may be as young.
  return (await getBranch({ ...project, branchId: branch.parent_id, settling })).branch;
}

/** A comparison may fail because the base has no such database; then the message says which ones it has. */
async function explainMissing(options: {
  error: unknown;
  context: Context;
  base: Base;
  database: string;
  settling: Settling | undefined;
}): Promise<never> {
  const { error, context, base, database } = options;
  if (!(error instanceof ApiError) || ![400, 404, 422].includes(error.status ?? 0)) throw error;
  const names = await listNames({ ...projectOf(context), branchId: base.id, kind: 'databases' });
  if (names.includes(database)) throw error;
  const refusal = new NotFoundError(
    `Branch ${show(base.name)} (${base.id}) has no database ${show(database)} to compare with: it has ${names.map((name) => show(name)).join(', ') || 'none'}. Set \`database\` or \`base_branch\`.`,
  );
  refusal.cause = error;
  throw refusal;
}

/** What the difference destroys. The whole schema is read only where the diff leaves open which table is meant. */
async function destruction(options: {
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
    context.log.debug(`The tables that the diff does not name stay unnamed: ${error.message}`);
    return found;
  }
}
