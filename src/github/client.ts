import { getOctokit } from '@actions/github';
import { backoffMs, type Clock, type Deadline } from '../http/clock.ts';
import type { Failure } from '../http/errors.ts';
import { describeError } from '../http/failures.ts';
import { retry } from '../http/retry.ts';
import { exchange, type Fetch } from '../http/transport.ts';
import { duration } from '../text/format.ts';
import { oneLine } from '../text/inert.ts';
import { isObject, type Json, ShapeError } from '../text/json.ts';
import { errorFor, GitHubError, type Purpose, rateLimitMs } from './errors.ts';

export interface GitHubOptions {
  token: string;
  /** Base URL of the REST API, without a trailing slash. */
  api: string;
  fetch: Fetch;
  deadline: Deadline;
  clock: Clock;
  /** Milliseconds that one attempt of a request may take. */
  attemptMs: number;
  onRetry?: (line: string) => void;
  onTrace?: (line: string) => void;
}

/**
 * The REST API of GitHub, GitHub Enterprise Server, Gitea or Forgejo. Transient errors of anything but a POST are retried, and rate limits
 * are waited for, until the deadline. Every request throws a `GitHubError`, or a `StoppedError` at the deadline.
 */
export interface GitHub {
  /** Whether it is Gitea or Forgejo, whose API has the same routes and partly other parameters. */
  readonly isGitea: boolean;
  /** Whether the token belongs to an app, as that of a job does: then it may not ask whose it is. */
  readonly isAppToken: boolean;
  /** GitHub's clock when it last responded, in milliseconds since the epoch; undefined if it did not say. */
  date(): number | undefined;
  /** The object in the response to a request: `/repos/octo/api/pulls/7`. Empty for a 204. */
  request(purpose: Purpose, method: Method, path: string, body?: Record<string, unknown>): Promise<Json>;
  /** A list, page by page. A page that can't be read is an error, never the end of the list. */
  pages(purpose: Purpose, path: string, query?: Record<string, string>): AsyncGenerator<Json[]>;
}

type Method = 'GET' | 'POST' | 'PATCH';

/** Objects per page: the most that GitHub allows. */
const perPage = 100;
const maxAttempts = 4;
const transientBackoff = { first: 500, longest: 5_000 };
/** More than any page has, in bytes. */
const mostBytes = 32_000_000;

export function createGitHub(options: GitHubOptions): GitHub {
  const { api, token, deadline, clock, attemptMs, onRetry, onTrace } = options;
  const silent = () => {};
  const octokit = getOctokit(token, {
    baseUrl: api,
    userAgent: 'database-branch-action',
    // Octokit's own log would bypass the masking of this action's log.
    log: { debug: silent, info: silent, warn: silent, error: silent },
    request: { fetch: send },
  });
  let date: number | undefined;

  /** The `fetch` of the toolkit: one attempt, without redirects. */
  async function send(
    url: string,
    { method, headers: sent, body }: { method: string; headers: Record<string, string>; body?: string },
  ): Promise<Response> {
    const limit = AbortSignal.timeout(attemptMs);
    const signal = AbortSignal.any([deadline.signal, limit]);
    const { status, headers, text } = await exchange(options.fetch, url, {
      ...{ method, headers: sent, signal, mostBytes: () => mostBytes },
      ...(body === undefined ? {} : { body }),
    });
    if (text === undefined) throw new ShapeError(`GitHub's response is larger than ${mostBytes / 1_000_000} MB`);
    // The toolkit takes a redirect for a success, and `Response` allows no other status.
    const isMoved = status >= 300 && status < 400;
    if (isMoved || status < 200 || status > 599) {
      throw new ShapeError(
        `GitHub responded with ${status}${isMoved ? ': the repository may have been renamed or moved, and redirects are not followed' : ''}`,
      );
    }
    const now = Date.parse(headers.date ?? '');
    date = Number.isNaN(now) ? date : now;
    // The toolkit parses nothing else.
    const known = { ...headers, 'content-type': 'application/json' } as Record<string, string>;
    return new Response(status === 204 ? null : text, { status, headers: known });
  }

  function call(purpose: Purpose, route: string, parameters: Record<string, unknown> = {}) {
    return retry<Awaited<ReturnType<typeof octokit.request>>>({
      doing: `trying to ${purpose.goal}`,
      async attempt() {
        const started = clock.now();
        const trace = (what: string | number) => onTrace?.(`${route}: ${what} (${duration(clock.now() - started)})`);
        try {
          const value = await octokit.request(route, parameters);
          trace(value.status);
          return { value };
        } catch (error) {
          deadline.signal.throwIfAborted();
          const failure = failureOf(error as Thrown, date ?? clock.now());
          trace(failure.what);
          return { failure };
        }
      },
      async next({ failure, attempts }) {
        const canRetry = failure.again && !route.startsWith('POST') && attempts < maxAttempts;
        return failure.retryAfterMs ?? (canRetry ? backoffMs(transientBackoff, attempts) : undefined);
      },
      toError: ({ failure }, why) => errorFor(purpose, failure, why),
      ...{ deadline, clock },
      onRetry: (line) => onRetry?.(`${route}: ${line}`),
    });
  }

  return {
    isGitea: api.endsWith('/api/v1'),
    isAppToken: token.startsWith('ghs_'),
    date: () => date,
    async request(purpose, method, path, body) {
      const { data, status } = await call(purpose, `${method} ${path}`, body);
      if (status === 204) return {};
      if (isObject(data)) return data;
      throw new GitHubError({ ...purpose, kind: 'other', what: 'the response is not an object' });
    },
    // Not with the toolkit's pagination: it takes an error 409 for the end of the list, and follows a link to any host.
    async *pages(purpose, path, query) {
      for (let page = 1; ; page++) {
        // GitHub has `per_page`, Gitea and Forgejo `limit`.
        const parameters = { ...query, per_page: perPage, limit: perPage, page };
        const { data, headers } = await call(purpose, `GET ${path}`, parameters);
        if (!Array.isArray(data) || !data.every(isObject)) {
          throw new GitHubError({ ...purpose, kind: 'other', what: 'the response is not a list' });
        }
        yield data;
        if (!/\brel="?next\b/.test(headers.link ?? '')) return;
      }
    },
  };
}

/** What the toolkit throws: an unsuccessful response, or what its `fetch` has thrown. */
interface Thrown {
  cause?: unknown;
  response?: { status: number; headers: Record<string, string | undefined>; data?: unknown };
}

/** `now` is GitHub's clock, in milliseconds since the epoch. */
function failureOf({ cause, response }: Thrown, now: number): Failure {
  if (cause instanceof ShapeError) return { kind: 'network', what: cause.message, mayHaveActed: false };
  if (response === undefined) {
    const what = `no response from GitHub: ${describeError(cause)}`;
    return { kind: 'network', what, mayHaveActed: false, again: 'idempotent' };
  }
  const { status, headers, data } = response;
  // GitHub's own message; the toolkit's has a link to its documentation, too.
  const message = isObject(data) && typeof data.message === 'string' ? oneLine(data.message, 200) : '';
  const failure: Failure = { kind: 'status', what: '', mayHaveActed: false, status, message };
  const limitMs = rateLimitMs({ status, message }, headers, now);
  if (limitMs !== undefined) {
    const what = `GitHub is rate-limiting requests for another ${duration(limitMs)}`;
    return { ...failure, what, retryAfterMs: limitMs };
  }
  const isTransient = status >= 500 || status === 408;
  return {
    ...failure,
    what: `GitHub responded with ${message ? `${status}, ${message}` : status}`,
    ...(isTransient && { again: 'idempotent' as const }),
  };
}
