import { expect, it } from 'vitest';
import * as events from '../events.ts';

it('a pull request has the merge ref, both branches, and the repository everywhere', () => {
  const event = events.pullRequest({ number: 12, head: 'feature/a#b', repository: 'acme/shop', title: 'One | two' });
  expect(event.env).toMatchObject({
    GITHUB_EVENT_NAME: 'pull_request',
    GITHUB_REF: 'refs/pull/12/merge',
    GITHUB_REF_NAME: '12/merge',
    GITHUB_HEAD_REF: 'feature/a#b',
    GITHUB_BASE_REF: 'main',
    GITHUB_REPOSITORY: 'acme/shop',
    GITHUB_SHA: expect.stringMatching(/^[0-9a-f]{40}$/),
  });
  expect(event.payload).toMatchObject({
    action: 'opened',
    pull_request: {
      number: 12,
      title: 'One | two',
      state: 'open',
      head: { ref: 'feature/a#b' },
      base: { ref: 'main' },
    },
    repository: { full_name: 'acme/shop', name: 'shop', owner: { login: 'acme' } },
  });
  expect(JSON.stringify(event.payload)).not.toContain('Hello-World');
});

it.each([
  [events.pullRequest({ target: true }), 'refs/heads/main', { action: 'opened' }],
  [events.pullRequest({ action: 'closed' }), 'refs/pull/7/merge', { pull_request: { state: 'closed', merged: false } }],
  [events.pullRequest({ action: 'closed', merged: true }), 'refs/heads/main', { pull_request: { merged: true } }],
  [
    events.pullRequest({ fork: 'someone/octo-repo', author: 'dependabot[bot]' }),
    'refs/pull/7/merge',
    { pull_request: { head: { repo: { full_name: 'someone/octo-repo', fork: true } }, user: { type: 'Bot' } } },
  ],
  [events.push({ ref: 'refs/tags/v1' }), 'refs/tags/v1', { ref: 'refs/tags/v1' }],
  [events.create(), 'refs/heads/feature/login', { ref: 'feature/login', ref_type: 'branch' }],
  [events.deleteRef({ ref: 'old' }), 'refs/heads/main', { ref: 'old', ref_type: 'branch' }],
  [events.workflowDispatch({ inputs: { a: '1' } }), 'refs/heads/main', { inputs: { a: '1' } }],
  [events.schedule({ cron: '0 1 * * *' }), 'refs/heads/main', { schedule: '0 1 * * *' }],
  [events.issueComment({ closed: true }), 'refs/heads/main', { issue: { number: 7, state: 'closed' } }],
])('$name at $env.GITHUB_REF', (event, ref, payload) => {
  expect(event.env).toMatchObject({ GITHUB_EVENT_NAME: event.name, GITHUB_REF: ref });
  expect(event.payload).toMatchObject({ ...payload, repository: { default_branch: 'main' } });
});

it('a merge group has the number of its pull request in the ref', () => {
  const event = events.mergeGroup({ number: 9 });
  expect(event.env.GITHUB_REF).toMatch(/^refs\/heads\/gh-readonly-queue\/main\/pr-9-[0-9a-f]{40}$/);
  expect(event.payload).toMatchObject({ merge_group: { head_ref: event.env.GITHUB_REF } });
});
