import { isObject, type Json } from '../http/shape.ts';
import { isSegment } from '../text/url.ts';
import { aKind, type Kind, type Owners, type Route } from './kind.ts';

/** The path of all objects of a kind. */
export function collectionRoute(kind: Kind, owners: Owners): Route {
  const segments: string[] = [];
  if (owners.organizationId !== undefined) {
    segments.push('organizations', required(owners.organizationId, kind, 'organization'));
  }
  if (kind.owner !== 'account') segments.push('projects', required(owners.projectId, kind, 'project'));
  if (kind.owner === 'branch') segments.push('branches', required(owners.branchId, kind, 'branch'));
  return { path: pathOf([...segments, kind.segment]), query: {} };
}

/** Where to create an object, and with which body. `id`: its name, if that is in the path. */
export function creationRoute(options: {
  kind: Kind;
  owners: Owners;
  id?: string;
  payload: Json;
}): Route & { body?: Json } {
  const { kind, owners, id, payload } = options;
  if (kind.createdByName) return { ...objectRoute(kind, owners, id), body: payload };
  const below = kind.createdBelowBranch;
  if (below === undefined) return { ...collectionRoute(kind, owners), body: payload };
  const [projectId, branchId] = [
    required(owners.projectId, kind, 'project'),
    required(owners.branchId, kind, 'branch'),
  ];
  const path = pathOf(['projects', projectId, 'branches', branchId, below.segment]);
  const fields = Object.entries(unwrapped(kind, payload) ?? {}).filter(([name]) => below.query.includes(name));
  return { path, query: Object.fromEntries(fields.map(([name, value]) => [name, String(value)])) };
}

/** Where to restore an object from. */
export function restoreRoute(kind: Kind, owners: Owners, id: string | undefined): Route {
  return { path: `${objectRoute(kind, owners, id).path}/restore`, query: {} };
}

function pathOf(segments: string[]): string {
  return segments.map((part) => `/${encodeURIComponent(part)}`).join('');
}

/** The path of one object. */
export function objectRoute(kind: Kind, owners: Owners, id: string | undefined): Route {
  const collection = collectionRoute(kind, owners);
  if (kind.objectRoute) return kind.objectRoute(collection, id);
  if (id === undefined || !isSegment(id)) throw new RangeError(`The path of ${aKind(kind)} needs an ID`);
  return { path: `${collection.path}/${encodeURIComponent(id)}`, query: {} };
}

function required(id: string | undefined, kind: Kind, owner: string): string {
  if (id !== undefined && isSegment(id)) return id;
  throw new RangeError(`The path of ${aKind(kind)} needs the ID of a ${owner}`);
}

/** The object itself, of a body that may or may not be wrapped. */
export function unwrapped(kind: Kind, body: unknown): Json | undefined {
  if (!isObject(body)) return undefined;
  const inner = kind.wrap === undefined ? body : body[kind.wrap];
  return isObject(inner) ? inner : body;
}

/**
 * The payload of a request: the body, wrapped in the name of its kind unless it already is, with `defaults` for fields that the
 * object lacks. Fields that belong outside the wrapper (the endpoints of a new branch) stay there.
 */
export function payloadOf(options: { kind: Kind; body: Json; defaults?: Json }): Json {
  const { kind, body, defaults = {} } = options;
  if (kind.wrap === undefined) return { ...defaults, ...body };
  const inner = body[kind.wrap];
  if (isObject(inner)) return { ...body, [kind.wrap]: { ...defaults, ...inner } };
  const isOutside = ([name]: [string, unknown]) => kind.unwrappedFields?.includes(name) === true;
  const entries = Object.entries(body);
  return {
    [kind.wrap]: { ...defaults, ...Object.fromEntries(entries.filter((entry) => !isOutside(entry))) },
    ...Object.fromEntries(entries.filter(isOutside)),
  };
}

/** Names of the plain fields that an existing object has with a different value than the payload. */
export function differences(options: { kind: Kind; payload: Json; found: unknown }): string[] {
  const { kind, payload, found } = options;
  const wanted = unwrapped(kind, payload) ?? {};
  const actual = unwrapped(kind, found) ?? {};
  const isPlain = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);
  return Object.keys(wanted).filter(
    (name) => isPlain(wanted[name]) && name in actual && isPlain(actual[name]) && wanted[name] !== actual[name],
  );
}
