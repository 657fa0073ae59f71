import type { Json } from '../http/shape.ts';
import { aKind, type Kind } from './kind.ts';
import { kinds } from './kinds.ts';
import { unwrapped } from './payload.ts';

/** The IDs of what an object belongs to, as far as its kind has them in its path. */
export interface Owners {
  projectId?: string | undefined;
  branchId?: string | undefined;
  organizationId?: string | undefined;
}

export interface Route {
  /** Below the base URL, encoded. */
  path: string;
  query: Record<string, string>;
}

/** The path of all objects of a kind. */
export function collectionRoute(kind: Kind, owners: Owners): Route {
  if (kind.fixedPath !== undefined) return { path: kind.fixedPath, query: {} };
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
  id?: string | undefined;
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

/** The path of one object; for a kind whose objects share a path, the ID goes into the query. */
export function objectRoute(kind: Kind, owners: Owners, id: string | undefined): Route {
  if (kind.fixedPath !== undefined) {
    return { path: kind.fixedPath, query: id !== undefined && kind.idInQuery ? { id } : {} };
  }
  if (kind.single) return collectionRoute(kind, owners);
  if (id === undefined || !isSegment(id)) throw new RangeError(`The path of ${aKind(kind)} needs an ID`);
  return { path: `${collectionRoute(kind, owners).path}/${encodeURIComponent(id)}`, query: {} };
}

/** Whether a text can be one segment of a path: an empty one, or dots in it, would lead to a different path. */
export function isSegment(text: string): boolean {
  return text !== '' && text.isWellFormed() && !hasDots(encodeURIComponent(text));
}

/**
 * Whether a segment of an encoded path is `.` or `..`. Servers and proxies may decode a path once or twice before they resolve
 * dots, and some drop what follows a `;` first.
 */
export function hasDots(path: string): boolean {
  return decoded(decoded(path))
    .split(/[/\\]/)
    .some((segment) => /^\s*\.{1,2}\s*(;|$)/.test(segment));
}

/** Decodes ASCII characters only, each by itself, so that other escapes cannot make it throw. */
function decoded(text: string): string {
  return text.replace(/%[0-7][0-9a-f]/gi, (one) => decodeURIComponent(one));
}

const bySegment = new Map(kinds.map((kind) => [kind.segment, kind]));

/** The kind of the object that a path leads to, if it is in the table. */
export function kindOfPath(path: string): Kind | undefined {
  return bySegment.get(path.split('/').at(-2) ?? '');
}

function required(id: string | undefined, kind: Kind, owner: string): string {
  if (id !== undefined && isSegment(id)) return id;
  throw new RangeError(`The path of ${aKind(kind)} needs the ID of a ${owner}`);
}
