import {
  type BranchAnswer,
  findBranch,
  findBranchByName,
  noSuchBranch,
  setExpiry,
  settlingOf,
} from '../api/branches.ts';
import type { Names } from '../api/connection.ts';
import { createBranch, type NewBranch } from '../api/create.ts';
import { readWriteEndpoint } from '../api/endpoints.ts';
import { RefusedError } from '../api/errors.ts';
import { show } from '../api/text.ts';
import type { Branch } from '../api/types.ts';
import { type Command, type Context, projectOf } from '../context.ts';
import { annotationsOf } from '../event.ts';
import type { Inputs } from '../inputs.ts';
import type { Result } from '../result.ts';
import { toSeconds } from '../values.ts';
import { addresses } from './address.ts';
import { BranchGoneError, makeUsable, settle } from './ready.ts';
import { requireTarget, targetName } from './target.ts';

/** How far apart the service's clock in two answers may be, in milliseconds. */
const clockSlackMs = 5_000;

/** Gets or creates the branch with a read-write compute endpoint, and waits until it can be used. */
export const create: Command = async (context) => {
  const { inputs, api, log } = context;
  if (inputs.branch_id !== undefined) {
    const { branch, date } = await requireTarget(context);
    return reuse({ context, branch, date, made: false });
  }

  const name = targetName(context);
  const branch = await newBranch(context, name);
  context.remember({ name, answered: false });
  for (let pause = 500; ; pause = Math.min(5_000, pause * 2)) {
    const started = api.clock.now();
    const creation = await createBranch({
      ...projectOf(context),
      branch,
      isOurs: (found, date) => isOurs({ context, found, date, started }),
    });
    context.remember({ name, answered: true });
    if (creation.made && creation.answer) return finish(context, creation.answer);
    try {
      if (creation.made) return await reuse({ context, branch: creation.branch, date: undefined, made: true });
      const found = await findBranchByName({ ...projectOf(context), name });
      if (found) return await reuse({ context, branch: found.branch, date: found.date, made: false });
      log.info(`The name ${show(name)} is taken, but no branch of that name is listed`);
    } catch (error) {
      if (!(error instanceof BranchGoneError)) throw error;
      log.info(error.message);
    }
    // Whoever deletes a branch of this name is not done yet: the name will be free in a moment.
    log.info('Trying to create it again');
    await api.sleep(pause);
  }
};

async function newBranch(context: Context, name: string): Promise<NewBranch> {
  const { inputs, event, api } = context;
  const parentId = await findParent(context);
  const expiresAt = expiryOf(inputs, api.clock.now());
  return {
    name,
    schemaOnly: inputs.branch_type === 'schema-only',
    protected: inputs.protected,
    annotations: annotationsOf(event),
    ...(parentId === undefined ? {} : { parentId }),
    ...(inputs.parent_timestamp === undefined ? {} : { parentTimestamp: inputs.parent_timestamp }),
    ...(inputs.parent_lsn === undefined ? {} : { parentLsn: inputs.parent_lsn }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(inputs.suspend_timeout === undefined ? {} : { suspendTimeout: inputs.suspend_timeout }),
    ...(inputs.min_cu === undefined ? {} : { minCu: inputs.min_cu }),
    ...(inputs.max_cu === undefined ? {} : { maxCu: inputs.max_cu }),
    ...(inputs.masking_rules === undefined ? {} : { maskingRules: inputs.masking_rules }),
  };
}

/** The ID of the parent that is asked for; undefined for the project's default branch, which needs no look-up. */
export async function findParent(context: Context): Promise<string | undefined> {
  const wanted = context.inputs.parent_branch;
  if (wanted === undefined) return undefined;
  const parent = await findBranch({ ...projectOf(context), nameOrId: wanted });
  if (!parent)
    throw noSuchBranch(
      `named or numbered ${show(wanted)}`,
      ', so that it cannot be the `parent_branch`. Nothing was created.',
    );
  return parent.id;
}

/** The time at which the service is to delete the branch, from either input. */
export function expiryOf(inputs: Pick<Inputs, 'expires_at' | 'expires_in'>, now: number): string | undefined {
  const at = inputs.expires_at ?? (inputs.expires_in === undefined ? undefined : now + inputs.expires_in);
  return at === undefined ? undefined : toSeconds(at);
}

/** Whether a branch is what this run has just made: its run's annotations, and not older than the request. */
function isOurs(options: { context: Context; found: Branch; date: number | undefined; started: number }): boolean {
  const { context, found, date, started } = options;
  const { runId, runAttempt } = context.event;
  const marked =
    found.annotations['github-run-id'] === (runId || undefined) &&
    found.annotations['github-run-attempt'] === (runAttempt || undefined);
  // The service's own clock, less the time since the request went out, is the earliest moment it can have been made.
  const earliest = (date ?? context.api.clock.now()) - (context.api.clock.now() - started) - clockSlackMs;
  return marked && !(Date.parse(found.created_at) < earliest);
}

/** A branch that this run has made: waits for its operations and takes its addresses from the answer. */
async function finish(context: Context, answer: BranchAnswer): Promise<Partial<Result>> {
  const { inputs, log, api } = context;
  const { branch } = answer;
  const operationIds = answer.operations.map((one) => one.id);
  context.progress({ branch, created: true, operationIds });
  log.info(`Created branch ${show(branch.name)} (${branch.id}), ${answer.operations.length} operations started`);
  const endpoint = readWriteEndpoint(answer.endpoints, branch);
  if (!endpoint) return reuse({ context, branch, date: undefined, made: true, operationIds });
  const operations = inputs.wait ? await settle(context, answer.operations) : [];
  context.progress({ operations });
  const settling = settlingOf({ branch, now: api.clock.now(), date: undefined, made: true });
  return {
    branch,
    created: true,
    operationIds,
    operations,
    ...(await addresses({
      context,
      branch,
      endpoint,
      settling,
      names: namesIn(answer),
      connectionUris: answer.connectionUris,
    })),
    done: `Created branch ${show(branch.name)} (${branch.id})`,
  };
}

/** The names that the answer carries; an answer without any leaves them to be asked for. */
function namesIn(answer: BranchAnswer): Names | undefined {
  const { databases, roles } = answer;
  return databases.length > 0 && roles.length > 0 ? { databases, roles } : undefined;
}

/** A branch that is there already, or whose create lost its answer: made ready, with a new expiry and an endpoint. */
async function reuse(options: {
  context: Context;
  branch: Branch;
  date: number | undefined;
  made: boolean;
  operationIds?: string[];
}): Promise<Partial<Result>> {
  const { context, made } = options;
  const { inputs, api, log } = context;
  const found = options.branch;
  context.progress({ branch: found, created: made });
  if (!made && inputs.if_exists === 'fail') {
    throw new RefusedError(
      `Branch ${show(found.name)} (${found.id}) exists already, and \`if_exists: fail\` asks for a new one. Delete it, choose another name, or set \`if_exists: reuse\`.`,
    );
  }
  log.info(`${made ? 'Created' : 'Reusing'} branch ${show(found.name)} (${found.id})`);
  if (!made) await warnOfDifferences(context, found);

  const usable = await makeUsable({ ...options, branch: found });
  let { branch } = usable;
  const operationIds = [...(options.operationIds ?? []), ...usable.started.map((one) => one.id)];
  const operations = [...usable.done];
  context.progress({ branch, operationIds, operations });

  const expiresAt = expiryOf(inputs, api.clock.now());
  if (!made && expiresAt !== undefined && Date.parse(branch.expires_at ?? '') !== Date.parse(expiresAt)) {
    const changed = await setExpiry({ ...projectOf(context), branch, expiresAt, settling: usable.settling });
    branch = { ...branch, expires_at: changed.branch.expires_at ?? expiresAt };
    operationIds.push(...changed.operations.map((one) => one.id));
    if (inputs.wait) operations.push(...(await settle(context, changed.operations)));
    log.info(`Branch ${show(branch.name)} now lives until ${branch.expires_at}`);
  }
  return {
    branch,
    created: made,
    operationIds,
    operations,
    ...(await addresses({ context, branch, endpoint: usable.endpoint, settling: usable.settling })),
    done: `${made ? 'Created' : 'Reused'} branch ${show(branch.name)} (${branch.id})`,
  };
}

/** A branch that exists is used as it is; where it is not what was asked for, the log says so. */
async function warnOfDifferences(context: Context, branch: Branch): Promise<void> {
  const { inputs, log } = context;
  const schemaOnly = branch.init_source === 'schema-only';
  if (schemaOnly !== (inputs.branch_type === 'schema-only') && inputs.branch_type === 'schema-only') {
    log.warning(
      `Branch ${show(branch.name)} exists with data, and \`branch_type: schema-only\` was asked for; it is used as it is`,
    );
    return;
  }
  // A schema-only branch is a root: it has no parent to compare.
  if (inputs.parent_branch === undefined || schemaOnly) return;
  const wanted = await findParent(context);
  if (wanted !== branch.parent_id) {
    log.warning(
      `Branch ${show(branch.name)} exists with parent ${branch.parent_id ?? 'none'}, and parent ${show(inputs.parent_branch)} (${wanted}) was asked for; it is used as it is. \`if_exists: fail\` refuses such a branch.`,
    );
  }
}
