import { randomUUID } from 'node:crypto';
import { connectionDetails } from '../branch/connection-details.ts';
import { replaceBranch } from '../branch/delete.ts';
import { expiryOf } from '../branch/expiry.ts';
import { checkMasking } from '../branch/masking.ts';
import { findParent } from '../branch/parent.ts';
import { BranchGoneError } from '../branch/ready.ts';
import { reuseBranch } from '../branch/reuse.ts';
import { findTarget, requireTarget, targetName } from '../branch/target.ts';
import { checkParent } from '../branch/unchanged.ts';
import { waitForOperations } from '../branch/wait.ts';
import { type Command, type Context, projectOf } from '../context.ts';
import { backoff } from '../http/backoff.ts';
import { ApiError, StoppedError } from '../http/errors.ts';
import { branchWindow } from '../http/propagation-window.ts';
import { exclusive, needsToken } from '../inputs/check.ts';
import type { Given } from '../inputs/given.ts';
import type { InvalidInput } from '../inputs/invalid.ts';
import { createWithRoom } from '../prune/room.ts';
import type { Result } from '../result.ts';
import { metadataOf } from '../runner/metadata.ts';
import type { BranchResponse } from '../service/branch-response.ts';
import { type FoundBranch, findBranchByName, nameAndId } from '../service/branches.ts';
import type { Names } from '../service/connection.ts';
import { type CreateAttempt, type Creation, createAttempt, type NewBranch } from '../service/create.ts';
import { readWriteEndpoint } from '../service/endpoints.ts';
import { MismatchError, RefusedError } from '../service/errors.ts';
import { count, duration } from '../text/format.ts';
import { show } from '../text/inert.ts';

/** Delays until a name that is about to be free is tried again, in milliseconds. */
const takenBackoff = { first: 500, longest: 5_000 };

/** Gets or creates the branch with a read-write compute endpoint, and waits until it is ready. */
export const create: Command = { oneBranch: true, changes: true, connects: true, comments: true, check, run };

async function run(context: Context): Promise<Partial<Result>> {
  const { inputs } = context;
  if (inputs.branch_id !== undefined && inputs.if_exists !== 'recreate') {
    const { branch, date } = await requireTarget(context);
    return reuseBranch({ context, branch, date, created: false, createId: randomUUID() });
  }

  const parent = await findParent(context);
  const parentId = parent?.id;
  const beforeAttempt = checkParent(context, parent);
  // Only this branch is deleted to recreate it: whoever creates one of its name later does so after this step has begun.
  const existing = inputs.if_exists === 'recreate' ? await findExisting(context) : undefined;
  const name = existing?.branch.name ?? targetName(context);
  const createId = randomUUID();
  const branch = newBranch(context, { name, createId, parentId });
  const attempt = createAttempt({ ...projectOf(context), branch, beforeAttempt });
  if (!existing) return getOrCreate(context, attempt);
  return replaceBranch({ ...existing, context, parentId, create: (context) => getOrCreate(context, attempt) });
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

/** Creates the branch, or gets the one that has its name. */
async function getOrCreate(context: Context, attempt: CreateAttempt): Promise<Partial<Result>> {
  const { api, log } = context;
  const { name, createId } = attempt.branch;
  for (const delay of backoff(takenBackoff)) {
    const creation = await send(context, attempt);
    if (creation.outcome === 'created') {
      forgetOperations(context);
      return finish(context, { response: creation.response, createId });
    }
    let why = conflict(name, creation);
    try {
      if (creation.outcome === 'found') {
        forgetOperations(context);
        return await reuseBranch({ context, branch: creation.branch, date: undefined, created: true, createId });
      }
      const found = await findBranchByName({ ...projectOf(context), name });
      if (found) {
        forgetOperations(context);
        return await reuseBranch({ context, ...found, created: attempt.isOurs(found.branch), createId });
      }
    } catch (error) {
      if (!(error instanceof BranchGoneError)) throw error;
      why = error.message.replace(/^Branch/, 'branch');
      // If nothing else comes of it, the outputs must not name this branch.
      context.progress({ branch: undefined, created: false, operationIds: [], operations: [] });
    }
    // Whoever is deleting a branch of this name is not done yet: the name will be free in a moment.
    log.info(`Could not create branch ${show(name)} yet: ${why}; retrying in ${duration(delay)}`);
    await api.sleep(delay, `trying to create branch ${show(name)}: ${why}`);
  }
  throw new Error('unreachable');
}

/** Forgets the operations so far: they are about branches that were deleted to make room for the one that the step returns. */
function forgetOperations(context: Context): void {
  context.progress({ operationIds: [], operations: [] });
}

/** The branch that `if_exists: recreate` replaces: an ID must exist, a name need not. */
function findExisting(context: Context): Promise<FoundBranch | undefined> {
  return context.inputs.branch_id === undefined ? findTarget(context) : requireTarget(context);
}

/** One create. What the post step of an ephemeral run must know is saved before it is sent, and once its outcome is known. */
async function send(context: Context, attempt: CreateAttempt): Promise<Creation> {
  const { name, createId } = attempt.branch;
  context.saveForPostStep({ name, createId, create: 'sent' });
  try {
    const creation = await createWithRoom(context, attempt);
    if (creation.outcome !== 'conflict') context.saveForPostStep({ name, createId, create: 'responded' });
    else if (!attempt.lost) context.saveForPostStep({ name, createId, create: 'refused' });
    return creation;
  } catch (error) {
    // A failed lookup says nothing about the create before it, whose response was lost.
    const refused = error instanceof ApiError && error.request.method === 'POST' && !error.mayHaveActed;
    const notSent = error instanceof RefusedError || (error instanceof StoppedError && !error.mayHaveActed);
    if ((refused || notSent) && !attempt.lost) context.saveForPostStep({ name, createId, create: 'refused' });
    // Under the name that was asked for, nobody would find it.
    if (error instanceof MismatchError && error.createdId !== undefined) {
      context.saveForPostStep({ name, createId, create: 'responded', id: error.createdId });
    }
    throw error;
  }
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
function conflict(name: string, creation: Creation): string {
  const failure = creation.outcome === 'conflict' ? creation.refusal?.failure : undefined;
  // The service has other conflicts too, such as a parent that is being restored.
  if (!failure?.code || failure.code === 'BRANCH_ALREADY_EXISTS') {
    return `the name ${show(name)} is taken, but no branch with that name is listed, perhaps because one is still being deleted`;
  }
  return `${failure.what}${failure.requestId ? ` (request id ${failure.requestId})` : ''}`;
}

/** A branch that this run has created: waits for its operations and takes its connection details from the response. */
async function finish(
  context: Context,
  { response, createId }: { response: BranchResponse; createId: string },
): Promise<Partial<Result>> {
  const { inputs, log, api } = context;
  const { branch, connectionUris } = response;
  context.progress({ action: 'created', branch, created: true });
  context.started(response.operations);
  context.saveForPostStep({ name: branch.name, createId, create: 'responded', id: branch.id });
  const endpoint = readWriteEndpoint(response.endpoints, branch);
  if (!endpoint) return reuseBranch({ context, branch, date: undefined, created: true, createId });
  log.info(`Created branch ${nameAndId(branch)}; started ${count(response.operations.length, 'operation')}`);
  if (inputs.wait) await waitForOperations(context, response.operations);
  const window = branchWindow({ branch, clock: api.clock, created: true });
  const masked = await checkMasking({ context, branch, window, created: true });
  const names = namesIn(response);
  return {
    branch,
    created: true,
    ...(masked ? await connectionDetails({ context, branch, endpoint, window, names, connectionUris }) : {}),
    done: `Created branch ${nameAndId(branch)}`,
  };
}

/** The names in the response, unless it has none: then they must be asked for. */
function namesIn({ databases, roles }: BranchResponse): Names | undefined {
  return databases.length > 0 && roles.length > 0 ? { databases, roles } : undefined;
}
