import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Gitea, startGitea } from '../../tools/github/gitea.ts';
import { pullRequest } from '../../tools/runner/events.ts';
import { scenario } from '../support/scenario.ts';

const token = 'ghs_secretTokenOfThisRun';
const scene = scenario({ compute: 'none', operationMs: 5 });
let gitea: Gitea;
beforeEach(async () => {
  gitea = await startGitea({ token });
});
afterEach(() => gitea.close());

/** All of the old names count as stale once they are older than this. */
const day = 86_400_000;

describe('on Gitea', () => {
  it.each([
    ['its user is known', 'gitea-actions'],
    ['nobody says whose the token is', undefined],
  ])('a comment is written once and found again (%s)', async (_, user) => {
    gitea.user = user;
    // Somebody else's comment with the same marker is not touched.
    const event = pullRequest({ number: 7 });
    const step = { event, inputs: { comment: 'true' }, env: gitea.env };
    const first = await scene.succeeds(step);
    expect(first.annotations.warning).toEqual([]);
    expect(first.outputs.comment_url).toMatch(/#issuecomment-\d+$/);
    const [{ body = '' } = {}] = gitea.comments;
    gitea.comments.unshift({ id: 9_000, body, login: 'stranger' });
    const again = await scene.succeeds({ ...step, inputs: { ...step.inputs, command: 'reset' } });
    expect(again.outputs.comment_url).toBe(first.outputs.comment_url);
    expect(gitea.comments.map(({ login }) => login)).toEqual(['stranger', 'gitea-actions']);
    expect(gitea.comments[0]?.body).toBe(body);
    const closed = await scene.succeeds({ ...step, event: pullRequest({ number: 7, action: 'closed' }) });
    expect(closed.outputs.deleted).toBe('true');
    expect(gitea.comments[1]?.body).toContain('deleted');
  });

  it('prune reads pull requests and git branches', async () => {
    const ours = { 'github-commit-repo': 'octo-org/octo-repo' };
    const createdAt = Date.now() - 30 * day;
    const add = (name: string, annotations: Record<string, string> = {}) =>
      scene.service.addBranch({ name, createdAt, annotations });
    await add('closed', { ...ours, 'github-pr-number': '11', 'github-commit-ref': 'a' });
    await add('open', { ...ours, 'github-pr-number': '12', 'github-commit-ref': 'b' });
    await add('same-head', { ...ours, 'github-pr-number': '13', 'github-commit-ref': 'b' });
    await add('unread', { ...ours, 'github-pr-number': '99' });
    await add('git/kept');
    await add('git/gone');
    const closed_at = new Date(Date.now() - day).toISOString();
    gitea.pulls.push(
      { number: 11, state: 'closed', closed_at, head: 'a' },
      { number: 12, state: 'open', head: 'b' },
      { number: 13, state: 'closed', closed_at, head: 'b' },
      { number: 14, state: 'open', head: 'c' },
      { number: 15, state: 'open', head: 'd' },
    );
    gitea.branches = ['main', 'a', 'b', 'kept', 'c'];
    const run = await scene.succeeds({ action: 'prune', inputs: { branch_pattern: 'git/*' }, env: gitea.env });
    const pruned = JSON.parse(run.outputs.pruned ?? '[]') as { name: string }[];
    expect(pruned.map(({ name }) => name).sort()).toEqual(['closed', 'git/gone']);
  });
});

it('the token never leaves for another host if the runner names no API', async () => {
  const run = await scene.succeeds({
    event: pullRequest({ number: 21 }),
    // Another server has another repository.
    inputs: { comment: 'true', branch_name: 'shared' },
    env: { ...gitea.env, GITHUB_API_URL: '' },
  });
  expect(run.stdout).not.toContain('api.github.com');
  expect(run.annotations.warning).toEqual([expect.stringContaining('GITHUB_API_URL is empty')]);
  expect(gitea.requests).toEqual([]);
});
