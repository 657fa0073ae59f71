import { randomUUID } from 'node:crypto';
import { connectionDetails } from '../branch/connection-details.ts';
import { replaceBranch } from '../branch/delete.ts';
import { expiryOf } from '../branch/expiry.ts';
import { checkMasking } from '../branch/masking.ts';
import { whyNotCreate } from '../branch/require.ts';
import { reuseBranch } from '../branch/reuse.ts';
import { checkParent, type Sighting, sight } from '../branch/sighting.ts';
import { findParent, findTarget, requireTarget, targetName } from '../branch/target.ts';
import { waitForOperations } from '../branch/wait.ts';
import { type Command, type Context, projectOf } from '../context.ts';
import { backoff } from '../http/backoff.ts';
import { ApiError, StoppedError } from '../http/errors.ts';
import type { Recover } from '../http/request.ts';
import { exclusive, needsToken } from '../inputs/check.ts';
import type { Given } from '../inputs/fields.ts';
import type { InvalidInput } from '../inputs/invalid.ts';
import type { Result } from '../result.ts';
import { metadataOf } from '../runner/metadata.ts';
import type { BranchResponse } from '../service/branch-changes.ts';
import { findBranchByName, nameAndId } from '../service/branches.ts';
import type { Names } from '../service/connection.ts';
import { createIdKey, createRequest, type NewBranch } from '../service/create.ts';
import { readWriteEndpoint } from '../service/endpoints.ts';
import { BranchGoneError, MismatchError, RefusedError } from '../service/errors.ts';
import { count, duration } from '../text/format.ts';
import { show } from '../text/inert.ts';
import { isFull, whenFull } from './on-limit.ts';

/** Delays until a name that is about to be free is tried again, in milliseconds. */
const takenBackoff = { first: 500, longest: 5_000 };

/** Gets or creates the branch with a read-write compute endpoint, and waits until it is ready. */
export const create: Command = { oneBranch: true, changes: true, connects: true, comments: true, check, run };

async function run(context: Context): Promise<Partial<Result>> {
  const { inputs } = context;
  if (inputs.branch_id !== undefined && inputs.if_exists !== 'recreate') {
    return reuseBranch(context, await requireTarget(context), { created: false, createId: randomUUID() });
  }

  const parent = await findParent(context);
  const parentId = parent?.id;
  // Only this branch is deleted to recreate it: whoever creates one of its name later does so after this step has begun.
  const existing = inputs.if_exists === 'recreate' ? await findExisting(context) : undefined;
  const name = existing?.branch.name ?? targetName(context);
  const refusal = await whyNotCreate(context, parentId);
  if (refusal !== undefined) {
    // A branch that exists may still be what is required.
    const found = inputs.if_exists === 'reuse' ? await findTarget(context) : undefined;
    if (found) return reuseBranch(context, found, { created: false, createId: randomUUID() });
    throw new RefusedError(`${refusal} Nothing was changed.`);
  }
  const branch = newBranch(context, { name, createId: randomUUID(), parentId });
  const checkItsParent = checkParent(context, parent);
  if (!existing) return getOrCreate(context, branch, checkItsParent);
  const create = () => getOrCreate(context, branch, checkItsParent);
  return replaceBranch(context, existing, { parentId, create });
}

function check({ inputs }: { inputs: Given }): InvalidInput[] {
  const errors: InvalidInput[] = [];
  for (const name of ['expires_at', 'expires_in'] as const) {
    if (inputs.protected && inputs[name] !== undefined) {
      errors.push(exclusive('protected', name, 'a protected branch cannot expire'));
    }
  }
  if (inputs.protected && inputs.ephemeral) {
    errors.push(exclusive('protected', 'ephemeral', 'a protected branch is never deleted'));
  }
  if (inputs.masking_rules !== undefined && inputs.branch_type === 'schema-only') {
    errors.push(exclusive('masking_rules', '`branch_type: schema-only`', 'without rows there is nothing to mask'));
  }
  if (inputs.masking_rules !== undefined && inputs.if_exists === 'reset') {
    errors.push(
      exclusive('masking_rules', '`if_exists: reset`', "a reset brings back the parent's rows, which are not masked"),
    );
  }
  if (inputs.branch_type === 'schema-only' && inputs.if_exists === 'reset') {
    errors.push(exclusive('`branch_type: schema-only`', '`if_exists: reset`', "a reset brings back the parent's rows"));
  }
  return inputs.on_limit === 'prune' ? [...errors, ...needsToken(inputs, '`on_limit: prune`')] : errors;
}

/** Statuses that a create may get because an earlier attempt did create the branch, although no list showed it yet. */
const causedByOurs = [409, 412, 422];

/**
 * Creates the branch, or gets the one that has its name. How often the create is sent is up to `recover`: if its response is lost, its
 * name is taken or the project is full, the branch is looked up by its name before anything is sent again.
 */
async function getOrCreate(
  context: Context,
  branch: NewBranch,
  checkItsParent: () => Promise<void>,
): Promise<Partial<Result>> {
  const { api, log } = context;
  const { name, createId } = branch;
  const project = projectOf(context);
  const forPostStep = trackCreate(context, branch);
  const makeRoomIfFull = whenFull(context, branch);
  const delays = backoff(takenBackoff);

  const recover: Recover<{ reused: Partial<Result> }> = async (error) => {
    const isLost = error.failure.mayHaveActed;
    forPostStep.failed(error);
    const isTaken = error.status === 409;
    const isOurFault = error.mayHaveActed && causedByOurs.includes(error.status ?? 0);
    if (!isLost && !isTaken && !isOurFault && !isFull(error)) return undefined;
    const found = await findBranchByName({ ...project, name });
    const isOurs = found?.branch.metadata[createIdKey] === createId;
    let why = describeConflict(name, error);
    // A full project needs no room for a branch that it already has.
    if (found && (isOurs || isLost || isTaken || isFull(error))) {
      forPostStep.isKnown();
      forgetOperations(context);
      try {
        return { done: { reused: await reuseBranch(context, found, { created: isOurs, createId }) } };
      } catch (failed) {
        if (!(failed instanceof BranchGoneError)) throw failed;
        why = failed.message.replace(/^Branch/, 'branch');
        // If nothing else comes of it, the outputs must not name this branch.
        context.progress({ branch: undefined, created: false, operationIds: [], operations: [] });
      }
    } else if (isLost) return 'resend';
    else if (!isTaken) return makeRoomIfFull(error);
    // Whoever is deleting a branch of this name is not done yet: the name will be free in a moment.
    const after = delays.next().value;
    log.info(`Could not create branch ${show(name)} yet: ${why}; retrying in ${duration(after)}`);
    return { after, doing: `trying to create branch ${show(name)}: ${why}` };
  };

  const request = createRequest({ ...project, branch });
  const { value } = await api
    .request<{ response: BranchResponse } | { reused: Partial<Result> }>({
      ...request,
      async beforeAttempt() {
        await checkItsParent();
        forPostStep.isSent();
      },
      recover,
      read: (body, status) => ({ response: request.read(body, status) }),
    })
    .catch((error: unknown) => {
      forPostStep.failed(error);
      throw error;
    });
  if ('reused' in value) return value.reused;
  context.saveForPostStep({ name, createId, create: 'responded' });
  forgetOperations(context);
  return finish(context, { response: value.response, createId });
}

/** Keeps the post step of an ephemeral run informed: saved before the create is sent, and again once its outcome is known. */
function trackCreate({ saveForPostStep }: Context, { name, createId }: NewBranch) {
  let isPending = false;
  let isLost = false;
  return {
    isSent() {
      if (!isPending) saveForPostStep({ name, createId, create: 'sent' });
      isPending = true;
    },
    /** Whoever uses the branch that was found says what it is. */
    isKnown() {
      isPending = false;
    },
    failed(error: unknown) {
      // A lookup that fails says nothing about the create before it, whose response was lost.
      isLost ||= (error instanceof ApiError || error instanceof StoppedError) && error.mayHaveActed;
      const ends = error instanceof ApiError || error instanceof StoppedError || error instanceof RefusedError;
      if (isPending && ends && !isLost) {
        saveForPostStep({ name, createId, create: 'refused' });
        isPending = false;
      }
      // Under the name that was asked for, nobody would find it.
      if (isPending && error instanceof MismatchError && error.createdId !== undefined) {
        saveForPostStep({ name, createId, create: 'responded', id: error.createdId });
      }
    },
  };
}

/** Forgets the operations so far: they are about branches that were deleted to make room for the one that the step returns. */
function forgetOperations(context: Context): void {
  context.progress({ operationIds: [], operations: [] });
}

/** The branch that `if_exists: recreate` replaces: an ID must exist, a name need not. */
function findExisting(context: Context): Promise<Sighting | undefined> {
  return context.inputs.branch_id === undefined ? findTarget(context) : requireTarget(context);
}

function newBranch(context: Context, options: Pick<NewBranch, 'name' | 'createId' | 'parentId'>): NewBranch {
  const { inputs, event, api } = context;
  return {
    ...options,
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

/** Why the branch could not be created yet although no branch of its name is listed, as a clause. */
function describeConflict(name: string, { failure }: ApiError): string {
  // The service has other conflicts too, such as a parent that is being restored.
  if (!failure.code || failure.code === 'BRANCH_ALREADY_EXISTS') {
    return `the name ${show(name)} is taken, but no branch with that name is listed, perhaps because one is still being deleted`;
  }
  return `${failure.what}${failure.requestId ? ` (request id ${failure.requestId})` : ''}`;
}

/** A branch that this run has created: waits for its operations and takes its connection details from the response. */
async function finish(
  context: Context,
  { response, createId }: { response: BranchResponse; createId: string },
): Promise<Partial<Result>> {
  const { inputs, log } = context;
  const { branch, connectionUris } = response;
  context.progress({ action: 'created', branch, created: true });
  context.started(response.operations);
  context.saveForPostStep({ name: branch.name, createId, create: 'responded', id: branch.id });
  const endpoint = readWriteEndpoint(response.endpoints, branch);
  const found = { branch, date: undefined };
  if (!endpoint) return reuseBranch(context, found, { created: true, createId });
  log.info(`Created branch ${nameAndId(branch)}; started ${count(response.operations.length, 'operation')}`);
  if (inputs.wait) await waitForOperations(context, response.operations);
  const seen = sight(context, found, { created: true });
  const masked = await checkMasking(context, seen, { created: true });
  const names = namesIn(response);
  return {
    branch,
    created: true,
    ...(masked ? await connectionDetails(context, seen, { endpoint, names, connectionUris }) : {}),
    done: `Created branch ${nameAndId(branch)}`,
  };
}

/** The names in the response, unless it has none: then they must be asked for. */
function namesIn({ databases, roles }: BranchResponse): Names | undefined {
  return databases.length > 0 && roles.length > 0 ? { databases, roles } : undefined;
}
