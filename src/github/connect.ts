import type { Client } from '../http/client.ts';
import { attemptMsIn, deadlineIn } from '../http/clock.ts';
import { createFetch } from '../http/transport.ts';
import { RefusedError } from '../service/errors.ts';
import { duration } from '../text/format.ts';
import type { GitHub } from './client.ts';
import { GitHubError } from './errors.ts';

export interface GitHubAccess {
  inputs: { github_token?: string; timeout: number };
  event: { github: { api: string } };
  api: Pick<Client, 'clock' | 'deadline'>;
  /** The longest time that it may take, in milliseconds; default until the step's deadline. */
  longestMs?: number | undefined;
  /** Connects to GitHub; default `createFetch`. */
  connectGitHub?: typeof createFetch;
  log: { info: (line: string) => void; debug: (line: string) => void };
}

/**
 * Gives `work` a client of GitHub, which ends at the step's deadline, or with a `GitHubError` after `longestMs`. GitHub's toolkit is loaded on
 * demand, because most steps do not need it.
 */
export async function withGitHub<T>(access: GitHubAccess, work: (github: GitHub) => Promise<T>): Promise<T> {
  const { inputs, event, api, connectGitHub = createFetch, log, longestMs = 2 ** 31 - 1 } = access;
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
  const { clock, deadline } = api;
  const limit = AbortSignal.timeout(longestMs);
  const signal = AbortSignal.any([deadline.signal, limit]);
  const what = `the ${duration(longestMs)} limit for GitHub`;
  const own = deadlineIn(longestMs, { signal, clock, limit: what });
  try {
    return await work(
      createGitHub({
        token,
        api: event.github.api,
        fetch: await connectGitHub(event.github.api),
        clock,
        deadline: longestMs < deadline.remainingMs() ? own : deadline,
        attemptMs: attemptMsIn(timeout),
        onRetry: log.info,
        onTrace: log.debug,
      }),
    );
  } catch (error) {
    if (!limit.aborted || deadline.signal.aborted) throw error;
    throw new GitHubError({ kind: 'other', goal: 'ask GitHub', what: `no response within ${what}` });
  }
}
