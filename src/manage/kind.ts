import type { Json } from '../http/shape.ts';

export const usualVerbs = ['create', 'list', 'get', 'update', 'delete'] as const;

/** `restore` is only for a few kinds. */
export type Verb = (typeof usualVerbs)[number] | 'restore';

/** The HTTP method of each verb. */
export const methods = {
  create: 'POST',
  list: 'GET',
  get: 'GET',
  update: 'PATCH',
  delete: 'DELETE',
  restore: 'POST',
} as const;

/** The IDs of what an object belongs to, as far as its kind has them in its path. */
export interface Owners {
  projectId?: string;
  branchId?: string;
  organizationId?: string;
}

export interface Route {
  /** Below the base URL, encoded. */
  path: string;
  query: Record<string, string>;
}

/** A kind of object: where its requests go, and what they carry. Everything special about a kind is a field or a function here. */
export interface Kind {
  /** In a sentence: `compute endpoint`. */
  one: string;
  many: string;
  aliases?: readonly string[];
  /** The last segment of its collection's path. */
  segment: string;
  /** What its objects belong to, which comes first in their path. */
  owner: 'account' | 'project' | 'branch';
  verbs: readonly Verb[];
  /** The key under which an object is sent and returned; undefined if it is not wrapped. */
  wrap: string | undefined;
  /** Keys of a payload that stay outside the wrapper. */
  unwrappedFields?: readonly string[];
  /** The field that is used in its path. */
  key: 'id' | 'name';
  /** A unique field that the caller chooses, by which a create can be looked up; undefined if there is none. */
  uniqueField?: 'id' | 'name';
  /** Where one object is, if that is not its ID below the collection. */
  objectRoute?(collection: Route, id: string | undefined): Route;
  /** Why there is no ID: `a branch has one at most`. */
  noId?: string;
  /** It is created by a POST to the path of the object, not of its kind. */
  createdByName?: boolean;
  /** It is created below a branch, under this segment, with these fields of the payload as the query. */
  createdBelowBranch?: { segment: string; query: readonly string[] };
  /** The field of the payload that names an organization to whose keys the request goes. */
  organizationField?: string;
  /** Says which object a create with this payload can only have made, if nothing else identifies it. */
  isSame?(payload: Json): ((other: Json) => boolean) | undefined;
  /** The payload may have the ID, also that of a delete. */
  idInBody?: boolean;
  /** Which IDs are valid, if that is known: a name or a key would only lead to a 404. */
  idForm?: RegExp;
  /** What an ID is, as in `expected …`. Default: `the ID of the team`. */
  idHint: string;
  /** How to show an invalid ID, which may be a secret. Default: as it is, unless it looks like a key. */
  showId?(id: string): string;
  /** The input that holds the ID if `resource_id` is empty. */
  idInput?: 'project_id' | 'branch_id';
  /** The input that holds the name by which the ID is looked up. */
  nameInput?: 'branch_name';
  /** A payload to show in messages. */
  examplePayload: string;
  /** What a create must be given: a whole payload, at least a name, or nothing. */
  createNeeds: 'payload' | 'name' | 'nothing';
  /** Adds to the payload of a create the metadata by which `prune` knows whose the object is. */
  withMetadata?(payload: Json, metadata: Record<string, string>): Json;
  /** An object of a project whose payload names its branch in `branch_id`. */
  createdOnBranch?: boolean;
  /** An object of a project that has a `branch_id`, so a list can be limited to one branch. */
  listedByBranch?: boolean;
  /** The operations that a `get` of the object waits for. */
  operations?(object: Json | undefined): unknown[];
  /** A DELETE of an object that is already gone returns 204. */
  goneIs204?: boolean;
  /** The service may forget the operations of a delete together with the object. */
  forgetsOperations?: boolean;
  /** The largest page size of a list. */
  pageSize?: number;
  /** Whether the service documents its paths and responses. */
  published: boolean;
  /** Whether it is in the table. If not, its path and payload follow the convention. */
  known: boolean;
}

/** A kind that follows the convention, except for the given fields. */
export function kind(one: string, exceptions: Partial<Kind> = {}): Kind {
  const many = exceptions.many ?? `${one}s`;
  return {
    one,
    many,
    segment: many.toLowerCase().replaceAll(' ', '_'),
    owner: 'account',
    verbs: usualVerbs,
    wrap: one,
    key: 'id',
    idHint: `the ${exceptions.key === 'name' ? 'name' : 'ID'} of the ${one}`,
    examplePayload: '{"name": "app"}',
    createNeeds: 'payload',
    published: true,
    known: true,
    ...exceptions,
  };
}

/** `a role`, `an API key`. */
export function aKind(kind: Kind): string {
  return `${/^([aeio]|u(?!se))/i.test(kind.one) ? 'an' : 'a'} ${kind.one}`;
}
