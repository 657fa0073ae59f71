import { describe, expect, it } from 'vitest';
import { pullRequest } from '../../../tools/runner/events.ts';
import { Account } from '../../support/account.ts';
import { run } from '../../support/step.ts';

const name = 'preview/pr-7';
const manage = (inputs: Record<string, string>, account = new Account()) => run({ command: 'manage', account, inputs });

describe('manage', () => {
  it('looks up the branch and sends the request of the verb', async () => {
    const account = new Account();
    account.add({ name });
    const { result, calls, message } = await manage({ resource: 'branch', verb: 'get', branch_name: name }, account);
    expect(message).toBeUndefined();
    expect(calls()).toEqual(['GET /branches', 'GET /branches/*']);
    expect(result).toMatchObject({
      ...{ action: 'read', response: { status: 200 } },
      request: { method: 'GET', path: '/projects/shiny-wind-028834/branches/br-1' },
    });
  });

  it('sends a raw request', async () => {
    const { result, calls } = await manage({ method: 'GET', path: '/projects/shiny-wind-028834' });
    expect(calls()).toEqual(['GET /']);
    expect(result.response).toMatchObject({ status: 200 });
  });

  it('says what may be wrong with a create that belongs to no project', async () => {
    const { message } = await manage({ resource: 'project', verb: 'create', body: '{"name": "x"}' });
    expect(message).toMatch(/: 404.*\. Check `api_host`, and the IDs in `body`\.$/);
  });

  it('has deleted what a raw request no longer finds after a lost response', async () => {
    for (const status of [404, 410]) {
      const account = new Account().on('DELETE /branches/*', { status: 504 }, { status, body: {} });
      const path = '/projects/shiny-wind-028834/branches/br-1';
      const { result, message } = await manage({ method: 'DELETE', path, branch_id: 'br-1' }, account);
      expect(message).toBeUndefined();
      expect(result).toMatchObject({ action: 'deleted', deleted: true, response: { status } });
    }
  });

  it('sends nothing in a dry run', async () => {
    const { result, sent } = await manage({ resource: 'branch', verb: 'delete', branch_name: name, dry_run: 'true' });
    expect(sent).toEqual([]);
    expect(result.request).toMatchObject({ method: 'DELETE' });
  });

  it('succeeds without a branch to delete', async () => {
    const { result, warnings } = await manage({ resource: 'branch', verb: 'delete', branch_name: name });
    expect(result).toMatchObject({
      ...{ action: 'already-gone', deleted: false, operationIds: [] },
      done: `Branch "${name}" does not exist; nothing to delete`,
    });
    expect(warnings).toEqual([]);
  });

  it('succeeds, with a warning, without the branch of what is to be deleted', async () => {
    const { result, warnings } = await manage({
      resource: 'role',
      verb: 'delete',
      resource_id: 'app',
      branch_name: name,
    });
    expect(result).toMatchObject({
      ...{ action: 'already-gone', deleted: false, operationIds: [] },
      done: `Role "app" on branch "${name}" does not exist; nothing to delete`,
    });
    expect(warnings).toEqual([`The project has no branch "${name}", so there is nothing to delete on it`]);
  });

  describe("with another repository's branch", () => {
    const metadata = { 'github-commit-repo': 'octo/api', 'github-pr-number': '7' };
    const branchPath = '/projects/{project_id}/branches/{branch_id}';
    const reads: Record<string, string>[] = [
      { resource: 'role', verb: 'list' },
      { method: 'GET', path: branchPath },
    ];
    const withBranch = () => {
      const account = new Account();
      account.add({ name }, { metadata });
      return account;
    };

    /** With an event that names the branch, but no repository that could be compared with the branch's. */
    const nameless = (inputs: Record<string, string>) => {
      const { payload, env } = pullRequest({ number: 7, action: 'closed' });
      const event = {
        name: 'pull_request',
        payload: { ...payload, repository: undefined },
        env: { ...env, GITHUB_REPOSITORY: '', GITHUB_REPOSITORY_ID: '' },
      };
      return run({ command: 'manage', account: withBranch(), inputs, event });
    };

    it.each(reads)('reads even if the run does not say its own repository: %j', async (inputs) => {
      expect(await nameless(inputs)).toMatchObject({ message: undefined, warnings: [] });
    });
  });
});
