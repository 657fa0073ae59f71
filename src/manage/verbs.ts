import { waitForOperations } from '../branch/ready.ts';
import type { Context } from '../context.ts';
import { type ApiError, isNotFound, unlessNotFound } from '../http/errors.ts';
import { optionalObject } from '../http/shape.ts';
import { getBranch, nameAndId, noSuchBranch } from '../service/branches.ts';
import { OperationError, RefusedError } from '../service/errors.ts';
import { hasEnded, unfinishedOperations } from '../service/operations.ts';
import { projectName } from '../service/project.ts';
import type { Operation } from '../service/types.ts';
import { capital, listOf } from '../text/format.ts';
import { oneLine, show } from '../text/inert.ts';
import { isObject, numberText } from '../text/json.ts';
import { operationsIn, recordFailure, recordResponse, sendAndRecord } from './exchange.ts';
import type { Verb } from './kinds.ts';
import type { Target } from './plan.ts';
import {
  type Collection,
  createObject,
  deleteObject,
  getObject,
  listObjects,
  objectName,
  type Response,
  restoreObject,
  updateObject,
} from './requests.ts';
import { differences, requestOf, unwrapped } from './routes.ts';

type Options = { context: Context } & Target;

/** What each verb does with one object, or with all objects of a kind. */
export const verbs: Record<Verb, (options: Options) => Promise<void>> = {
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

async function create(options: Options): Promise<void> {
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
    const rename = kind.uniqueField === undefined ? '' : ' choose another name,';
    const next = `Delete it,${rename} or set \`if_exists: reuse\`.`;
    throw new RefusedError(`${refusal ? `${refusal.message}. ` : ''}${capital(object)} already exists. ${next}`, {
      cause: refusal,
    });
  }
  context.progress({ action });
  recordResponse(context, response);
  const fields = created ? [] : differences({ kind, payload, found: response.value });
  if (fields.length > 0) {
    const next = 'Using it as is; to fail instead, set `if_exists: fail`.';
    context.log.warning(
      `${capital(object)} already exists with different values for ${listOf(fields, 'and')}. ${next}`,
    );
  }
  // The response to a lookup does not name the operations that are still creating the object.
  const unfinished = created && !lost ? operationsIn(context, response.value) : await unfinishedOnBranch(collection);
  await waitForStarted(context, unfinished, created ? unfinished : []);
  context.progress({ done: `${capital(action)} ${object}` });
}

/** Unfinished operations on the branch of an object that was found by a lookup. */
async function unfinishedOnBranch({ api, kind, owners }: Collection): Promise<Operation[]> {
  const { projectId, branchId } = owners;
  if (kind.owner !== 'branch' || projectId === undefined || branchId === undefined) return [];
  return unfinishedOperations({ api, projectId, branchId });
}

async function list(options: Options): Promise<void> {
  const { context, collection, payload } = options;
  const { kind, owners } = collection;
  const { status, items, unavailable } = await send(options, 'list', () => listObjects({ ...collection, payload }));
  // The service lists the whole project, but the step may name one branch.
  const isLimited = kind.owner === 'project' && owners.branchId !== undefined;
  const value = isLimited ? items.filter((item) => isObject(item) && item.branch_id === owners.branchId) : items;
  if (unavailable.length > 0) {
    const missing = `${unavailable.length} ${unavailable.length === 1 ? kind.one : kind.many}`;
    context.log.warning(`The service could not list ${missing}: ${unavailable.join(', ')}`);
  }
  recordResponse(context, { status, value });
  const done = `Listed ${value.length} ${value.length === 1 ? kind.one : kind.many}`;
  context.progress({ action: 'read', operationIds: [], done });
}

async function get(options: Options): Promise<void> {
  const { context, collection, id } = options;
  const { kind } = collection;
  const read = () => send(options, 'get', () => getObject({ ...collection, id }));
  const first = await read();
  recordResponse(context, first);
  const [operation] = operationsIn(context, { operations: kind.operations?.(unwrapped(kind, first.value)) });
  if (operation === undefined || !context.inputs.wait || hasEnded(operation)) {
    const done = `Read ${describeObject({ collection, response: first, id })}`;
    return context.progress({ action: 'read', operationIds: [], done });
  }
  let failure: OperationError | undefined;
  await waitForOperations(context, [operation]).catch((error: unknown) => {
    if (!(error instanceof OperationError)) throw error;
    failure = error;
  });
  // Even if it failed, the response is the operation in its final state.
  recordResponse(context, await read());
  if (failure) throw failure;
  const done = `Waited for operation ${operation.action} (${operation.id})`;
  context.progress({ action: 'waited', operationIds: [], done });
}

async function update(options: Options): Promise<void> {
  const { collection, id, payload = {} } = options;
  await checkBranch(collection, id);
  const response = await send(options, 'update', () => updateObject({ ...collection, id, payload }));
  await finish(options, response, `Updated ${describeObject({ collection, response, id })}`);
}

async function restore(options: Options): Promise<void> {
  const { collection, id, payload = {} } = options;
  const response = await send(options, 'restore', () => restoreObject({ ...collection, id, payload }));
  const branch = optionalObject(optionalObject(response.value).branch);
  const to = typeof branch.name === 'string' ? ` to branch ${show(branch.name)} (${String(branch.id)})` : '';
  const target = payload.target_branch_id;
  const replaced = payload.finalize_restore === true ? `, which replaces branch ${oneLine(String(target), 100)}` : '';
  await finish(options, response, `Restored ${objectName(collection.kind, id)}${to}${replaced}`);
}

/** Records the response of a change, and waits for the operations that it started. */
async function finish({ context }: Options, response: Response, done: string): Promise<void> {
  recordResponse(context, response);
  context.progress({ action: 'managed' });
  await waitForStarted(context, operationsIn(context, response.value));
  context.progress({ done });
}

async function remove(options: Options): Promise<void> {
  const { context, collection, id, payload } = options;
  const { kind } = collection;
  await checkBranch(collection, id);
  const { deleted, response, unknown } = await send(options, 'delete', () =>
    deleteObject({ ...collection, id, payload }),
  );
  const action = deleted ? 'deleted' : 'already-gone';
  recordResponse(context, response);
  context.progress({ action, deleted });
  if (unknown && !deleted) await checkUnknown(options, response);
  const object = `${objectName(kind, id)}${onBranch(collection)}`;
  const done = deleted ? `Deleted ${object}` : `${capital(object)} does not exist; nothing to delete`;
  try {
    await waitForStarted(context, operationsIn(context, response.value));
  } catch (error) {
    // The service may forget them together with the object.
    if (!(error instanceof OperationError && error.unknown && deleted)) throw error;
    context.log.info(`${error.message}; this is normal once ${objectName(kind, id)} has been deleted`);
  }
  context.progress({ done });
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
export async function waitForStarted(context: Context, unfinished: Operation[], started = unfinished): Promise<void> {
  context.progress({ operationIds: started.map((one) => one.id) });
  if (context.inputs.wait) await waitForOperations(context, unfinished);
}

/** Refuses to change an object of a project that belongs to another branch than the one that an input names. */
async function checkBranch(collection: Collection, id: string | undefined): Promise<void> {
  const { kind, owners } = collection;
  if (kind.owner !== 'project' || owners.branchId === undefined) return;
  const found = await unlessNotFound(getObject({ ...collection, owners: { projectId: owners.projectId }, id }));
  const branchId = unwrapped(kind, found?.value)?.branch_id;
  if (branchId === undefined || branchId === owners.branchId) return;
  const other = `${typeof branchId === 'string' ? `branch ${branchId}` : 'another branch'}, not to branch ${owners.branchId}`;
  throw new RefusedError(
    `${capital(objectName(kind, id))} belongs to ${other}. Nothing was changed. Correct \`resource_id\`, or the input that names the branch.`,
  );
}

/** Adds to an error response what the service did not say: which part of the path does not exist, and what to do. */
async function explainFailure(options: { collection: Collection; verb: Verb; error: ApiError }): Promise<Error> {
  const { collection, verb, error } = options;
  const { kind } = collection;
  const { status } = error;
  if (!kind.published && (status === 404 || status === 405)) {
    return explained(error, explainPath(collection));
  }
  if (status === 409 && verb === 'create' && kind.uniqueField === undefined) {
    const why = `the action can't look it up itself, because it knows no field by which to recognize the ${kind.one}.`;
    return explained(error, `Look for the ${kind.one} with \`verb: list\`: ${why}`);
  }
  if (status !== 404) return error;
  const missing = await findMissingOwner(collection);
  if (missing) return missing.error;
  if (verb === 'create') {
    const next = {
      account: 'Check `api_host`, and the IDs in `body`.',
      project: 'The project exists, but something that `body` names does not.',
      branch: 'The project and the branch exist, but something that `body` names does not.',
    }[kind.owner];
    return explained(error, next);
  }
  if (verb === 'list') return error;
  if (kind.verbs.includes('list')) {
    return explained(
      error,
      `The ${kind.one} does not exist, or the key has no access to it; \`verb: list\` shows the ${kind.many} that exist.`,
    );
  }
  if (kind.owner === 'account') return error;
  return explained(error, `The ${kind.owner} exists, but the ${kind.one} does not; \`verb: create\` creates it.`);
}

/** What may be wrong with the path of a kind that the service does not document. */
function explainPath({ kind, owners }: Collection): string {
  const why = kind.known ? `The API does not document the path of ${kind.many}` : `Unknown kind ${show(kind.segment)}`;
  const { path } = requestOf({ kind, owners, verb: 'list' });
  return `${why}, so the action assumed ${path}. If that is wrong, use \`method\` and \`path\`.`;
}

/** The same error, with what the service did not say. */
export function explained(error: ApiError, explanation: string): RefusedError {
  return new RefusedError(`${error.message}. ${explanation}`, { cause: error });
}

/** A project or branch that does not exist although an object should belong to it, or undefined. */
async function findMissingOwner(
  collection: Collection,
): Promise<{ owner: 'project' | 'branch'; error: Error } | undefined> {
  const { api, kind, owners } = collection;
  const { projectId, branchId } = owners;
  if (kind.owner === 'account' || projectId === undefined) return undefined;
  const noProject = await notFound(() => projectName({ api, projectId }));
  if (noProject) return { owner: 'project', error: noProject };
  if (branchId === undefined) return undefined;
  const noBranch = await notFound(() => getBranch({ api, projectId, branchId }));
  return noBranch && { owner: 'branch', error: noSuchBranch(`with the ID ${branchId}`) };
}

/** The 404 of a request, or undefined if it succeeds. Throws any other failure. */
async function notFound(request: () => Promise<unknown>): Promise<ApiError | undefined> {
  try {
    await request();
    return undefined;
  } catch (error) {
    if (isNotFound(error)) return error;
    throw error;
  }
}

/** An object with the name and ID from the response, and the branch that it belongs to. */
function describeObject(options: { collection: Collection; response: Response; id?: string }): string {
  const { collection, response, id } = options;
  const { kind } = collection;
  const object = unwrapped(kind, response.value) ?? {};
  const text = (value: unknown) => (typeof value === 'string' ? value : (numberText(value) ?? ''));
  const [name, objectId] = [text(object.name), text(object.id)];
  if (name === '' && objectId === '') return `${objectName(kind, id)}${onBranch(collection)}`;
  if (name === '') return `${kind.one} ${objectId}${onBranch(collection)}`;
  // A database has a number too, which no request uses.
  const number = objectId === '' || kind.key === 'name' ? '' : ` (${objectId})`;
  return `${kind.one} ${show(name)}${number}${onBranch(collection)}`;
}

/** The branch that an object belongs to, as a phrase; empty if it belongs to none. */
function onBranch({ kind, owners, branch }: Collection): string {
  if (kind.owner !== 'branch') return '';
  return ` on branch ${branch ? nameAndId(branch.branch) : owners.branchId}`;
}
