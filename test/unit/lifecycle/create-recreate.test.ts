import { describe, expect, it } from 'vitest';
import { Account } from '../../support/account.ts';
import { run } from '../../support/lifecycle.ts';

const name = 'preview/pr-7';
const refused = { status: 422, body: { code: 'LIMIT', message: 'no' } };

function account(): Account {
  const made = new Account();
  made.add({ name, id: 'br-old' });
  return made;
}

const recreate = (options: { account: Account; inputs?: Record<string, string> }) =>
  run({ command: 'create', account: options.account, inputs: { if_exists: 'recreate', ...options.inputs } });

describe('create with `if_exists: recreate`', () => {
  it('deletes the existing branch, waits until it is gone, and creates a new one', async () => {
    const { result, calls, message } = await recreate({ account: account() });
    expect(message).toBeUndefined();
    expect(calls()).toEqual(['GET /branches', 'DELETE /branches/*', 'POST /branches']);
    expect(result).toMatchObject({ action: 'created', created: true, branch: { id: 'br-2' } });
  });

  it('reports only the operations of the new branch', async () => {
    const { result } = await recreate({ account: account() });
    expect(result.operationIds).toEqual(result.operations.slice(-2).map(({ id }) => id));
  });

  it('waits for the delete even with `wait: false`', async () => {
    const existing = account();
    await recreate({ account: existing, inputs: { wait: 'false' } });
    expect(existing.operations.map(({ action, status }) => [action, status])).toEqual([
      ['delete_timeline', 'finished'],
      ['create_branch', 'running'],
      ['start_compute', 'running'],
    ]);
  });

  it('creates the branch if there is none', async () => {
    const { result, calls } = await recreate({ account: new Account() });
    expect(calls()).toEqual(['GET /branches', 'POST /branches']);
    expect(result).toMatchObject({ action: 'created' });
  });

  it('keeps the name of a branch that is given by its ID', async () => {
    const existing = new Account();
    existing.add({ name: 'any name', id: 'br-old' });
    const { bodies } = await recreate({ account: existing, inputs: { branch_id: 'br-old' } });
    expect(bodies('POST /branches')).toMatchObject([{ branch: { name: 'any name' } }]);
  });

  it('fails if the branch with that ID does not exist', async () => {
    const { message, calls } = await recreate({ account: new Account(), inputs: { branch_id: 'br-x' } });
    expect(message).toContain('The project has no branch br-x');
    expect(calls()).not.toContain('POST /branches');
  });

  it.each(['default', 'protected'])('never deletes a %s branch', async (guard) => {
    const existing = new Account();
    existing.add({ name, [guard]: true });
    const { message, calls } = await recreate({ account: existing });
    expect(message).toMatch(/was not deleted, because it is /);
    expect(calls()).toEqual(['GET /branches']);
  });

  it("never deletes another pull request's branch", async () => {
    const existing = new Account();
    existing.add({ name }, { metadata: { 'github-pr-number': '8' } });
    const { message, calls } = await recreate({ account: existing });
    expect(message).toContain('belongs to pull request #8');
    expect(calls()).toEqual(['GET /branches']);
  });

  it("warns before it deletes another repository's branch that the step names", async () => {
    const existing = new Account();
    existing.add({ name: 'staging' }, { metadata: { 'github-commit-repo': 'octo-org/other' } });
    const { warnings, result } = await recreate({ account: existing, inputs: { branch_name: 'staging' } });
    expect(warnings).toEqual([expect.stringContaining('which the step names, belongs to octo-org/other')]);
    expect(result.created).toBe(true);
  });

  it('refuses to make a branch its own parent', async () => {
    const { message, calls } = await recreate({ account: account(), inputs: { parent_branch: name } });
    expect(message).toContain(`Branch "${name}" (br-old) cannot be its own parent. Nothing was changed.`);
    expect(calls()).not.toContain('DELETE /branches/*');
  });

  it('reports the new branch, not the old one, if the new one does not become ready', async () => {
    const existing = account();
    existing.on('POST /branches', (request) => {
      const reply = existing.carryOut(request);
      for (const one of existing.operations) one.status = 'error';
      return reply;
    });
    const { message, result, warnings } = await recreate({ account: existing });
    expect(message).toContain('create_branch');
    expect(warnings).toEqual([]);
    expect(result).toMatchObject({ deleted: false, created: true, branch: { id: 'br-2' } });
  });

  it('does not claim to have deleted a branch that was already gone', async () => {
    const existing = account().on('POST /branches', () => refused);
    existing.on('DELETE /branches/*', { status: 204 });
    const { result, warnings } = await recreate({ account: existing });
    expect(warnings).toEqual([]);
    expect(result.deleted).toBe(false);
  });

  it('reports the operations of the delete if the name stays taken, and the create then fails', async () => {
    const taken = { status: 409, body: { code: 'BRANCH_ALREADY_EXISTS', message: 'exists' } };
    const existing = account().on('POST /branches', taken, refused);
    const { message, result } = await recreate({ account: existing });
    expect(message).toContain('Could not create branch');
    expect(result.operationIds).toEqual(existing.operations.map(({ id }) => id));
  });

  it('says nothing about a deleted branch if there was none', async () => {
    const { warnings, result } = await recreate({ account: new Account().on('POST /branches', () => refused) });
    expect(warnings).toEqual([]);
    expect(result.deleted).toBe(false);
  });
});
