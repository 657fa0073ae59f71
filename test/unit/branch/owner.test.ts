import { describe, expect, it } from 'vitest';
import { belongsToEvent, checkOwner, otherPullRequest } from '../../../src/branch/owner.ts';
import { branch as readBranch } from '../../../src/service/types.ts';
import { parseEvent } from '../../../src/step/event.ts';
import { deleteRef, type GitHubEvent, pullRequest, push } from '../../../tools/runner/events.ts';
import { Account } from '../../support/account.ts';
import { run } from '../../support/lifecycle.ts';

const repo = { 'github-commit-repo': 'octo-org/octo-repo' };
const branchOf = (metadata: Record<string, string>) =>
  readBranch({ id: 'br-1', name: 'preview/pr-7' }, 'branch', { value: metadata });

/** The message of the error of a check; empty if the branch may be used. */
function check(metadata: Record<string, string>, event: GitHubEvent, inputs: { branch_name?: string } = {}): string {
  const given = { branch_id: undefined, branch_name: undefined, ...inputs };
  try {
    checkOwner({ inputs: given, event: parseEvent(event) } as Parameters<typeof checkOwner>[0], branchOf(metadata));
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

const withId = (event: GitHubEvent, id: string): GitHubEvent => ({
  ...event,
  env: { ...event.env, GITHUB_REPOSITORY_ID: id },
});
const tag = push({ ref: 'refs/tags/v1' });
const comment: GitHubEvent = {
  name: 'issue_comment',
  payload: { issue: { number: 7, pull_request: {} } },
  env: { GITHUB_EVENT_NAME: 'issue_comment', GITHUB_REPOSITORY: 'octo-org/octo-repo', GITHUB_REF: 'refs/heads/main' },
};

const numberless: GitHubEvent = {
  name: 'pull_request',
  payload: { action: 'closed', pull_request: {} },
  env: { ...comment.env, GITHUB_EVENT_NAME: 'pull_request' },
};
const mainOnly = { ...repo, 'github-commit-ref': 'main' };

describe('a branch whose name comes from the event', () => {
  it.each<[string, GitHubEvent, Record<string, string>]>([
    ['has no metadata', pullRequest(), {}],
    ['has only empty metadata', pullRequest(), { 'github-commit-repo': '', 'github-pr-number': '' }],
    ['belongs to the same pull request', pullRequest(), { ...repo, 'github-pr-number': '7' }],
    ['had another head', pullRequest(), { 'github-pr-number': '7', 'github-commit-ref': 'old' }],
    ['belongs to the head of the pull request', pullRequest({ head: 'x' }), { 'github-commit-ref': 'x' }],
    ['belongs to a git ref, and the event names no head', comment, { 'github-commit-ref': 'x' }],
    ['belongs to the repository in another case', pullRequest(), { 'github-commit-repo': 'Octo-Org/octo-REPO' }],
    ['belongs to the same git ref', push({ ref: 'refs/heads/x' }), { 'github-commit-ref': 'x' }],
    ['belongs to the same git ref in full', push({ ref: 'refs/heads/x' }), { 'github-commit-ref': 'refs/heads/x' }],
    ['belongs to the same tag', tag, { 'github-commit-ref': 'refs/tags/v1' }],
    ['belongs to a ref with the name of the tag', tag, { 'github-commit-ref': 'v1' }],
    [
      'has the ID of a renamed repository',
      withId(pullRequest(), '5'),
      { 'github-commit-repo': 'old/name', 'github-repository-id': '5' },
    ],
  ])('may be used if it %s', (_, event, metadata) => {
    expect(check(metadata, event)).toBe('');
  });

  it.each<[string, GitHubEvent, Record<string, string>, string]>([
    [
      'another repository',
      pullRequest(),
      { 'github-commit-repo': 'octo/web' },
      'belongs to octo/web, not to pull request #7 of octo-org/octo-repo',
    ],
    [
      'the same name with another ID',
      withId(pullRequest(), '5'),
      { 'github-commit-repo': 'Octo-Org/octo-repo', 'github-repository-id': '6', 'github-pr-number': '7' },
      '(ID 6), not to pull request #7 of octo-org/octo-repo',
    ],
    ['only another ID', withId(pullRequest(), '5'), { 'github-repository-id': '6' }, 'belongs to a repository (ID 6)'],
    [
      'another pull request',
      withId(pullRequest(), '5'),
      { ...repo, 'github-repository-id': '5', 'github-pr-number': '8' },
      'belongs to pull request #8 of octo-org',
    ],
    ['another head', pullRequest({ head: 'x' }), { ...repo, 'github-commit-ref': 'y' }, 'belongs to git branch "y" of'],
    [
      'another git ref',
      push({ ref: 'refs/heads/x' }),
      { ...repo, 'github-commit-ref': 'y' },
      'belongs to git branch "y"',
    ],
    [
      'a pull request, on a push',
      push({ ref: 'refs/heads/x' }),
      { 'github-pr-number': '8' },
      'to pull request #8, not to git branch "x"',
    ],
    [
      'a pull request with the same head, on a push',
      push({ ref: 'refs/heads/x' }),
      { 'github-pr-number': '8', 'github-commit-ref': 'x' },
      'to pull request #8, not to git branch "x"',
    ],
    ['another tag', tag, { 'github-commit-ref': 'refs/tags/v2' }, 'belongs to tag "v2", not to tag "v1"'],
  ])('is refused if it belongs to %s', (_, event, metadata, message) => {
    expect(check(metadata, event)).toContain(message);
    expect(check(metadata, event, { branch_name: 'preview/pr-7' })).toBe('');
  });
});

it.each<[string, GitHubEvent, Record<string, string>, boolean]>([
  ['its pull request', pullRequest(), { ...repo, 'github-pr-number': '7' }, true],
  ['another pull request', pullRequest(), { ...repo, 'github-pr-number': '8' }, false],
  ['its number in another repository', pullRequest(), { 'github-commit-repo': 'a/b', 'github-pr-number': '7' }, false],
  ['its number in no repository', pullRequest(), { 'github-pr-number': '7' }, false],
  ['its git ref', deleteRef(), { ...repo, 'github-commit-ref': 'feature/login' }, true],
  [
    'a pull request from its git ref',
    deleteRef(),
    { ...repo, 'github-commit-ref': 'feature/login', 'github-pr-number': '7' },
    false,
  ],
  ['the git ref of the run, if it is about a pull request without a number', numberless, mainOnly, false],
  ['nothing', pullRequest(), {}, false],
])('an event ends what belongs to %s', (_, event, metadata, expected) => {
  expect(belongsToEvent(parseEvent(event), branchOf(metadata))).toBe(expected);
});

it('the other pull request is one of this repository', () => {
  const event = parseEvent(pullRequest());
  expect(otherPullRequest(event, branchOf({ ...repo, 'github-pr-number': '8' }))).toBe(8);
  for (const metadata of [
    { ...repo, 'github-pr-number': '7' },
    { 'github-pr-number': '8' },
    { ...repo, 'github-pr-number': 'x' },
  ])
    expect(otherPullRequest(event, branchOf(metadata))).toBeUndefined();
});

describe('a branch that the step names', () => {
  const play = async (command: 'create' | 'get' | 'reset' | 'delete', metadata: Record<string, string>) => {
    const account = new Account();
    account.add({ name: 'shared' }, { metadata });
    return run({ command, account, inputs: { branch_name: 'shared', github_token: '' } });
  };

  it.each(['create', 'get', 'reset', 'delete'] as const)(
    'is used with one warning if it is another repository’s: %s',
    async (command) => {
      const { message, warnings } = await play(command, { 'github-commit-repo': 'octo/web' });
      expect(message).toBeUndefined();
      expect(warnings).toEqual([
        'Branch "shared" (br-1), which the step names, belongs to octo/web, according to its metadata',
      ]);
    },
  );

  it('is created by `create` with a warning that names another pull request that uses it', async () => {
    const { message, warnings } = await play('create', { ...repo, 'github-pr-number': '8' });
    expect(message).toBeUndefined();
    expect(warnings).toEqual([expect.stringContaining('belongs to pull request #8, according to its metadata')]);
    expect((await play('get', { ...repo, 'github-pr-number': '8' })).warnings).toEqual([]);
    expect((await play('create', { ...repo, 'github-pr-number': '7' })).warnings).toEqual([]);
  });
});
