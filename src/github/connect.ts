import type { Client } from '../http/client.ts';
import type { Deadline } from '../http/clock.ts';
import { createDispatcher } from '../http/dispatcher.ts';
import type { Inputs } from '../inputs/fields.ts';
import { RefusedError } from '../service/errors.ts';
import type { RunEvent } from '../step/event.ts';
import type { Log } from '../step/log.ts';
import type { GitHub } from './client.ts';

/** Longest and shortest time for one attempt of a request, in milliseconds; in between it is a quarter of the step's time. */
const attempt = { longest: 20_000, shortest: 1_000 };

/** What a connection to GitHub must know about the step. */
export interface GitHubAccess {
  inputs: Pick<Inputs, 'github_token' | 'timeout'>;
  event: RunEvent;
  api: Client;
  /** When it ends; default the step's deadline. */
  deadline?: Deadline;
  /** Connects to GitHub; default `createDispatcher`. */
  connectGitHub?: typeof createDispatcher;
  log: Log;
}

/**
 * Gives `work` a client of GitHub for this repository, which ends at the step's deadline, and closes it afterwards. GitHub's
 * toolkit is loaded on demand, because most steps do not need it.
 */
export async function withGitHub<T>(context: GitHubAccess, work: (github: GitHub) => Promise<T>): Promise<T> {
  const { inputs, event, api, connectGitHub = createDispatcher, log } = context;
  if (inputs.github_token === undefined) {
    throw new RefusedError(
      "`github_token` is empty, but GitHub's API requires a token. Remove the empty input to use the job's own token",
    );
  }
  if (!/^[^/]+\/[^/]+$/.test(event.repository)) {
    throw new RefusedError("GITHUB_REPOSITORY does not name a repository, so GitHub's API can't be used");
  }
  if (event.github.api === '') {
    throw new RefusedError(
      'GITHUB_API_URL is empty, so it is unclear which API `github_token` is for. Set GITHUB_API_URL on the runner',
    );
  }
  const { createGitHub } = await import('./client.ts');
  const attemptMs = Math.max(attempt.shortest, Math.min(attempt.longest, inputs.timeout / 4));
  const dispatcher = await connectGitHub(event.github.api, attemptMs);
  try {
    return await work(
      createGitHub({
        token: inputs.github_token,
        api: event.github.api,
        graphql: event.github.graphql,
        repository: event.repository,
        clock: api.clock,
        deadline: context.deadline ?? api.deadline,
        dispatcher,
        attemptMs,
        onRetry: log.info,
        onTrace: log.debug,
      }),
    );
  } finally {
    await dispatcher.destroy();
  }
}
