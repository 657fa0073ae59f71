import { type BranchAnswer, findBranchByName, settlingOf } from '../api/branches.ts';
import type { Names } from '../api/connection.ts';
import type { NewBranch } from '../api/create.ts';
import { readWriteEndpoint } from '../api/endpoints.ts';
import { ApiError } from '../api/errors.ts';
import { show } from '../api/text.ts';
import type { Branch } from '../api/types.ts';
import { type Command, type Context, projectOf } from '../context.ts';
import { annotationsOf } from '../event.ts';
import type { Result } from '../result.ts';
import { addresses } from './address.ts';
import { expiryOf } from './expiry.ts';
import { createWithRoom } from './limit.ts';
import { settleMasking } from './masking.ts';
import { findParent } from './parent.ts';
import { BranchGoneError, settle } from './ready.ts';
import { reuseBranch } from './reuse.ts';
import { requireTarget, targetName } from './target.ts';

/** How far apart the service's clock in two answers may be, in milliseconds. */
const clockSlackMs = 5_000;
/** First and longest pause before a name that is about to be free is tried again, in milliseconds. */
const pauses = { first: 500, longest: 5_000 };

/** Gets or creates the branch with a read-write compute endpoint, and waits until it can be used. */
export const create: Command = async (context) => {
  const { inputs, api, log } = context;
  if (inputs.branch_id !== undefined) {
    const { branch, date } = await requireTarget(context);
    return reuseBranch({ context, branch, date, made: false });
  }

  const name = targetName(context);
  const branch = await newBranch(context, name);
  context.remember({ name, answered: false });
  const started = api.clock.now();
  const ours = (found: Branch, date: number | undefined) => isOurs({ context, found, date, started });
  let lost = false;
  for (let pause = pauses.first; ; pause = Math.min(pauses.longest, pause * 2)) {
    const creation = await createWithRoom({ context, branch, isOurs: ours }).catch((error) => {
      // A create that was refused leaves nothing that might still appear.
      if (error instanceof ApiError && !error.mayHaveActed) context.remember({ name, answered: true });
      throw error;
    });
    if (creation.made && creation.answer) return finish(context, creation.answer);
    context.remember({ name, answered: true });
    try {
      if (creation.made) return await reuseBranch({ context, branch: creation.branch, date: undefined, made: true });
      const found = await findBranchByName({ ...projectOf(context), name });
      lost ||= creation.lost;
      const made = found !== undefined && lost && ours(found.branch, found.date);
      if (found) return await reuseBranch({ context, branch: found.branch, date: found.date, made });
      log.info(`The name ${show(name)} is taken, but no branch of that name is listed`);
    } catch (error) {
      if (!(error instanceof BranchGoneError)) throw error;
      log.info(error.message);
    }
    // Whoever deletes a branch of this name is not done yet: the name will be free in a moment.
    log.info('Trying to create it again');
    await api.sleep(pause, `waiting until the name ${show(name)} is free`);
  }
};

async function newBranch(context: Context, name: string): Promise<NewBranch> {
  const { inputs, event, api } = context;
  return {
    name,
    parentId: await findParent(context),
    parentTimestamp: inputs.parent_timestamp,
    parentLsn: inputs.parent_lsn,
    schemaOnly: inputs.branch_type === 'schema-only',
    protected: inputs.protected,
    expiresAt: expiryOf(inputs, api.clock.now()),
    suspendTimeout: inputs.suspend_timeout,
    minCu: inputs.min_cu,
    maxCu: inputs.max_cu,
    maskingRules: inputs.masking_rules,
    annotations: annotationsOf(event),
  };
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
  context.remember({ name: branch.name, id: branch.id, answered: true });
  const endpoint = readWriteEndpoint(answer.endpoints, branch);
  if (!endpoint) return reuseBranch({ context, branch, date: undefined, made: true, operationIds });
  log.info(`Created branch ${show(branch.name)} (${branch.id}), ${answer.operations.length} operations started`);
  const operations = inputs.wait ? await settle(context, answer.operations) : [];
  context.progress({ operations });
  const settling = settlingOf({ branch, now: api.clock.now(), date: undefined, made: true });
  const masked = await settleMasking({ context, branch, settling, made: true });
  const { connectionUris } = answer;
  return {
    branch,
    created: true,
    operationIds,
    operations,
    ...(masked ? await addresses({ context, branch, endpoint, settling, names: namesIn(answer), connectionUris }) : {}),
    done: `Created branch ${show(branch.name)} (${branch.id})`,
  };
}

/** The names that the answer carries; an answer without any leaves them to be asked for. */
function namesIn(answer: BranchAnswer): Names | undefined {
  const { databases, roles } = answer;
  return databases.length > 0 && roles.length > 0 ? { databases, roles } : undefined;
}
