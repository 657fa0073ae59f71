import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GitHub, startGitHub } from '../../tools/github/index.ts';
import { deleteRef, mergeGroup, pullRequest, push } from '../../tools/runner/events.ts';
import { scenario } from '../support/scenario.ts';

const scene = scenario({ operationMs: 5 });
let github: GitHub;
beforeAll(async () => {
  github = await startGitHub({ token: 'ghs_secretTokenOfThisRun' });
});
afterAll(() => github.close());

const rerun = () => ({ ...github.env, GITHUB_RUN_ATTEMPT: '2' });

describe('a run for the end of something that is run again', () => {
  it('keeps the branch of a pull request that is open again, and deletes it if it is not', async () => {
    const pull = github.state.addPull({ number: 21 });
    const closed = pullRequest({ number: 21, action: 'closed' });
    await scene.succeeds({ event: pullRequest({ number: 21 }) });
    const kept = await scene.succeeds({ event: closed, env: rerun() });
    expect(kept.outputs.deleted).toBe('false');
    expect(kept.annotations.notice).toEqual([
      expect.stringContaining('because pull request #21 of octo-org/octo-repo is open again'),
    ]);
    github.state.setPullState(pull, 'closed');
    expect((await scene.succeeds({ event: closed, env: rerun() })).outputs.deleted).toBe('true');
  });

  it('keeps the branch of a git branch that is back', async () => {
    await scene.succeeds({ event: push({ ref: 'refs/heads/old' }) });
    github.state.addBranch('old');
    const kept = await scene.succeeds({ event: deleteRef({ ref: 'old' }), env: rerun() });
    expect(kept.annotations.notice).toEqual([expect.stringMatching(/because git branch "old" of \S+ exists again/)]);
  });

  it('keeps the branch of a tag that is back, and deletes it if it is not', async () => {
    await scene.succeeds({ event: push({ ref: 'refs/tags/v1' }) });
    github.state.tags.add('v1');
    const deleted = { event: deleteRef({ ref: 'v1', refType: 'tag' }), env: rerun() };
    const kept = await scene.succeeds(deleted);
    expect(kept.annotations.notice).toEqual([expect.stringMatching(/because tag "v1" of \S+ exists again/)]);
    github.state.tags.delete('v1');
    expect((await scene.succeeds(deleted)).outputs.deleted).toBe('true');
  });

  it('fails without a change if GitHub does not respond', async () => {
    await scene.succeeds({ event: pullRequest({ number: 22 }) });
    github.fault({ path: /\/pulls\/22$/, response: { status: 500, body: {} }, times: 10 });
    const run = await scene.fails({ event: pullRequest({ number: 22, action: 'closed' }), env: rerun() });
    expect(run.message).toContain('Could not read pull request #22');
    expect(scene.service.branch('preview/pr-22')).toBeDefined();
  });
});

it('a run for a pull request that is run again once that is closed creates nothing', async () => {
  const pull = github.state.addPull({ number: 23 });
  const again = { event: pullRequest({ number: 23 }), env: rerun() };
  expect((await scene.succeeds(again)).outputs.created).toBe('true');
  await scene.service.removeBranch('preview/pr-23');
  github.state.setPullState(pull, 'closed');
  const run = await scene.succeeds(again);
  expect(run.outputs).toMatchObject({ skipped: 'true', created: 'false' });
  expect(run.annotations.notice).toEqual(['Skipped: pull request #23 is closed']);
  expect(scene.service.branch('preview/pr-23')).toBeUndefined();
});

describe('a branch with a name from the step', () => {
  it.each([
    ['this repository', 30, {}],
    ['a fork', 32, { fork: 'someone/octo-repo', target: true }],
  ])('is kept when its pull request closes and another open one has the same head, in %s', async (_, number, of) => {
    const inputs = { branch_name: `preview/of-head-${number}` };
    const head = 'feature/shared';
    await scene.succeeds({ event: pullRequest({ number, head, ...of }), inputs });
    github.state.addPull({ number, head, state: 'closed', ...of });
    const other = github.state.addPull({ number: number + 1, head, ...of });
    const close = { event: pullRequest({ number, head, action: 'closed', ...of }), inputs, env: github.env };
    const kept = await scene.succeeds(close);
    expect(kept.outputs.deleted).toBe('false');
    expect(kept.annotations.notice).toEqual([
      expect.stringContaining(`because pull request #${number + 1}, which is open, has the same head`),
    ]);
    github.state.setPullState(other, 'closed');
    expect((await scene.succeeds(close)).outputs.deleted).toBe('true');
  });

  it('is reused with a warning that names its pull request, as long as that is open', async () => {
    const inputs = { branch_name: 'fixed' };
    await scene.succeeds({ event: pullRequest({ number: 40 }), inputs });
    const pull = github.state.addPull({ number: 40 });
    const reuse = { event: pullRequest({ number: 41 }), inputs, env: github.env };
    expect((await scene.succeeds(reuse)).annotations.warning).toEqual([
      expect.stringContaining(
        'belongs to pull request #40, according to its metadata. If that is open, both work on the same data',
      ),
    ]);
    github.state.setPullState(pull, 'closed');
    expect((await scene.succeeds(reuse)).annotations.warning).toEqual([]);
  });
});

describe('a branch that no event ends', () => {
  it.each([
    ['a merge group', mergeGroup()],
    ['the default git branch', push()],
  ])('expires in six hours if it is named after %s', async (_, event) => {
    const run = await scene.succeeds({ event });
    const hours = (Date.parse(run.outputs.expires_at ?? '') - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(5.9);
    expect(hours).toBeLessThan(6.1);
    expect(run.annotations.notice).toEqual([expect.stringContaining('because no event ends it; set `expires_in`')]);
    // It gets none by itself once it exists.
    const again = await scene.succeeds({ event });
    expect(again.calls.some((call) => call.startsWith('PATCH'))).toBe(false);
    expect(again.annotations.notice).toEqual([expect.stringContaining(`which expires at ${run.outputs.expires_at}`)]);
  });

  it.each<Record<string, string>>([{ expires_in: '2d' }, { protected: 'true' }, { branch_name: 'named' }])(
    'does not if the step says otherwise: %j',
    async (inputs) => {
      const run = await scene.succeeds({
        event: push({ ref: 'refs/heads/main' }),
        inputs: { ...inputs, if_exists: 'recreate' },
      });
      const hours = (Date.parse(run.outputs.expires_at ?? '9999-01-01T00:00:00Z') - Date.now()) / 3_600_000;
      expect(hours).toBeGreaterThan(40);
    },
  );
});
