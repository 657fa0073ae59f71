import { getOctokit } from '@actions/github';
import type { Dispatcher } from 'undici';
import type { Clock, Deadline } from '../http/clock.ts';
import type { Failure } from '../http/errors.ts';
import type { Method } from '../http/request.ts';
import { type Outcome, retry, retryDelayMs } from '../http/retry.ts';
import { optionalObject } from '../http/shape.ts';
import { limits } from '../step/limits.ts';
import { duration, messageOf } from '../text/format.ts';
import { oneLine } from '../text/inert.ts';
import type { Json } from '../text/json.ts';
import { denial, type ErrorResponse, GitHubError, rateLimitMs, unreadable } from './errors.ts';

interface GitHubOptions {
  token: string;
  /** Base URLs without a trailing slash. `graphql` is empty on a forge that has none. */
  api: string;
  graphql: string;
  /** `owner/name`. */
  repository: string;
  deadline: Deadline;
  clock: Clock;
  dispatcher: Dispatcher;
  /** Milliseconds that one attempt of a request may take. */
  attemptMs: number;
  onRetry?: (line: string) => void;
  onTrace?: (line: string) => void;
}

/** What a request is for, and what it needs. */
export interface Purpose {
  /** What the request is for, as a clause after "Could not": `read pull requests`. */
  goal: string;
  /** What the token needs for it: `pull-requests: read`. */
  permission: string;
  /** What to do if the token may not do it, as sentences; default: to give it the permission. */
  ifDenied?: string;
  /** Whether the request may be resent although GitHub may have acted on it; default true, for reads and updates. */
  idempotent?: boolean;
}

/** GitHub's API, for one repository. Rate limits and transient errors are retried until the deadline. */
export interface GitHub {
  owner: string;
  repo: string;
  /** Whether there is a GraphQL API. Other forges than GitHub have none. */
  hasGraphQL: boolean;
  /**
   * A REST request to a path below the repository's: `/pulls/7`. Returns the object in the response, without fields if there is none. Throws a
   * `GitHubError`, or a `StoppedError` at the deadline.
   */
  request(purpose: Purpose, method: Method, path: string, body?: object): Promise<Json>;
  /** All objects of a list at a path below the repository's. Never returns only part of it: throws a `GitHubError` if a page is not a list. */
  list(purpose: Purpose, path: string, query?: Record<string, string>): Promise<Json[]>;
  /** A GraphQL query. Throws as `request` does if nothing of it could be read. */
  graphql(purpose: Purpose, query: string, variables?: Record<string, unknown>): Promise<GraphQLResponse>;
  /** The user that the token belongs to. Throws as `request` does. */
  user(purpose: Purpose): Promise<Json>;
}

/** Attempts of one request that fails with transient errors; rate limits do not count. */
const maxAttempts = 4;
/** Rate limits that one request waits for. */
const maxRateLimits = 6;
/** More pages than any list has. */
const mostPages = 1_000;

export function createGitHub(options: GitHubOptions): GitHub {
  const { deadline, clock, attemptMs, onRetry, onTrace } = options;
  const [owner = '', repo = ''] = options.repository.split('/');
  const silent = () => {};
  const octokit = getOctokit(options.token, {
    baseUrl: options.api,
    userAgent: 'database-branch-action',
    // Octokit's own log would bypass the masking of this action's log.
    log: { debug: silent, info: silent, warn: silent, error: silent },
    request: { fetch: fetchThrough(options.dispatcher) },
  });
  octokit.hook.after('request', ({ status, headers }) => {
    // No redirect is followed, and Octokit takes one for a success.
    if (status >= 300) throw new ResponseFailure({ status, message: 'unexpected redirect', headers });
  });

  async function call<T>(purpose: Purpose, send: (signal: AbortSignal) => Promise<T>): Promise<T> {
    let limits = 0;
    let transient = 0;
    const attempt = async (): Promise<Outcome<T>> => {
      if (deadline.signal.aborted) throw deadline.signal.reason;
      const limit = AbortSignal.timeout(attemptMs);
      const started = clock.now();
      try {
        const value = await send(AbortSignal.any([deadline.signal, limit]));
        onTrace?.(`GitHub: ${purpose.goal} (${duration(clock.now() - started)})`);
        return { value };
      } catch (error) {
        if (deadline.signal.aborted) throw deadline.signal.reason;
        const failure = failureOf(error, limit.aborted ? ` within ${duration(attemptMs)}` : undefined);
        onTrace?.(`Could not ${purpose.goal}: ${failure.what}`);
        const response = responseOf(error);
        const limitMs = response && rateLimitMs(response, { now: clock.now(), attempt: limits + 1 });
        if (limitMs === undefined) return { failure };
        const what = 'GitHub is rate-limiting requests';
        return { failure: { ...failure, kind: 'rate-limited', what, retryAfterMs: limitMs } };
      }
    };
    return retry({
      doing: `trying to ${purpose.goal}`,
      attempt,
      delayMs(failure) {
        // Without jitter: GitHub says exactly how long its limit lasts.
        if (failure.kind === 'rate-limited') return ++limits > maxRateLimits ? undefined : failure.retryAfterMs;
        const canRetry = kindOf(failure) === 'transient' && purpose.idempotent !== false && ++transient < maxAttempts;
        return canRetry ? retryDelayMs({ failure, attempt: transient, random: Math.random }) : undefined;
      },
      toError: ({ failure }) => toError(purpose, failure),
      deadline,
      clock,
      onRetry: onRetry && ((line) => onRetry(`Could not ${purpose.goal} yet: ${line}`)),
    });
  }

  const hasGraphQL = options.graphql !== '';
  const send = (purpose: Purpose, route: string, parameters: object = {}) =>
    call(purpose, (signal) => octokit.request(route, { ...parameters, request: { signal } }));
  const sendBelow = (purpose: Purpose, method: Method, path: string, parameters: object = {}) =>
    send(purpose, `${method} /repos/{owner}/{repo}${path}`, { owner, repo, ...parameters });
  const graphql = (purpose: Purpose, query: string, variables: Record<string, unknown> = {}) =>
    call(purpose, async (signal) =>
      readGraphQL(await octokit.request(`POST ${options.graphql}`, { query, variables, request: { signal } })),
    );

  async function list(purpose: Purpose, path: string, query?: Record<string, string>): Promise<Json[]> {
    const all: Json[] = [];
    let before = '';
    for (let page = 1; page <= mostPages; page++) {
      // GitHub has `per_page`, other forges `limit`.
      const { data, headers } = await sendBelow(purpose, 'GET', path, {
        ...query,
        limit: limits.perPage,
        per_page: limits.perPage,
        page,
      });
      if (!Array.isArray(data)) throw unreadable(purpose, 'the response is not a list');
      const text = JSON.stringify(data);
      // A server that has no pages sends the same one again.
      if (data.length === 0 || text === before) return all;
      before = text;
      all.push(...data.map(optionalObject));
      const { link, 'x-total-count': total } = headers;
      // GitHub links to the next page if there is one; other forges say how many objects there are, or nothing.
      const isLast = link === undefined ? hasGraphQL || all.length >= Number(total) : !/\brel="?next"?/.test(link);
      if (isLast) return all;
    }
    throw unreadable(purpose, `the list has more than ${mostPages} pages`);
  }

  return {
    owner,
    repo,
    hasGraphQL,
    request: async (...request) => optionalObject((await sendBelow(...request)).data),
    list,
    graphql,
    async user(purpose) {
      if (!hasGraphQL) return optionalObject((await send(purpose, 'GET /user')).data);
      // GitHub's REST API doesn't tell an app who it is.
      const { data } = await graphql(purpose, 'query { viewer { login } }');
      return optionalObject(optionalObject(data).viewer);
    },
  };
}

/**
 * The part of `fetch` that Octokit needs, with the connections of this step: its proxy, its certificates, its end. Octokit's default,
 * undici's `fetch`, is five times as large as Octokit, with its caches and WebSockets.
 */
function fetchThrough(dispatcher: Dispatcher) {
  return async (url: string, init: Pick<Dispatcher.RequestOptions, 'method' | 'headers' | 'body' | 'signal'>) => {
    const { method, headers, body, signal } = init;
    const { origin, pathname, search } = new URL(url);
    const path = `${pathname}${search}`;
    const response = await dispatcher.request({ origin, path, method, headers, body, signal });
    const text = await response.body.text();
    return new Response(text === '' ? null : text, {
      status: response.statusCode,
      headers: Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)]),
    });
  };
}

function failureOf(error: unknown, timeout: string | undefined): Failure {
  const response = responseOf(error);
  if (!response) {
    const what = `no response from GitHub${timeout ?? ` (${reason(error)})`}`;
    return { kind: 'network', what, mayHaveActed: false, cause: error };
  }
  const { status, message } = response;
  const what = `GitHub responded with ${status}, ${oneLine(message, 200)}`;
  return { kind: 'status', status, message, what, mayHaveActed: false, cause: error };
}

function toError({ goal, permission, ifDenied }: Purpose, failure: Failure): GitHubError {
  const { cause, status = 0, message = '' } = failure;
  const kind = kindOf(failure);
  let { what } = failure;
  if (failure.kind === 'rate-limited') {
    what = `GitHub is rate-limiting requests for another ${duration(failure.retryAfterMs ?? 0)}`;
  } else if (kind === 'denied') what = denial({ status, message }, { permission, ifDenied });
  return new GitHubError({ kind, goal, what, cause });
}

function kindOf({ kind, status }: Failure): GitHubError['kind'] {
  if (kind === 'rate-limited' || status === undefined || status >= 500 || status === 408) return 'transient';
  if (status === 401 || status === 403) return 'denied';
  return status === 404 || status === 410 ? 'missing' : 'other';
}

/** GitHub's response, if the error has one. */
function responseOf(error: unknown): ErrorResponse | undefined {
  if (error instanceof ResponseFailure) return error.response;
  if (!(error instanceof Error) || !('response' in error)) return undefined;
  const response = error.response as (Omit<ErrorResponse, 'message'> & { data?: unknown }) | undefined;
  if (!response) return undefined;
  // GitHub's own message; the toolkit appends a link to its documentation.
  const message = (response.data as { message?: unknown } | null | undefined)?.message;
  return {
    status: response.status,
    message: typeof message === 'string' ? message : error.message,
    headers: response.headers,
  };
}

function reason(error: unknown): string {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const code = (at as NodeJS.ErrnoException).code;
    if (typeof code === 'string') return code;
  }
  return oneLine(messageOf(error), 200);
}

/** One error in a GraphQL response. */
interface GraphQLError {
  type?: string;
  message: string;
}

/** A GraphQL response, complete or in part: what could not be read is named in `errors`. */
export interface GraphQLResponse {
  data: unknown;
  errors: GraphQLError[];
}

/** A response that Octokit takes for a success: a redirect, or GraphQL errors that concern the whole request. */
class ResponseFailure extends Error {
  readonly response: ErrorResponse;

  constructor(response: ErrorResponse) {
    super(response.message);
    this.response = response;
  }
}

/** Reads a GraphQL response; throws a `ResponseFailure` if it has nothing usable. */
function readGraphQL(response: { data: unknown; headers: ErrorResponse['headers'] }): GraphQLResponse {
  const { headers } = response;
  const body = optionalObject(response.data);
  const errors = (Array.isArray(body.errors) ? body.errors : []).map(readError);
  const limited = errors.find((one) => one.type === 'RATE_LIMITED' || /rate limit/i.test(one.message));
  if (limited) throw new ResponseFailure({ status: 200, message: limited.message, headers, rateLimited: true });
  const denied = errors.find(
    (one) =>
      ['FORBIDDEN', 'INSUFFICIENT_SCOPES'].includes(one.type ?? '') || /resource not accessible/i.test(one.message),
  );
  if (denied) throw new ResponseFailure({ status: 403, message: denied.message, headers });
  // GitHub ends a query that takes too long with errors and no data.
  if (body.data === undefined || body.data === null) {
    throw new ResponseFailure({ status: 502, message: errors[0]?.message ?? 'the response has no data', headers });
  }
  return { data: body.data, errors };
}

function readError(error: unknown): GraphQLError {
  const { type, message } = optionalObject(error);
  return {
    type: typeof type === 'string' ? type : undefined,
    message: typeof message === 'string' ? message : 'an error without a message',
  };
}
