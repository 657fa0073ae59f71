import { MockAgent } from 'undici';
import { describe, expect, it } from 'vitest';
import { createGitHub } from '../../../src/github/client.ts';
import { readStates } from '../../../src/github/pull-requests.ts';
import { noDeadline } from '../../../src/http/deadline.ts';
import { FakeClock } from '../../support/clock.ts';

const api = 'https://api.github.test';

/** The states of pull requests 7 and 8 if GitHub always sends this response. */
async function statesFrom(status: number, body: object) {
  const dispatcher = new MockAgent();
  dispatcher.disableNetConnect();
  const headers = { 'content-type': 'application/json' };
  dispatcher.get(api).intercept({ path: '/graphql', method: 'POST' }).reply(status, body, { headers }).persist();
  const github = createGitHub({
    token: 'ghs_token',
    api,
    graphql: `${api}/graphql`,
    repository: 'octo-org/octo-repo',
    deadline: noDeadline(new AbortController().signal),
    clock: new FakeClock(),
    dispatcher,
    attemptMs: 5_000,
  });
  try {
    const { pullRequests, problem } = await readStates(github, { pullRequests: [7, 8], headRefs: [], gitRefs: [] });
    const closed = [...pullRequests].filter(([, { open }]) => !open).map(([number]) => number);
    return { closed, unread: [7, 8].filter((number) => !pullRequests.has(number)), problem };
  } finally {
    await dispatcher.close();
  }
}

const repository = { p7: { state: 'CLOSED' }, p8: null };

describe('a GraphQL response', () => {
  it.each([
    [[{ type: 'NOT_FOUND', message: 'Could not resolve' }], 'Could not resolve'],
    [[{ type: 'NOT_FOUND' }], 'an error without a message'],
    [[{ type: 7, message: { text: 'x' } }], 'an error without a message'],
    [[null], 'an error without a message'],
  ])('is read in part if its errors are %j', async (errors, problem) => {
    expect(await statesFrom(200, { data: { repository }, errors })).toEqual({ closed: [7], unread: [8], problem });
  });

  it('is an error if its status is not a success', async () => {
    expect(await statesFrom(309, { data: { repository } })).toEqual({
      closed: [],
      unread: [7, 8],
      problem: 'GitHub responded with 309, unexpected redirect',
    });
  });
});
