import type { Client } from '../http/client.ts';
import { ApiError } from '../http/errors.ts';
import { failIfLost } from '../http/lost-response.ts';
import { branchWindow, propagationMs, unknownWindow } from '../http/propagation-window.ts';
import { type ApiResponse, isChange, type RequestSpec } from '../http/request.ts';
import { type Json, ShapeError } from '../http/shape.ts';
import { type FoundBranch, getBranch } from '../service/branches.ts';
import { MismatchError } from '../service/errors.ts';
import { show } from '../text/inert.ts';
import { aKind, type Kind } from './kind.ts';
import { isObject } from './payload.ts';
import { type Owners, objectRoute, restoreRoute } from './routes.ts';

/** All objects of a kind that belong to the same owners, and the client to reach them. */
export interface Collection {
  api: Client;
  kind: Kind;
  owners: Owners;
  /** The branch that the objects belong to, if it was already read; else it is read when it matters. */
  branch?: FoundBranch | undefined;
  /** Called before each attempt to change something in it. */
  beforeAttempt?: RequestSpec<unknown>['beforeAttempt'];
}

/** One object of a collection; a kind with a fixed path may have no ID. */
export type ObjectRef = Collection & { id: string | undefined };

/** The body is that of the response, unchanged. */
export type Response = Pick<ApiResponse<unknown>, 'status' | 'value'>;

/** How far apart the service's clock in two responses may be, in milliseconds. */
export const clockSlackMs = 2_000;

export async function getObject(options: ObjectRef): Promise<Response> {
  const { kind, owners, id } = options;
  return retryWhileNew(options, [404, 422], {
    ...objectRoute(kind, owners, id),
    goal: `read ${objectName(kind, id)}`,
    method: 'GET',
    read: (body) => checked({ kind, owners, body, key: id }),
  });
}

/** One PATCH. If its response is lost, it throws an `UncertainError`. */
export async function updateObject(options: ObjectRef & { payload: Json }): Promise<Response> {
  const { kind, owners, id, payload } = options;
  return failIfLost(`check with \`verb: ${kind.verbs.includes('get') ? 'get' : 'list'}\``, () =>
    retryWhileNew(options, [422], {
      ...objectRoute(kind, owners, id),
      goal: `update ${objectName(kind, id)}`,
      method: 'PATCH',
      body: payload,
      // The name may be what is changed.
      read: (body) => checked({ kind, owners, body, key: kind.key === 'id' ? id : undefined }),
    }),
  );
}

/** One POST that restores an object to a branch. If its response is lost, it throws an `UncertainError`. */
export async function restoreObject(options: ObjectRef & { payload: Json }): Promise<Response> {
  const { kind, owners, id, payload } = options;
  return failIfLost("check the project's branches with `resource: branch` and `verb: list`", () =>
    retryWhileNew(options, [422], {
      ...restoreRoute(kind, owners, id),
      goal: `restore ${objectName(kind, id)}`,
      method: 'POST',
      body: payload,
      read: (body) => body,
    }),
  );
}

/** Sends a request. If the branch is new, a response with one of the statuses is retried until its propagation window closes. */
export async function retryWhileNew(
  collection: Collection,
  statuses: number[],
  spec: RequestSpec<unknown>,
): Promise<ApiResponse<unknown>> {
  const { api } = collection;
  const { beforeAttempt = isChange(spec.method) ? collection.beforeAttempt : undefined } = spec;
  const request = { ...spec, beforeAttempt };
  try {
    return await api.request(request);
  } catch (error) {
    const isTransient =
      error instanceof ApiError && statuses.includes(error.status ?? 0) && (await hasNewBranch(collection));
    if (!isTransient) throw error;
    return api.request({ ...request, window: { statuses, until: api.clock.now() + propagationMs.object } });
  }
}

async function hasNewBranch({ api, owners, branch: known }: Collection): Promise<boolean> {
  const { projectId, branchId } = owners;
  if (projectId === undefined || branchId === undefined) return false;
  const window = unknownWindow(propagationMs.branchId, api.clock);
  try {
    const { branch, date } = known ?? (await getBranch({ api, projectId, branchId, window }));
    return branchWindow({ branch, clock: api.clock, date }) !== undefined;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/**
 * The body, if the object in it is the one that was asked for. Throws a `ShapeError` if there is none and it is not `optional`.
 * Kinds whose responses are not published are not checked.
 */
export function checked(options: {
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
    const text = ['string', 'number'].includes(typeof actual) ? String(actual) : undefined;
    if (text === value) continue;
    const returned = text === undefined ? 'other JSON' : show(text);
    throw new MismatchError(
      `Asked for ${aKind(kind)} with ${field} ${show(value)}, but the service returned ${returned}`,
    );
  }
  return body;
}

/** `role "app"`, `project shiny-wind-028834`, `the user`. */
export function objectName(kind: Kind, id: string | undefined): string {
  if (id === undefined) return `the ${kind.one}`;
  return `${kind.one} ${kind.key === 'name' ? show(id) : id}`;
}
