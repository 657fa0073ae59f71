/** What can be done with an object of the account. */
export const verbs = ['create', 'list', 'get', 'update', 'delete'] as const;

export type Verb = (typeof verbs)[number];

/** The HTTP method of each verb. */
export const methods = { create: 'POST', list: 'GET', get: 'GET', update: 'PATCH', delete: 'DELETE' } as const;

/** A kind of object: where its requests go, and what they carry. */
export interface Kind {
  /** As in a sentence: `compute endpoint`. */
  one: string;
  many: string;
  /** Other names that it goes by. */
  aliases?: readonly string[];
  /** Its collection's part of the path. */
  segment: string;
  /** What it belongs to, which stands before it in the path. */
  owner: 'account' | 'project' | 'branch';
  verbs: readonly Verb[];
  /** What a payload, and an object in an answer, is wrapped in; undefined where it is not. */
  wrap: string | undefined;
  /** Parts of a payload that stand beside the wrapped object. */
  beside?: readonly string[];
  /** The field of the object that stands in its path. */
  key: 'id' | 'name';
  /** The field that is unique and chosen by whoever creates one, so that a create can be looked up; undefined where there is none. */
  natural?: 'id' | 'name';
  /** A path that is not by the convention, the same for all objects of the kind. */
  fixedPath?: string;
  /** Of several objects with one path, the query says which. */
  keyInQuery?: boolean;
  /** The service answers a DELETE of one that is gone with 204. */
  goneIs204?: boolean;
  /** The largest page that the service lists. */
  pageSize?: number;
  /** Whether the service says publicly what its answers look like. */
  published: boolean;
  /** Whether it stands in the table; if not, it goes by the plain convention under the name that it was given. */
  known: boolean;
}

/** A kind by the plain convention, but for what is said to be otherwise. */
function kind(one: string, otherwise: Partial<Kind> = {}): Kind {
  const many = otherwise.many ?? `${one}s`;
  const segment = many.toLowerCase().replaceAll(' ', '_');
  return {
    one,
    many,
    segment,
    owner: 'account',
    verbs,
    wrap: one,
    key: 'id',
    published: true,
    known: true,
    ...otherwise,
  };
}

/** The one table of kinds. */
export const kinds: readonly Kind[] = [
  kind('project', { natural: 'id', pageSize: 400 }),
  kind('branch', {
    many: 'branches',
    owner: 'project',
    natural: 'name',
    beside: ['endpoints', 'annotation_value'],
    goneIs204: true,
    pageSize: 1_000,
  }),
  kind('compute endpoint', {
    aliases: ['endpoint', 'endpoints', 'compute', 'computes'],
    segment: 'endpoints',
    owner: 'project',
    wrap: 'endpoint',
    goneIs204: true,
  }),
  kind('database', { owner: 'branch', key: 'name', natural: 'name', goneIs204: true }),
  kind('role', {
    owner: 'branch',
    key: 'name',
    natural: 'name',
    goneIs204: true,
    verbs: ['create', 'list', 'get', 'delete'],
  }),
  kind('operation', { owner: 'project', pageSize: 1_000, verbs: ['list', 'get'] }),
  kind('API key', { wrap: undefined, verbs: ['create', 'list', 'delete'] }),
  kind('user', { wrap: undefined, fixedPath: '/users/me', verbs: ['get'] }),
  kind('cluster', { fixedPath: '/clusters', keyInQuery: true, published: false }),
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
 * The kind that goes by this name, singular or plural, in any spelling. One that is not in the table goes by the plain
 * convention, its name as it is written being its part of the path; undefined for what cannot be a name of a kind.
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

/** What an object belongs to, as far as its kind asks for it. */
export interface Place {
  projectId?: string | undefined;
  branchId?: string | undefined;
}

export interface Route {
  /** Below the base URL, encoded. */
  path: string;
  query: Record<string, string>;
}

/** Where all the objects of a kind are. */
export function collectionRoute(kind: Kind, place: Place): Route {
  if (kind.fixedPath !== undefined) return { path: kind.fixedPath, query: {} };
  const owners: string[] = [];
  if (kind.owner !== 'account') owners.push('projects', required(place.projectId, kind, 'project'));
  if (kind.owner === 'branch') owners.push('branches', required(place.branchId, kind, 'branch'));
  return { path: [...owners, kind.segment].map((part) => `/${encodeURIComponent(part)}`).join(''), query: {} };
}

/** Where one object is. A kind whose objects share one path takes the ID, if there is one, in the query. */
export function objectRoute(kind: Kind, place: Place, id: string | undefined): Route {
  if (kind.fixedPath !== undefined) {
    return { path: kind.fixedPath, query: id !== undefined && kind.keyInQuery ? { id } : {} };
  }
  if (id === undefined || !isSegment(id)) throw new RangeError(`${aKind(kind)} needs an ID in its path`);
  return { path: `${collectionRoute(kind, place).path}/${encodeURIComponent(id)}`, query: {} };
}

/** Whether a text can be one part of a path: an empty one, or dots, would lead to another place. */
export function isSegment(text: string): boolean {
  return text !== '' && !/^\.{1,2}$/.test(text) && text.isWellFormed();
}

function required(id: string | undefined, kind: Kind, owner: string): string {
  if (id !== undefined && isSegment(id)) return id;
  throw new RangeError(`${aKind(kind)} belongs to a ${owner}, and there is none`);
}
