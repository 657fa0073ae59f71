import { ApiError } from '../http/errors.ts';
import { lookUpEffect, uncertainIfLost } from '../http/recover.ts';
import type { ApiResponse } from '../http/request.ts';
import { isObject, type Json, optionalObject } from '../http/shape.ts';
import { findBranchByName } from '../service/branches.ts';
import { createIdKey } from '../service/create.ts';
import { show } from '../text/inert.ts';
import { aKind, type Kind } from './kind.ts';
import { type Collection, checked, clockSlackMs, listObjects, type Response, retryWhileNew } from './requests.ts';
import { creationRoute, objectRoute, unwrapped } from './routes.ts';

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
    const found = await find?.();
    if (!found) return undefined;
    const lost = error.mayHaveActed;
    const refusal = error.status === 409 ? error : undefined;
    return { created: lost && isOurs(found), lost, response: found, refusal };
  };
  const { value } = await retryWhileNew<CreatedObject>(options, [422], {
    ...creationRoute(options),
    goal: `create ${name === undefined ? aKind(kind) : `${kind.one} ${show(name)}`}`,
    method: 'POST',
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
  const { kind, payload, id } = options;
  if (kind.noId !== undefined || kind.createdByName) return () => findById(options, id);
  const isSame = kind.isSame?.(unwrapped(kind, payload) ?? {});
  if (isSame) return () => findFirst(options, isSame);
  const name = uniqueName(kind, payload);
  return name === undefined ? undefined : () => findByName({ ...options, name });
}

/** The first object in the list of its kind for which `isIt` holds, or undefined. */
async function findFirst(collection: Collection, isIt: (one: Json) => boolean): Promise<Found | undefined> {
  let id: unknown;
  try {
    const { items } = await listObjects(collection);
    id = items.filter(isObject).find(isIt)?.id;
  } catch (error) {
    throw lookupError(error);
  }
  return typeof id === 'string' ? findById(collection, id) : undefined;
}

/** The object with this name, or undefined. */
async function findByName(options: Collection & { name: string }): Promise<Found | undefined> {
  const id = await idOf(options);
  return id === undefined ? undefined : findById(options, id, options.name);
}

async function findById(collection: Collection, id: string | undefined, name = id): Promise<Found | undefined> {
  const { api, kind, owners } = collection;
  try {
    return await api.request({
      ...objectRoute(kind, owners, id),
      goal: `look up ${name === undefined ? `the ${kind.one}` : `${kind.one} ${show(name)}`}`,
      method: 'GET',
      read: (body) => checked({ kind, owners, body, key: id }),
    });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw lookupError(error);
  }
}

/** What is in the path of the object with this name: the name itself, or the ID of the branch that has it. */
async function idOf({ api, kind, owners, name }: Collection & { name: string }): Promise<string | undefined> {
  // Of the kinds with an ID, only branches have a unique name.
  if (kind.uniqueField === kind.key) return name;
  try {
    return (await findBranchByName({ api, projectId: owners.projectId ?? '', name }))?.branch.id;
  } catch (error) {
    throw lookupError(error);
  }
}

function lookupError(error: unknown): unknown {
  return error instanceof ApiError ? new LookupError(error) : error;
}
