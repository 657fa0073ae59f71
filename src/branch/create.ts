import { backoff } from '../http/clock.ts';
import type { ApiError } from '../http/errors.ts';
import type { Recover } from '../http/request.ts';
import type { BranchResponse } from '../service/branch-changes.ts';
import { findBranchByName, nameAndId } from '../service/branches.ts';
import type { Names } from '../service/connection.ts';
import { createIdKey, createRequest, type NewBranch } from '../service/create.ts';
import { readWriteEndpoint } from '../service/endpoints.ts';
import { RefusedError } from '../service/errors.ts';
import { unfinishedOperations } from '../service/operations.ts';
import type { Branch, ConnectionDetails, Endpoint, Operation } from '../service/types.ts';
import { duration } from '../text/format.ts';
import { show } from '../text/inert.ts';
import { metadataOf } from './metadata.ts';
import { ensureEndpoint, waitForOperations, waitUntilReady } from './ready.ts';
import { type BranchStep, projectOf } from './step.ts';
import type { Found } from './target.ts';

/** Delays until a name that is about to be free is tried again, in milliseconds. */
const takenBackoff = { first: 500, longest: 5_000 };

/** The service's codes for a project that has no room for another branch, or for another root branch. */
export const limitCodes = { branches: 'BRANCHES_LIMIT_EXCEEDED', roots: 'ROOT_BRANCHES_LIMIT_EXCEEDED' };

/** Whether the project has no room for another branch. */
export function isFull(error: ApiError): boolean {
  return Object.values(limitCodes).includes(error.code);
}

/** The branch to create, with the compute, masking and point in the parent's history that the inputs set. */
export function newBranch(
  { inputs, event }: BranchStep,
  own: Pick<NewBranch, 'name' | 'createId' | 'parentId' | 'schemaOnly' | 'protected' | 'expiresAt'>,
): NewBranch {
  return {
    ...own,
    parentTimestamp: inputs.parent_point?.timestamp,
    parentLsn: inputs.parent_point?.lsn,
    suspendTimeout: inputs.suspend_timeout,
    minCu: inputs.min_cu,
    maxCu: inputs.max_cu,
    maskingRules: inputs.masking_rules,
    metadata: metadataOf(event),
  };
}

/** What a create has led to: a branch that it has created, with the response unless that was lost, or one that had the name before. */
export type Sent =
  | { created: true; found: Found; response?: BranchResponse }
  | { created: false; found: Found; running: Operation[] };

/**
 * Sends a create until there is a branch of that name. If the response is lost, the name is taken or the project is full, the branch is
 * looked up by its name before anything is sent again: the create ID in its metadata says whether this create has made it. A branch that
 * is being deleted is waited for, and then created anew.
 */
export async function sendCreate(step: BranchStep, branch: NewBranch): Promise<Sent> {
  const project = projectOf(step);
  const { api } = project;
  const { name, createId } = branch;
  const delays = backoff(takenBackoff);
  const waitForName = (why: string) => {
    const after = delays.next().value;
    step.log.info(`Could not create branch ${show(name)} yet: ${why}; retrying in ${duration(after)}`);
    return { after, doing: `trying to create branch ${show(name)}: ${why}` };
  };

  const recover: Recover<Sent> = async (error) => {
    const isLost = error.failure.mayHaveActed;
    const isTaken = error.status === 409;
    if (!error.mayHaveActed && !isTaken && !isFull(error)) return undefined;
    const read = await findBranchByName({ ...project, name });
    if (!read) {
      if (isLost) return 'resend';
      // Either its last branch is still being deleted, or it is another conflict, such as a parent that is being restored.
      return isTaken ? waitForName(error.failure.what) : undefined;
    }
    const found = { ...project, ...read };
    if (read.branch.metadata[createIdKey] === createId) {
      api.created(read.branch.id);
      return { done: { created: true, found } };
    }
    const running = await unfinishedOperations({ ...project, branchId: read.branch.id });
    return running.some(({ action }) => action === 'delete_timeline')
      ? waitForName(`branch ${nameAndId(read.branch)} is being deleted`)
      : { done: { created: false, found, running } };
  };

  const request = createRequest({ ...project, branch });
  const { value, sentAt } = await api.request<Sent | BranchResponse>({ ...request, recover });
  if ('created' in value) return value;
  return { created: true, found: { ...project, branch: value.branch, readAt: sentAt }, response: value };
}

/** A branch that this step has created, and what its response has said of its connection. */
export interface Created {
  found: Found;
  endpoint: Endpoint;
  names?: Names;
  connectionUris?: ConnectionDetails[];
}

/** Records a branch that this step has created, with `wait` waits for its operations, and makes sure that it has an endpoint. */
export async function finishCreate(
  step: BranchStep,
  { found, response }: Extract<Sent, { created: true }>,
  { wait }: { wait: boolean },
): Promise<Created> {
  const { branch } = found;
  const { operations = [], endpoints = [], databases = [], roles = [], connectionUris } = response ?? {};
  // Operations so far were those of branches that were deleted for this one.
  step.record({ branch, created: true, deleted: false, operationIds: [], operations: [] });
  step.started(operations);
  step.log.info(`Created branch ${nameAndId(branch)}`);
  if (wait && response) await waitForOperations(step, operations);
  const now = wait && !response ? { ...found, branch: await waitUntilReady(step, found) } : found;
  const endpoint = readWriteEndpoint(endpoints, branch) ?? (await ensureEndpoint(step, now));
  // A response without names is incomplete.
  const names = databases.length > 0 && roles.length > 0 ? { databases, roles } : undefined;
  return { found: now, endpoint, names, connectionUris };
}

/** For the deletion of a branch that this step has created: throws if it does not carry the create ID. */
export function checkCreatedBy(createId: string): (branch: Branch) => void {
  return (branch) => {
    if (branch.metadata[createIdKey] === createId) return;
    throw new RefusedError(
      `Branch ${nameAndId(branch)} was not deleted, because its metadata does not say that this step created it. Delete it manually if nothing else uses it.`,
    );
  };
}
