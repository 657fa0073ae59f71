import { describe, expect, it } from 'vitest';
import { describeTarget, findTarget, guard, requireTarget, targetName } from '../../../src/branch/target.ts';
import type { CommandName } from '../../../src/inputs/commands.ts';
import { branch as readBranch } from '../../../src/service/types.ts';
import { pullRequest, push } from '../../../tools/runner/events.ts';
import { Account } from '../../support/account.ts';
import type { Reply } from '../../support/mock-api.ts';
import { run, step } from '../../support/step.ts';

const id = 'br-cool-moon-1';
const notFound: Reply = { status: 404, body: { message: 'not found' } };
const theirs = { metadata: { 'github-commit-repo': 'octo/api', 'github-pr-number': '7' } };

function accountWith(fields: { id?: string; name: string }): Account {
  const account = new Account();
  account.add(fields);
  return account;
}

describe('the target of a step', () => {
  it('is the branch named in the inputs, before the one that the event stands for', () => {
    const inputs = { branch_name: 'mine' };
    expect(targetName(step({ command: 'get', inputs }).context)).toBe('mine');
    expect(targetName(step({ command: 'get' }).context)).toBe('preview/pr-7');
    expect(targetName(step({ command: 'get', event: push({ ref: 'refs/heads/x' }) }).context)).toBe('preview/x');
  });

  it('has no name without an input if the event stands for no branch', () => {
    const event = { name: '', payload: {}, env: { GITHUB_EVENT_NAME: 'repository_dispatch' } };
    const { context } = step({ command: 'wait', inputs: { operation_ids: '[]' }, event });
    expect(() => targetName(context)).toThrow('Event "repository_dispatch" does not name a branch');
  });

  it('is looked up by its exact name, and may be missing', async () => {
    const account = accountWith({ name: 'preview/pr-70' });
    expect(await findTarget(step({ command: 'get', account }).context, 'use')).toBeUndefined();
    const { id } = account.add({ name: 'preview/pr-7' });
    expect((await findTarget(step({ command: 'get', account }).context, 'use'))?.branch.id).toBe(id);
  });

  it('is read by its ID, whatever the event', async () => {
    const { context, calls } = step({
      ...{ command: 'get', inputs: { branch_id: id }, event: push() },
      account: accountWith({ id, name: 'x' }),
    });
    expect((await findTarget(context, 'use'))?.branch.name).toBe('x');
    expect(calls()).toEqual(['GET /branches/*']);
  });

  it('may be given by ID and name if both match', async () => {
    const find = (branch_name: string) =>
      findTarget(
        step({
          ...{ command: 'get', inputs: { branch_id: id, branch_name } },
          account: accountWith({ id, name: 'one' }),
        }).context,
        'use',
      );
    expect((await find('one'))?.branch.id).toBe(id);
    await expect(find('two')).rejects.toThrow(`Branch ${id} is named "one", not "two".`);
  });

  it('is looked for again for 3 seconds if its ID is unknown: it may be new', async () => {
    const account = accountWith({ id, name: 'x' }).on('GET /branches/*', notFound, notFound, notFound);
    const made = step({ command: 'get', inputs: { branch_id: id }, account });
    expect((await findTarget(made.context, 'use'))?.branch.name).toBe('x');

    const none = step({ command: 'get', inputs: { branch_id: id } });
    const before = none.clock.now();
    expect(await findTarget(none.context, 'use')).toBeUndefined();
    expect(none.clock.now() - before).toBeGreaterThanOrEqual(3_000);
    expect(none.clock.now() - before).toBeLessThan(6_000);
  });

  it('is an error if its ID is unknown because the project is', async () => {
    const account = new Account().on('GET /', notFound);
    const { context } = step({ command: 'get', inputs: { branch_id: id }, account });
    await expect(findTarget(context, 'use')).rejects.toThrow('Could not read project');
  });

  it('is an error if it cannot be read, without a look at the project', async () => {
    const account = new Account().on('GET /branches/*', { status: 403 });
    const { context, calls } = step({ command: 'get', inputs: { branch_id: id }, account });
    await expect(findTarget(context, 'use')).rejects.toThrow(`Could not read branch ${id}: 403`);
    expect(calls()).toEqual(['GET /branches/*']);
  });

  it('is refused if its name comes from the event and it belongs to another repository', async () => {
    const account = new Account();
    account.add({ name: 'preview/pr-7' }, theirs);
    const { context } = step({ command: 'get', account });
    await expect(findTarget(context, 'use')).rejects.toThrow('belongs to pull request #7 of octo/api');
  });

  it.each<[CommandName, number]>([
    ['reset', 1],
    ['delete', 1],
    ['get', 0],
    ['create', 0],
    ['diff', 0],
  ])('may belong to another repository if the step names it (%s: %i warnings)', async (command, count) => {
    const account = new Account();
    account.add({ name: 'mine' }, theirs);
    const { result, warnings } = await run({ command, inputs: { branch_name: 'mine' }, account });
    expect(result.branch?.name).toBe('mine');
    expect(
      warnings.filter((line) => /belongs to .* going ahead anyway, because the step names it explicitly/.test(line)),
    ).toHaveLength(count);
  });
});

describe('a missing target', () => {
  it.each<[CommandName, Record<string, string>, string]>([
    [
      'get',
      {},
      '"preview/pr-7". It may never have been created, or may have expired or been deleted. `command: create` creates it.',
    ],
    [
      'get',
      { branch_name: 'x' },
      '"x". It may never have been created, or may have expired or been deleted, or `branch_name` may be wrong. `command: create` creates it.',
    ],
    [
      'reset',
      { branch_id: id },
      `${id}. It may have expired or been deleted, or \`branch_id\` may be wrong. \`command: create\` with \`branch_name\` creates a new one.`,
    ],
    [
      'create',
      { branch_id: id },
      `${id}. It may have expired or been deleted, or \`branch_id\` may be wrong. \`command: create\` with \`branch_name\` creates a new one; with \`branch_id\`, it only uses an existing branch.`,
    ],
  ])('is named with what to do next (%s %j)', async (command, inputs, message) => {
    const { context } = step({ command, inputs, event: pullRequest() });
    await expect(requireTarget(context, 'use')).rejects.toThrow(`The project has no branch ${message}`);
    expect(message.startsWith(describeTarget(context))).toBe(true);
  });
});

describe('the default branch and protected branches', () => {
  it.each<[object, 'deleted' | 'reset', string]>([
    [{ default: true }, 'deleted', "is the project's default branch and is never deleted. Nothing was changed."],
    [{ default: true, protected: true }, 'reset', "is the project's default branch and is never reset."],
    [{ protected: true }, 'deleted', 'is a protected branch and is never deleted.'],
    [{ protected: true }, 'reset', 'is a protected branch and is never reset.'],
  ])('%j is never %s', (fields, doing, message) => {
    const branch = readBranch({ id: 'br-1', name: 'x', ...fields }, 'branch');
    expect(() => guard(branch, doing)).toThrow(`Branch "x" (br-1) ${message}`);
  });

  it('are the only ones that are guarded', () => {
    const flags = { default: false, protected: false };
    expect(() => guard(readBranch({ id: 'br-1', name: 'x', ...flags }, 'branch'), 'deleted')).not.toThrow();
  });

  it.each(['default', 'protected'])('are not told from others if the service does not say `%s`', (missing) => {
    const flags = { default: false, protected: false, [missing]: undefined };
    expect(() => guard(readBranch({ id: 'br-1', name: 'x', ...flags }, 'branch'), 'reset')).toThrow(
      'The service does not say whether branch "x" (br-1) is the project\'s default branch or protected, so it was not reset. Nothing was changed. Reset it in the service\'s console instead.',
    );
  });
});
