import { type BranchAnswer, findBranchByName, settlingOf } from '../api/branches.ts';
import type { Names } from '../api/connection.ts';
import type { Creation, NewBranch } from '../api/create.ts';
import { readWriteEndpoint } from '../api/endpoints.ts';
import { MismatchError } from '../api/errors.ts';
import type { Branch } from '../api/types.ts';
import { addresses } from '../branch/connection-details.ts';
import { expiryOf } from '../branch/expiry.ts';
import { settleMasking } from '../branch/masking.ts';
import { findParent } from '../branch/parent.ts';
import { BranchGoneError, settle } from '../branch/ready.ts';
import { reuseBranch } from '../branch/reuse.ts';
import { requireTarget, targetName } from '../branch/target.ts';
import { type Command, type Context, projectOf } from '../context.ts';
import { ApiError } from '../http/errors.ts';
import { createWithRoom } from '../prune/room.ts';
import type { Result } from '../result.ts';
import { annotationsOf } from '../runner/metadata.ts';
import { duration } from '../text/format.ts';
import { show } from '../text/inert.ts';

/** How far apart the service's clock in two answers may be, in milliseconds; they have whole seconds. */
const clockSlackMs = 2_000;
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
  const started = api.clock.now();
  const ours = (found: Branch, date: number | undefined) => isOurs({ context, found, date, started });
  // Once an answer is lost, a branch may appear whatever the answers to later tries are.
  let lost = false;
  const onLost = () => {
    lost = true;
  };
  for (let pause = pauses.first; ; pause = Math.min(pauses.longest, pause * 2)) {
    const creation = await createOnce({ context, branch, isOurs: ours, onLost, mayAppear: () => lost });
    if (creation.made && creation.answer) return finish(context, creation.answer);
    let why = conflict(name, creation);
    try {
      if (creation.made) return await reuseBranch({ context, branch: creation.branch, date: undefined, made: true });
      const found = await findBranchByName({ ...projectOf(context), name });
      if (found) {
        // A list may have been behind when the lost answer was looked up.
        const made = lost && ours(found.branch, found.date);
        return await reuseBranch({ context, branch: found.branch, date: found.date, made });
      }
    } catch (error) {
      if (!(error instanceof BranchGoneError)) throw error;
      why = error.message;
      // Where no other one comes of it, the outputs must not name this one.
      context.progress({ branch: undefined, created: false, operationIds: [], operations: [] });
    }
    // Whoever deletes a branch of this name is not done yet: the name will be free in a moment.
    log.info(`Trying again to create branch ${show(name)} in ${duration(pause)}: ${why}`);
    await api.sleep(pause, `trying to create branch ${show(name)}; ${why}`);
  }
};

/** The create itself. What the post step of an ephemeral run has to know is kept before it is sent, and once its end is known. */
async function createOnce(options: {
  context: Context;
  branch: NewBranch;
  isOurs: (found: Branch, date: number | undefined) => boolean;
  onLost: () => void;
  /** Whether the answer to this try, or to an earlier one, was lost. */
  mayAppear: () => boolean;
}): Promise<Creation> {
  const { context, branch, mayAppear } = options;
  const { name } = branch;
  context.remember({ name, create: 'sent' });
  try {
    const creation = await createWithRoom(options);
    if (creation.made) context.remember({ name, create: 'answered' });
    else if (!mayAppear()) context.remember({ name, create: 'refused' });
    return creation;
  } catch (error) {
    // A look-up that fails says nothing of the create before it, whose answer was lost.
    const refused = error instanceof ApiError && error.request.method === 'POST' && !error.mayHaveActed;
    if (refused && !mayAppear()) context.remember({ name, create: 'refused' });
    // By the name that was asked for, nobody would find it.
    if (error instanceof MismatchError && error.madeId !== undefined) {
      context.remember({ name, create: 'answered', id: error.madeId });
    }
    throw error;
  }
}

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

/** Why a branch could not be made yet, though none of its name is listed, as a clause. */
function conflict(name: string, creation: Creation): string {
  const { code, failure } = (!creation.made && creation.refusal) || {};
  // A parent that is being restored, say, is a conflict as well; it passes, and is named with the service's words.
  if (!failure || code === '' || code === 'BRANCH_ALREADY_EXISTS') {
    return `the name ${show(name)} is taken, but no branch of that name is listed`;
  }
  return `the service ${failure.what}${failure.requestId ? ` [request id ${failure.requestId}]` : ''}`;
}

/** A branch that this run has made: waits for its operations and takes its addresses from the answer. */
async function finish(context: Context, answer: BranchAnswer): Promise<Partial<Result>> {
  const { inputs, log, api } = context;
  const { branch } = answer;
  const operationIds = answer.operations.map((one) => one.id);
  context.progress({ branch, created: true, operationIds });
  context.remember({ name: branch.name, create: 'answered', id: branch.id });
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
