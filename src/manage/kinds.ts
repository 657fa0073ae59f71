import { optionalObject } from '../http/shape.ts';
import { listOf } from '../text/format.ts';
import { show } from '../text/inert.ts';
import { isObject, type Json } from '../text/json.ts';
import { nearest } from '../text/nearest.ts';
import { pathOf } from '../text/url.ts';

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
}

/** A request about one object, or about all objects of a kind. */
export interface ObjectRequest {
  method: (typeof methods)[Verb];
  /** Below the base URL, encoded. */
  path: string;
  query: Record<string, string>;
  body: Json | undefined;
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
  /** The verbs that have the object's ID or name in their path. */
  inPath: readonly Verb[];
  /** The verbs that a body may be given for. */
  bodyFor: readonly Verb[];
  /** Turns the conventional request into this kind's. */
  request?(usual: ObjectRequest, of: { verb: Verb; owners: Owners; id: string | undefined }): ObjectRequest;
  /** Why the fields of a body are invalid, as a message. `doing`: what the request does, such as `delete a role`. */
  checkBody?(fields: Json, of: { verb: Verb; doing: string }): string | undefined;
  /** Why there is no ID: `a branch has at most one`. */
  noId?: string;
  /** Says which object a create with this payload can only have made, if nothing else identifies it. */
  isSame?(payload: Json): ((other: Json) => boolean) | undefined;
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
  /** An object of a project that is created on a branch: `branch_id` in its payload. */
  createdOnBranch?: boolean;
  /** An object of a project that has a `branch_id`, so a list can be limited to one branch. */
  listedByBranch?: boolean;
  /** The operations that a `get` of the object waits for. */
  operations?(object: Json | undefined): unknown[];
  /** A DELETE of an object that is already gone returns 204. */
  goneIs204?: boolean;
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
    inPath: ['get', 'update', 'delete', 'restore'],
    bodyFor: ['create', 'update', 'restore'],
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

/** The most keys of metadata that the service keeps on a branch. */
const mostMetadata = 50;

/** The one table of kinds. */
export const kinds: readonly Kind[] = [
  kind('project', {
    uniqueField: 'id',
    idForm: /^[a-z0-9-]{1,60}$/,
    idHint: "the project's ID, such as shiny-wind-028834",
    idInput: 'project_id',
    createNeeds: 'nothing',
    pageSize: 400,
  }),
  kind('branch', {
    many: 'branches',
    owner: 'project',
    unwrappedFields: ['endpoints', 'annotation_value'],
    uniqueField: 'name',
    idForm: /^[a-z0-9-]{1,60}$/,
    idHint: "the branch's ID, such as br-wispy-meadow-118737 (for a name, set branch_name)",
    idInput: 'branch_id',
    nameInput: 'branch_name',
    createNeeds: 'nothing',
    withMetadata,
    goneIs204: true,
    pageSize: 1_000,
  }),
  kind('compute endpoint', {
    aliases: ['endpoint', 'endpoints', 'compute', 'computes'],
    segment: 'endpoints',
    owner: 'project',
    wrap: 'endpoint',
    idForm: /^[a-z0-9-]{1,60}$/,
    idHint: "the compute endpoint's ID, such as ep-silent-smoke-806639",
    examplePayload: '{"type": "read_only"}',
    createdOnBranch: true,
    // A branch has one read-write endpoint at most.
    isSame: ({ type, branch_id }) =>
      type === 'read_write' ? (other) => other.type === type && other.branch_id === branch_id : undefined,
    listedByBranch: true,
    goneIs204: true,
  }),
  kind('database', {
    owner: 'branch',
    key: 'name',
    uniqueField: 'name',
    examplePayload: '{"name": "app", "owner_name": "app"}',
    goneIs204: true,
  }),
  kind('role', {
    owner: 'branch',
    verbs: ['create', 'list', 'get', 'delete'],
    key: 'name',
    uniqueField: 'name',
    createNeeds: 'name',
    goneIs204: true,
  }),
  kind('operation', {
    owner: 'project',
    verbs: ['list', 'get'],
    idForm: /^[\w-]{1,64}$/,
    idHint: "the operation's ID, as in the output operation_ids",
    listedByBranch: true,
    operations: (operation) => [operation],
    pageSize: 1_000,
  }),
  kind('snapshot', {
    owner: 'project',
    verbs: ['create', 'list', 'update', 'delete', 'restore'],
    idForm: /^[a-z0-9-]{1,60}$/,
    idHint: "the snapshot's ID, such as snap-wispy-meadow-118737",
    examplePayload: '{"name": "before-migration"}',
    createNeeds: 'nothing',
    createdOnBranch: true,
    request: (usual, { verb, owners }) => (verb === 'create' ? snapshotOf(usual, owners) : usual),
    checkBody(fields, { verb }) {
      const others = Object.keys(fields).filter((name) => !snapshotFields.includes(name));
      if (verb !== 'create' || others.length === 0) return undefined;
      const named = listOf(
        others.map((name) => show(name)),
        'and',
      );
      const noun = others.length === 1 ? 'field' : 'fields';
      return `body: unknown ${noun} ${named}; expected any of ${snapshotFields.join(', ')}`;
    },
  }),
  kind('auth integration', {
    aliases: ['auth', 'neon auth'],
    segment: 'auth',
    owner: 'branch',
    verbs: ['create', 'get', 'delete'],
    wrap: undefined,
    examplePayload: '{"auth_provider": "better_auth"}',
    inPath: [],
    noId: 'a branch has at most one',
  }),
  kind('Data API', {
    segment: 'data-api',
    owner: 'branch',
    verbs: ['create', 'get', 'update', 'delete'],
    wrap: undefined,
    key: 'name',
    idHint: 'the name of the database that the Data API serves',
    examplePayload: '{"settings": {"db_max_rows": 100}}',
    createNeeds: 'nothing',
    inPath: ['create', 'get', 'update', 'delete'],
  }),
  kind('API key', {
    verbs: ['create', 'list', 'delete'],
    wrap: undefined,
    idForm: /^[\w-]{1,40}$/,
    idHint: "the key's ID, such as 165432, never the key itself",
    showId: () => 'the value (not shown)',
    examplePayload: '{"key_name": "ci"}',
    bodyFor: ['create', 'list', 'delete'],
    request: (usual, { verb, owners }) => (usual.body?.org_id === undefined ? usual : keyOf(usual, verb, owners)),
    checkBody(fields, { verb, doing }) {
      const { org_id, ...others } = fields;
      if ('org_id' in fields && !(typeof org_id === 'string' && /^[\w-]{1,64}$/.test(org_id))) {
        return 'org_id in body is invalid; expected the ID of an organization, such as org-quiet-harbor-12345678';
      }
      const isEmpty = org_id !== undefined && Object.keys(others).length === 0;
      return verb === 'create' || isEmpty ? undefined : `body is invalid; to ${doing}, it may contain only org_id`;
    },
  }),
  kind('user', {
    verbs: ['get'],
    wrap: undefined,
    inPath: [],
    request: (usual) => ({ ...usual, path: `${usual.path}/me` }),
    idForm: /^me$/,
    idHint: '"me" or an empty value; only the user who owns the key can be read',
  }),
  kind('cluster', {
    inPath: [],
    bodyFor: ['create', 'update', 'delete'],
    request: (usual, { id }) => (id === undefined ? usual : { ...usual, query: { id } }),
    published: false,
  }),
  kind('instance', { published: false }),
  kind('team', { published: false }),
  kind('workspace', { published: false }),
];

/** `API keys`, `api_key`, `api-keys` and `apiKey` are all the same. */
function spelling(text: string): string {
  return text.toLowerCase().replace(/[\s_-]+/g, '');
}

const spellings = kinds.flatMap((kind) =>
  [kind.one, kind.many, kind.segment, ...(kind.aliases ?? [])].map((name) => [spelling(name), kind] as const),
);
const bySpelling = new Map(spellings);

/**
 * The kind of this name, singular or plural, in any spelling. A kind that is not in the table gets the conventional path, with its
 * name as it is written; undefined if the name cannot be that of a kind.
 */
export function kindOf(name: string): Kind | undefined {
  const known = bySpelling.get(spelling(name));
  if (known) return known;
  const segment = name
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
  if (!/^[a-z][a-z0-9_]{0,63}$/.test(segment)) return undefined;
  const words = segment.replaceAll('_', ' ');
  return kind(`${words} object`, {
    many: `${words} objects`,
    segment,
    wrap: undefined,
    published: false,
    known: false,
  });
}

/** The kind that was probably meant by a name that is not in the table, or undefined. */
export function nearestKind(name: string): Kind | undefined {
  const misspelled = spelling(name);
  const near = nearest(misspelled, [...bySpelling.keys()], misspelled.length > 5 ? 2 : 1);
  return near === undefined ? undefined : bySpelling.get(near);
}

const bySegment = new Map(kinds.map((kind) => [kind.segment, kind]));

/** The kind of the object that a path leads to, if it is in the table. */
export function kindOfPath(path: string): Kind | undefined {
  return bySegment.get(path.split('/').at(-2) ?? '');
}

const snapshotFields = ['name', 'timestamp', 'lsn', 'expires_at'];

/** A snapshot is created below its branch, with the fields of its payload as the query. */
function snapshotOf({ method, body }: ObjectRequest, { projectId, branchId }: Owners): ObjectRequest {
  const fields = Object.entries(optionalObject(body?.snapshot)).filter(([name]) => snapshotFields.includes(name));
  return {
    method,
    path: pathOf(['projects', projectId, 'branches', branchId, 'snapshot']),
    query: Object.fromEntries(fields.map(([name, value]) => [name, String(value)])),
    body: undefined,
  };
}

/** A key of an organization. It can do anything in all its projects, unless it is limited to one. */
function keyOf(usual: ObjectRequest, verb: Verb, { projectId }: Owners): ObjectRequest {
  const { org_id, ...fields } = usual.body ?? {};
  const path = `${pathOf(['organizations', String(org_id)])}${usual.path}`;
  const limit = projectId === undefined ? {} : { project_id: projectId };
  return { ...usual, path, body: verb === 'create' ? { ...limit, ...fields } : undefined };
}

/** With the metadata of every branch that the action creates, so that `prune` knows whose it is. Keys of the body take precedence. */
function withMetadata(payload: Json, metadata: Record<string, string>): Json {
  const own = payload.annotation_value ?? {};
  // Anything but an object is for the service to reject.
  if (!isObject(own)) return payload;
  const added = Object.entries(metadata).filter(([key]) => !(key in own));
  const room = Math.max(0, mostMetadata - Object.keys(own).length);
  if (added.length === 0) return payload;
  return { ...payload, annotation_value: { ...Object.fromEntries(added.slice(0, room)), ...own } };
}
