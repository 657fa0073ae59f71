import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WebhookDefinition } from '@octokit/webhooks-examples';
import type { PushEvent } from '@octokit/webhooks-types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { metadataOf } from '../../../src/branch/metadata.ts';
import { decide } from '../../../src/lifecycle/auto.ts';
import { branchNameOf, isDependabot, parseEvent, type RunEvent, readEvent } from '../../../src/step/event.ts';
import type { GitHubEvent } from '../../../tools/runner/events.ts';
import * as events from '../../../tools/runner/events.ts';

/** `auto` needs a name for the branch. */
const branchName = { invalid: expect.stringMatching(/^branch_name is required: /) };

const parse = (event: GitHubEvent) => parseEvent({ env: event.env, payload: event.payload });

/** What `auto` does, in one word if it does anything. */
function commandOf(event: RunEvent, namesBranch = false) {
  const branch_name = namesBranch ? 'named' : undefined;
  const { command, ...other } = decide(event, { command: 'auto', branch_id: undefined, branch_name });
  return command === undefined || other.invalid ? other : command;
}

/** Events with their command and branch name. */
const cases: [string, GitHubEvent, string, string][] = [
  ...(['opened', 'reopened', 'synchronize', 'labeled', 'edited'] as const).map(
    (action): [string, GitHubEvent, string, string] => [
      `pull_request ${action}`,
      events.pullRequest({ action, number: 7 }),
      'create',
      'preview/pr-7',
    ],
  ),
  ['pull_request closed', events.pullRequest({ action: 'closed', number: 8 }), 'delete', 'preview/pr-8'],
  ['pull_request merged', events.pullRequest({ action: 'closed', merged: true }), 'delete', 'preview/pr-7'],
  ['pull_request_target opened', events.pullRequest({ target: true, number: 9 }), 'create', 'preview/pr-9'],
  ['pull_request_target closed', events.pullRequest({ target: true, action: 'closed' }), 'delete', 'preview/pr-7'],
  ['pull_request of a fork', events.pullRequest({ fork: 'someone/fork', number: 10 }), 'create', 'preview/pr-10'],
  ['push', events.push({ ref: 'refs/heads/feature/a#b' }), 'create', 'preview/feature/a-b-e66b54af'],
  ['push of a tag', events.push({ ref: 'refs/tags/v1.2' }), 'create', 'preview/tags/v1.2'],
  ['create', events.create({ ref: 'feature/login' }), 'create', 'preview/feature/login'],
  ['create of a tag', events.create({ ref: 'v1', refType: 'tag' }), 'create', 'preview/tags/v1'],
  ['delete', events.deleteRef({ ref: 'feature/login' }), 'delete', 'preview/feature/login'],
  ['delete of a tag', events.deleteRef({ ref: 'v1', refType: 'tag' }), 'delete', 'preview/tags/v1'],
  ['push of a deleted branch', deletedBy('refs/heads/feature/login'), 'delete', 'preview/feature/login'],
  ['push of a deleted tag', deletedBy('refs/tags/v1'), 'delete', 'preview/tags/v1'],
  ['workflow_dispatch', events.workflowDispatch({ ref: 'refs/heads/dev' }), 'create', 'preview/dev'],
  [
    'merge_group',
    events.mergeGroup({ number: 7 }),
    'create',
    `preview/gh-readonly-queue/main/pr-7-${events.commitId('octo-org/octo-repo', 'main')}`,
  ],
  [
    'merge_group destroyed, for which GitHub starts no workflow',
    changed(events.mergeGroup({ number: 7 }), { action: 'destroyed' }),
    'create',
    `preview/gh-readonly-queue/main/pr-7-${events.commitId('octo-org/octo-repo', 'main')}`,
  ],
  ['workflow_run of a pull request', workflowRun({ pull_requests: [pullOf(12)] }), 'create', 'preview/pr-12'],
  ['workflow_run of a git branch', workflowRun({}), 'create', 'preview/feature/run'],
  [
    'workflow_run of two pull requests',
    workflowRun({ pull_requests: [pullOf(12), pullOf(13)] }),
    'create',
    'preview/feature/run',
  ],
  [
    'workflow_run of a pull request to the upstream repository',
    workflowRun({ pull_requests: [pullOf(12, 'upstream')] }),
    'create',
    'preview/feature/run',
  ],
  [
    'workflow_run of a pull request within another repository',
    workflowRun({ pull_requests: [{ ...pullOf(12, 'upstream'), head: { ref: 'feature/run', repo: { id: 1 } } }] }),
    'create',
    'preview/feature/run',
  ],
  [
    'workflow_run of pull requests to this repository and to another',
    workflowRun({ pull_requests: [pullOf(12, 'upstream'), pullOf(13)] }),
    'create',
    'preview/pr-13',
  ],
  [
    'workflow_run of pull requests whose repositories have no ID',
    changed(workflowRun({ pull_requests: [{ number: 12, base: { repo: {} } }] }), {
      repository: { full_name: 'octo-org/octo-repo' },
    }),
    'create',
    'preview/feature/run',
  ],
  [
    'workflow_run of a pull request without a base',
    workflowRun({ pull_requests: [{ number: 12 }] }),
    'create',
    'preview/feature/run',
  ],
];

function changed(event: GitHubEvent, fields: object, env: Record<string, string> = {}): GitHubEvent {
  return { ...event, payload: { ...event.payload, ...fields }, env: { ...event.env, ...env } };
}

/** A push that deletes a ref. The run's own ref may be another one. */
function deletedBy(ref: string): GitHubEvent {
  return onDefaultBranch(changed(events.push({ ref }), { deleted: true }));
}

function onDefaultBranch(event: GitHubEvent): GitHubEvent {
  return changed(event, {}, { GITHUB_REF: 'refs/heads/main' });
}

/** A run that was triggered by one of the git branch `feature/run`. */
function workflowRun(fields: object): GitHubEvent {
  const { payload, env } = events.push({ ref: 'refs/heads/main' });
  const { repository } = payload as { repository: { full_name: string } };
  const run = { head_branch: 'feature/run', head_sha: 'abc123', head_repository: repository, pull_requests: [] };
  const name = 'workflow_run';
  return {
    name,
    env: { ...env, GITHUB_EVENT_NAME: name },
    payload: { action: 'completed', repository, workflow_run: { ...run, ...fields } },
  };
}

function pullOf(number: number, base: 'here' | 'upstream' = 'here'): object {
  const { id } = (events.push().payload as { repository: { id: number } }).repository;
  return {
    number,
    head: { ref: 'feature/run', sha: 'def', repo: { id } },
    base: { repo: { id: base === 'here' ? id : 1 } },
  };
}

describe('auto', () => {
  it.each(cases)('on %s', (_, event, command, name) => {
    const parsed = parse(event);
    expect(commandOf(parsed)).toBe(command);
    expect(branchNameOf(parsed)).toBe(name);
  });

  it.each(['labeled', 'edited', 'synchronize'] as const)('does nothing on %s of a closed pull request', (action) => {
    const event = events.pullRequest({ action, number: 7 });
    const { pull_request } = event.payload as { pull_request: object };
    const closed = changed(event, { pull_request: { ...pull_request, state: 'closed' } });
    for (const name of ['pull_request', 'pull_request_target', 'pull_request_review', 'pull_request_review_comment']) {
      const parsed = parse(changed(closed, {}, { GITHUB_EVENT_NAME: name }));
      expect(commandOf(parsed)).toEqual({ nothing: 'pull request #7 is closed' });
      expect(commandOf(parsed, true)).toEqual({ nothing: 'pull request #7 is closed' });
    }
  });

  it('follows the state of the pull request that a comment is on, and needs a name for one on an issue', () => {
    const env = { GITHUB_EVENT_NAME: 'issue_comment', GITHUB_REF: 'refs/heads/main' };
    const comment = (issue: object) => parseEvent({ env, payload: { issue: { number: 3, ...issue } } });
    expect(commandOf(comment({ pull_request: {}, state: 'open' }))).toBe('create');
    expect(commandOf(comment({ pull_request: {}, state: 'closed' }))).toEqual({
      nothing: 'pull request #3 is closed',
    });
    expect(commandOf(comment({ state: 'open' }))).toEqual(branchName);
    expect(commandOf(comment({ state: 'open' }), true)).toBe('create');
  });

  it('needs a name for a workflow_run of another repository', () => {
    const fork = parse(workflowRun({ head_repository: { full_name: 'someone/octo-repo' } }));
    expect(branchNameOf(fork)).toBeUndefined();
    expect(commandOf(fork)).toEqual({
      invalid: expect.stringMatching(/^branch_name is required: event "workflow_run" names/),
    });
    expect(commandOf(fork, true)).toBe('create');
  });

  it('is an error on a schedule', () => {
    expect(commandOf(parse(events.schedule()))).toEqual({
      invalid: expect.stringMatching(/^branch_name is required: a schedule names no branch\. .*the action `prune`/),
    });
    expect(commandOf(parse(events.schedule()), true)).toBe('create');
  });

  it('follows the table with every published payload', () => {
    const definitions = createRequire(import.meta.url)('@octokit/webhooks-examples') as WebhookDefinition[];
    const ends: Record<string, (payload: { action?: string; deleted?: boolean }) => boolean> = {
      pull_request: ({ action }) => action === 'closed',
      push: ({ deleted }) => deleted === true,
      delete: () => true,
    };
    const creates = /^(push|workflow_dispatch|release|create|merge_group|pull_request(_review|_review_comment)?)$/;
    const seen: Record<string, number> = {};
    for (const { name, examples } of definitions) {
      for (const payload of examples) {
        const repository = (payload as { repository?: { full_name: string } }).repository?.full_name ?? '';
        const env = { GITHUB_EVENT_NAME: name, GITHUB_REF: 'refs/heads/main', GITHUB_REPOSITORY: repository };
        const event = parseEvent({ env, payload });
        const command = commandOf(event);
        const { issue, workflow_run } = payload as {
          issue?: { pull_request?: object };
          workflow_run?: { head_repository: { full_name: string } };
        };
        const isOwnRun = name === 'workflow_run' && workflow_run?.head_repository.full_name === repository;
        const isComment = name === 'issue_comment' && issue?.pull_request !== undefined;
        const isOwnCheck = /^check_/.test(name) && event.pullRequest !== undefined;
        // The only pull request that runs name in these payloads is one to another repository.
        if (name === 'workflow_run') expect(event.pullRequest).toBeUndefined();
        if (ends[name]?.(payload as object)) expect(command).toBe('delete');
        else if (creates.test(name) || isOwnRun || isComment || isOwnCheck) expect(command).toBe('create');
        else expect(command, name).toEqual(branchName);
        // Whatever the event is, a name makes it clear.
        expect(['create', 'delete']).toContain(commandOf(event, true));
        const outcome = typeof command === 'object' ? 'error' : command;
        seen[outcome] = (seen[outcome] ?? 0) + 1;
      }
    }
    expect(seen.create).toBeGreaterThan(50);
    expect(seen.delete).toBeGreaterThanOrEqual(10);
    expect(seen.error).toBeGreaterThan(100);
  });
});

describe('the branch name of an event', () => {
  it('comes from the pull request for its comments, and from nothing for those of an issue', () => {
    const env = { GITHUB_EVENT_NAME: 'issue_comment', GITHUB_REF: 'refs/heads/main' };
    const issue = { number: 3, title: 'x', user: { login: 'a' } };
    expect(branchNameOf(parseEvent({ env, payload: { issue } }))).toBeUndefined();
    const pull = { issue: { ...issue, pull_request: { url: 'https://…' } } };
    expect(branchNameOf(parseEvent({ env, payload: pull }))).toBe('preview/pr-3');
  });

  it('is undefined without a pull request or a ref', () => {
    expect(branchNameOf(parseEvent({ env: {}, payload: {} }))).toBeUndefined();
  });

  it('never comes from the ref of the run if the payload does not name the ref that was deleted', () => {
    const env = { GITHUB_EVENT_NAME: 'push', GITHUB_REF: 'refs/heads/main' };
    expect(branchNameOf(parseEvent({ env, payload: { deleted: true } }))).toBeUndefined();
  });

  it('comes from the deleted ref, not from the branch that the workflow runs on', () => {
    const event = parse(events.deleteRef({ ref: 'refs-like/heads/x' }));
    expect(event).toMatchObject({ ref: 'refs-like/heads/x', fullRef: 'refs/heads/refs-like/heads/x' });
    // Gitea's payload has the full ref.
    expect(parse(events.deleteRef({ ref: 'refs/heads/env/q1' })).fullRef).toBe('refs/heads/env/q1');
    expect(parse(events.deleteRef({ ref: 'refs/tags/v1', refType: 'tag' })).fullRef).toBe('refs/tags/v1');
  });

  it('is endless for a merge group and for the default git branch, which nothing ever ends', () => {
    expect(parse(events.mergeGroup({ number: 7 })).endless).toBe(true);
    expect(parse(events.push({ ref: 'refs/heads/main' })).endless).toBe(true);
    expect(parse(events.workflowDispatch({ ref: 'refs/heads/main' })).endless).toBe(true);
    expect(parse(events.push({ ref: 'refs/heads/dev' })).endless).toBe(false);
    expect(parse(events.push({ ref: 'refs/tags/v1' })).endless).toBe(false);
    expect(parse(events.pullRequest()).endless).toBe(false);
    expect(parse(events.pullRequest({ target: true })).endless).toBe(false);
  });

  it('comes from the pull request of a check', () => {
    const check = (pulls: object[]) =>
      branchNameOf(
        parseEvent({
          env: { GITHUB_EVENT_NAME: 'check_suite', GITHUB_REF: 'refs/heads/main' },
          payload: {
            ...events.push().payload,
            check_suite: { head_branch: 'main', pull_requests: pulls },
          },
        }),
      );
    expect(check([pullOf(12)])).toBe('preview/pr-12');
    expect(check([pullOf(12), pullOf(13)])).toBeUndefined();
    expect(check([])).toBeUndefined();
  });
});

describe('a payload', () => {
  it('may have any shape', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom('pull_request', 'delete', 'push', 'issue_comment', 'merge_group', 'workflow_run'),
        (value, name) => {
          for (const payload of [
            value,
            { pull_request: value },
            { issue: value },
            { pull_request: { number: 1, head: value } },
            { merge_group: value, deleted: true, ref: value },
            { workflow_run: value },
            { workflow_run: { pull_requests: [value] } },
          ]) {
            const event = parseEvent({ env: { GITHUB_EVENT_NAME: name }, payload });
            expect(() => [branchNameOf(event), metadataOf(event), commandOf(event)]).not.toThrow();
          }
        },
      ),
    );
  });

  it('is read from the file in GITHUB_EVENT_PATH', () => {
    const folder = mkdtempSync(join(tmpdir(), 'event-'));
    try {
      const path = join(folder, 'event.json');
      const event = events.pullRequest({ number: 12 });
      writeFileSync(path, JSON.stringify(event.payload));
      expect(readEvent({ ...event.env, GITHUB_EVENT_PATH: path }).pullRequest?.number).toBe(12);
      writeFileSync(path, '{"pull_request": ');
      expect(() => readEvent({ GITHUB_EVENT_PATH: path })).toThrow('Could not read the event payload from');
      expect(readEvent({ GITHUB_EVENT_PATH: join(folder, 'none.json') }).action).toBe('');
    } finally {
      rmSync(folder, { recursive: true });
    }
    expect(readEvent({}).name).toBe('');
  });
});

describe('a pull request', () => {
  it('comes from a fork if its head is in another repository, or in one that was deleted', () => {
    expect(parse(events.pullRequest()).pullRequest?.fork).toBe(false);
    expect(parse(events.pullRequest({ repository: 'Acme/Shop' })).pullRequest?.fork).toBe(false);
    expect(parse(events.pullRequest({ fork: 'someone/octo-repo' })).pullRequest?.fork).toBe(true);
    const gone = events.pullRequest();
    (gone.payload as { pull_request: { head: { repo: unknown } } }).pull_request.head.repo = null;
    expect(parse(gone).pullRequest?.fork).toBe(true);
    // Names on GitHub are case-insensitive.
    expect(
      parse(changed(events.pullRequest(), {}, { GITHUB_REPOSITORY: 'OCTO-org/octo-REPO' })).pullRequest?.fork,
    ).toBe(false);
  });

  it('is from Dependabot if it has started a run that has only its secrets', () => {
    const opened = events.pullRequest({ author: 'dependabot[bot]' });
    expect(isDependabot(parse(opened))).toBe(true);
    // A person has pushed to its branch.
    expect(isDependabot(parse({ ...opened, env: { ...opened.env, GITHUB_ACTOR: 'octocat' } }))).toBe(false);
    expect(isDependabot(parse(events.pullRequest({ author: 'dependabot[bot]', target: true })))).toBe(false);
    expect(isDependabot(parse(events.push({ author: 'dependabot[bot]' })))).toBe(true);
    expect(isDependabot(parse(events.pullRequest()))).toBe(false);
    expect(isDependabot(parse(events.pullRequest({ author: 'dependabot' })))).toBe(false);
  });
});

describe('metadata', () => {
  it('of a pull request has its number, commit and run', () => {
    const event = events.pullRequest({ number: 7, head: 'feature/a', title: 'A | title', author: 'mona' });
    const run = { GITHUB_RUN_ID: '99', GITHUB_RUN_ATTEMPT: '2', GITHUB_REPOSITORY_ID: '1' };
    const env = { ...event.env, ...run, GITHUB_ACTOR: 'hubot' };
    expect(metadataOf(parseEvent({ env, payload: event.payload }))).toEqual({
      'github-commit-repo': 'octo-org/octo-repo',
      'github-commit-author-login': 'mona',
      'github-commit-sha': events.commitId('octo-org/octo-repo', 7, 'feature/a'),
      'github-commit-ref': 'feature/a',
      'github-pr-number': '7',
      'github-pr-title': 'A | title',
      'github-run-id': '99',
      'github-run-attempt': '2',
      'github-repository-id': '1',
    });
  });

  it('has the ID of the repository from the payload if the runner sets no variable', () => {
    const { env, payload } = events.push({});
    const server = { GITHUB_SERVER_URL: 'https://git.example.com', GITHUB_REPOSITORY_ID: '' };
    const { id } = (payload as PushEvent).repository;
    const idIn = (given: unknown) => parseEvent({ env: { ...env, ...server }, payload: given }).repositoryId;
    expect(idIn(payload)).toBe(`git.example.com/${id}`);
    for (const other of [{}, { repository: { id: { a: 1 } } }]) expect(idIn(other)).toBe('');
  });

  it('is recognised by its exact keys', () => {
    const { env, payload } = events.pullRequest({ number: 7 });
    const run = { GITHUB_RUN_ID: '1', GITHUB_RUN_ATTEMPT: '2' };
    const keys = Object.keys(metadataOf(parseEvent({ env: { ...env, ...run }, payload })));
    expect(keys).toHaveLength(9);
  });

  it('of a push has the ref and the commit', () => {
    const event = events.push({ ref: 'refs/heads/fix/x' });
    expect(metadataOf(parse(event))).toEqual({
      'github-commit-repo': 'octo-org/octo-repo',
      'github-commit-author-login': 'octocat',
      'github-commit-sha': event.env.GITHUB_SHA,
      'github-commit-ref': 'fix/x',
      'github-repository-id': '1296269',
    });
  });

  it('has the ref of a tag in full, because a git branch may have its name', () => {
    const refOf = (event: GitHubEvent) => metadataOf(parse(event))['github-commit-ref'];
    expect(refOf(events.push({ ref: 'refs/tags/v1' }))).toBe('refs/tags/v1');
    expect(refOf(events.deleteRef({ ref: 'v1', refType: 'tag' }))).toBe('refs/tags/v1');
    expect(refOf(events.push({ ref: 'refs/heads/tags/v1' }))).toBe('tags/v1');
  });
});

it('the API is that of GitHub only on GitHub, if the runner names none', () => {
  const apiOf = (env: NodeJS.ProcessEnv) => parseEvent({ env, payload: {} }).github.api;
  expect(apiOf({})).toBe('https://api.github.com');
  for (const forge of ['GITEA_ACTIONS', 'FORGEJO_ACTIONS']) expect(apiOf({ [forge]: 'true' })).toBe('');
});
