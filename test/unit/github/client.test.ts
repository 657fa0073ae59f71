import { MockAgent } from 'undici';
import { describe, expect, it } from 'vitest';
import { createGitHub } from '../../../src/github/client.ts';
import { readStates } from '../../../src/github/states.ts';
import { deadlineIn } from '../../../src/http/clock.ts';
import { FakeClock } from '../../../tools/clock.ts';

const api = 'https://api.github.test';

/** The states of pull requests 7 and 8 if GitHub always sends this response. */
async function statesFrom(status: number, body: object, location = '') {
  const dispatcher = new MockAgent();
  dispatcher.disableNetConnect();
  const headers = { 'content-type': 'application/json', ...(location === '' ? {} : { location }) };
  dispatcher.get(api).intercept({ path: '/graphql', method: 'POST' }).reply(status, body, { headers }).persist();
  const clock = new FakeClock();
  const github = createGitHub({
    token: 'ghs_token',
    api,
    graphql: `${api}/graphql`,
    repository: 'octo-org/octo-repo',
    deadline: deadlineIn(Number.POSITIVE_INFINITY, { signal: new AbortController().signal, clock }),
    clock,
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

  it.each([
    [309, ''],
    [301, `${api}/other`],
    [307, 'https://elsewhere.test/graphql'],
  ])('is an error if it is a redirect, which is not followed: %i %s', async (status, location) => {
    // Nothing but the one route can be reached.
    expect(await statesFrom(status, { data: { repository } }, location)).toEqual({
      closed: [],
      unread: [7, 8],
      problem: `GitHub responded with ${status}, unexpected redirect`,
    });
  });
});
