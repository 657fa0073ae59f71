import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, execute, GraphQLError, type GraphQLSchema, parse, validate } from 'graphql';
import { commitId } from '../runner/events.ts';
import { allows, type GitHubResponse, type Permissions } from './response.ts';
import { nodeId } from './shapes.ts';
import { type Author, DEFAULT_BRANCH, type Pull, type RepositoryState } from './state.ts';

/** A part of GitHub's published schema: a query that is invalid on GitHub is invalid here. */
const schema: GraphQLSchema = buildSchema(readFileSync(join(import.meta.dirname, 'schema.graphql'), 'utf8'));

interface Options {
  state: RepositoryState;
  permissions: Permissions;
}

/** An error of one field, which does not affect the others. */
function partial(type: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { type } });
}

/** Runs a query as GitHub does: the status is always 200, and errors are next to the data. */
export async function respondToGraphql(body: unknown, options: Options): Promise<GitHubResponse> {
  const { query, variables } = (body ?? {}) as { query?: unknown; variables?: Record<string, unknown> };
  if (typeof query !== 'string')
    return { status: 400, body: { message: 'A query attribute must be specified and must be a string.' } };
  let document: ReturnType<typeof parse>;
  try {
    document = parse(query);
  } catch (error) {
    return { status: 200, body: { errors: [readable(error as GraphQLError)] } };
  }
  const invalid = validate(schema, document);
  if (invalid.length > 0) return { status: 200, body: { errors: invalid.map(readable) } };
  const result = await execute({
    schema,
    document,
    rootValue: new Query(options),
    variableValues: variables ?? {},
    typeResolver: (value) => (value as { kind: string }).kind,
  });
  const errors = result.errors?.map(readable);
  return { status: 200, body: { data: result.data ?? null, ...(errors && { errors }) } };
}

/** GitHub puts the type of an error next to its path, not into `extensions`. */
function readable(error: GraphQLError): object {
  const { message, locations, path, extensions } = error.toJSON();
  const type = extensions?.type;
  return { ...(type !== undefined && { type }), ...(path && { path }), ...(locations && { locations }), message };
}

class Query {
  readonly id = nodeId('Query', 0);
  private readonly options: Options;

  constructor(options: Options) {
    this.options = options;
  }

  repository({ owner, name }: { owner: string; name: string }) {
    const { state } = this.options;
    if (`${owner}/${name}`.toLowerCase() === state.fullName.toLowerCase()) return repository(this.options);
    throw partial('NOT_FOUND', `Could not resolve to a Repository with the name '${owner}/${name}'.`);
  }

  viewer() {
    const { login } = this.options.state.viewer;
    return { id: nodeId('User', login), login, url: `https://github.com/${login.replace('[bot]', '')}` };
  }

  rateLimit() {
    return { cost: 1, limit: 1000, remaining: 999, resetAt: new Date(Date.now() + 3_600_000).toISOString(), used: 1 };
  }
}

/** An argument that is null counts as not set. */
interface Range {
  first?: number | null;
  last?: number | null;
  after?: string | null;
  before?: string | null;
}

function repository({ state, permissions }: Options) {
  const demand = (name: keyof Permissions) => {
    if (!allows(permissions, [name], 'read')) throw partial('FORBIDDEN', 'Resource not accessible by integration');
  };
  const find = (name: string) => {
    const commit = state.refs.get(name);
    return commit === undefined ? null : ref(name, commit);
  };
  return {
    id: nodeId('Repository', state.id),
    databaseId: state.id,
    name: state.fullName.split('/')[1],
    nameWithOwner: state.fullName,
    url: `https://github.com/${state.fullName}`,
    isFork: false,
    isPrivate: true,
    defaultBranchRef: () => find(`refs/heads/${DEFAULT_BRANCH}`),
    pullRequest: ({ number }: { number: number }) => {
      demand('pullRequests');
      const pull = state.pulls.get(number);
      if (!pull) throw partial('NOT_FOUND', `Could not resolve to a PullRequest with the number of ${number}.`);
      return pullFields(pull, state);
    },
    pullRequests: (
      options: Range & { states?: string[] | null; headRefName?: string | null; baseRefName?: string | null },
    ) => {
      demand('pullRequests');
      const pulls = [...state.pulls.values()]
        .filter((pull) => options.states?.includes(pull.state.toUpperCase()) ?? true)
        .filter((pull) => (options.headRefName ?? pull.head) === pull.head)
        .filter((pull) => (options.baseRefName ?? pull.base) === pull.base)
        .sort((a, b) => a.number - b.number);
      return connection('pullRequests', pulls, options, (pull) => pullFields(pull, state));
    },
    ref: ({ qualifiedName }: { qualifiedName: string }) => {
      demand('contents');
      // A short name may be a branch or a tag.
      const whole = ['', 'refs/heads/', 'refs/tags/'].map((prefix) => prefix + qualifiedName);
      return whole.map(find).find((one) => one !== null) ?? null;
    },
    refs: (options: Range & { refPrefix: string; query?: string | null }) => {
      demand('contents');
      const below = state.refsBelow(options.refPrefix);
      const found = below.filter(([name]) => name.includes(options.query ?? ''));
      return connection('refs', found, options, ([name, commit]) => ref(name, commit));
    },
  };
}

/** GitHub requires the number of entries, from 1 to 100. */
function connection<T, Shown>(name: string, all: T[], range: Range, show: (one: T) => Shown) {
  const first = range.first ?? undefined;
  const last = range.last ?? undefined;
  if (first === undefined && last === undefined)
    throw partial(
      'MISSING_PAGINATION_BOUNDARIES',
      `You must provide a \`first\` or \`last\` value to properly paginate the \`${name}\` connection.`,
    );
  const wanted = first ?? last ?? 0;
  if (wanted > 100)
    throw partial(
      'EXCESSIVE_PAGINATION',
      `Requesting ${wanted} records on the \`${name}\` connection exceeds the \`${first === undefined ? 'last' : 'first'}\` limit of 100 records.`,
    );
  const place = (cursor: string | null | undefined, fallback: number) =>
    cursor == null ? fallback : Number(Buffer.from(cursor, 'base64').toString().replace('cursor:', ''));
  const from = place(range.after, 0);
  const to = place(range.before, all.length + 1) - 1;
  const start = first === undefined ? Math.max(from, to - wanted) : from;
  const end = Math.min(to, start + wanted, all.length);
  const cursor = (index: number) => Buffer.from(`cursor:${index + 1}`).toString('base64');
  const nodes = all.slice(start, end).map(show);
  return {
    nodes,
    edges: nodes.map((node, index) => ({ node, cursor: cursor(start + index) })),
    totalCount: all.length,
    pageInfo: {
      hasNextPage: end < all.length,
      hasPreviousPage: start > 0,
      startCursor: nodes.length > 0 ? cursor(start) : null,
      endCursor: nodes.length > 0 ? cursor(end - 1) : null,
    },
  };
}

function ref(whole: string, commit: string) {
  const [, prefix = '', name = ''] = /^(refs\/\w+\/)(.*)$/s.exec(whole) ?? [];
  const target = { kind: 'Commit', id: nodeId('Commit', commit), oid: commit };
  return { kind: 'Ref', id: nodeId('Ref', whole), name, prefix, target };
}

function actor({ login, type }: Author) {
  const name = login.replace('[bot]', '');
  return { kind: type, id: nodeId(type, login), login: name, url: `https://github.com/${name}` };
}

function pullFields(pull: Pull, state: RepositoryState) {
  const head = state.refs.get(`refs/heads/${pull.head}`);
  const created = '2026-01-02T03:04:05Z';
  return {
    id: nodeId('PullRequest', pull.number),
    fullDatabaseId: String(279_147_437 + pull.number),
    number: pull.number,
    state: pull.state.toUpperCase(),
    title: pull.title,
    url: `https://github.com/${state.fullName}/pull/${pull.number}`,
    closed: pull.state !== 'open',
    closedAt: pull.closedAt ?? null,
    merged: pull.state === 'merged',
    mergedAt: pull.state === 'merged' ? pull.closedAt : null,
    createdAt: created,
    updatedAt: pull.closedAt ?? created,
    isDraft: false,
    isCrossRepository: pull.fork !== undefined,
    locked: pull.locked,
    author: actor(pull.author),
    headRefName: pull.head,
    headRefOid: head ?? commitId(state.fullName, pull.number, pull.head),
    headRef: head === undefined || pull.fork !== undefined ? null : ref(`refs/heads/${pull.head}`, head),
    baseRefName: pull.base,
  };
}
