import { type FoundBranch, getBranch, type Settling, settlingOf } from '../api/branches.ts';
import { MismatchError } from '../api/errors.ts';
import type { Client } from '../http/client.ts';
import { ApiError, UncertainError } from '../http/errors.ts';
import type { RequestSpec } from '../http/request.ts';
import { type Json, ShapeError } from '../http/shape.ts';
import { show } from '../text/inert.ts';
import { aKind, type Kind, objectRoute, type Place } from './kinds.ts';
import { isObject } from './payload.ts';

/** What the service answered, its body as it came. */
export interface Reply {
  status: number;
  body: unknown;
}

/** A kind of object in its place. */
export interface Where {
  api: Client;
  kind: Kind;
  place: Place;
  /** What is known of the branch that the object belongs to; where it is not given, it is asked for once it matters. */
  branch?: FoundBranch | undefined;
}

/** How long an answer that may pass, on a branch that was just made, is tried again: it may be meant as it is, too. */
const settlingMs = 5_000;
/** How long a branch that is asked for by ID may be unknown, because another job has just made it, in milliseconds. */
const unknownMs = 3_000;

/** An answer with the service's clock when it came. */
export type Dated = Reply & { date: number | undefined; mayHaveActedBefore: boolean };

export async function getObject(options: Where & { id: string | undefined }): Promise<Reply> {
  const { kind, place, id } = options;
  return settled(options, [404, 422], {
    ...objectRoute(kind, place, id),
    goal: `read ${titleOf(kind, id)}`,
    method: 'GET',
    read: (body) => checked({ kind, place, body, key: id }),
  });
}

/** One PATCH. One whose answer is lost ends in an `UncertainError`. */
export async function updateObject(options: Where & { id: string | undefined; payload: Json }): Promise<Reply> {
  const { kind, place, id, payload } = options;
  return onceOnly(`look with \`verb: ${kind.verbs.includes('get') ? 'get' : 'list'}\``, () =>
    settled(options, [422], {
      ...objectRoute(kind, place, id),
      goal: `update ${titleOf(kind, id)}`,
      method: 'PATCH',
      body: payload,
      // A name may be what is changed.
      read: (body) => checked({ kind, place, body, key: kind.key === 'id' ? id : undefined }),
    }),
  );
}

export interface Deletion {
  /** Whether it was there, as far as the answers tell. */
  deleted: boolean;
  reply: Reply;
  /** The service knows no such object, or nothing that it could belong to. */
  unknown?: ApiError;
}

/** One DELETE, which may be repeated: an object that is gone by then is what was asked for. */
export async function deleteObject(
  options: Where & { id: string | undefined; payload?: Json | undefined },
): Promise<Deletion> {
  const { kind, place, id, payload } = options;
  try {
    const answer = await settled(options, [422], {
      ...objectRoute(kind, place, id),
      goal: `delete ${titleOf(kind, id)}`,
      method: 'DELETE',
      ...(payload ? { body: payload } : {}),
      read: (body) => (body === undefined ? body : checked({ kind, place, body, key: id, loose: true })),
    });
    const wasGone = answer.status === 204 && kind.goneIs204 === true;
    return { deleted: !wasGone || answer.mayHaveActedBefore, reply: answer };
  } catch (error) {
    if (!(error instanceof ApiError && (error.status === 404 || error.status === 410))) throw error;
    return { deleted: error.mayHaveActed, reply: { status: error.status, body: undefined }, unknown: error };
  }
}

export async function send(api: Client, spec: RequestSpec<unknown>): Promise<Dated> {
  const { status, value, date, mayHaveActedBefore } = await api.request(spec);
  return { status, body: value, date, mayHaveActedBefore };
}

/** Sends a request, and goes on sending it for some seconds where it is refused only because the branch was just made. */
export async function settled(where: Where, statuses: number[], spec: RequestSpec<unknown>): Promise<Dated> {
  const { api } = where;
  try {
    return await send(api, spec);
  } catch (error) {
    const passes = error instanceof ApiError && statuses.includes(error.status ?? 0) && (await isYoung(where));
    if (!passes) throw error;
    return send(api, { ...spec, settling: { statuses, until: api.clock.now() + settlingMs } });
  }
}

async function isYoung(where: Where): Promise<boolean> {
  const { api, place } = where;
  const { projectId, branchId } = place;
  if (projectId === undefined || branchId === undefined) return false;
  const settling: Settling = { statuses: [404], until: api.clock.now() + unknownMs };
  try {
    const { branch, date } = where.branch ?? (await getBranch({ api, projectId, branchId, settling }));
    return settlingOf({ branch, now: api.clock.now(), date, made: false }) !== undefined;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** Sends what must not act twice and cannot be looked up: where its answer is lost, that is what is said. */
export async function onceOnly<T>(advice: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw error instanceof ApiError && error.failure.mayHaveActed ? new UncertainError(error, advice) : error;
  }
}

/** Holds an answer against what was asked for, where the service says publicly what its answers look like. */
export function checked(options: {
  kind: Kind;
  place: Place;
  body: unknown;
  key: string | undefined;
  loose?: boolean;
}) {
  const { kind, place, body, key, loose } = options;
  if (!kind.published) return body;
  const found = isObject(body) ? (kind.wrap === undefined ? body : body[kind.wrap]) : undefined;
  if (!isObject(found)) {
    if (loose) return body;
    throw new ShapeError(`no object at ${kind.wrap ?? 'the answer'}`);
  }
  const owners = kind.owner === 'account' ? {} : { project_id: place.projectId, branch_id: place.branchId };
  const wanted: Record<string, string | undefined> = { [kind.key]: key, ...owners };
  for (const [field, value] of Object.entries(wanted)) {
    const answered = found[field];
    if (value === undefined || answered === undefined || answered === null) continue;
    const text = ['string', 'number'].includes(typeof answered) ? String(answered) : undefined;
    if (text === value) continue;
    throw new MismatchError(
      `Asked for ${aKind(kind)} with ${field} ${show(value)}, and the service answered with ${text === undefined ? 'other JSON' : show(text)}`,
    );
  }
  return body;
}

/** `role "app"`, `project shiny-wind-028834`, `a user`. */
export function titleOf(kind: Kind, id: string | undefined): string {
  if (id === undefined) return kind.one;
  return `${kind.one} ${kind.key === 'name' ? show(id) : id}`;
}
