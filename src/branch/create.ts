import { ApiError, StoppedError } from '../http/errors.ts';
import type { Recover } from '../http/request.ts';
import { maskedKey } from '../service/anonymize.ts';
import { type BranchResponse, readBranchResponse } from '../service/branch-changes.ts';
import { type Found, findBranchByName, nameAndId } from '../service/branches.ts';
import type { Names } from '../service/connection.ts';
import { readWriteEndpoint } from '../service/endpoints.ts';
import { RefusedError } from '../service/errors.ts';
import { isBeingDeleted, unfinishedOperations } from '../service/operations.ts';
import { projectPath } from '../service/project.ts';
import type { Branch, ConnectionDetails, Endpoint, Operation } from '../service/types.ts';
import { show } from '../text/inert.ts';
import { forgetForPostStep, type Saved, saveForPostStep } from './ephemeral.ts';
import { createIdKey, metadataOf, ownerIn } from './metadata.ts';
import { ensureEndpoint, waitForOperations, waitUntilReady } from './ready.ts';
import { type BranchStep, projectOf } from './step.ts';

/** Whether a create has failed because the project has no room for another branch, or for another root branch. */
export function isFull(error: unknown): error is ApiError {
  return error instanceof ApiError && /^(ROOT_)?BRANCHES_LIMIT_EXCEEDED$/.test(error.code);
}

/** A branch to create; compute, masking and the point in the parent's history are what the inputs say. */
export interface Wanted {
  name: string;
  /**
   * Random; kept in the branch's metadata. A branch is ours if and only if it carries this ID: no clock and no run ID could tell two creates
   * of one run apart.
   */
  createId: string;
  /** Default: the project's default branch. */
  parentId?: string | undefined;
  schemaOnly?: boolean;
  protected?: boolean;
  /** RFC 3339 with whole seconds. */
  expiresAt?: string | undefined;
  /** The post step deletes it. */
  endsAs?: Saved['kind'] | undefined;
}

/** What a create has led to: a branch that it has created, with the response unless that was lost, or one that had the name before. */
export type Sent =
  | { created: true; found: Found; response?: BranchResponse }
  | { created: false; found: Found; running: Operation[] };

/**
 * Sends a create until there is a branch of that name. If the response is lost, the name is taken or the project is full, the branch is
 * looked up by its name before anything is sent again: the create ID in its metadata says whether this create has made it. A branch that
 * is being deleted is waited for, and then created anew. The post step is told before the create is sent, and once its outcome is known.
 */
export async function sendCreate(step: BranchStep, wanted: Wanted): Promise<Sent> {
  const project = projectOf(step);
  const { api } = project;
  const { name, createId, endsAs } = wanted;
  const { path, body, metadata } = payload(step, wanted);
  const { project_id = '', api_host = '' } = step.inputs;
  const saved = { name, createId, owner: ownerIn(metadata), where: { project_id, api_host } };
  const save = (create: Saved['create'], id?: string) => {
    if (endsAs) saveForPostStep({ ...saved, kind: endsAs, create, id });
  };
  const forget = () => {
    if (endsAs) forgetForPostStep(endsAs);
  };
  const recover: Recover<Sent> = async (error) => {
    const isLost = error.failure.mayHaveActed;
    const isTaken = error.status === 409;
    if (!error.mayHaveActed && !isTaken && !isFull(error)) return undefined;
    const unfinished = await unfinishedOperations(project);
    const found = await findBranchByName({ ...project, name });
    if (!found) {
      // A name that is taken is still that of a branch being deleted, or it is another conflict, such as a parent that is being restored.
      return isLost || isTaken ? 'resend' : undefined;
    }
    if (found.branch.metadata[createIdKey] === createId) return { done: { created: true, found } };
    const running = unfinished.filter(({ branch_id }) => branch_id === found.branch.id);
    if (!isBeingDeleted(found.branch, running)) return { done: { created: false, found, running } };
    step.log.info(`Branch ${nameAndId(found.branch)} is being deleted; waiting to create it anew`);
    return 'resend';
  };

  const read = (body: unknown): Sent => {
    const response = readBranchResponse(body);
    const { branch } = response;
    if (branch.default || branch.name !== name) {
      throw new RefusedError(
        `The service returned branch ${nameAndId(branch)} instead of a new one named ${show(name)}. Check it in the service's console.`,
      );
    }
    // The response may lack the metadata, and the branch would seem to have no owner. Before it is deleted, it is read again.
    const own = { ...branch, metadata: { ...metadata, ...branch.metadata } };
    return { created: true, found: { ...project, branch: own, readAt: 0 }, response };
  };

  save('sent');
  const goal = `create branch ${show(name)}`;
  const request = { goal, method: 'POST', path: projectPath(project.projectId, path), body, recover, read } as const;
  const { value } = await api.request<Sent>(request).catch((error: unknown) => {
    // Other errors are about a response.
    const mayExist = !(error instanceof ApiError || error instanceof StoppedError) || error.mayHaveActed;
    if (!mayExist) forget();
    throw error;
  });
  if (!value.created) forget();
  else {
    for (const { id } of [value.found.branch, ...(value.response?.endpoints ?? [])]) api.created(id);
    save('created', value.found.branch.id);
  }
  return value;
}

function payload({ inputs, event }: BranchStep, wanted: Wanted) {
  const { parent_point: point, masking_rules } = inputs;
  const create = {
    branch: {
      name: wanted.name,
      parent_id: wanted.parentId,
      parent_timestamp: point?.timestamp,
      parent_lsn: point?.lsn,
      init_source: wanted.schemaOnly ? 'schema-only' : undefined,
      protected: wanted.protected || undefined,
      expires_at: wanted.expiresAt,
    },
    endpoints: [
      {
        type: 'read_write',
        suspend_timeout_seconds: inputs.suspend_timeout,
        autoscaling_limit_min_cu: inputs.min_cu,
        autoscaling_limit_max_cu: inputs.max_cu,
      },
    ],
  };
  const metadata: Record<string, string> = { ...metadataOf(event), [createIdKey]: wanted.createId };
  if (masking_rules === undefined) {
    return { path: '/branches', metadata, body: { ...create, annotation_value: metadata } };
  }
  metadata[maskedKey] = 'true';
  const masking = { branch_create: create, masking_rules, start_anonymization: true };
  return { path: '/branch_anonymized', metadata, body: { ...masking, annotation_value: metadata } };
}

/** A branch that this step has created, and what its response has said of its connection. */
export interface Created {
  found: Found;
  endpoint: Endpoint;
  names?: Names;
  connectionUris?: ConnectionDetails[];
}

/** Records a branch that this step has created, waits for its operations (`wait`), and makes sure that it has an endpoint. */
export async function finishCreate(
  step: BranchStep,
  { found, response }: Sent & { created: true },
  { wait }: { wait: boolean },
): Promise<Created> {
  const { branch } = found;
  const { operations = [], endpoints = [], databases = [], roles = [], connectionUris } = response ?? {};
  // Operations so far were those of branches that were deleted for this one.
  step.record({ branch, created: true, deleted: false, operationIds: [] });
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
