import { describe, expect, it } from 'vitest';
import { checkOwner, describeOwner } from '../../../src/branch/owner.ts';
import type { CommandName } from '../../../src/inputs/commands.ts';
import { branch as readBranch } from '../../../src/service/types.ts';
import { type GitHubEvent, pullRequest, push } from '../../../tools/runner/events.ts';
import { Account } from '../../support/account.ts';
import { run, step } from '../../support/step.ts';

const repository = 'octo-org/octo-repo';
const repo = { 'github-commit-repo': repository };
const accented = 'caf\u00e9';

const branchOf = (metadata: Record<string, string>) =>
  readBranch({ id: 'br-1', name: 'preview/pr-7' }, 'branch', { value: metadata });

/** An event with nothing but these variables. */
const bare = (env: Record<string, string>, payload: object = {}): GitHubEvent => ({ name: '', payload, env });
const comment = bare(
  { GITHUB_EVENT_NAME: 'issue_comment', GITHUB_REPOSITORY: repository, GITHUB_REF: 'refs/heads/main' },
  { issue: { number: 7, pull_request: {} } },
);

/** The message of the error and the warnings of a check. */
function check(options: {
  metadata: Record<string, string>;
  event?: GitHubEvent;
  inputs?: Record<string, string>;
  doing?: 'use' | 'change';
  command?: CommandName;
}) {
  const { metadata, event = pullRequest({ head: 'x' }), inputs = {}, doing = 'use', command = 'get' } = options;
  const { context, warnings } = step({ command, event, inputs });
  try {
    checkOwner(context, branchOf(metadata), doing);
    return { message: '', warnings };
  } catch (error) {
    return { message: (error as Error).message, warnings };
  }
}

describe('a branch whose name comes from the event', () => {
  it.each<[string, GitHubEvent, Record<string, string>]>([
    ['has no metadata', pullRequest(), {}],
    [
      'has only empty metadata',
      pullRequest(),
      { 'github-commit-repo': '', 'github-pr-number': '', 'github-commit-ref': '' },
    ],
    [
      'has only empty metadata, on a push',
      push({ ref: 'refs/heads/x' }),
      { 'github-pr-number': '', 'github-commit-ref': '' },
    ],
    ['belongs to the same pull request', pullRequest(), { ...repo, 'github-pr-number': '7' }],
    [
      'belongs to the same pull request, under an earlier name of its head',
      pullRequest(),
      { 'github-pr-number': '7', 'github-commit-ref': 'old' },
    ],
    ['belongs to the head of the pull request', pullRequest({ head: 'x' }), { 'github-commit-ref': 'x' }],
    [
      'belongs to the same head in another Unicode form',
      pullRequest({ head: accented.normalize('NFD') }),
      { 'github-commit-ref': accented },
    ],
    ['belongs to a git ref, if the event does not name the head', comment, { 'github-commit-ref': 'x' }],
    [
      'belongs to the same repository in another case',
      pullRequest(),
      { 'github-commit-repo': repository.toUpperCase() },
    ],
    ['belongs to the same git ref', push({ ref: 'refs/heads/x' }), { ...repo, 'github-commit-ref': 'x' }],
    [
      'belongs to the same git ref in another Unicode form',
      push({ ref: `refs/heads/${accented}` }),
      { 'github-commit-ref': accented.normalize('NFD') },
    ],
    [
      'belongs to the same git ref, with a pull request',
      push({ ref: 'refs/heads/x' }),
      { 'github-pr-number': '7', 'github-commit-ref': 'x' },
    ],
    ['belongs to the same tag', push({ ref: 'refs/tags/v1' }), { ...repo, 'github-commit-ref': 'refs/tags/v1' }],
    ['belongs to a ref with the name of the tag', push({ ref: 'refs/tags/v1' }), { 'github-commit-ref': 'v1' }],
  ])('may be used if it %s', (_, event, metadata) => {
    for (const doing of ['use', 'change'] as const) {
      expect(check({ event, metadata, doing })).toEqual({ message: '', warnings: [] });
    }
  });

  it.each<[string, GitHubEvent, Record<string, string>, string]>([
    ['another repository', pullRequest(), { 'github-commit-repo': 'octo/api' }, 'octo/api'],
    [
      'the same pull request of another repository',
      pullRequest(),
      { 'github-commit-repo': 'octo/api', 'github-pr-number': '7' },
      'pull request #7 of octo/api',
    ],
    ['another pull request', pullRequest(), { ...repo, 'github-pr-number': '8' }, `pull request #8 of ${repository}`],
    [
      'another pull request with the same head',
      pullRequest({ head: 'x' }),
      { 'github-pr-number': '8', 'github-commit-ref': 'x' },
      'pull request #8',
    ],
    ['another head', pullRequest({ head: 'x' }), { 'github-commit-ref': 'y' }, 'git branch "y"'],
    [
      'another git ref',
      push({ ref: 'refs/heads/x' }),
      { ...repo, 'github-commit-ref': 'y' },
      `git branch "y" of ${repository}`,
    ],
    ['a pull request, on a push', push({ ref: 'refs/heads/x' }), { 'github-pr-number': '7' }, 'pull request #7'],
    [
      'a tag with the name of the git branch',
      push({ ref: 'refs/heads/v1' }),
      { 'github-commit-ref': 'refs/tags/v1' },
      'tag "v1"',
    ],
  ])('is refused if it belongs to %s', (_, event, metadata, owner) => {
    const { message } = check({ event, metadata });
    expect(message).toContain(`Branch "preview/pr-7" (br-1) belongs to ${owner}, not to `);
    expect(message).toContain('Nothing was changed.');
    expect(message).toMatch(/Then `command: create` creates a new one\.$/);
    expect(check({ event, metadata, command: 'create' }).message).toMatch(/ Then run this step again\.$/);
  });

  it('is not deleted if it belongs to another repository', () => {
    const event = pullRequest({ number: 7, action: 'closed' });
    const { message } = check({ event, metadata: { 'github-commit-repo': 'octo/api' }, command: 'delete' });
    expect(message).toMatch(
      /delete it: use a separate step with `command: delete` and the database branch's name as `branch_name`\.$/,
    );
    const unknown = check({ event, metadata: { 'github-repository-id': '5' }, command: 'delete', doing: 'change' });
    expect(unknown.message).toMatch(
      /for that repository\. Nothing was changed\. To delete it anyway, use a separate step/,
    );
  });

  it.each<[Record<string, string>, Record<string, string>]>([
    [{}, repo],
    [{}, { 'github-repository-id': '5' }],
    [{ GITHUB_REPOSITORY: repository }, { 'github-repository-id': '5' }],
    [{ GITHUB_REPOSITORY_ID: '5' }, repo],
  ])(
    'is used, but not changed, if nobody knows whether its repository is that of the run (%j, %j)',
    (env, metadata) => {
      const event = bare({ GITHUB_REF: 'refs/heads/x', ...env });
      expect(check({ event, metadata })).toEqual({ message: '', warnings: [] });
      const { message } = check({ event, metadata, doing: 'change' });
      expect(message).toMatch(
        /^Branch .* belongs to .*, but the runner doesn't say whether this run is for that repository\. Nothing was changed\. To go ahead with this branch anyway, set `branch_name` to its name\.$/,
      );
      const inputs = { branch_name: 'preview/pr-7' };
      expect(check({ event, metadata, inputs, doing: 'change' })).toEqual({ message: '', warnings: [] });
    },
  );

  it.each<[string, Record<string, string>, string, string]>([
    ['has no name in the metadata', {}, 'git branch "x" of the repository with ID 123', repository],
    [
      'had the name of this one',
      { 'github-commit-repo': repository.toUpperCase() },
      `git branch "x" of another repository that is also called ${repository.toUpperCase()} (its ID is 123, this run's repository has ID 456)`,
      "this run's repository",
    ],
  ])('is refused with the ID of a repository that %s', (_, name, owner, own) => {
    const env = { GITHUB_REPOSITORY: repository, GITHUB_REPOSITORY_ID: '456', GITHUB_REF: 'refs/heads/x' };
    const metadata = { ...name, 'github-repository-id': '123', 'github-commit-ref': 'x' };
    expect(check({ event: bare(env), metadata }).message).toContain(
      `Branch "preview/pr-7" (br-1) belongs to ${owner}, not to git branch "x" of ${own}.`,
    );
  });

  it.each<[GitHubEvent, string]>([
    [pullRequest(), `pull request #7 of ${repository}`],
    [push({ ref: 'refs/heads/x' }), `git branch "x" of ${repository}`],
    [bare({ GITHUB_REF: 'refs/heads/x' }), 'git branch "x"'],
  ])('is refused with the name of what the step is about (%#)', (event, name) => {
    const metadata = { 'github-commit-ref': 'y', 'github-pr-number': '8' };
    expect(check({ event, metadata }).message).toContain(`, not to ${name}. Nothing was changed.`);
  });
});

describe('a branch that the step names', () => {
  const other = { 'github-commit-repo': 'octo/api', 'github-pr-number': '7' };

  it.each<Record<string, string>>([{ branch_name: 'preview/pr-7' }, { branch_id: 'br-cool-moon-1' }])(
    'may be changed with a warning if it belongs to another repository (%j)',
    (inputs) => {
      expect(check({ metadata: other, inputs, doing: 'change' })).toEqual({
        message: '',
        warnings: [
          'Branch "preview/pr-7" (br-1) belongs to pull request #7 of octo/api, according to its metadata; going ahead anyway, because the step names it explicitly',
        ],
      });
      expect(check({ metadata: other, inputs, doing: 'use' })).toEqual({ message: '', warnings: [] });
    },
  );

  it('may belong to another pull request of the same repository', () => {
    const metadata = { ...repo, 'github-pr-number': '8' };
    const inputs = { branch_name: 'preview/pr-7' };
    expect(check({ metadata, inputs, doing: 'change' })).toEqual({ message: '', warnings: [] });
  });
});

it.each<[Record<string, string>, string]>([
  [{ 'github-pr-number': '7', 'github-commit-ref': 'x', ...repo }, `pull request #7 of ${repository}`],
  [{ 'github-pr-number': '', 'github-commit-ref': 'x', ...repo }, `git branch "x" of ${repository}`],
  [{ 'github-commit-ref': '', ...repo }, repository],
  [{ 'github-commit-ref': 'x', 'github-commit-repo': '' }, 'git branch "x"'],
  [{ 'github-repository-id': '123' }, 'the repository with ID 123'],
  [
    { 'github-repository-id': '123', 'github-commit-repo': '', 'github-pr-number': '7' },
    'pull request #7 of the repository with ID 123',
  ],
  [{ 'github-repository-id': '123', ...repo }, repository],
  [{ 'github-pr-number': '7\n::error::', 'github-commit-repo': 'a\nb' }, 'pull request #7 ::error:: of a b'],
])('the owner of a branch with the metadata %j is %s', (metadata, owner) => {
  expect(describeOwner(branchOf(metadata))).toBe(owner);
});

describe('a branch that the step names and `prune` would delete', () => {
  const named = { branch_name: 'preview/pr-7' };
  /** The warnings of a `create` that reuses the branch. */
  async function warnings(
    metadata: Record<string, string>,
    options: { event?: GitHubEvent; inputs?: Record<string, string>; fields?: object } = {},
  ) {
    const account = new Account();
    account.add({ name: 'preview/pr-7', ...options.fields }, { metadata });
    const { event = pullRequest({ number: 7, head: 'x' }), inputs = named } = options;
    return (await run({ command: 'create', account, event, inputs })).warnings;
  }
  const theirs = { ...repo, 'github-pr-number': '8', 'github-commit-ref': 'y' };

  it('is used by another pull request with one warning', async () => {
    const event = pullRequest({ number: 7, head: 'x' });
    expect(await warnings(theirs, { event })).toEqual([
      `Branch "preview/pr-7" (br-1) belongs to pull request #8 of ${repository}, according to its metadata, so \`command: prune\` deletes it once that pull request is closed. To keep it, set \`exclude_pattern\` in the step that prunes, or protect the branch.`,
    ]);
    expect(await warnings(theirs, { event, inputs: { branch_id: 'br-1' } })).toHaveLength(1);
  });

  it.each<[string, Record<string, string>, Parameters<typeof warnings>[1]]>([
    ['the pull request that created it', { ...theirs, 'github-pr-number': '7' }, {}],
    ['a push to the head of that pull request', theirs, { event: push({ ref: 'refs/heads/y' }) }],
    ['another push', theirs, { event: push({ ref: 'refs/heads/main' }) }],
    ['a pull request with the same head', theirs, { event: pullRequest({ number: 7, head: 'y' }) }],
    ['anyone if it is protected', theirs, { fields: { protected: true } }],
    ['anyone if it belongs to a git ref', { ...repo, 'github-commit-ref': 'main' }, {}],
    ['another repository', { ...theirs, 'github-commit-repo': 'octo/api' }, {}],
    ['anyone if its metadata names no repository', { 'github-pr-number': '8' }, {}],
    ['anyone if it has no metadata', {}, {}],
  ])('is used without a warning by %s', async (_, metadata, options) => {
    expect(await warnings(metadata, options)).toEqual([]);
  });

  it('is not used with `if_exists: fail`, so there is no warning', async () => {
    expect(await warnings(theirs, { inputs: { ...named, if_exists: 'fail' } })).toEqual([]);
  });
});
