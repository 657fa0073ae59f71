import { RefusedError } from '../api/errors.ts';
import type { Client } from '../http/client.ts';
import { remainingMs } from '../http/deadline.ts';
import { createDispatcher } from '../http/dispatcher.ts';
import type { Inputs } from '../inputs/fields.ts';
import type { RunEvent } from '../runner/event.ts';
import type { Log } from '../runner/log.ts';
import type { GitHub } from './client.ts';

/** Longest and shortest time for one try of a request, in milliseconds; in between it is a quarter of the step's time. */
const attempt = { longest: 20_000, shortest: 1_000 };

/** What a connection to GitHub needs to know of the step. */
export interface GitHubAccess {
  inputs: Pick<Inputs, 'github_token' | 'timeout'>;
  event: RunEvent;
  api: Client;
  /** Makes the connections to GitHub; `createDispatcher` where it is left out. */
  connectGitHub?: typeof createDispatcher | undefined;
  log: Log;
}

/**
 * Gives `work` a client of GitHub for this repository, which ends with the step, and closes it afterwards. GitHub's toolkit is
 * loaded here and nowhere else, so that steps which do not need it do not pay for it. `patienceMs` is the longest pause before a
 * request is sent again; without it, the step's time is.
 */
export async function withGitHub<T>(
  context: GitHubAccess & { patienceMs?: number | undefined },
  work: (github: GitHub) => Promise<T>,
): Promise<T> {
  const { inputs, event, api, connectGitHub = createDispatcher, log } = context;
  if (inputs.github_token === undefined) {
    throw new RefusedError('There is no `github_token`, which is needed to ask GitHub');
  }
  if (!/^[^/]+\/[^/]+$/.test(event.repository)) {
    throw new RefusedError('GITHUB_REPOSITORY does not say which repository this is, so that GitHub cannot be asked');
  }
  const { createGitHub } = await import('./client.ts');
  const attemptMs = Math.max(attempt.shortest, Math.min(attempt.longest, inputs.timeout / 4));
  const dispatcher = connectGitHub(attemptMs);
  try {
    return await work(
      createGitHub({
        token: inputs.github_token,
        api: event.github.api,
        graphql: event.github.graphql,
        repository: event.repository,
        signal: api.signal,
        clock: api.clock,
        remainingMs: () => Math.min(context.patienceMs ?? Number.POSITIVE_INFINITY, remainingMs(api.signal, api.clock)),
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
