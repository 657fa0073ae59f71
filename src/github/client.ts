import { getOctokit } from '@actions/github';
import { type Dispatcher, fetch } from 'undici';
import type { Clock } from '../http/clock.ts';
import { StoppedError } from '../http/errors.ts';
import { pauseMs } from '../http/retry.ts';
import { duration } from '../text/format.ts';
import { oneLine } from '../text/inert.ts';
import { GitHubError } from './errors.ts';
import { denial, isDenied, type Refusal, rateLimitMs } from './responses.ts';

export type Octokit = ReturnType<typeof getOctokit>;

export interface GitHubOptions {
  token: string;
  /** Base URLs without a slash at the end. */
  api: string;
  graphql: string;
  /** `owner/name`. */
  repository: string;
  /** Ends every request and every pause when it aborts; its reason is a `StoppedError`. */
  signal: AbortSignal;
  clock: Clock;
  /** Pauses that are not shorter than this are not begun: milliseconds until the signal aborts by itself, say. */
  remainingMs: () => number;
  dispatcher: Dispatcher;
  /** Milliseconds that one try of a request may take. */
  attemptMs: number;
  onRetry?: (line: string) => void;
  onTrace?: (line: string) => void;
}

export interface Ask {
  /** What it is for, as a clause after «Could not»: `read pull requests`. */
  goal: string;
  /** What the token needs for it: `pull-requests: read`. */
  permission: string;
  /** Whether the request may be sent again where GitHub may have acted on it; default `true`, for reads and updates. */
  repeat?: boolean;
}

/** One error in an answer of GraphQL. */
export interface GraphQLFault {
  type?: string;
  message: string;
}

export interface GraphQLAnswer {
  data: unknown;
  errors: GraphQLFault[];
}

/** GitHub's API, for one repository. Rate limits and passing faults are waited for within the step's time. */
export interface GitHub {
  owner: string;
  repo: string;
  /** A request of REST. Throws a `GitHubError`, or a `StoppedError` when the step ends. */
  rest<T>(ask: Ask, send: (octokit: Octokit, request: { signal: AbortSignal }) => Promise<T>): Promise<T>;
  /** A query, whose answer may be whole or in part: what could not be read is named in `errors`. */
  graphql(ask: Ask, query: string, variables: Record<string, unknown>): Promise<GraphQLAnswer>;
}

/** Tries of a request that fails for a passing reason; rate limits do not count. */
const mostTries = 4;
/** Rate limits that are waited for, for one request. */
const mostLimits = 6;

export function createGitHub(options: GitHubOptions): GitHub {
  const { signal, clock, onRetry, onTrace } = options;
  const [owner = '', repo = ''] = options.repository.split('/');
  const quiet = () => {};
  const octokit = getOctokit(options.token, {
    baseUrl: options.api,
    userAgent: 'database-branch-action',
    // What Octokit has to say would go past the masking of this action's own log.
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    request: {
      fetch: (url: string, init: Parameters<typeof fetch>[1]) =>
        fetch(url, { ...init, dispatcher: options.dispatcher }),
    },
  });

  async function pause(ask: Ask, problem: { ms: number; what: string; error: GitHubError }): Promise<void> {
    const { ms, what, error } = problem;
    if (ms >= options.remainingMs()) throw error;
    onRetry?.(`GitHub ${what}; trying again in ${duration(ms)}`);
    await stoppable(ask.goal, () => clock.sleep(ms, signal));
  }

  async function call<T>(ask: Ask, attempt: (signal: AbortSignal) => Promise<T>): Promise<T> {
    let limits = 0;
    for (let tries = 1; ; ) {
      if (signal.aborted) throw stopped(signal, ask.goal);
      const limit = AbortSignal.timeout(options.attemptMs);
      const started = clock.now();
      try {
        const answer = await attempt(AbortSignal.any([signal, limit]));
        onTrace?.(`GitHub: ${ask.goal} after ${duration(clock.now() - started)}`);
        return answer;
      } catch (error) {
        if (signal.aborted) throw stopped(signal, ask.goal);
        const refusal = refusalOf(error);
        const what = refusal
          ? `answered ${refusal.status}: ${oneLine(refusal.message, 200)}`
          : `gave no answer: ${limit.aborted ? `none within ${duration(options.attemptMs)}` : reason(error)}`;
        onTrace?.(`GitHub: ${ask.goal}: ${what}`);
        const waitMs = refusal && rateLimitMs(refusal, { now: clock.now(), attempt: limits + 1 });
        if (waitMs !== undefined) {
          limits++;
          const message = `Could not ${ask.goal}: GitHub's rate limit is reached, for ${duration(waitMs)} more`;
          const late = new GitHubError('passing', message, { cause: error });
          if (limits > mostLimits) throw late;
          await pause(ask, { ms: waitMs, what: 'says that its rate limit is reached', error: late });
          continue;
        }
        if (refusal && isDenied(refusal))
          throw new GitHubError('denied', denial({ ...ask, refusal }), { cause: error });
        const failed = new GitHubError(kindOf(refusal), `Could not ${ask.goal}: GitHub ${what}`, { cause: error });
        if (failed.kind !== 'passing' || ask.repeat === false || tries >= mostTries) throw failed;
        const failure = { kind: 'status', what, mayHaveActed: false } as const;
        await pause(ask, { ms: pauseMs({ failure, attempt: tries, random: Math.random }), what, error: failed });
        tries++;
      }
    }
  }

  return {
    owner,
    repo,
    rest: (ask, send) => call(ask, (limited) => send(octokit, { signal: limited })),
    graphql: (ask, query, variables) =>
      call(ask, async (limited) => {
        const response = await octokit.request({
          method: 'POST',
          url: options.graphql,
          query,
          variables,
          request: { signal: limited },
        });
        return readAnswer(response);
      }),
  };
}

/** Faults that the whole request shares are thrown, so that they are waited for or told; others belong to a part of it. */
class GraphQLRefusal extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

function readAnswer(response: {
  status: number;
  data: unknown;
  headers: Record<string, string | number | undefined>;
}): GraphQLAnswer {
  const body = (typeof response.data === 'object' && response.data !== null ? response.data : {}) as {
    data?: unknown;
    errors?: unknown;
  };
  const errors = (Array.isArray(body.errors) ? body.errors : []).map(readFault);
  const limited = errors.find((one) => one.type === 'RATE_LIMITED' || /rate limit/i.test(one.message));
  const refuse = (status: number, message: string) =>
    new GraphQLRefusal({ status, message, headers: response.headers });
  // What is not a success is no answer, whatever it holds; Octokit takes a redirect to nowhere for one.
  if (response.status >= 300) throw refuse(response.status, 'no success');
  if (limited) throw refuse(200, limited.message.includes('rate limit') ? limited.message : 'rate limit reached');
  const denied = errors.find(
    (one) =>
      ['FORBIDDEN', 'INSUFFICIENT_SCOPES'].includes(one.type ?? '') || /resource not accessible/i.test(one.message),
  );
  if (denied) throw refuse(403, denied.message);
  // GitHub ends a query that takes too long with errors and no data at all.
  if (body.data === undefined || body.data === null) throw refuse(502, errors[0]?.message ?? 'no data');
  return { data: body.data, errors };
}

function readFault(fault: unknown): GraphQLFault {
  const { type, message } = (fault ?? {}) as { type?: unknown; message?: unknown };
  return {
    ...(typeof type === 'string' ? { type } : {}),
    message: typeof message === 'string' ? message : 'an error without a message',
  };
}

function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof GraphQLRefusal) return error.refusal;
  if (!(error instanceof Error) || !('response' in error)) return undefined;
  const response = error.response as { status: number; headers: Refusal['headers']; data?: unknown } | undefined;
  if (!response) return undefined;
  // GitHub's own words; the toolkit's message puts the address of its documentation behind them.
  const said = (response.data as { message?: unknown } | null | undefined)?.message;
  return {
    status: response.status,
    message: typeof said === 'string' ? said : error.message,
    headers: response.headers,
  };
}

function kindOf(refusal: Refusal | undefined): GitHubError['kind'] {
  if (!refusal || refusal.status >= 500 || refusal.status === 408) return 'passing';
  return refusal.status === 404 || refusal.status === 410 ? 'missing' : 'other';
}

function reason(error: unknown): string {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const code = (at as NodeJS.ErrnoException).code;
    if (typeof code === 'string') return code;
  }
  return oneLine(error instanceof Error ? error.message : String(error), 200);
}

function stopped(signal: AbortSignal, goal: string): unknown {
  const { reason: why } = signal;
  return why instanceof StoppedError ? why.while(`trying to ${goal}`) : why;
}

async function stoppable<T>(goal: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof StoppedError ? error.while(`trying to ${goal}`) : error;
  }
}
