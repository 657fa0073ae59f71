import { describe, expect, it } from 'vitest';
import { deleteRef, pullRequest } from '../../../tools/runner/events.ts';
import { Account } from '../../support/account.ts';
import { type GitHubScript, mockGitHub, statesOf } from '../../support/mock-github.ts';
import { run } from '../../support/step.ts';

const name = 'preview/pr-7';

describe('delete', () => {
  it('deletes the branch of the pull request and waits until it is gone', async () => {
    const account = new Account();
    account.add({ name });
    const { result, sent, calls } = await run({ command: 'delete', account });
    expect(calls()).toEqual(['GET /branches', 'DELETE /branches/*']);
    expect(sent.at(-1)?.method).toBe('GET');
    expect(result).toMatchObject({ action: 'deleted', deleted: true, done: `Deleted branch "${name}" (br-1)` });
    expect(result.operations).toMatchObject([{ action: 'delete_timeline', status: 'finished' }]);
    expect(account.branch(name)).toBeUndefined();
  });

  it('succeeds if there is no branch, and says which one was looked for', async () => {
    const { result } = await run({ command: 'delete' });
    expect(result).toMatchObject({
      ...{ action: 'already-gone', deleted: false, operationIds: [], missing: { id: undefined, name } },
      done: `Branch "${name}" does not exist; nothing to delete`,
    });
  });

  it('names a branch that is given by its ID by nothing else', async () => {
    const { result } = await run({ command: 'delete', inputs: { branch_id: 'br-x' } });
    expect(result).toMatchObject({
      missing: { id: 'br-x', name: undefined },
      done: 'Branch br-x does not exist; nothing to delete',
    });
  });

  it.each(['default', 'protected'])('never deletes a %s branch, but reports it', async (guard) => {
    const account = new Account();
    account.add({ name, [guard]: true });
    const { message, result, calls } = await run({ command: 'delete', account });
    expect(message).toContain('is never deleted');
    expect(calls()).toEqual(['GET /branches']);
    expect(result).toMatchObject({ branch: { id: 'br-1' }, deleted: false });
  });
});

describe.each(['default', 'protected'])('a list that does not say which branches are %s', (missing) => {
  const play = (command: 'delete' | 'reset', itself: object) => {
    const account = new Account();
    const branch = account.add({ name, [missing]: undefined }, { metadata: { 'github-pr-number': '7' } });
    account.on('GET /branches/*', () => ({ body: { branch: { ...branch, ...itself } } }));
    return run({ command, account });
  };
  const changes = ({ calls }: { calls: () => string[] }) => calls().filter((call) => !call.startsWith('GET'));

  it.each(['delete', 'reset'] as const)('is not relied on: %s reads the branch itself', async (command) => {
    const may = await play(command, { [missing]: false });
    expect([may.message, changes(may).length]).toEqual([undefined, 1]);
    const mustNot = await play(command, { [missing]: true });
    expect(mustNot.message).toContain(`is never ${command === 'delete' ? 'deleted' : 'reset'}`);
    const nobodyKnows = await play(command, {});
    expect(nobodyKnows.message).toContain('The service does not say whether');
    expect([...changes(mustNot), ...changes(nobodyKnows)]).toEqual([]);
  });
});

describe('a delete that the event chooses', () => {
  const repository = 'octo-org/octo-repo';
  const closed = (runId: string, attempt: string) => {
    const event = pullRequest({ number: 7, action: 'closed' });
    return { ...event, env: { ...event.env, GITHUB_RUN_ID: runId, GITHUB_RUN_ATTEMPT: attempt } };
  };
  const play = (options: {
    metadata: Record<string, string>;
    inputs?: Record<string, string>;
    runId?: string;
    attempt?: string;
    gitHub?: GitHubScript;
    queries?: string[];
    fields?: object;
  }) => {
    const account = new Account();
    account.add({ name, ...options.fields }, { metadata: options.metadata });
    const { inputs = {}, runId = '99', attempt = '2', queries = [] } = options;
    const { gitHub = statesOf({}) } = options;
    const connectGitHub = async () =>
      mockGitHub((path, query) => {
        queries.push(path);
        return gitHub(path, query);
      });
    return run({ command: 'delete', account, inputs, event: closed(runId, attempt), connectGitHub });
  };
  const auto = { command: 'auto', branch_name: name };
  const mine = { 'github-commit-repo': repository, 'github-pr-number': '7' };

  const advice =
    "To delete it anyway, use a separate step with `command: delete` and the database branch's name as `branch_name`.";

  it.each<Record<string, string>>([{}, { command: 'auto' }, auto])(
    'keeps a branch that a later run has created (%j)',
    async (inputs) => {
      const { message, result, warnings, calls } = await play({
        metadata: { ...mine, 'github-run-id': '100' },
        inputs,
      });
      expect(message).toBeUndefined();
      expect(calls()).toEqual(['GET /branches']);
      expect(result).toMatchObject({ action: 'kept', deleted: false, branch: { id: 'br-1' }, operationIds: [] });
      const kept = `Branch "${name}" (br-1) was not deleted, because it was created by a later run (100)`;
      expect(result.done).toBe(inputs === auto ? `${kept}. ${advice}` : kept);
      expect(warnings).toEqual(inputs === auto ? [] : [`${kept}. ${advice}`]);
    },
  );

  it.each<[string, Record<string, string>, string]>([
    ['an earlier run', { 'github-run-id': '98' }, '99'],
    ['an earlier run with fewer digits', { 'github-run-id': '99' }, '100'],
    ['the same run', { 'github-run-id': '99' }, '99'],
    ['an unknown run', {}, '99'],
    ['something that is no run', { 'github-run-id': 'x' }, '99'],
    ['any run, if its own is unknown', { 'github-run-id': '98' }, ''],
  ])('deletes a branch that was created by %s', async (_, metadata, runId) => {
    const { result, warnings } = await play({ metadata: { ...mine, ...metadata }, runId });
    expect([result.deleted, warnings]).toEqual([true, []]);
  });

  it.each<[Record<string, string>, string]>([
    [{ ...mine, 'github-pr-number': '8' }, `it belongs to pull request #8 of ${repository}`],
    [{ ...mine, 'github-commit-repo': 'octo/api' }, 'it belongs to pull request #7 of octo/api'],
    // Of a manual run on main.
    [
      { 'github-commit-repo': repository, 'github-commit-ref': 'main' },
      `it belongs to git branch "main" of ${repository}`,
    ],
    // Of the head: a release from a branch that stays.
    [
      { 'github-commit-repo': repository, 'github-commit-ref': 'feature/login' },
      `it belongs to git branch "feature/login" of ${repository}`,
    ],
    // Of another pull request with the same head.
    [
      { ...mine, 'github-pr-number': '6', 'github-commit-ref': 'feature/login' },
      `it belongs to pull request #6 of ${repository}`,
    ],
    [{ 'github-pr-number': '7' }, 'its metadata names pull request #7, but no repository'],
    [{}, 'its metadata does not name its owner'],
  ])('keeps a branch that the step names if its metadata is %j', async (metadata, owner) => {
    const { result, warnings, calls } = await play({ metadata, inputs: auto });
    expect(calls().filter((call) => !call.startsWith('GET'))).toEqual([]);
    const why = `${owner}, and for this event, \`auto\` only deletes branches that belong to pull request #7 of ${repository}`;
    expect(result).toMatchObject({ action: 'kept', deleted: false });
    expect(result.done).toBe(`Branch "${name}" (br-1) was not deleted, because ${why}. ${advice}`);
    expect(warnings).toEqual([]);
  });

  it('keeps a branch that the step names if nobody knows whether its repository is that of the run', async () => {
    const metadata = { 'github-repository-id': '5', 'github-pr-number': '7' };
    const { result } = await play({ metadata, inputs: auto });
    const why =
      "it belongs to pull request #7 of the repository with ID 5, and the runner doesn't say whether this run is";
    expect(result.done).toContain(`was not deleted, because ${why} for that repository. ${advice}`);
  });

  it.each([
    [{ default: true }, "It is also the project's default branch, which `delete` never deletes."],
    [{ protected: true }, 'It is also protected, so `delete` never deletes it.'],
  ])(
    'does not name `command: delete` as the way to delete a branch that is never deleted (%j)',
    async (fields, why) => {
      const { result } = await play({ metadata: {}, inputs: auto, fields });
      expect(result.done?.endsWith(`. ${why}`)).toBe(true);
    },
  );

  it('deletes a branch that a later run has created, unless it is run again', async () => {
    const { result } = await play({ metadata: { ...mine, 'github-run-id': '100' }, attempt: '1' });
    expect(result.deleted).toBe(true);
  });

  it('goes on with a warning if `command: delete` names a branch of another repository', async () => {
    const metadata = { ...mine, 'github-commit-repo': 'octo/api' };
    const { result, warnings } = await play({ metadata, inputs: { branch_name: name } });
    expect([result.deleted, warnings]).toEqual([
      true,
      [expect.stringContaining('going ahead anyway, because the step names it explicitly')],
    ]);
  });

  it.each<Record<string, string>>([
    mine,
    // As a git branch is renamed.
    { ...mine, 'github-commit-ref': 'another' },
  ])('deletes a branch that the step names if its metadata is %j', async (metadata) => {
    const { result, warnings } = await play({ metadata, inputs: auto });
    expect([result.deleted, warnings]).toEqual([true, []]);
  });

  it('is not one with `command: delete` and a name', async () => {
    const metadata = { ...mine, 'github-pr-number': '8', 'github-run-id': '100' };
    const { result, warnings } = await play({ metadata, inputs: { branch_name: name } });
    expect([result.deleted, warnings]).toEqual([true, []]);
  });

  describe('and is run again', () => {
    const open: GitHubScript = statesOf({ open: () => true });

    it.each<Record<string, string>>([{}, { command: 'auto' }, auto])(
      'keeps the branch if the pull request has been reopened (%j)',
      async (inputs) => {
        const { result, calls, warnings, message } = await play({ metadata: mine, inputs, gitHub: open });
        const kept = `Branch "${name}" (br-1) was not deleted, because pull request #7 is open again`;
        expect([message, calls()]).toEqual([undefined, ['GET /branches']]);
        expect(result).toMatchObject({ action: 'kept', deleted: false });
        expect(result.done).toBe(inputs === auto ? `${kept}. ${advice}` : kept);
        expect(warnings).toEqual(inputs === auto ? [] : [`${kept}. ${advice}`]);
      },
    );

    it('keeps the branch of a git branch that exists again', async () => {
      const event = deleteRef();
      const branch = 'preview/feature/login';
      const play = async (exists: boolean) => {
        const account = new Account();
        account.add({ name: branch });
        const connectGitHub = async () => mockGitHub(statesOf({ exists: () => exists }));
        return run({
          ...{ command: 'delete', account, connectGitHub },
          event: { ...event, env: { ...event.env, GITHUB_RUN_ATTEMPT: '2' } },
        });
      };
      expect((await play(true)).result.done).toContain('because git branch "feature/login" exists again');
      expect((await play(false)).result.deleted).toBe(true);
    });

    it('asks GitHub once, and only then', async () => {
      const queries: string[] = [];
      const closed = await play({ metadata: mine, queries });
      expect([closed.result.deleted, queries.length]).toEqual([true, 1]);
      const first = await play({ metadata: mine, queries, attempt: '1', gitHub: open });
      const named = await play({ metadata: mine, queries, inputs: { branch_name: name }, gitHub: open });
      const without = await play({ metadata: mine, queries, inputs: { github_token: '' }, gitHub: open });
      for (const { result } of [first, named, without]) expect(result.deleted).toBe(true);
      expect(queries).toHaveLength(1);
    });

    it.each<GitHubScript>([() => 401, () => 403, () => 404])(
      'goes by the event if the token cannot tell',
      async (gitHub) => {
        const { result, lines } = await play({ metadata: mine, gitHub });
        expect(result.deleted).toBe(true);
        expect(lines.join('\n')).toMatch(
          /Could not check whether pull request #7 is open again: .*\. Going ahead with the deletion, because this run's event says that the pull request was closed\.$/m,
        );
      },
    );

    it('fails without a change if GitHub does not respond', async () => {
      const { message, calls } = await play({ metadata: mine, gitHub: () => 500 });
      expect(message).toMatch(
        /^Could not check whether pull request #7 is open again: GitHub responded with 500, no\. Nothing was changed\. Run the step again\.$/,
      );
      expect(calls()).toEqual(['GET /branches']);
    });
  });
});
