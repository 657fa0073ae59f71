export const verbs = ['create', 'list', 'get', 'update', 'delete'] as const;

export type Verb = (typeof verbs)[number];

/** The HTTP method of each verb. */
export const methods = { create: 'POST', list: 'GET', get: 'GET', update: 'PATCH', delete: 'DELETE' } as const;

/** A kind of object: where its requests go, and what they carry. Everything special about a kind is a field here. */
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
  /** A path other than the conventional one, shared by all objects of the kind. */
  fixedPath?: string;
  /** The objects share a path; `?id=` selects one. */
  idInQuery?: boolean;
  /** Which IDs are valid, if that is known: a name or a key would only lead to a 404. */
  idForm?: RegExp;
  /** What an ID is, as in `expected …`. Default: `the ID of the team`. */
  idHint: string;
  /** Whether an invalid ID may be a secret and must not be shown. */
  hideInvalidId?: boolean;
  /** The input that holds the ID if `resource_id` is empty. */
  idInput?: 'project_id' | 'branch_id';
  /** The input that holds the name by which the ID is looked up. */
  nameInput?: 'branch_name';
  /** A payload to show in messages. */
  examplePayload: string;
  /** What a create must be given: a whole payload, at least a name, or nothing. */
  createNeeds: 'payload' | 'name' | 'nothing';
  /** Whether a create also sends the metadata by which `prune` knows whose the object is. */
  addsMetadata?: boolean;
  /** An object of a project whose payload names its branch in `branch_id`. */
  createdOnBranch?: boolean;
  /** An object of a project that has a `branch_id`, so a list can be limited to one branch. */
  listedByBranch?: boolean;
  /** It is an operation: `get` waits until it has ended. */
  isOperation?: boolean;
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
function kind(one: string, exceptions: Partial<Kind> = {}): Kind {
  const many = exceptions.many ?? `${one}s`;
  return {
    one,
    many,
    segment: many.toLowerCase().replaceAll(' ', '_'),
    owner: 'account',
    verbs,
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
    addsMetadata: true,
    goneIs204: true,
    forgetsOperations: true,
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
    isOperation: true,
    pageSize: 1_000,
  }),
  kind('API key', {
    verbs: ['create', 'list', 'delete'],
    wrap: undefined,
    idForm: /^[\w-]{1,40}$/,
    idHint: "the key's ID, such as 165432, never the key itself",
    hideInvalidId: true,
    examplePayload: '{"key_name": "ci"}',
  }),
  kind('user', {
    verbs: ['get'],
    wrap: undefined,
    fixedPath: '/users/me',
    idForm: /^me$/,
    idHint: '"me" or an empty value; only the user who owns the key can be read',
  }),
  kind('cluster', { fixedPath: '/clusters', idInQuery: true, published: false }),
  kind('instance', { published: false }),
  kind('team', { published: false }),
  kind('workspace', { published: false }),
];

/** `API keys`, `api_key`, `api-keys` and `apiKey` are all the same. */
function spelling(text: string): string {
  return text.toLowerCase().replace(/[\s_-]+/g, '');
}

const bySpelling = new Map(
  kinds.flatMap((kind) =>
    [kind.one, kind.many, kind.segment, ...(kind.aliases ?? [])].map((name) => [spelling(name), kind] as const),
  ),
);

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
  return kind(words, { many: words, segment, wrap: undefined, published: false, known: false });
}

/** `a role`, `an API key`. */
export function aKind(kind: Kind): string {
  return `${/^([aeio]|u(?!se))/i.test(kind.one) ? 'an' : 'a'} ${kind.one}`;
}
