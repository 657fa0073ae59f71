import { describe, expect, it } from 'vitest';
import * as events from '../events.ts';

describe('pull_request', () => {
  it('opened: has the merge ref, both branches, and the repository everywhere', () => {
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
      number: 12,
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

  it.each(['synchronize', 'reopened', 'labeled', 'edited'] as const)('%s', (action) => {
    expect(events.pullRequest({ action }).payload).toMatchObject({ action, pull_request: { state: 'open' } });
  });

  it('closed, merged: runs on the base branch', () => {
    const event = events.pullRequest({ action: 'closed', merged: true });
    expect(event.env).toMatchObject({ GITHUB_REF: 'refs/heads/main', GITHUB_HEAD_REF: 'feature/login' });
    expect(event.payload).toMatchObject({ pull_request: { state: 'closed', merged: true } });
    expect(events.pullRequest({ action: 'closed' }).env.GITHUB_REF).toBe('refs/pull/7/merge');
  });

  it('from a fork', () => {
    const { payload } = events.pullRequest({ fork: 'someone/octo-repo' });
    expect(payload).toMatchObject({
      pull_request: {
        head: { repo: { full_name: 'someone/octo-repo', fork: true, owner: { login: 'someone' } } },
        base: { repo: { full_name: 'octo-org/octo-repo' } },
      },
    });
    expect(events.pullRequest().payload).toMatchObject({ pull_request: { head: { repo: { fork: false } } } });
  });

  it('by Dependabot', () => {
    const event = events.pullRequest({ author: 'dependabot[bot]' });
    expect(event.env.GITHUB_ACTOR).toBe('dependabot[bot]');
    expect(event.payload).toMatchObject({
      sender: { type: 'Bot' },
      pull_request: { user: { login: 'dependabot[bot]' } },
    });
  });

  it('target: runs in the context of the base', () => {
    expect(events.pullRequest({ target: true }).env).toMatchObject({
      GITHUB_EVENT_NAME: 'pull_request_target',
      GITHUB_REF: 'refs/heads/main',
      GITHUB_HEAD_REF: 'feature/login',
    });
  });
});

it.each([
  [events.push({ ref: 'refs/heads/fix/x' }), 'push', 'refs/heads/fix/x', { ref: 'refs/heads/fix/x' }],
  [events.push({ ref: 'refs/tags/v1' }), 'push', 'refs/tags/v1', { ref: 'refs/tags/v1' }],
  [events.create(), 'create', 'refs/heads/feature/login', { ref: 'feature/login', ref_type: 'branch' }],
  [events.create({ ref: 'v1', refType: 'tag' }), 'create', 'refs/tags/v1', { ref: 'v1', ref_type: 'tag' }],
  [events.deleteRef({ ref: 'old' }), 'delete', 'refs/heads/main', { ref: 'old', ref_type: 'branch' }],
  [events.workflowDispatch({ inputs: { a: '1' } }), 'workflow_dispatch', 'refs/heads/main', { inputs: { a: '1' } }],
  [events.schedule({ cron: '0 1 * * *' }), 'schedule', 'refs/heads/main', { schedule: '0 1 * * *' }],
])('$name at $env.GITHUB_REF', (event, name, ref, payload) => {
  expect(event).toMatchObject({
    name,
    env: { GITHUB_EVENT_NAME: name, GITHUB_REF: ref, GITHUB_REPOSITORY: 'octo-org/octo-repo' },
  });
  expect(event.env.GITHUB_HEAD_REF).toBeUndefined();
  expect(event.payload).toMatchObject({
    ...payload,
    repository: { full_name: 'octo-org/octo-repo', default_branch: 'main' },
  });
});

it('merge_group has the number of its pull request in the ref', () => {
  const event = events.mergeGroup({ number: 9 });
  expect(event.env.GITHUB_REF).toMatch(/^refs\/heads\/gh-readonly-queue\/main\/pr-9-[0-9a-f]{40}$/);
  expect(event.payload).toMatchObject({ merge_group: { head_ref: event.env.GITHUB_REF } });
});

it('gives each caller a new payload', () => {
  const [one, two] = [events.pullRequest(), events.pullRequest()];
  Object.assign(one.payload, { number: 0 });
  expect(two.payload).toMatchObject({ number: 7 });
});
