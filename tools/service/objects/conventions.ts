import { randomUUID } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../http/body.ts';
import { ApiError, badRequest, notFound } from '../http/errors.ts';
import { pageAfter, parseLimit } from '../http/pagination.ts';
import { type Call, type HandlerResponse, type Route, route } from '../http/router.ts';
import type { State } from '../state.ts';
import { timestamp } from '../time.ts';

/*
 * Kinds of object whose paths or methods are not published. They follow the usual REST convention: POST and GET `/<kind>`,
 * GET, PATCH and DELETE `/<kind>/<id>`, with the object wrapped in its name. Clusters have no path for a single object:
 * its ID is in the query (`id`) or in the payload.
 */

const singular = (kind: string): string => kind.replace(/s$/, '');

function objectsOf(state: State, kind: string): Map<string, JsonObject> {
  const found = state.conventional.get(kind);
  if (found) return found;
  const objects = new Map<string, JsonObject>();
  state.conventional.set(kind, objects);
  return objects;
}

/** The object in the payload, which may be wrapped in its name or not. */
function unwrap(kind: string, body: unknown): JsonObject {
  const wrapped = isJsonObject(body) ? (body[singular(kind)] ?? body) : undefined;
  if (!isJsonObject(wrapped)) throw badRequest(`request body has an error: "${singular(kind)}" is missing`);
  return wrapped;
}

interface Target {
  kind: string;
  objects: Map<string, JsonObject>;
  id: string;
  object: JsonObject;
}

function findTarget(kind: string, { state, params, query, body }: Call): Target {
  const objects = objectsOf(state, kind);
  const inBody = isJsonObject(body)
    ? (body.id ?? (isJsonObject(body[singular(kind)]) && unwrap(kind, body).id))
    : undefined;
  const id = params.id ?? query.get('id') ?? (typeof inBody === 'string' ? inBody : undefined);
  if (id === undefined) throw badRequest(`the ID of the ${singular(kind)} is missing`);
  const object = objects.get(id);
  if (!object) throw notFound(singular(kind));
  return { kind, objects, id, object };
}

const create =
  (kind: string) =>
  (call: Call): HandlerResponse => {
    const { state, body } = call;
    const objects = objectsOf(state, kind);
    const fields = unwrap(kind, body);
    const nameTaken = [...objects.values()].some(({ name }) => name !== undefined && name === fields.name);
    if (nameTaken) {
      throw new ApiError(409, `${singular(kind)} already exists`, {
        code: `${singular(kind).toUpperCase()}_ALREADY_EXISTS`,
      });
    }
    const id = randomUUID();
    const at = timestamp(state.now());
    const object: JsonObject = { ...fields, id, created_at: at, updated_at: at };
    objects.set(id, object);
    // A secret that is shown only once.
    const secret = kind === 'instances' ? { password: state.newPassword() } : {};
    return { status: 201, body: { [singular(kind)]: { ...object, ...secret } } };
  };

const list =
  (kind: string) =>
  ({ state, query }: Call): HandlerResponse => {
    const limit = parseLimit(query.get('limit'), { fallback: 100, max: 1_000 });
    const { page, next } = pageAfter([...objectsOf(state, kind).values()], query.get('cursor'), limit);
    return { status: 200, body: { [kind]: page, ...(next !== undefined && { pagination: { cursor: next } }) } };
  };

const read =
  (kind: string) =>
  (call: Call): HandlerResponse => ({
    status: 200,
    body: { [singular(kind)]: findTarget(kind, call).object },
  });

const update =
  (kind: string) =>
  (call: Call): HandlerResponse => {
    const { objects, id, object } = findTarget(kind, call);
    const changed = { ...object, ...unwrap(kind, call.body), id, updated_at: timestamp(call.state.now()) };
    objects.set(id, changed);
    return { status: 200, body: { [singular(kind)]: changed } };
  };

const remove =
  (kind: string) =>
  (call: Call): HandlerResponse => {
    const { objects, id, object } = findTarget(kind, call);
    objects.delete(id);
    return { status: 200, body: { [singular(kind)]: object } };
  };

const crudRoutes = (kind: string): Route[] => [
  route('GET', `/${kind}`, list(kind)),
  route('POST', `/${kind}`, create(kind)),
  route('GET', `/${kind}/{id}`, read(kind)),
  route('PATCH', `/${kind}/{id}`, update(kind)),
  route('DELETE', `/${kind}/{id}`, remove(kind)),
];

const CLUSTERS: Route[] = [
  route('GET', '/clusters', (call) => (call.query.has('id') ? read : list)('clusters')(call)),
  route('POST', '/clusters', create('clusters')),
  route('PATCH', '/clusters', update('clusters')),
  route('DELETE', '/clusters', remove('clusters')),
];

const kinds = ['instances', 'teams', 'workspaces'];

export const conventionalRoutes: Route[] = [...CLUSTERS, ...kinds.flatMap(crudRoutes)];

/** The paths that the published description lacks: those above, and triggers, which only the types of `@neon/sdk` have. */
export const undescribed = new RegExp(`^/(clusters|${kinds.join('|')})(/|$)|/triggers$`);
