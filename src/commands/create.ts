import { randomUUID } from 'node:crypto';
import { replaceBranch } from '../branch/delete.ts';
import { metadataOf } from '../branch/metadata.ts';
import { whyNotCopy } from '../branch/require.ts';
import { reuseBranch } from '../branch/reuse.ts';
import { checkParent, type Parent, sight } from '../branch/sighting.ts';
import { findParent, findTarget, requireTarget, targetName } from '../branch/target.ts';
import { type Context, projectOf } from '../context.ts';
import { backoff } from '../http/clock.ts';
import { ApiError, StoppedError } from '../http/errors.ts';
import type { Recover } from '../http/request.ts';
import { expiryOf } from '../inputs/expiry.ts';
import type { BranchResponse } from '../service/branch-changes.ts';
import { type FoundBranch, findBranchByName, nameAndId } from '../service/branches.ts';
import { createIdKey, createRequest, type NewBranch } from '../service/create.ts';
import { BranchGoneError, MismatchError, RefusedError } from '../service/errors.ts';
import { asSentence, duration } from '../text/format.ts';
import { show } from '../text/inert.ts';
import { adopt, type CreatedBranch, finishCreate, recordCreated } from './created.ts';
import { isFull, whenFull } from './on-limit.ts';

/** Delays until a name that is about to be free is tried again, in milliseconds. */
const takenBackoff = { first: 500, longest: 5_000 };

/** Gets or creates the branch with a read-write compute endpoint, and waits until it is ready. */
export async function run(context: Context): Promise<void> {
  const { inputs } = context;
  const createId = randomUUID();
  if (inputs.branch_id !== undefined && inputs.if_exists !== 'recreate') {
    const seen = await requireTarget(context, 'use');
    return reuseBranch(context, seen, { createId });
  }

  const parent = await findParent(context);
  const parentId = parent?.id;
  const schemaOnly = inputs.branch_type === 'schema-only';
  // Only this branch is deleted to recreate it: whoever creates one of its name later does so after this step has begun. Whose it is,
  // `replaceBranch` checks.
  const findExisting = inputs.branch_id === undefined ? findTarget : requireTarget;
  const existing = inputs.if_exists === 'recreate' ? await findExisting(context, 'use') : undefined;
  const name = existing?.branch.name ?? targetName(context);
  const refusal = await whyNotCopy(context, { sourceId: parentId, doing: 'create', schemaOnly });
  if (refusal !== undefined) {
    // A branch that exists may still be what is required.
    const seen = inputs.if_exists === 'reuse' ? await findTarget(context, 'use') : undefined;
    if (seen) return reuseBranch(context, seen, { createId });
    throw new RefusedError(refusal);
  }
  const expiresAt = expiryOf(inputs, context.api.clock.now());
  const branch = newBranch(context, parent, { name, createId, schemaOnly, protected: inputs.protected, expiresAt });
  const creation: Creation<void> = {
    ...{ branch, parent, wait: inputs.wait },
    use: async (created) => recordCreated(context, created),
    taken: async (found) => reuseBranch(context, sight(context, found), { createId }),
  };
  if (!existing) return createBranch(context, creation);
  const create = () => createBranch(context, creation);
  await replaceBranch(context, existing, { parentId, create });
}

/** Adds to a refused create that its parent expires, which the service may not say. */
function explainParent(error: unknown, parent: Parent | undefined): unknown {
  if (parent?.expires_at === undefined || !(error instanceof ApiError) || ![400, 422].includes(error.status ?? 0))
    return error;
  return new RefusedError(
    `${asSentence(error.message)} Branch ${nameAndId(parent)} (\`parent_branch\`) has an expiry, so it can't have children. Set \`parent_branch\` to a branch without one, or remove the expiry in the service's console.`,
    { cause: error },
  );
}

/** Statuses that a create may get because an earlier attempt did create the branch, although no list showed it yet. */
const causedByOurs = [409, 412, 422];

interface Creation<T> {
  branch: NewBranch;
  /** The branch that `parent_branch` names, if any. */
  parent: Parent | undefined;
  /** Whether to wait until the branch is ready. */
  wait: boolean;
  use: (created: CreatedBranch) => Promise<T>;
  /** Throws a `BranchGoneError` if the branch is gone after all; then the create is sent again. */
  taken: (found: FoundBranch) => Promise<T>;
}

/**
 * Creates the branch, or takes the one that has its name, and returns what `use` or `taken` make of it. How often the create is sent is
 * up to `recover`: if its response is lost, its name is taken or the project is full, the branch is looked up by its name before
 * anything is sent again.
 */
export async function createBranch<T>(context: Context, creation: Creation<T>): Promise<T> {
  const { branch, parent, wait, use, taken } = creation;
  const { api, log } = context;
  const { name, createId } = branch;
  const project = projectOf(context);
  const checkItsParent = checkParent(context, parent);
  const forPostStep = trackCreate(context, branch);
  let makeRoomIfFull: Recover<never> | undefined;
  const delays = backoff(takenBackoff);

  const recover: Recover<{ result: T }> = async (error) => {
    const isLost = error.failure.mayHaveActed;
    forPostStep.failed(error);
    const isTaken = error.status === 409;
    const isOurFault = error.mayHaveActed && causedByOurs.includes(error.status ?? 0);
    if (!isLost && !isTaken && !isOurFault && !isFull(error)) return undefined;
    const found = await findBranchByName({ ...project, name });
    const isOurs = found?.branch.metadata[createIdKey] === createId;
    let why = describeConflict(name, error);
    let problem = `create branch ${show(name)} yet: ${why}`;
    // A full project needs no room for a branch that it already has.
    if (found && (isOurs || isLost || isTaken || isFull(error))) {
      forPostStep.isKnown();
      forgetOperations(context);
      try {
        return { done: { result: await (isOurs ? adopt(context, found, { createId, wait, use }) : taken(found)) } };
      } catch (failed) {
        if (!(failed instanceof BranchGoneError)) throw failed;
        why = `the existing branch ${nameAndId(found.branch)} ${failed.change.why}`;
        problem = `use the existing branch ${nameAndId(found.branch)}: it ${failed.change.why}`;
        // If nothing else comes of it, the outputs must not name this branch.
        context.progress({ action: undefined, branch: undefined, created: false, operationIds: [], operations: [] });
      }
    } else if (isLost) return 'resend';
    else if (!isTaken) {
      makeRoomIfFull ??= whenFull(context, branch);
      return makeRoomIfFull(error);
    }
    // Whoever is deleting a branch of this name is not done yet: the name will be free in a moment.
    const after = delays.next().value;
    log.info(`Could not ${problem}; retrying in ${duration(after)}`);
    return { after, doing: `trying to create branch ${show(name)}: ${why}` };
  };

  const request = createRequest({ ...project, branch });
  const { value, sentAt: readAt } = await api
    .request<{ response: BranchResponse } | { result: T }>({
      ...request,
      async beforeAttempt() {
        await checkItsParent();
        forPostStep.isSent();
      },
      recover,
      read: (...response) => ({ response: request.read(...response) }),
    })
    .catch((error: unknown) => {
      forPostStep.failed(error);
      throw explainParent(error, parent);
    });
  if ('result' in value) return value.result;
  const { response } = value;
  context.saveForPostStep({ name, createId, create: 'responded', id: response.branch.id });
  forgetOperations(context);
  context.progress({ action: 'created', branch: response.branch, created: true });
  context.started(response.operations);
  return finishCreate(context, response, { createId, wait, use, readAt });
}

/** Keeps the post step of an ephemeral run informed: saved before the create is sent, and again once its outcome is known. */
function trackCreate({ saveForPostStep }: Context, { name, createId }: NewBranch) {
  let isPending = false;
  let mayExist = false;
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
      mayExist ||= (error instanceof ApiError || error instanceof StoppedError) && error.mayHaveActed;
      const ends = error instanceof ApiError || error instanceof StoppedError || error instanceof RefusedError;
      if (isPending && ends && !mayExist) {
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

/** The branch to create, with the point, compute and masking that the inputs set. */
export function newBranch(
  { inputs, event }: Context,
  parent: Parent | undefined,
  own: Pick<NewBranch, 'name' | 'createId' | 'schemaOnly' | 'protected' | 'expiresAt'>,
): NewBranch {
  return {
    ...own,
    parentId: parent?.id,
    parentTimestamp: inputs.parent_timestamp,
    parentLsn: inputs.parent_lsn,
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
