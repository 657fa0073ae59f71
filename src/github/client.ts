import { getOctokit } from '@actions/github';
import { backoffMs, type Clock, type Deadline } from '../http/clock.ts';
import { StoppedError } from '../http/errors.ts';
import { exchange, type Fetch } from '../http/transport.ts';
import { duration, messageOf } from '../text/format.ts';
import { oneLine } from '../text/inert.ts';
import { isObject, type Json } from '../text/json.ts';
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
/** Attempts of one request that fails with transient errors; rate limits do not count. */
const maxAttempts = 4;
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

  /** The `fetch` of the toolkit: one request with all of its attempts. */
  async function send(url: string, init: RequestInit): Promise<Response> {
    const what = `${init.method} ${new URL(url).pathname}`;
    for (let failures = 0; ; ) {
      const started = clock.now();
      const received = await attempt(url, init).catch((error: unknown) => {
        if (deadline.signal.aborted) throw deadline.signal.reason;
        return error instanceof NoResponse ? error : new NoResponse(`no response from GitHub (${codeOf(error)})`);
      });
      const isMissing = received instanceof NoResponse;
      const outcome = isMissing ? received.message : `GitHub responded with ${received.status}`;
      onTrace?.(`${what}: ${outcome} (${duration(clock.now() - started)})`);
      const limitMs = isMissing
        ? undefined
        : rateLimitMs(await errorIn(received), received.headers, date ?? clock.now());
      const isTransient = isMissing ? received.kind === 'transient' : received.status >= 500 || received.status === 408;
      const canRetry = isTransient && init.method !== 'POST' && ++failures < maxAttempts;
      const delayMs = limitMs ?? (canRetry ? backoffMs({ first: 500, longest: 5_000 }, failures) : undefined);
      if (limitMs !== undefined && limitMs >= deadline.remainingMs()) {
        throw new NoResponse(`GitHub is rate-limiting requests for another ${duration(limitMs)}`);
      }
      if (delayMs === undefined || delayMs >= deadline.remainingMs()) {
        if (isMissing) throw received;
        return received;
      }
      const why = limitMs === undefined ? outcome : 'GitHub is rate-limiting requests';
      onRetry?.(`${what}: ${why}; retrying in ${duration(delayMs)}`);
      await clock.sleep(delayMs, deadline.signal);
    }
  }

  async function attempt(url: string, init: RequestInit): Promise<Response> {
    const limit = AbortSignal.timeout(attemptMs);
    const signal = AbortSignal.any([deadline.signal, limit]);
    try {
      const {
        method = 'GET',
        headers: sent,
        body,
      } = init as { headers: Record<string, string>; body?: string } & RequestInit;
      const { status, headers, text } = await exchange(options.fetch, url, {
        ...{ method, headers: sent, signal, mostBytes: () => mostBytes },
        ...(body === undefined ? {} : { body }),
      });
      if (text === undefined)
        throw new NoResponse(`GitHub's response is larger than ${mostBytes / 1_000_000} MB`, 'other');
      // The toolkit takes a redirect for a success, and `Response` allows no other status.
      if (status < 200 || status > 599 || (status >= 300 && status < 400)) {
        const moved =
          status < 400 ? ': the repository may have been renamed or moved, and redirects are not followed' : '';
        throw new NoResponse(`GitHub responded with ${status}${moved}`, 'other');
      }
      const now = Date.parse(headers.date ?? '');
      date = Number.isNaN(now) ? date : now;
      // The toolkit parses nothing else.
      const known = new Headers(headers);
      known.set('content-type', 'application/json');
      return new Response(status === 204 || status === 205 ? null : text, { status, headers: known });
    } catch (error) {
      if (limit.aborted) throw new NoResponse(`no response from GitHub within ${duration(attemptMs)}`);
      throw error;
    }
  }

  async function call(purpose: Purpose, route: string, parameters: Record<string, unknown> = {}) {
    try {
      return await octokit.request(route, parameters);
    } catch (error) {
      const { reason } = deadline.signal;
      if (deadline.signal.aborted)
        throw reason instanceof StoppedError ? reason.while(`trying to ${purpose.goal}`) : reason;
      const { cause, status, response } = error as { cause?: unknown; status?: number; response?: { data?: unknown } };
      if (cause instanceof NoResponse)
        throw new GitHubError({ ...purpose, kind: cause.kind, what: cause.message, cause });
      if (status === undefined) throw error;
      throw errorFor(purpose, { status, message: messageIn(response?.data) });
    }
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

/** Why there is no response that can be used. */
class NoResponse extends Error {
  readonly kind: GitHubError['kind'];

  constructor(what: string, kind: GitHubError['kind'] = 'transient') {
    super(what);
    this.kind = kind;
  }
}

/** What an unsuccessful response says. */
async function errorIn(response: Response): Promise<{ status: number; message: string }> {
  const { status } = response;
  if (status < 400) return { status, message: '' };
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  return { status, message: messageIn(body) };
}

/** GitHub's own message; the toolkit's has a link to its documentation, too. */
function messageIn(body: unknown): string {
  return isObject(body) && typeof body.message === 'string' ? body.message : '';
}

function codeOf(error: unknown): string {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const code = (at as NodeJS.ErrnoException).code;
    if (typeof code === 'string') return code;
  }
  return oneLine(messageOf(error), 200);
}
