import { describe, expect, it } from 'vitest';
import * as events from '../support/events.ts';
import { scenario } from '../support/scenario.ts';

const scene = scenario();

describe('auto', () => {
  it.each([
    ['pull_request opened', events.pullRequest({ number: 1 }), 'preview/pr-1'],
    ['pull_request reopened', events.pullRequest({ number: 2, action: 'reopened' }), 'preview/pr-2'],
    ['pull_request synchronize', events.pullRequest({ number: 3, action: 'synchronize' }), 'preview/pr-3'],
    ['pull_request labeled', events.pullRequest({ number: 4, action: 'labeled', label: 'x' }), 'preview/pr-4'],
    ['pull_request_target', events.pullRequest({ number: 5, target: true, fork: 'someone/octo-repo' }), 'preview/pr-5'],
    ['push', events.push({ ref: 'refs/heads/feature/ü#1' }), 'preview/feature/-1'],
    ['create', events.create({ ref: 'release/1.0' }), 'preview/release/1.0'],
    ['workflow_dispatch', events.workflowDispatch({ ref: 'refs/heads/dev' }), 'preview/dev'],
    [
      'merge_group',
      events.mergeGroup({ number: 6 }),
      `preview/gh-readonly-queue/main/pr-6-${events.commitId('octo-org/octo-repo', 'main')}`,
    ],
    [
      'a long ref',
      events.push({ ref: `refs/heads/${'long/'.repeat(40)}` }),
      expect.stringMatching(/^preview\/long\/.{75,}-[0-9a-f]{8}$/),
    ],
  ])('creates on %s', async (_, event, name) => {
    const { outputs } = await scene.succeeds({ event });
    expect(outputs).toMatchObject({ command: 'create', created: 'true', branch_name: name });
    expect(outputs.branch_name?.length).toBeLessThanOrEqual(100);
  });

  it.each([
    ['pull_request closed', events.pullRequest({ number: 21, action: 'closed' }), 'preview/pr-21'],
    ['pull_request merged', events.pullRequest({ number: 22, action: 'closed', merged: true }), 'preview/pr-22'],
    ['pull_request_target closed', events.pullRequest({ number: 23, action: 'closed', target: true }), 'preview/pr-23'],
    ['delete', events.deleteRef({ ref: 'feature/old' }), 'preview/feature/old'],
  ])('deletes on %s', async (_, event, name) => {
    const { id } = await scene.service.addBranch({ name });
    const { outputs } = await scene.succeeds({ event });
    expect(outputs).toMatchObject({ command: 'delete', deleted: 'true', branch_id: id, branch_name: name });
  });

  it.each([
    ['a schedule', events.schedule(), /^Invalid input:\n- command is required: .* Set `command: prune`/],
    ['a deleted tag', events.deleteRef({ ref: 'v1', refType: 'tag' }), /- command is required: .* git tag is deleted/],
  ])('fails on %s and says what to do', async (_, event, said) => {
    const run = await scene.fails({ event });
    expect(run.message).toMatch(said);
    expect(run.requests).toEqual([]);
  });

  it('never deletes the default branch', async () => {
    const run = await scene.fails({ event: events.pullRequest({ action: 'closed' }), inputs: { branch_name: 'main' } });
    expect(run.message).toContain("is the project's default branch");
    expect(scene.service.branch('main')).toBeDefined();
  });

  it('prefers branch_id to branch_name, and branch_name to the event', async () => {
    const { id } = await scene.service.addBranch({ name: 'my own' });
    const event = events.pullRequest({ number: 30, action: 'closed' });
    expect((await scene.succeeds({ event, inputs: { branch_id: id } })).outputs).toMatchObject({
      deleted: 'true',
      branch_name: 'my own',
    });
    expect((await scene.succeeds({ event, inputs: { branch_name: 'my own' } })).outputs.deleted).toBe('false');
  });
});

it('the branch of a pull request from opened to reopened', async () => {
  const event = (action: 'opened' | 'synchronize' | 'closed' | 'reopened') =>
    events.pullRequest({ number: 50, action });
  const opened = await scene.succeeds({ event: event('opened') });
  const pushed = await scene.succeeds({ event: event('synchronize') });
  expect(pushed.outputs).toMatchObject({
    branch_id: opened.outputs.branch_id,
    created: 'false',
    db_url: opened.outputs.db_url,
  });
  // A later job gets the ID only: secrets can't cross jobs.
  const deploy = await scene.succeeds({
    event: event('opened'),
    inputs: { command: 'get', branch_id: opened.jobOutputs.branch_id ?? '' },
  });
  expect(deploy.outputs.db_url_pooled).toBe(opened.outputs.db_url_pooled);
  expect((await scene.succeeds({ event: event('closed') })).outputs).toMatchObject({
    deleted: 'true',
    branch_id: opened.outputs.branch_id,
  });
  expect((await scene.succeeds({ event: event('closed') })).outputs.deleted).toBe('false');
  const again = await scene.succeeds({ event: event('reopened') });
  expect(again.outputs.created).toBe('true');
  expect(again.outputs.branch_id).not.toBe(opened.outputs.branch_id);
});

describe('the post step', () => {
  it('does nothing and prints nothing without `ephemeral`', async () => {
    const { post } = await scene.succeeds({ event: events.pullRequest({ number: 60 }), post: true });
    expect(post).toMatchObject({ code: 0, stdout: '', stderr: '', outputs: {}, summary: '' });
    expect(scene.service.branch('preview/pr-60')).toBeDefined();
  });
});
