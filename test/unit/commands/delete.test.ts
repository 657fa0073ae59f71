import { describe, expect, it } from 'vitest';
import { Account } from '../../support/account.ts';
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
