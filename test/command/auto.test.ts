import { describe, expect, it } from 'vitest';
import { branchNameFromRef } from '../../src/text/branch-name.ts';
import * as events from '../../tools/runner/events.ts';
import { scenario, withScenario } from '../support/scenario.ts';

const scene = scenario();

function deletedBy(ref: string): events.GitHubEvent {
  const event = events.push({ ref });
  return { ...event, payload: { ...event.payload, deleted: true } };
}

function closedPull(action: 'labeled' | 'edited'): events.GitHubEvent {
  const event = events.pullRequest({ action, number: 7 });
  Object.assign((event.payload as { pull_request: object }).pull_request, { state: 'closed' });
  return event;
}

function commentOn(issue: object): events.GitHubEvent {
  const { payload, env } = events.workflowDispatch();
  const name = 'issue_comment';
  return { name, payload: { ...payload, action: 'created', issue }, env: { ...env, GITHUB_EVENT_NAME: name } };
}

/** As a local runner invents it. */
function withoutNumber(event: events.GitHubEvent): events.GitHubEvent {
  return { ...event, payload: { ...event.payload, pull_request: {}, number: undefined } };
}

it.each<[string, Record<string, string>, ('opened' | 'closed')?]>([
  ['auto', {}, 'closed'],
  ['get', { command: 'get' }],
  ['reset', { command: 'reset' }],
  ['create', { expires_in: '1h' }],
  ['create', { if_exists: 'reset' }],
  ['create', { if_exists: 'recreate' }],
])("leaves another repository's branch alone if only the branch itself says whose it is: %s %j", (_, inputs, action) =>
  withScenario({}, async (scene) => {
    const name = 'preview/pr-7';
    await scene.service.addBranch({ name, annotations: { 'github-commit-repo': 'octo-org/other' } });
    const transform = (body: unknown) => ({ ...(body as object), annotations: {} });
    scene.service.faults.add({ method: 'GET', path: /\/branches$/, transform });
    const run = await scene.fails({ event: events.pullRequest({ number: 7, action: action ?? 'opened' }), inputs });
    expect(run.message).toContain('belongs to octo-org/other, not to pull request #7');
    expect(run.calls.filter((call) => !/^(GET|POST \/branches 409)/.test(call))).toEqual([]);
    expect(run.outputs).not.toHaveProperty('db_url');
  }),
);

describe('auto', () => {
  it.each([
    ['pull_request opened', events.pullRequest({ number: 1 }), 'preview/pr-1'],
    ['pull_request reopened', events.pullRequest({ number: 2, action: 'reopened' }), 'preview/pr-2'],
    ['pull_request synchronize', events.pullRequest({ number: 3, action: 'synchronize' }), 'preview/pr-3'],
    ['pull_request labeled', events.pullRequest({ number: 4, action: 'labeled', label: 'x' }), 'preview/pr-4'],
    ['pull_request_target', events.pullRequest({ number: 5, target: true, fork: 'someone/octo-repo' }), 'preview/pr-5'],
    ['push', events.push({ ref: 'refs/heads/feature/ü#1' }), 'preview/feature/-1-5c2ad880'],
    ['push of a tag', events.push({ ref: 'refs/tags/v1.0' }), 'preview/tags/v1.0'],
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
    ['delete of a tag', events.deleteRef({ ref: 'v0.9', refType: 'tag' }), 'preview/tags/v0.9'],
    ['push that deletes', deletedBy('refs/heads/feature/gone'), 'preview/feature/gone'],
  ])('deletes on %s', async (_, event, name) => {
    const { id } = await scene.service.addBranch({ name });
    const { outputs } = await scene.succeeds({ event });
    expect(outputs).toMatchObject({ command: 'delete', deleted: 'true', branch_id: id, branch_name: name });
  });

  it.each([
    ['a schedule', events.schedule(), /^Invalid input:\n- branch_name is required: a schedule names no branch/],
    [
      'a comment on an issue',
      commentOn({ number: 3 }),
      /- branch_name is required: event "issue_comment" names no pull request/,
    ],
    [
      'a pull request without a number',
      withoutNumber(events.pullRequest({ number: 4 })),
      /- branch_name is required: event "pull_request" names no pull request/,
    ],
    [
      'the end of a pull request without a number',
      withoutNumber(events.pullRequest({ number: 4, action: 'closed', target: true })),
      /- branch_name is required: event "pull_request_target" names no pull request/,
    ],
  ])('fails on %s and says what to do', async (_, event, said) => {
    const run = await scene.fails({ event });
    expect(run.message).toMatch(said);
    expect(run.requests).toEqual([]);
  });

  it.each([
    ['labeled', closedPull('labeled')],
    ['edited', closedPull('edited')],
    ['a comment', commentOn({ number: 7, state: 'closed', pull_request: {} })],
  ])('does nothing for a closed pull request (%s)', async (_, event) => {
    const run = await scene.succeeds({ event });
    expect(run.outputs).toEqual({ command: 'auto', skipped: 'true', created: 'false', deleted: 'false' });
    expect(run.annotations.notice).toEqual(['Skipped: pull request #7 is closed']);
    expect(run.summary).toContain('Skipped: pull request');
    expect(run.requests).toEqual([]);
  });

  it('never shares a branch between two git refs', async () => {
    const names = [];
    for (const ref of [
      'heads/fix/登录',
      'heads/fix/注册',
      'heads/fix',
      'heads/v1',
      'tags/v1',
      'heads/pr-1',
      'heads/tags/v1',
    ]) {
      const { outputs } = await scene.succeeds({ event: events.push({ ref: `refs/${ref}` }) });
      expect(outputs.created).toBe('true');
      names.push(outputs.branch_name);
    }
    expect(new Set(names).size).toBe(names.length);
  });

  it('refuses the branch of another git ref, whose name with its hash a git branch has', async () => {
    const ref = 'refs/heads/fix/登录';
    const { outputs } = await scene.succeeds({ event: events.push({ ref }) });
    const alike = `refs/heads/${branchNameFromRef(ref).replace('preview/', '')}`;
    const run = await scene.fails({ event: events.push({ ref: alike }) });
    expect(run.message).toMatch(/belongs to git branch "fix\/登录" .* Nothing was changed/);
    expect(run.outputs).not.toHaveProperty('db_url');
    expect(scene.service.branch(outputs.branch_name ?? '')).toBeDefined();
  });

  it.each(['main', 'never deleted'])('never deletes the default branch, or a protected one (%s)', async (name) => {
    const closed = events.pullRequest({ number: 32, action: 'closed' });
    const mine = { 'github-commit-repo': 'octo-org/octo-repo', 'github-pr-number': '32' };
    if (name !== 'main') await scene.service.addBranch({ name, protected: true });
    // It does not belong to the pull request: the step has nothing to do.
    const kept = await scene.succeeds({ event: closed, inputs: { branch_name: name } });
    expect(kept.outputs).toMatchObject({ deleted: 'false', branch_name: name });
    expect(kept.annotations.notice.join()).toContain('its metadata does not name its owner');
    expect(kept.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
    const own = await scene.service.addBranch({ name: `own, not ${name}`, protected: true, annotations: mine });
    const run = await scene.fails({ event: closed, inputs: { branch_id: own.id } });
    expect(run.message).toContain('because it is protected');
    expect(scene.service.branch(name)).toBeDefined();
    expect(scene.service.branch(own.id)).toBeDefined();
  });

  it("keeps the branch of a git branch after its release is merged, and deletes the pull request's branch", async () => {
    const head = 'release/next';
    const release = (action: 'opened' | 'closed') => events.pullRequest({ number: 31, action, head });
    const inputs = { branch_name: 'long-lived' };
    await scene.succeeds({ event: events.push({ ref: `refs/heads/${head}` }), inputs });
    await scene.succeeds({ event: release('opened'), inputs });
    const kept = await scene.succeeds({ event: release('closed'), inputs });
    expect(kept.outputs.deleted).toBe('false');
    expect(kept.annotations.notice.join()).toContain('it belongs to git branch "release/next" of octo-org/octo-repo');
    const preview = { branch_name: `preview/${head}` };
    await scene.succeeds({ event: release('opened'), inputs: preview });
    expect((await scene.succeeds({ event: release('closed'), inputs: preview })).outputs.deleted).toBe('true');
  });

  it('prefers branch_id to branch_name, and branch_name to the event', async () => {
    const { id } = await scene.service.addBranch({
      name: 'my own',
      annotations: { 'github-commit-repo': 'octo-org/octo-repo', 'github-pr-number': '30' },
    });
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

it('a pull request that is closed keeps a branch that another one has created', async () => {
  const inputs = { branch_name: 'staging' };
  const { outputs } = await scene.succeeds({ event: events.pullRequest({ number: 52, head: 'b-52' }), inputs });
  const close = (number: number) =>
    scene.succeeds({ event: events.pullRequest({ number, head: `b-${number}`, action: 'closed' }), inputs });
  expect((await close(53)).outputs).toMatchObject({ deleted: 'false', branch_id: outputs.branch_id });
  expect((await close(52)).outputs).toMatchObject({ deleted: 'true', branch_id: outputs.branch_id });
});

describe('the post step', () => {
  it('does nothing and prints nothing without `ephemeral`', async () => {
    const { post } = await scene.succeeds({ event: events.pullRequest({ number: 60 }), post: true });
    expect(post).toMatchObject({ code: 0, stdout: '', stderr: '', outputs: {}, summary: '' });
    expect(scene.service.branch('preview/pr-60')).toBeDefined();
  });
});
