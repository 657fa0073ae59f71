import { isObject, type Json } from '../http/shape.ts';
import { nearest } from '../text/nearest.ts';
import { type Kind, kind } from './kind.ts';

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
    createdBelowBranch: { segment: 'snapshot', query: ['name', 'timestamp', 'lsn', 'expires_at'] },
  }),
  kind('auth integration', {
    aliases: ['auth', 'neon auth'],
    segment: 'auth',
    owner: 'branch',
    verbs: ['create', 'get', 'delete'],
    wrap: undefined,
    examplePayload: '{"auth_provider": "better_auth"}',
    objectRoute: (collection) => collection,
    noId: 'a branch has one at most',
  }),
  kind('Data API', {
    segment: 'data-api',
    owner: 'branch',
    verbs: ['create', 'get', 'update', 'delete'],
    wrap: undefined,
    key: 'name',
    idHint: 'the name of its database',
    examplePayload: '{"settings": {"db_max_rows": 100}}',
    createNeeds: 'nothing',
    createdByName: true,
  }),
  kind('API key', {
    verbs: ['create', 'list', 'delete'],
    wrap: undefined,
    idForm: /^[\w-]{1,40}$/,
    idHint: "the key's ID, such as 165432, never the key itself",
    showId: () => 'the value (not shown)',
    examplePayload: '{"key_name": "ci"}',
    organizationField: 'org_id',
  }),
  kind('user', {
    verbs: ['get'],
    wrap: undefined,
    objectRoute: (collection) => ({ ...collection, path: `${collection.path}/me` }),
    idForm: /^me$/,
    idHint: '"me" or an empty value; only the user who owns the key can be read',
  }),
  kind('cluster', {
    objectRoute: (collection, id) => (id === undefined ? collection : { ...collection, query: { id } }),
    idInBody: true,
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
  return kind(words, { many: words, segment, wrap: undefined, published: false, known: false });
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
