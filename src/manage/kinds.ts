import type { Method } from '../http/request.ts';

export const verbs = ['create', 'update', 'delete', 'get', 'list', 'query', 'restore'] as const;
export type Verb = (typeof verbs)[number];

/**
 * A method and a path below the base URL. A `{name}` in the path is the input of that name, `{resource_id|project_id}` the first of these
 * inputs that is set. One in the query may be missing. `?{body}` sends the fields of the body as the query.
 */
export type Route = `${Method} /${string}`;

export interface Kind {
  /** In messages and in `resource`: `compute endpoint`. */
  name: string;
  many: string;
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
}

const usual = 'create list get update delete';

/** The routes of these verbs by the convention: `path` for all objects, `one` for one of them. */
function routes(path: string, names: string, one = `${path}/{resource_id}`): Kind['verbs'] {
  const all: Partial<Record<string, string>> = {
    create: `POST ${path}`,
    list: `GET ${path}`,
    get: `GET ${one}`,
    update: `PATCH ${one}`,
    delete: `DELETE ${one}`,
  };
  return Object.fromEntries(names.split(' ').map((name) => [name, all[name]]));
}

const project = '/projects/{project_id}';
const branch = `${project}/branches/{branch_id}`;

export const kinds: readonly Kind[] = [
  {
    name: 'project',
    many: 'projects',
    verbs: {
      ...routes('/projects', 'create get update', '/projects/{resource_id|project_id}'),
      list: 'GET /projects?limit=400',
      // Every step has a project_id: that alone does not say that the project is to be deleted.
      delete: 'DELETE /projects/{resource_id}',
    },
    wrap: 'project',
  },
  {
    name: 'branch',
    many: 'branches',
    verbs: {
      ...routes(`${project}/branches`, 'create get update delete', `${project}/branches/{resource_id|branch_id}`),
      list: `GET ${project}/branches?limit=1000`,
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
    verbs: routes(`${project}/endpoints`, usual),
    wrap: 'endpoint',
    branchField: { create: 'branch_id', list: 'branch_id' },
  },
  {
    name: 'database',
    many: 'databases',
    verbs: routes(`${branch}/databases`, usual),
    wrap: 'database',
    named: true,
    reuse: 'get',
  },
  {
    name: 'role',
    many: 'roles',
    verbs: routes(`${branch}/roles`, 'create list get delete'),
    wrap: 'role',
    named: true,
    reuse: 'get',
  },
  {
    name: 'operation',
    many: 'operations',
    verbs: { ...routes(`${project}/operations`, 'get'), list: `GET ${project}/operations?limit=1000` },
    wrap: 'operation',
    branchField: { list: 'branch_id' },
  },
  {
    name: 'snapshot',
    many: 'snapshots',
    verbs: {
      ...routes(`${project}/snapshots`, 'list update delete'),
      create: `POST ${branch}/snapshot?{body}`,
      restore: `POST ${project}/snapshots/{resource_id}/restore`,
    },
    wrap: 'snapshot',
    branchField: { restore: 'target_branch_id' },
  },
  {
    name: 'auth',
    many: 'auth integrations',
    verbs: routes(`${branch}/auth`, 'create get delete', `${branch}/auth`),
    reuse: 'get',
  },
  {
    name: 'Data API',
    many: 'Data APIs',
    verbs: {
      ...routes(`${branch}/data-api`, 'get update delete'),
      create: `POST ${branch}/data-api/{resource_id}`,
    },
    reuse: 'get',
  },
  {
    name: 'function',
    many: 'functions',
    verbs: {
      ...routes(`${branch}/functions`, 'get update delete'),
      list: `GET ${branch}/functions?limit=1000`,
    },
    wrap: 'function',
    plain: true,
  },
  {
    name: 'bucket',
    many: 'buckets',
    verbs: routes(`${branch}/buckets`, 'create list delete'),
    wrap: 'bucket',
    plain: true,
    named: true,
    reuse: 'list',
  },
  { name: 'trigger', many: 'triggers', verbs: routes(`${branch}/triggers`, usual), wrap: 'trigger', plain: true },
  { name: 'credential', many: 'credentials', verbs: routes(`${branch}/credentials`, 'create list delete') },
  { name: 'API key', many: 'API keys', verbs: routes('/api_keys', 'create list delete') },
  { name: 'user', many: 'users', verbs: { get: 'GET /users/me', query: 'GET /users/me' } },
  {
    name: 'cluster',
    many: 'clusters',
    verbs: { ...routes('/clusters', usual, '/clusters?id={resource_id}'), query: 'GET /clusters?id={resource_id}' },
    wrap: 'cluster',
  },
  { name: 'instance', many: 'instances', verbs: routes('/instances', usual), wrap: 'instance' },
  { name: 'team', many: 'teams', verbs: routes('/teams', usual), wrap: 'team' },
  { name: 'workspace', many: 'workspaces', verbs: routes('/workspaces', usual), wrap: 'workspace' },
];

/** `API keys`, `api_key`, `api-keys` and `apiKey` are all the same. */
const spelling = (text: string) => text.toLowerCase().replace(/[\s_-]+/g, '');

/** The kind of this name, singular or plural, in any spelling. */
export function kindOf(name: string): Kind | undefined {
  const wanted = spelling(name);
  return kinds.find(({ name, many, aliases = [] }) => [name, many, ...aliases].some((one) => spelling(one) === wanted));
}

export function verbsOf({ verbs: routes }: Kind): Verb[] {
  return verbs.filter((verb) => routes[verb] !== undefined);
}
