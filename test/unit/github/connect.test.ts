import { expect, it } from 'vitest';
import { withGitHub } from '../../../src/github/connect.ts';
import { readPullRequest } from '../../../src/github/pulls.ts';
import { deadlineIn, systemClock } from '../../../src/http/clock.ts';
import { StoppedError } from '../../../src/http/errors.ts';
import type { Fetch } from '../../../src/http/transport.ts';

/** Asks a GitHub that never responds. */
function ask(signal: AbortSignal, longestMs?: number) {
  const hang: Fetch = (_, { signal: given }) =>
    new Promise((_, reject) => given?.addEventListener('abort', () => reject(given.reason)));
  const access = {
    ...{ inputs: { github_token: 'ghs_x', timeout: 600_000 }, event: { github: { api: 'https://api.test' } } },
    api: { clock: systemClock, deadline: deadlineIn(600_000, { signal, clock: systemClock }) },
    connectGitHub: async () => hang,
    ...{ longestMs, log: { info: () => {}, debug: () => {} } },
  };
  return withGitHub(access, (github) => readPullRequest(github, 'octo/web', 7));
}

it('a question to GitHub ends after its own limit', async () => {
  await expect(ask(new AbortController().signal, 50)).rejects.toThrow(
    'Could not ask GitHub: no response within the 50ms limit for GitHub',
  );
});

it.each([undefined, 60_000])('a question to GitHub that a cancellation ends says so (limit %s)', async (longestMs) => {
  const controller = new AbortController();
  const asked = ask(controller.signal, longestMs);
  setTimeout(() => controller.abort(new StoppedError('cancelled', 'The step was cancelled (SIGINT)')), 50);
  await expect(asked).rejects.toThrow('The step was cancelled (SIGINT) while trying to read pull request #7');
});
