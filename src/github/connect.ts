import type { Dispatcher } from 'undici';
import type { Client } from '../http/client.ts';
import type { Deadline } from '../http/clock.ts';
import { createDispatcher } from '../http/dispatcher.ts';
import { RefusedError } from '../service/errors.ts';
import type { Fetch, GitHub } from './client.ts';

/** Longest and shortest time for one attempt of a request, in milliseconds; in between it is a quarter of the step's time. */
const attempt = { longest: 20_000, shortest: 1_000 };

/** What a connection to GitHub must know about the step. */
export interface GitHubAccess {
  inputs: { github_token?: string; timeout: number };
  event: { github: { api: string } };
  api: Pick<Client, 'clock' | 'deadline'>;
  /** When it ends; default the step's deadline. */
  deadline?: Deadline;
  /** Connects to GitHub; default `createDispatcher`. */
  connectGitHub?: typeof createDispatcher;
  log: { info: (line: string) => void; debug: (line: string) => void };
}

/**
 * Gives `work` a client of GitHub, which ends at the step's deadline, and closes it afterwards. GitHub's toolkit is loaded on demand,
 * because most steps do not need it.
 */
export async function withGitHub<T>(access: GitHubAccess, work: (github: GitHub) => Promise<T>): Promise<T> {
  const { inputs, event, api, connectGitHub = createDispatcher, log } = access;
  const { github_token: token, timeout } = inputs;
  if (token === undefined) {
    throw new RefusedError(
      "`github_token` is empty, but GitHub's API requires a token. Remove the empty input to use the job's own token",
    );
  }
  if (event.github.api === '') {
    throw new RefusedError(
      'GITHUB_API_URL is empty, so it is unclear which API `github_token` is for. Set GITHUB_API_URL on the runner',
    );
  }
  const { createGitHub } = await import('./client.ts');
  const attemptMs = Math.max(attempt.shortest, Math.min(attempt.longest, timeout / 4));
  const dispatcher = await connectGitHub(event.github.api, attemptMs);
  try {
    return await work(
      createGitHub({
        token,
        api: event.github.api,
        fetch: fetchThrough(dispatcher),
        clock: api.clock,
        deadline: access.deadline ?? api.deadline,
        attemptMs,
        onRetry: log.info,
        onTrace: log.debug,
      }),
    );
  } finally {
    await dispatcher.destroy();
  }
}

/** The part of `fetch` that is needed, with the connections of this step: its proxy, its certificates, its end. */
function fetchThrough(dispatcher: Dispatcher): Fetch {
  return async (url, init) => {
    const { method, headers, body, signal } = init as Pick<
      Dispatcher.RequestOptions,
      'method' | 'headers' | 'body' | 'signal'
    >;
    const { origin, pathname, search } = new URL(url);
    const response = await dispatcher.request({ origin, path: `${pathname}${search}`, method, headers, body, signal });
    const known = Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)]);
    return {
      status: response.statusCode,
      headers: new Headers(known),
      body: response.body as unknown as ReadableStream,
    };
  };
}
