import { limits } from '../../src/step/limits.ts';
import { allows, ErrorResponse, forbidden, type GitHubResponse, type Permissions } from './response.ts';
import type { Shapes } from './shapes.ts';
import type { Comment, Pull, RepositoryState } from './state.ts';

export interface RestRequest {
  method: string;
  /** decoded, relative to the API's base URL */
  path: string;
  query: URLSearchParams;
  body: unknown;
  /** the API's base URL, for `Link` headers */
  base: string;
}

interface Context extends RestRequest {
  /** the part that the route's pattern captured */
  at: string;
  state: RepositoryState;
  shapes: Shapes;
  /** Throws an `ErrorResponse` unless the token has one of the permissions. */
  demand: (names: (keyof Permissions)[], access: 'read' | 'write') => void;
}

type Handler = (context: Context) => GitHubResponse;

/** The paths below a repository. Each pattern captures the object of the request. */
const ROUTES: [method: string, pattern: RegExp, handler: Handler][] = [
  ['GET', /^$/, ({ shapes }) => ok(shapes.repositoryItself())],
  ['GET', /^\/issues\/(\d+)\/comments$/, listComments],
  ['POST', /^\/issues\/(\d+)\/comments$/, createComment],
  ['PATCH', /^\/issues\/comments\/(\d+)$/, updateComment],
  ['GET', /^\/pulls$/, listPulls],
  ['GET', /^\/pulls\/(\d+)$/, getPull],
  ['GET', /^\/branches$/, listBranches],
  ['GET', /^\/branches\/(.+)$/s, getBranch],
  ['GET', /^\/git\/ref\/tags\/(.+)$/s, getTag],
];

const COMMENTS = ['issues', 'pullRequests'] as const satisfies (keyof Permissions)[];
const LONGEST_COMMENT = limits.commentCharacters;

export function respondToRest(
  request: RestRequest,
  { state, shapes, permissions }: { state: RepositoryState; shapes: Shapes; permissions: Permissions },
): GitHubResponse {
  // `Link` headers have the repository's ID.
  const roots = [`/repos/${state.fullName}`, `/repositories/${state.id}`].map((root) => root.toLowerCase());
  const root = roots.find((one) => `${request.path.toLowerCase()}/`.startsWith(`${one}/`));
  if (root === undefined) throw new ErrorResponse(404, 'Not Found');
  const path = request.path.slice(root.length);
  for (const [method, pattern, handler] of ROUTES) {
    const caught = pattern.exec(path);
    if (method !== request.method || !caught) continue;
    const demand: Context['demand'] = (names, access) => {
      if (!allows(permissions, names, access)) throw forbidden(names, access);
    };
    return handler({ ...request, path, at: caught[1] ?? '', state, shapes, demand });
  }
  throw new ErrorResponse(404, 'Not Found');
}

function ok(body: unknown, headers: Record<string, string> = {}): GitHubResponse {
  return { status: 200, headers, body };
}

/** One page of a list, with a link to the next page. */
function page<T>({ query, state, base, path }: Context, all: T[], shape: (one: T) => unknown): GitHubResponse {
  const positive = (name: string, fallback: number) =>
    Math.max(1, Number.parseInt(query.get(name) ?? '', 10) || fallback);
  const size = Math.min(positive('per_page', 30), 100);
  const current = positive('page', 1);
  const parameters = new URLSearchParams(query);
  parameters.set('page', String(current + 1));
  const next = `<${base}/repositories/${state.id}${path}?${parameters}>; rel="next"`;
  const shown = all.slice((current - 1) * size, current * size).map(shape);
  return ok(shown, current * size < all.length ? { link: next } : {});
}

function findPull({ state, at }: Context): Pull {
  const pull = state.pulls.get(Number(at));
  if (!pull) throw new ErrorResponse(404, 'Not Found');
  return pull;
}

function listComments(context: Context): GitHubResponse {
  context.demand([...COMMENTS], 'read');
  const { number } = findPull(context);
  const since = context.query.get('since') ?? '';
  const comments = context.state.comments.filter((one) => one.issue === number && one.updatedAt >= since);
  return page(context, comments, (one) => context.shapes.comment(one));
}

/** The text of a comment, if it is valid on GitHub. */
function commentBody(body: unknown): string {
  const text = typeof body === 'object' && body !== null && 'body' in body ? body.body : undefined;
  const invalid = (code: string, message: string) =>
    new ErrorResponse(422, 'Validation Failed', {
      errors: [{ resource: 'IssueComment', code, field: 'data', message }],
    });
  if (typeof text !== 'string') throw new ErrorResponse(422, 'Invalid request.\n\n"body" wasn\'t supplied.');
  if (text.trim() === '') throw invalid('unprocessable', "Body can't be blank");
  if ([...text].length > LONGEST_COMMENT)
    throw invalid('unprocessable', `Body is too long (maximum is ${LONGEST_COMMENT} characters)`);
  return text;
}

function createComment(context: Context): GitHubResponse {
  context.demand([...COMMENTS], 'write');
  const pull = findPull(context);
  if (pull.locked) throw new ErrorResponse(403, 'Unable to create comment because issue is locked.');
  const comment = context.state.addComment({ issue: pull.number, body: commentBody(context.body) });
  const body = context.shapes.comment(comment);
  return { status: 201, headers: { location: body.url }, body };
}

function findComment(context: Context): Comment {
  context.demand([...COMMENTS], 'write');
  const comment = context.state.comments.find((one) => one.id === Number(context.at));
  if (!comment) throw new ErrorResponse(404, 'Not Found');
  return comment;
}

function updateComment(context: Context): GitHubResponse {
  const comment = findComment(context);
  context.state.updateComment(comment, commentBody(context.body));
  return ok(context.shapes.comment(comment));
}

function listPulls(context: Context): GitHubResponse {
  context.demand(['pullRequests'], 'read');
  const { state, query } = context;
  const [owner] = state.fullName.split('/');
  const [wanted, head, base] = [query.get('state') ?? 'open', query.get('head'), query.get('base')];
  const pulls = [...state.pulls.values()]
    .filter((pull) => wanted === 'all' || (wanted === 'open') === (pull.state === 'open'))
    .filter((pull) => head === null || head === `${pull.fork?.split('/')[0] ?? owner}:${pull.head}`)
    .filter((pull) => base === null || base === pull.base)
    .sort((a, b) => b.number - a.number);
  const key = (pull: Pull) => (query.get('sort') === 'updated' ? pull.updatedAt : '');
  pulls.sort((a, b) => (key(a) === key(b) ? 0 : key(a) < key(b) ? 1 : -1));
  if (query.get('direction') === 'asc') pulls.reverse();
  return page(context, pulls, (pull) => context.shapes.pullSimple(pull));
}

function getPull(context: Context): GitHubResponse {
  context.demand(['pullRequests'], 'read');
  return ok(context.shapes.pull(findPull(context)));
}

function listBranches(context: Context): GitHubResponse {
  context.demand(['contents'], 'read');
  const branches = [...context.state.branches].sort(([a], [b]) => (a < b ? -1 : 1));
  return page(context, branches, ([name, commit]) => context.shapes.branch(name, commit));
}

function getBranch(context: Context): GitHubResponse {
  context.demand(['contents'], 'read');
  const commit = context.state.branches.get(context.at);
  if (commit === undefined) throw new ErrorResponse(404, 'Branch not found');
  return ok(context.shapes.branch(context.at, commit));
}

function getTag(context: Context): GitHubResponse {
  context.demand(['contents'], 'read');
  if (!context.state.tags.has(context.at)) throw new ErrorResponse(404, 'Not Found');
  return ok({ ref: `refs/tags/${context.at}` });
}
