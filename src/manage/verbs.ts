import { waitForOperations } from '../branch/wait.ts';
import type { Context } from '../context.ts';
import { ApiError } from '../http/errors.ts';
import { isObject, optionalObject } from '../http/shape.ts';
import type { Result } from '../result.ts';
import { OperationError, RefusedError } from '../service/errors.ts';
import { hasEnded, unfinishedOperations } from '../service/operations.ts';
import type { Operation } from '../service/types.ts';
import { show } from '../text/inert.ts';
import { createObject } from './create.ts';
import { operationsIn, recordFailure, recordResponse, sendAndRecord } from './exchange.ts';
import { capital, describeObject, explainFailure, explainPath, findMissingOwner, onBranch } from './explain.ts';
import type { Verb } from './kind.ts';
import type { Target } from './locate.ts';
import {
  type Collection,
  deleteObject,
  getObject,
  listObjects,
  objectName,
  type Response,
  restoreObject,
  updateObject,
} from './requests.ts';
import { differences, unwrapped } from './routes.ts';

type Options = { context: Context } & Target;

/** What each verb does with one object, or with all objects of a kind. */
export const verbs: Record<Verb, (options: Options) => Promise<Partial<Result>>> = {
  create,
  list,
  get,
  update,
  delete: remove,
  restore,
};

/** Sends the request of a verb; its failure is recorded and explained. */
function send<T>({ context, collection }: Options, verb: Verb, request: () => Promise<T>): Promise<T> {
  return sendAndRecord(context, {
    send: request,
    explain: (error) => explainFailure({ collection, verb, error }),
  });
}

async function create(options: Options): Promise<Partial<Result>> {
  const { context, collection, id, payload = {} } = options;
  const { kind } = collection;
  const { created, lost, response, refusal } = await send(options, 'create', () =>
    createObject({ ...collection, id, payload }),
  );
  const object = describeObject({ collection, response, id });
  const action = created ? 'created' : 'reused';
  context.progress({ created });
  if (!created && context.inputs.if_exists === 'fail') {
    if (refusal) recordFailure(context, refusal);
    const next = 'Delete it, choose another name, or set `if_exists: reuse`.';
    const error = new RefusedError(
      `${refusal ? `${refusal.message}. ` : ''}${capital(object)} already exists. ${next}`,
    );
    error.cause = refusal;
    throw error;
  }
  context.progress({ action });
  const recorded = recordResponse(context, response);
  const fields = created ? [] : differences({ kind, payload, found: response.value });
  if (fields.length > 0) {
    const next = 'Using it as is; to fail instead, set `if_exists: fail`.';
    context.log.warning(`${capital(object)} already exists with a different ${fields.join(', ')}. ${next}`);
  }
  // The response to a lookup does not name the operations that are still creating the object.
  const unfinished = created && !lost ? operationsIn(context, response.value) : await unfinishedOnBranch(collection);
  const waited = await waitForStarted(context, unfinished, created ? unfinished : []);
  return { action, created, response: recorded, ...waited, done: `${capital(action)} ${object}` };
}

/** Unfinished operations on the branch of an object that was found by a lookup. */
async function unfinishedOnBranch({ api, kind, owners }: Collection): Promise<Operation[]> {
  const { projectId, branchId } = owners;
  if (kind.owner !== 'branch' || projectId === undefined || branchId === undefined) return [];
  return unfinishedOperations({ api, projectId, branchId });
}

async function list(options: Options): Promise<Partial<Result>> {
  const { context, collection } = options;
  const { kind, owners } = collection;
  const { status, items, unavailable } = await send(options, 'list', () => listObjects(collection));
  // The service lists the whole project, but the step may name one branch.
  const isLimited = kind.owner === 'project' && owners.branchId !== undefined;
  const value = isLimited ? items.filter((item) => isObject(item) && item.branch_id === owners.branchId) : items;
  if (unavailable.length > 0) {
    context.log.warning(`The service could not list these ${kind.many}: ${unavailable.join(', ')}`);
  }
  const response = recordResponse(context, { status, value });
  const done = `Listed ${value.length} ${value.length === 1 ? kind.one : kind.many}`;
  return { action: 'read', response, operationIds: [], done };
}

async function get(options: Options): Promise<Partial<Result>> {
  const { context, collection, id } = options;
  const { kind } = collection;
  const read = () => send(options, 'get', () => getObject({ ...collection, id }));
  const first = await read();
  const response = recordResponse(context, first);
  const [operation] = operationsIn(context, { operations: kind.operations?.(unwrapped(kind, first.value)) });
  if (operation === undefined || !context.inputs.wait || hasEnded(operation)) {
    const done = `Read ${describeObject({ collection, response: first, id })}`;
    return { action: 'read', response, operationIds: [], done };
  }
  let failure: OperationError | undefined;
  const operations = await waitForOperations(context, [operation]).catch((error: unknown) => {
    if (!(error instanceof OperationError)) throw error;
    failure = error;
    return [];
  });
  // Even if it failed, the response is the operation in its final state.
  const last = recordResponse(context, await read());
  if (failure) throw failure;
  const done = `Waited for operation ${operation.action} (${operation.id})`;
  return { action: 'waited', operations, operationIds: [], response: last, done };
}

async function update(options: Options): Promise<Partial<Result>> {
  const { collection, id, payload = {} } = options;
  await checkBranch(collection, id);
  const response = await send(options, 'update', () => updateObject({ ...collection, id, payload }));
  return changed(options, response, `Updated ${describeObject({ collection, response, id })}`);
}

async function restore(options: Options): Promise<Partial<Result>> {
  const { collection, id, payload = {} } = options;
  const response = await send(options, 'restore', () => restoreObject({ ...collection, id, payload }));
  const branch = optionalObject(optionalObject(response.value).branch);
  const to = typeof branch.name === 'string' ? ` to branch ${show(branch.name)} (${String(branch.id)})` : '';
  const target = payload.target_branch_id;
  const replaced = payload.finalize_restore === true ? `, which replaces branch ${show(String(target))}` : '';
  return changed(options, response, `Restored ${objectName(collection.kind, id)}${to}${replaced}`);
}

/** Records the response of a change, and waits for the operations that it started. */
async function changed({ context }: Options, response: Response, done: string): Promise<Partial<Result>> {
  const recorded = recordResponse(context, response);
  context.progress({ action: 'managed' });
  const waited = await waitForStarted(context, operationsIn(context, response.value));
  return { action: 'managed', response: recorded, ...waited, done };
}

async function remove(options: Options): Promise<Partial<Result>> {
  const { context, collection, id, payload } = options;
  const { kind } = collection;
  await checkBranch(collection, id);
  const { deleted, response, unknown } = await send(options, 'delete', () =>
    deleteObject({ ...collection, id, payload }),
  );
  const action = deleted ? 'deleted' : 'already-gone';
  const recorded = recordResponse(context, response);
  context.progress({ action, deleted });
  if (unknown && !deleted) await checkUnknown(options, response);
  const object = `${objectName(kind, id)}${onBranch(collection)}`;
  const done = deleted ? `Deleted ${object}` : `${capital(object)} does not exist; nothing to delete`;
  const result = { action, deleted, response: recorded, done } as const;
  try {
    return { ...result, ...(await waitForStarted(context, operationsIn(context, response.value))) };
  } catch (error) {
    if (!(error instanceof OperationError && error.unknown && deleted && kind.forgetsOperations)) throw error;
    context.log.info(`${error.message}; this is normal once ${objectName(kind, id)} has been deleted`);
    return result;
  }
}

/** Warns if there was nothing to delete because of a missing branch or a wrong path; throws if the project does not exist. */
async function checkUnknown({ context, collection, request }: Options, response: Response): Promise<void> {
  const missing = await findMissingOwner(collection);
  if (missing?.owner === 'project') throw missing.error;
  if (missing) context.log.warning(`${missing.error.message}, so there is nothing to delete on it`);
  if (!collection.kind.published) {
    const what = `${request.method} ${request.path} returned ${response.status}`;
    context.log.warning(`${what}. ${explainPath(collection)}`);
  }
}

/** Waits for unfinished operations, all of which the request has started unless `started` says otherwise. */
export async function waitForStarted(context: Context, unfinished: Operation[], started = unfinished) {
  const operationIds = started.map((one) => one.id);
  context.progress({ operationIds });
  const operations = context.inputs.wait ? await waitForOperations(context, unfinished) : [];
  return { operationIds, operations };
}

/** Refuses to change an object of a project that belongs to another branch than the one that an input names. */
async function checkBranch(collection: Collection, id: string | undefined): Promise<void> {
  const { kind, owners } = collection;
  if (kind.owner !== 'project' || owners.branchId === undefined) return;
  const read = getObject({ ...collection, owners: { projectId: owners.projectId }, id });
  const found = await read.catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  });
  const branchId = unwrapped(kind, found?.value)?.branch_id;
  if (branchId === undefined || branchId === owners.branchId) return;
  const other = `branch ${String(branchId)}, not to branch ${owners.branchId}`;
  throw new RefusedError(`${capital(objectName(kind, id))} belongs to ${other}. Nothing was changed.`);
}
