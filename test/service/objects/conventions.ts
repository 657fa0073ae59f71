import { randomUUID } from 'node:crypto';
import { pageSize } from '../branches/read.ts';
import { stamp } from '../generate.ts';
import { type Fields, isFields } from '../http/body.ts';
import { badRequest, notFound, Problem } from '../http/errors.ts';
import { type Answer, type Call, type Route, route } from '../http/router.ts';
import type { State } from '../state.ts';

/*
 * Kinds of object whose paths or methods nobody has published. They go by the plain convention: `/<kind>` and
 * `/<kind>/<id>`, POST, GET, PATCH, DELETE, and the object wrapped in its name. Clusters are all addressed at the
 * collection path; which one is meant stands in the query (`id`) or in the payload.
 */

const singular = (kind: string): string => kind.replace(/s$/, '');

function objectsOf(state: State, kind: string): Map<string, Fields> {
  const found = state.conventional.get(kind);
  if (found) return found;
  const made = new Map<string, Fields>();
  state.conventional.set(kind, made);
  return made;
}

/** The payload with its wrapping taken off, where it has one. */
function payload(kind: string, body: unknown): Fields {
  const wrapped = isFields(body) ? (body[singular(kind)] ?? body) : undefined;
  if (!isFields(wrapped)) throw badRequest(`request body has an error: "${singular(kind)}" is missing`);
  return wrapped;
}

interface Target {
  kind: string;
  objects: Map<string, Fields>;
  id: string;
  object: Fields;
}

function target(kind: string, { state, params, query, body }: Call): Target {
  const objects = objectsOf(state, kind);
  const inBody = isFields(body) ? (body.id ?? (isFields(body[singular(kind)]) && payload(kind, body).id)) : undefined;
  const id = params.id ?? query.get('id') ?? (typeof inBody === 'string' ? inBody : undefined);
  if (id === undefined)
    throw badRequest(`which ${singular(kind)} is meant stands neither in the query nor in the body`);
  const object = objects.get(id);
  if (!object) throw notFound(singular(kind));
  return { kind, objects, id, object };
}

const create =
  (kind: string) =>
  (call: Call): Answer => {
    const { state, body } = call;
    const objects = objectsOf(state, kind);
    const fields = payload(kind, body);
    const taken = [...objects.values()].some(({ name }) => name !== undefined && name === fields.name);
    if (taken) {
      throw new Problem(409, `${singular(kind)} already exists`, {
        code: `${singular(kind).toUpperCase()}_ALREADY_EXISTS`,
      });
    }
    const id = randomUUID();
    const at = stamp(state.now());
    const object: Fields = { ...fields, id, created_at: at, updated_at: at };
    objects.set(id, object);
    // A secret that is shown once, as it comes with servers everywhere.
    const secret = kind === 'instances' ? { password: state.newPassword() } : {};
    return { status: 201, body: { [singular(kind)]: { ...object, ...secret } } };
  };

const list =
  (kind: string) =>
  ({ state, query }: Call): Answer => {
    const limit = pageSize(query.get('limit'), { fallback: 100, most: 1_000 });
    const all = [...objectsOf(state, kind).values()];
    const cursor = query.get('cursor');
    const start = cursor ? all.findIndex(({ id }) => id === cursor) + 1 : 0;
    const page = all.slice(start, start + limit);
    const more = start + limit < all.length;
    return { status: 200, body: { [kind]: page, ...(more && { pagination: { cursor: page.at(-1)?.id } }) } };
  };

const read =
  (kind: string) =>
  (call: Call): Answer => ({
    status: 200,
    body: { [singular(kind)]: target(kind, call).object },
  });

const update =
  (kind: string) =>
  (call: Call): Answer => {
    const { objects, id, object } = target(kind, call);
    const changed = { ...object, ...payload(kind, call.body), id, updated_at: stamp(call.state.now()) };
    objects.set(id, changed);
    return { status: 200, body: { [singular(kind)]: changed } };
  };

const remove =
  (kind: string) =>
  (call: Call): Answer => {
    const { objects, id, object } = target(kind, call);
    objects.delete(id);
    return { status: 200, body: { [singular(kind)]: object } };
  };

const plain = (kind: string): Route[] => [
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

/** The kinds by convention: those that are known to be, and `more`. */
export function conventions(more: string[] = []): { routes: Route[]; paths: RegExp } {
  const kinds = ['instances', 'teams', 'workspaces', ...more];
  return {
    routes: [...CLUSTERS, ...kinds.flatMap(plain)],
    paths: new RegExp(`^/(clusters|${kinds.join('|')})(/|$)`),
  };
}
