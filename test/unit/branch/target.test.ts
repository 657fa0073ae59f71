import { describe, expect, it } from 'vitest';
import { findParent, findTarget, requireTarget } from '../../../src/branch/target.ts';
import { type GitHubEvent, pullRequest } from '../../../tools/runner/events.ts';
import { Account } from '../../support/account.ts';
import { makeStep } from '../../support/lifecycle.ts';

const name = 'preview/pr-7';
const make = (inputs: Record<string, string> = {}, account = new Account(), event?: GitHubEvent) => {
  const made = makeStep({ command: 'get', account, inputs, event });
  return { ...made, account };
};

describe('the target of a step', () => {
  it('is found by the name from the event, by its exact name, or by its ID', async () => {
    const account = new Account();
    account.add({ name: 'preview/pr-70' });
    account.add({ name });
    account.add({ name: 'other' });
    for (const [inputs, id] of [
      [{}, 'br-2'],
      [{ branch_name: 'other' }, 'br-3'],
      [{ branch_id: 'br-3' }, 'br-3'],
      [{ branch_id: 'br-3', branch_name: 'other' }, 'br-3'],
    ] as const) {
      expect((await findTarget(make(inputs, account).step))?.branch.id).toBe(id);
    }
    const deletes = await findTarget(make({ branch_id: 'br-2' }, account).step, { withChildren: true });
    expect(deletes).toMatchObject({ branch: { name }, children: [] });
  });

  it('is refused if ID and name do not match', async () => {
    const { step, account } = make({ branch_id: 'br-1', branch_name: 'y' });
    account.add({ name: 'x' });
    await expect(findTarget(step)).rejects.toThrow('Branch br-1 is named "x", not "y".');
  });

  it('may be missing', async () => {
    expect(await findTarget(make().step)).toBeUndefined();
    expect(await findTarget(make({ branch_id: 'br-x' }).step)).toBeUndefined();
  });

  it('is read itself if the list has no metadata: the branch may have an owner', async () => {
    const { step, account } = make();
    account.add({ name }, { metadata: { 'github-commit-repo': 'octo/web' } });
    account.on('GET /branches', () => ({ body: { branches: account.branches, pagination: {} } }));
    await expect(findTarget(step)).rejects.toThrow('belongs to octo/web');
    account.on('GET /branches/*', { status: 403, body: {} });
    await expect(findTarget(step)).rejects.toThrow('Could not read branch br-1: 403');
  });
});

it('a branch that must exist and does not is explained', async () => {
  const message = async (inputs: Record<string, string>, event?: GitHubEvent) =>
    requireTarget(make(inputs, new Account(), event).step).then(String, (error: Error) => error.message);
  expect(await message({})).toBe(
    `The project has no branch "${name}". It may have expired, been deleted, or never been created; or its name, its ID or \`project_id\` is wrong. The root action creates one with \`command: create\`; if the pull request is closed, skip this step.`,
  );
  expect(await message({ branch_id: 'br-x' })).toBe(
    'The project has no branch br-x. It may have expired, been deleted, or never been created; or its name, its ID or `project_id` is wrong. The root action creates one with `command: create`; if the pull request is closed, skip this step.',
  );
  const event = pullRequest();
  const rerun = { ...event, env: { ...event.env, GITHUB_RUN_ATTEMPT: '2' } };
  expect(await message({}, rerun)).toContain('the job that creates the branch was not run again: re-run all jobs.');
});

it('the parent is found by name or ID', async () => {
  const account = new Account();
  account.add({ name: 'staging', id: 'br-staging' });
  const parentOf = (inputs: Record<string, string>) =>
    findParent(makeStep({ command: 'create', account, inputs }).step);
  expect(await parentOf({})).toBeUndefined();
  expect(await parentOf({ parent_branch: 'staging' })).toMatchObject({ id: 'br-staging' });
  expect(await parentOf({ parent_branch: 'br-staging' })).toMatchObject({ name: 'staging' });
  await expect(parentOf({ parent_branch: 'stagin' })).rejects.toThrow(
    'The project has no branch with the name or ID "stagin" (`parent_branch`). Nothing was changed. Check its spelling',
  );
});
