import type { Client } from '../http/client.ts';
import { attemptMsIn, type Deadline } from '../http/clock.ts';
import { createFetch } from '../http/transport.ts';
import { RefusedError } from '../service/errors.ts';
import type { GitHub } from './client.ts';

/** What a connection to GitHub must know about the step. */
export interface GitHubAccess {
  inputs: { github_token?: string; timeout: number };
  event: { github: { api: string } };
  api: Pick<Client, 'clock' | 'deadline'>;
  /** When it ends; default the step's deadline. */
  deadline?: Deadline;
  /** Connects to GitHub; default `createFetch`. */
  connectGitHub?: typeof createFetch;
  log: { info: (line: string) => void; debug: (line: string) => void };
}

/**
 * Gives `work` a client of GitHub, which ends at the step's deadline. GitHub's toolkit is loaded on demand, because most steps do not need it.
 */
export async function withGitHub<T>(access: GitHubAccess, work: (github: GitHub) => Promise<T>): Promise<T> {
  const { inputs, event, api, connectGitHub = createFetch, log } = access;
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
  return work(
    createGitHub({
      token,
      api: event.github.api,
      fetch: await connectGitHub(event.github.api),
      clock: api.clock,
      deadline: access.deadline ?? api.deadline,
      attemptMs: attemptMsIn(timeout),
      onRetry: log.info,
      onTrace: log.debug,
    }),
  );
}
