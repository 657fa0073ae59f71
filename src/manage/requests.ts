import type { Client } from '../http/client.ts';
import { ApiError, isNotFoundOrGone, unlessNotFound } from '../http/errors.ts';
import { type Page, pages } from '../http/pages.ts';
import { type ApiResponse, type BeforeAttempt, isChange, type RequestSpec } from '../http/request.ts';
import { lookUpEffect, uncertainIfLost } from '../http/retry.ts';
import { optionalObject, ShapeError } from '../http/shape.ts';
import { type FoundBranch, findBranchByName } from '../service/branches.ts';
import { createIdKey } from '../service/create.ts';
import { RefusedError } from '../service/errors.ts';
import { show } from '../text/inert.ts';
import { isObject, type Json, numberText } from '../text/json.ts';
import { aKind, type Kind, type Owners } from './kinds.ts';
import { requestOf, unwrapped } from './routes.ts';

/** All objects of a kind that belong to the same owners, and the client to reach them. */
export interface Collection {
  api: Client;
  kind: Kind;
  owners: Owners;
  /** The branch that the objects belong to, if it was already read; else it is read when it matters. */
  branch?: FoundBranch;
  /** Called before each attempt to change something in it. */
  beforeAttempt?: BeforeAttempt;
}

/** One object of a collection; a kind with a fixed path may have no ID. */
type ObjectRef = Collection & { id: string | undefined };

/** The body is that of the response, unchanged. */
export type Response = Pick<ApiResponse<unknown>, 'status' | 'value'>;

/** How far apart the service's clock in two responses may be, in milliseconds. */
const clockSlackMs = 2_000;

export async function getObject(options: ObjectRef): Promise<Response> {
  const { kind, owners, id } = options;
  return sendTo(options, {
    ...requestOf({ ...options, verb: 'get' }),
    goal: `read ${objectName(kind, id)}`,
    read: (body) => checked({ kind, owners, body, key: id }),
  });
}

/** One PATCH. If its response is lost, it throws an `UncertainError`. */
export async function updateObject(options: ObjectRef & { payload: Json }): Promise<Response> {
  const { kind, owners, id } = options;
  return sendTo(options, {
    ...requestOf({ ...options, verb: 'update' }),
    goal: `update ${objectName(kind, id)}`,
    recover: uncertainIfLost(`check with \`verb: ${kind.verbs.includes('get') ? 'get' : 'list'}\``),
    // The name may be what is changed.
    read: (body) => checked({ kind, owners, body, key: kind.key === 'id' ? id : undefined }),
  });
}

/** One POST that restores an object to a branch. If its response is lost, it throws an `UncertainError`. */
export async function restoreObject(options: ObjectRef & { payload: Json }): Promise<Response> {
  return sendTo(options, {
    ...requestOf({ ...options, verb: 'restore' }),
    goal: `restore ${objectName(options.kind, options.id)}`,
    recover: uncertainIfLost("check the project's branches with `resource: branch` and `verb: list`"),
    read: (body) => body,
  });
}

/** Sends a request. */
function sendTo<T>(collection: Collection, spec: RequestSpec<T>): Promise<ApiResponse<T>> {
  const { beforeAttempt = isChange(spec.method) ? collection.beforeAttempt : undefined } = spec;
  return collection.api.request({ ...spec, beforeAttempt });
}

/**
 * The body, if the object in it is the one that was asked for. Throws a `ShapeError` if there is none and it is not `optional`.
 * Kinds whose responses are not published are not checked.
 */
function checked(options: {
  kind: Kind;
  owners: Owners;
  body: unknown;
  key: string | undefined;
  optional?: boolean;
}): unknown {
  const { kind, owners, body, key, optional = false } = options;
  if (!kind.published) return body;
  const found = isObject(body) ? (kind.wrap === undefined ? body : body[kind.wrap]) : undefined;
  if (!isObject(found)) {
    if (optional) return body;
    throw new ShapeError(`${kind.wrap ?? 'the response'} is not an object`);
  }
  const ownerIds = kind.owner === 'account' ? {} : { project_id: owners.projectId, branch_id: owners.branchId };
  const expected: Record<string, string | undefined> = { [kind.key]: key, ...ownerIds };
  for (const [field, value] of Object.entries(expected)) {
    const actual = found[field];
    if (value === undefined || actual === undefined || actual === null) continue;
    const text = typeof actual === 'string' ? actual : numberText(actual);
    if (text === value) continue;
    const returned = text === undefined ? `a malformed ${field}` : `${field} ${show(text)}`;
    throw new RefusedError(`The service returned ${aKind(kind)} with ${returned} instead of ${show(value)}`);
  }
  return body;
}

/** `role "app"`, `project shiny-wind-028834`, `the user`. */
export function objectName(kind: Kind, id: string | undefined): string {
  if (id === undefined) return `the ${kind.one}`;
  return `${kind.one} ${kind.key === 'name' ? show(id) : id}`;
}

interface ObjectPage extends Page<unknown> {
  /** IDs of objects that the service could not list. */
  unavailable: string[];
}

/** All objects of a collection, from all pages of the list. */
export async function listObjects(
  collection: Collection & { payload?: Json },
): Promise<{ status: number; items: unknown[]; unavailable: string[] }> {
  const { api, kind } = collection;
  const request = requestOf({ ...collection, verb: 'list' });
  const items: unknown[] = [];
  const unavailable: string[] = [];
  let status = 0;
  const read = async (cursor: string | undefined) => {
    const response = await api.request<ObjectPage>({
      ...request,
      goal: `list the ${kind.many}`,
      query: { ...request.query, limit: kind.pageSize, cursor },
      read: (body) => readPage(kind, body),
    });
    status = response.status;
    return response.value;
  };
  for await (const page of pages<unknown, ObjectPage>(kind.many, read)) {
    // A page may have more entries than a call can have arguments.
    for (const item of page.items) items.push(item);
    for (const id of page.unavailable) unavailable.push(id);
  }
  return { status, items, unavailable };
}

function readPage(kind: Kind, body: unknown): ObjectPage {
  if (Array.isArray(body)) return { items: body, next: undefined, unavailable: [] };
  if (!isObject(body)) throw new ShapeError(`the response is not a list of ${kind.many}`);
  const pagination = isObject(body.pagination) ? body.pagination : {};
  // The published lists have two names for the cursor.
  const next = [pagination.next, pagination.cursor].find((one) => typeof one === 'string' && one !== '');
  const unavailable = body[`unavailable_${kind.one}_ids`];
  return {
    items: itemsOf(kind, body),
    next: next as string | undefined,
    unavailable: Array.isArray(unavailable) ? unavailable.map(String) : [],
  };
}

/** The list has the name of its kind. If the kind's responses are not published, the only list will do too. */
function itemsOf(kind: Kind, body: Record<string, unknown>): unknown[] {
  const named = body[kind.segment];
  if (Array.isArray(named)) return named;
  const lists = Object.values(body).filter(Array.isArray);
  const [only] = lists;
  if (only !== undefined && lists.length === 1 && !kind.published) return only;
  throw new ShapeError(`${kind.segment} is not a list`);
}

interface DeletedObject {
  /** Whether the object existed before, as far as the responses show. */
  deleted: boolean;
  response: Response;
  /** Whether the service knows no such object, or nothing that it could belong to. */
  unknown: boolean;
}

/**
 * One DELETE. It is idempotent: an object that is already gone is what was asked for. If an attempt may have deleted an object that
 * has only a name, the next one is not sent if the object of that name may be another one by then.
 */
export async function deleteObject(options: ObjectRef & { payload?: Json }): Promise<DeletedObject> {
  const { api, kind, owners, id } = options;
  const started = api.clock.now();
  const beforeAttempt = async (mayHaveActed: boolean) => {
    await options.beforeAttempt?.(mayHaveActed);
    if (mayHaveActed && kind.key === 'name') await checkNotNewer(options, started);
  };
  try {
    const { value } = await sendTo<DeletedObject>(options, {
      ...requestOf({ ...options, verb: 'delete' }),
      goal: `delete ${objectName(kind, id)}`,
      beforeAttempt,
      read: (body, status, mayHaveActed) => {
        const value = body === undefined ? body : checked({ kind, owners, body, key: id, optional: true });
        const wasGone = status === 204 && kind.goneIs204 === true && !mayHaveActed;
        return { deleted: !wasGone, response: { status, value }, unknown: false };
      },
    });
    return value;
  } catch (error) {
    if (!isNotFoundOrGone(error)) throw error;
    return { deleted: error.mayHaveActed, response: { status: error.status, value: undefined }, unknown: true };
  }
}

/** Throws if the object may have been created after `started`, in milliseconds by the client's clock: then it may be another one. */
async function checkNotNewer(options: ObjectRef, started: number): Promise<void> {
  const { api, kind, owners, id } = options;
  const found = await unlessNotFound(
    api.request({
      ...requestOf({ kind, owners, id, verb: 'get' }),
      goal: `read ${objectName(kind, id)}`,
      read: (body) => unwrapped(kind, body),
    }),
  );
  const created = String(found?.value?.created_at);
  const startedAt = (found?.date ?? Number.NaN) - (api.clock.now() - started);
  if (!(Date.parse(created) >= startedAt - clockSlackMs)) return;
  const since = `A ${kind.one} with this name exists, created at ${show(created)}`;
  throw new RefusedError(
    `An attempt to delete ${objectName(kind, id)} got no response. ${since}; it may be a new one, so the delete was not retried. Check it with \`verb: get\`.`,
  );
}

interface CreatedObject {
  /** Whether this call created the object; if not, it already existed. */
  created: boolean;
  /** Whether the response to the create was lost; the object then comes from a lookup. */
  lost: boolean;
  response: Response;
  /** The conflict with an existing object. */
  refusal?: ApiError;
}

/** A lookup during a create failed. Its cause is no failure of the create itself. */
export class LookupError extends Error {
  override readonly name = 'LookupError';

  override readonly cause: ApiError;

  constructor(cause: ApiError) {
    super(cause.message);
    this.cause = cause;
  }
}

/** The object that a lookup found, and the time in the response, if it has one. */
type Found = Response & Pick<ApiResponse<unknown>, 'date'>;

interface New extends Collection {
  payload: Json;
  /** Its name, if the request has it in the path. */
  id?: string;
}

/**
 * One POST that creates an object. If it can be looked up (by the unique field of its kind, or because its owner has only one), a
 * lost response is looked up before anything is sent again, and a conflict (409) returns the existing object. Any other create whose
 * response is lost throws an `UncertainError`, because sending it again might create a second object. Throws a `LookupError` if a
 * lookup fails.
 */
export async function createObject(options: New): Promise<CreatedObject> {
  const { api, kind, owners, payload, id } = options;
  const name = uniqueName(kind, payload) ?? id;
  const started = api.clock.now();
  const createId = createIdIn(payload.annotation_value);
  const isOurs = ({ date, value }: Found) => {
    // Only branches have metadata; for the other kinds, its age must do.
    if (createId !== undefined) return createIdIn(optionalObject(optionalObject(value).annotation).value) === createId;
    const earliest = (date ?? api.clock.now()) - (api.clock.now() - started) - clockSlackMs;
    return !(Date.parse(String(unwrapped(kind, value)?.created_at)) < earliest);
  };
  const find = lookupOf(options);
  const lookUp = async (error: ApiError): Promise<CreatedObject | undefined> => {
    const found = await find?.().catch((failed: unknown) => {
      throw failed instanceof ApiError ? new LookupError(failed) : failed;
    });
    if (!found) return undefined;
    const lost = error.mayHaveActed;
    const refusal = error.status === 409 ? error : undefined;
    return { created: lost && isOurs(found), lost, response: found, refusal };
  };
  const { value } = await sendTo<CreatedObject>(options, {
    ...requestOf({ ...options, verb: 'create' }),
    goal: `create ${name === undefined ? aKind(kind) : `${kind.one} ${show(name)}`}`,
    recover: find ? lookUpEffect(lookUp, { refusals: [409] }) : uncertainIfLost('check with `verb: list`'),
    read: (body, status) => {
      const key = kind.uniqueField === kind.key ? name : undefined;
      return { created: true, lost: false, response: { status, value: checked({ kind, owners, body, key }) } };
    },
  });
  return value;
}

/** The create ID in a branch's metadata. */
function createIdIn(metadata: unknown): unknown {
  return optionalObject(metadata)[createIdKey];
}

/** The value of the unique field by which a create can be looked up, or undefined. */
function uniqueName(kind: Kind, payload: Json): string | undefined {
  const name = kind.uniqueField && unwrapped(kind, payload)?.[kind.uniqueField];
  return typeof name === 'string' && name !== '' ? name : undefined;
}

/** How to look up the object that a create makes; undefined if nothing in the request identifies it. */
function lookupOf(options: New): (() => Promise<Found | undefined>) | undefined {
  const { api, kind, owners, payload, id } = options;
  if (kind.noId !== undefined || kind.inPath.includes('create')) return () => findById(options, id);
  const isSame = kind.isSame?.(unwrapped(kind, payload) ?? {});
  if (isSame) {
    return async () => {
      const { items } = await listObjects(options);
      const same = items.filter(isObject).find(isSame)?.id;
      return typeof same === 'string' ? findById(options, same) : undefined;
    };
  }
  const name = uniqueName(kind, payload);
  if (name === undefined) return undefined;
  if (kind.uniqueField === kind.key) return () => findById(options, name);
  // Of the kinds with an ID, only branches have a unique name.
  return async () => {
    const found = await findBranchByName({ api, projectId: owners.projectId ?? '', name });
    return found && findById(options, found.branch.id, name);
  };
}

function findById(collection: Collection, id: string | undefined, name = id): Promise<Found | undefined> {
  const { api, kind, owners } = collection;
  return unlessNotFound(
    api.request({
      ...requestOf({ kind, owners, id, verb: 'get' }),
      goal: `look up ${name === undefined ? `the ${kind.one}` : `${kind.one} ${show(name)}`}`,
      read: (body) => checked({ kind, owners, body, key: id }),
    }),
  );
}
