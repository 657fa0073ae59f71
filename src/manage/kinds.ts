import type { Method } from '../http/request.ts';

export const verbs = ['create', 'update', 'delete', 'get', 'list', 'query', 'restore'] as const;
export type Verb = (typeof verbs)[number];

/**
 * A method and a path below the base URL. A `{name}` in the path is the input of that name, `{resource_id|project_id}` the first of these
 * inputs that is set. One in the query may be missing. `?{body}` sends the fields of the body as the query.
 */
export type Route = `${Method} /${string}`;

/** A kind of object: where its requests go, and what they carry. */
export interface Kind {
  /** In messages and in `resource`: `compute endpoint`. */
  name: string;
  many: string;
  /** Other names for it in `resource`. */
  aliases?: readonly string[];
  verbs: Partial<Record<Verb, Route>>;
  /** The key under which the service returns one object; undefined if it returns the object itself. */
  wrap?: string;
  /** How the body of a create or update is sent: under `wrap`, as it usually is, or as it is. */
  plain?: boolean;
  /** Keys of a body that stay outside the wrapper. */
  outside?: readonly string[];
  /** Whether a branch has its objects by a `name` of their own, which `resource_id` may give to a create. */
  named?: boolean;
  /** The verb that finds an existing object before a create, by its name or as the only one that a branch has. */
  reuse?: 'get' | 'list';
  /** The field that has the branch, for verbs whose path does not have it: of the payload, or of each object in a list. */
  branchField?: Partial<Record<Verb, string>>;
  /** Its path and its responses are not published. */
  unpublished?: boolean;
}

export const kinds: readonly Kind[] = [
  {
    name: 'project',
    many: 'projects',
    verbs: {
      create: 'POST /projects',
      list: 'GET /projects?limit=400',
      get: 'GET /projects/{resource_id|project_id}',
      update: 'PATCH /projects/{resource_id|project_id}',
      // Every step has a project_id: that alone does not say that the project is to be deleted.
      delete: 'DELETE /projects/{resource_id}',
    },
    wrap: 'project',
  },
  {
    name: 'branch',
    many: 'branches',
    verbs: {
      create: 'POST /projects/{project_id}/branches',
      list: 'GET /projects/{project_id}/branches?limit=1000',
      get: 'GET /projects/{project_id}/branches/{resource_id|branch_id}',
      update: 'PATCH /projects/{project_id}/branches/{resource_id|branch_id}',
      delete: 'DELETE /projects/{project_id}/branches/{resource_id|branch_id}',
    },
    wrap: 'branch',
    outside: ['endpoints', 'annotation_value'],
    named: true,
    reuse: 'list',
  },
  {
    name: 'compute endpoint',
    many: 'compute endpoints',
    aliases: ['endpoint', 'endpoints'],
    verbs: {
      create: 'POST /projects/{project_id}/endpoints',
      list: 'GET /projects/{project_id}/endpoints',
      get: 'GET /projects/{project_id}/endpoints/{resource_id}',
      update: 'PATCH /projects/{project_id}/endpoints/{resource_id}',
      delete: 'DELETE /projects/{project_id}/endpoints/{resource_id}',
    },
    wrap: 'endpoint',
    branchField: { create: 'branch_id', list: 'branch_id' },
  },
  {
    name: 'database',
    many: 'databases',
    verbs: {
      create: 'POST /projects/{project_id}/branches/{branch_id}/databases',
      list: 'GET /projects/{project_id}/branches/{branch_id}/databases',
      get: 'GET /projects/{project_id}/branches/{branch_id}/databases/{resource_id}',
      update: 'PATCH /projects/{project_id}/branches/{branch_id}/databases/{resource_id}',
      delete: 'DELETE /projects/{project_id}/branches/{branch_id}/databases/{resource_id}',
    },
    wrap: 'database',
    named: true,
    reuse: 'get',
  },
  {
    name: 'role',
    many: 'roles',
    verbs: {
      create: 'POST /projects/{project_id}/branches/{branch_id}/roles',
      list: 'GET /projects/{project_id}/branches/{branch_id}/roles',
      get: 'GET /projects/{project_id}/branches/{branch_id}/roles/{resource_id}',
      delete: 'DELETE /projects/{project_id}/branches/{branch_id}/roles/{resource_id}',
    },
    wrap: 'role',
    named: true,
    reuse: 'get',
  },
  {
    name: 'operation',
    many: 'operations',
    verbs: {
      list: 'GET /projects/{project_id}/operations?limit=1000',
      get: 'GET /projects/{project_id}/operations/{resource_id}',
    },
    wrap: 'operation',
    branchField: { list: 'branch_id' },
  },
  {
    name: 'snapshot',
    many: 'snapshots',
    verbs: {
      create: 'POST /projects/{project_id}/branches/{branch_id}/snapshot?{body}',
      list: 'GET /projects/{project_id}/snapshots',
      update: 'PATCH /projects/{project_id}/snapshots/{resource_id}',
      delete: 'DELETE /projects/{project_id}/snapshots/{resource_id}',
      restore: 'POST /projects/{project_id}/snapshots/{resource_id}/restore',
    },
    wrap: 'snapshot',
    branchField: { restore: 'target_branch_id' },
  },
  {
    name: 'auth',
    many: 'auth integrations',
    verbs: {
      create: 'POST /projects/{project_id}/branches/{branch_id}/auth',
      get: 'GET /projects/{project_id}/branches/{branch_id}/auth',
      delete: 'DELETE /projects/{project_id}/branches/{branch_id}/auth',
    },
    reuse: 'get',
  },
  {
    name: 'Data API',
    many: 'Data APIs',
    verbs: {
      create: 'POST /projects/{project_id}/branches/{branch_id}/data-api/{resource_id}',
      get: 'GET /projects/{project_id}/branches/{branch_id}/data-api/{resource_id}',
      update: 'PATCH /projects/{project_id}/branches/{branch_id}/data-api/{resource_id}',
      delete: 'DELETE /projects/{project_id}/branches/{branch_id}/data-api/{resource_id}',
    },
    reuse: 'get',
  },
  {
    name: 'function',
    many: 'functions',
    verbs: {
      list: 'GET /projects/{project_id}/branches/{branch_id}/functions?limit=1000',
      get: 'GET /projects/{project_id}/branches/{branch_id}/functions/{resource_id}',
      update: 'PATCH /projects/{project_id}/branches/{branch_id}/functions/{resource_id}',
      delete: 'DELETE /projects/{project_id}/branches/{branch_id}/functions/{resource_id}',
    },
    wrap: 'function',
    plain: true,
  },
  {
    name: 'bucket',
    many: 'buckets',
    verbs: {
      create: 'POST /projects/{project_id}/branches/{branch_id}/buckets',
      list: 'GET /projects/{project_id}/branches/{branch_id}/buckets',
      delete: 'DELETE /projects/{project_id}/branches/{branch_id}/buckets/{resource_id}',
    },
    wrap: 'bucket',
    plain: true,
    named: true,
    reuse: 'list',
  },
  {
    name: 'trigger',
    many: 'triggers',
    verbs: {
      create: 'POST /projects/{project_id}/branches/{branch_id}/triggers',
      list: 'GET /projects/{project_id}/branches/{branch_id}/triggers',
      get: 'GET /projects/{project_id}/branches/{branch_id}/triggers/{resource_id}',
      update: 'PATCH /projects/{project_id}/branches/{branch_id}/triggers/{resource_id}',
      delete: 'DELETE /projects/{project_id}/branches/{branch_id}/triggers/{resource_id}',
    },
    wrap: 'trigger',
    plain: true,
  },
  {
    name: 'credential',
    many: 'credentials',
    verbs: {
      create: 'POST /projects/{project_id}/branches/{branch_id}/credentials',
      list: 'GET /projects/{project_id}/branches/{branch_id}/credentials',
      delete: 'DELETE /projects/{project_id}/branches/{branch_id}/credentials/{resource_id}',
    },
  },
  {
    name: 'API key',
    many: 'API keys',
    verbs: {
      create: 'POST /api_keys',
      list: 'GET /api_keys',
      delete: 'DELETE /api_keys/{resource_id}',
    },
  },
  {
    name: 'user',
    many: 'users',
    verbs: { get: 'GET /users/me' },
  },
  {
    name: 'cluster',
    many: 'clusters',
    verbs: {
      create: 'POST /clusters',
      list: 'GET /clusters',
      get: 'GET /clusters?id={resource_id}',
      query: 'GET /clusters?id={resource_id}',
      update: 'PATCH /clusters?id={resource_id}',
      delete: 'DELETE /clusters?id={resource_id}',
    },
    wrap: 'cluster',
    unpublished: true,
  },
  {
    name: 'instance',
    many: 'instances',
    verbs: {
      create: 'POST /instances',
      list: 'GET /instances',
      get: 'GET /instances/{resource_id}',
      update: 'PATCH /instances/{resource_id}',
      delete: 'DELETE /instances/{resource_id}',
    },
    wrap: 'instance',
    unpublished: true,
  },
  {
    name: 'team',
    many: 'teams',
    verbs: {
      create: 'POST /teams',
      list: 'GET /teams',
      get: 'GET /teams/{resource_id}',
      update: 'PATCH /teams/{resource_id}',
      delete: 'DELETE /teams/{resource_id}',
    },
    wrap: 'team',
    unpublished: true,
  },
  {
    name: 'workspace',
    many: 'workspaces',
    verbs: {
      create: 'POST /workspaces',
      list: 'GET /workspaces',
      get: 'GET /workspaces/{resource_id}',
      update: 'PATCH /workspaces/{resource_id}',
      delete: 'DELETE /workspaces/{resource_id}',
    },
    wrap: 'workspace',
    unpublished: true,
  },
];

/** `API keys`, `api_key`, `api-keys` and `apiKey` are all the same. */
const spelling = (text: string) => text.toLowerCase().replace(/[\s_-]+/g, '');

const bySpelling = new Map(
  kinds.flatMap((kind) =>
    [kind.name, kind.many, ...(kind.aliases ?? [])].map((name) => [spelling(name), kind] as const),
  ),
);

/** The kind of this name, singular or plural, in any spelling. */
export function kindOf(name: string): Kind | undefined {
  return bySpelling.get(spelling(name));
}

/** The verb as the kind has it. `query` means the only one of `get` and `list` that the kind has, unless it has a `query`. */
export function verbOf({ verbs }: Kind, verb: Verb): Verb | undefined {
  if (verbs[verb]) return verb;
  if (verb !== 'query' || (verbs.get && verbs.list)) return undefined;
  return verbs.get ? 'get' : 'list';
}

export function verbsOf({ verbs: routes }: Kind): Verb[] {
  return verbs.filter((verb) => routes[verb] !== undefined);
}
