import type { BranchResponse } from '../api/branch-response.ts';
import { findBranchByName } from '../api/branches.ts';
import type { Names } from '../api/connection.ts';
import { type CreateAttempt, type Creation, createAttempt, type NewBranch } from '../api/create.ts';
import { readWriteEndpoint } from '../api/endpoints.ts';
import { MismatchError } from '../api/errors.ts';
import { connectionDetails } from '../branch/connection-details.ts';
import { expiryOf } from '../branch/expiry.ts';
import { checkMasking } from '../branch/masking.ts';
import { findParent } from '../branch/parent.ts';
import { BranchGoneError } from '../branch/ready.ts';
import { reuseBranch } from '../branch/reuse.ts';
import { nameAndId, requireTarget, targetName } from '../branch/target.ts';
import { waitForOperations } from '../branch/wait.ts';
import { type Command, type Context, projectOf } from '../context.ts';
import { backoff } from '../http/backoff.ts';
import { ApiError } from '../http/errors.ts';
import { branchWindow } from '../http/propagation-window.ts';
import { createWithRoom } from '../prune/room.ts';
import type { Result } from '../result.ts';
import { metadataOf } from '../runner/metadata.ts';
import { duration } from '../text/format.ts';
import { show } from '../text/inert.ts';

/** How far apart the service's clock in two responses may be, in milliseconds: they have whole seconds. */
const clockSlackMs = 2_000;
/** Delays until a name that is about to be free is tried again, in milliseconds. */
const takenBackoff = { first: 500, longest: 5_000 };

/** Gets or creates the branch with a read-write compute endpoint, and waits until it is ready. */
export const create: Command = async (context) => {
  const { inputs, api, log } = context;
  if (inputs.branch_id !== undefined) {
    const { branch, date } = await requireTarget(context);
    return reuseBranch({ context, branch, date, created: false });
  }

  const name = targetName(context);
  const attempt = startAttempt(context, await newBranch(context, name));
  for (const delay of backoff(takenBackoff)) {
    const creation = await send(context, attempt);
    if (creation.outcome === 'created') return finish(context, creation.response);
    let why = conflict(name, creation);
    try {
      if (creation.outcome === 'found') {
        return await reuseBranch({ context, branch: creation.branch, date: undefined, created: true });
      }
      const found = await findBranchByName({ ...projectOf(context), name });
      // The list may have been behind when the lost response was looked up.
      if (found) return await reuseBranch({ context, ...found, created: attempt.isOurs(found) });
    } catch (error) {
      if (!(error instanceof BranchGoneError)) throw error;
      why = error.message;
      // If nothing else comes of it, the outputs must not name this branch.
      context.progress({ branch: undefined, created: false, operationIds: [], operations: [] });
    }
    // Whoever is deleting a branch of this name is not done yet: the name will be free in a moment.
    log.info(`Retrying to create branch ${show(name)} in ${duration(delay)}: ${why}`);
    await api.sleep(delay, `trying to create branch ${show(name)}; ${why}`);
  }
  throw new Error('unreachable');
};

/** One create. What the post step of an ephemeral run must know is saved before it is sent, and once its outcome is known. */
async function send(context: Context, attempt: CreateAttempt): Promise<Creation> {
  const { name } = attempt.branch;
  context.saveForPostStep({ name, create: 'sent' });
  try {
    const creation = await createWithRoom(context, attempt);
    if (creation.outcome !== 'conflict') context.saveForPostStep({ name, create: 'responded' });
    else if (!attempt.lost) context.saveForPostStep({ name, create: 'refused' });
    return creation;
  } catch (error) {
    // A failed lookup says nothing about the create before it, whose response was lost.
    const refused = error instanceof ApiError && error.request.method === 'POST' && !error.mayHaveActed;
    if (refused && !attempt.lost) context.saveForPostStep({ name, create: 'refused' });
    // Under the name that was asked for, nobody would find it.
    if (error instanceof MismatchError && error.createdId !== undefined) {
      context.saveForPostStep({ name, create: 'responded', id: error.createdId });
    }
    throw error;
  }
}

async function newBranch(context: Context, name: string): Promise<NewBranch> {
  const { inputs, event, api } = context;
  return {
    name,
    parentId: (await findParent(context))?.id,
    parentTimestamp: inputs.parent_timestamp,
    parentLsn: inputs.parent_lsn,
    schemaOnly: inputs.branch_type === 'schema-only',
    protected: inputs.protected,
    expiresAt: expiryOf(inputs, api.clock.now()),
    suspendTimeout: inputs.suspend_timeout,
    minCu: inputs.min_cu,
    maxCu: inputs.max_cu,
    maskingRules: inputs.masking_rules,
    metadata: metadataOf(event),
  };
}

/** A branch found later is ours if it has this run's metadata and is not older than the first request. */
function startAttempt(context: Context, branch: NewBranch): CreateAttempt {
  const { api, event } = context;
  const started = api.clock.now();
  return createAttempt({
    ...projectOf(context),
    branch,
    isOurs({ branch: found, date }) {
      const marked =
        found.metadata['github-run-id'] === (event.runId || undefined) &&
        found.metadata['github-run-attempt'] === (event.runAttempt || undefined);
      // The service's own clock, less the time since the request was sent, is the earliest moment of its creation.
      const earliest = (date ?? api.clock.now()) - (api.clock.now() - started) - clockSlackMs;
      return marked && !(Date.parse(found.created_at) < earliest);
    },
  });
}

/** Why the branch could not be created yet although no branch of its name is listed, as a clause. */
function conflict(name: string, creation: Creation): string {
  const failure = creation.outcome === 'conflict' ? creation.refusal?.failure : undefined;
  // The service has other conflicts too, such as a parent that is being restored.
  if (!failure?.code || failure.code === 'BRANCH_ALREADY_EXISTS') {
    return `the name ${show(name)} is taken, but no branch of that name is listed`;
  }
  return `${failure.what}${failure.requestId ? ` (request id ${failure.requestId})` : ''}`;
}

/** A branch that this run has created: waits for its operations and takes its connection details from the response. */
async function finish(context: Context, response: BranchResponse): Promise<Partial<Result>> {
  const { inputs, log, api } = context;
  const { branch, connectionUris } = response;
  const operationIds = response.operations.map((one) => one.id);
  context.progress({ action: 'created', branch, created: true, operationIds });
  context.saveForPostStep({ name: branch.name, create: 'responded', id: branch.id });
  const endpoint = readWriteEndpoint(response.endpoints, branch);
  if (!endpoint) return reuseBranch({ context, branch, date: undefined, created: true, operationIds });
  log.info(`Created branch ${nameAndId(branch)}; ${response.operations.length} operations started`);
  const operations = inputs.wait ? await waitForOperations(context, response.operations) : [];
  context.progress({ operations });
  const window = branchWindow({ branch, clock: api.clock, created: true });
  const masked = await checkMasking({ context, branch, window, created: true });
  const names = namesIn(response);
  return {
    branch,
    created: true,
    operationIds,
    operations,
    ...(masked ? await connectionDetails({ context, branch, endpoint, window, names, connectionUris }) : {}),
    done: `Created branch ${nameAndId(branch)}`,
  };
}

/** The names in the response, unless it has none: then they must be asked for. */
function namesIn({ databases, roles }: BranchResponse): Names | undefined {
  return databases.length > 0 && roles.length > 0 ? { databases, roles } : undefined;
}
