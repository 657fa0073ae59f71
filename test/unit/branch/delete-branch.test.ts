import { describe, expect, it } from 'vitest';
import { Account, type Raw } from '../../support/account.ts';
import type { Reply } from '../../support/mock-api.ts';
import { run } from '../../support/step.ts';

const name = 'preview/pr-7';
const refused: Reply = { status: 422, body: { message: 'no' } };

/** An account with a branch to delete. */
function accountWith(fields: Raw = {}): Account {
  const account = new Account();
  account.add({ name, ...fields });
  return account;
}

/** Deletes the branch, and loses its operations. */
function forgetsOperations(account: Account, options: { keep?: boolean } = {}) {
  account.on('DELETE /branches/*', (_, id) => {
    const branch = account.branch(id);
    if (!options.keep) account.remove(id);
    return { body: { branch, operations: [{ id: 'op-lost', action: 'delete_timeline', status: 'running' }] } };
  });
  return account;
}

describe('deleting a branch', () => {
  it('waits for its operations, and reports them', async () => {
    const account = accountWith();
    const { message, result, calls, lines, sent } = await run({ command: 'delete', account });
    expect(message).toBeUndefined();
    expect(calls()).toEqual(['GET /branches', 'DELETE /branches/*']);
    expect(sent[1]?.path).not.toContain('?');
    expect(result).toMatchObject({
      ...{ action: 'deleted', deleted: true, branch: { id: 'br-1' }, operationIds: ['op-2'] },
      ...{ operations: [{ id: 'op-2', status: 'finished' }], done: `Deleted branch "${name}" (br-1)` },
    });
    expect(lines[0]).toBe(`Deleting branch "${name}" (br-1)`);
    expect(account.branch(name)).toBeUndefined();
  });

  it('lists its children again if their list took too long', async () => {
    const account = accountWith();
    let lists = 0;
    const { message, calls } = await run({
      ...{ command: 'delete', account },
      prepare({ clock }) {
        account.on('GET /branches', (request) => {
          const reply = account.carryOut(request);
          if (++lists === 1) account.add({ name: 'child', parent_id: 'br-1' });
          clock.pass(2_000);
          return reply;
        });
      },
    });
    expect(message).toContain('has a child branch: "child"');
    expect(calls()).toEqual(['GET /branches', 'GET /branches']);
  });

  it('does not wait with `wait: false`', async () => {
    const { result, sent } = await run({ command: 'delete', account: accountWith(), inputs: { wait: 'false' } });
    expect(result).toMatchObject({ deleted: true, operationIds: ['op-2'], operations: [] });
    expect(sent).toHaveLength(2);
  });

  it('reports its operations even if one of them fails', async () => {
    const account = accountWith();
    account.on('DELETE /branches/*', (_, id) => ({
      body: { branch: account.branch(id), operations: [account.start('delete_timeline', id, { status: 'error' })] },
    }));
    const { message, result } = await run({ command: 'delete', account });
    expect(message).toContain('Operation delete_timeline (op-2) ended with status "error"');
    expect(result).toMatchObject({ operationIds: ['op-2'], deleted: true, branch: { id: 'br-1' } });
  });

  it('fails if its operations do, even if the branch is gone', async () => {
    const account = accountWith();
    account.on('DELETE /branches/*', (_, id) => {
      const branch = account.branch(id);
      account.remove(id);
      return { body: { branch, operations: [account.start('delete_timeline', id, { status: 'error' })] } };
    });
    const { message } = await run({ command: 'delete', account });
    expect(message).toContain('Operation delete_timeline (op-2) ended with status "error"');
  });

  it('leaves no recovery window with `hard_delete: true`', async () => {
    const { sent } = await run({ command: 'delete', account: accountWith(), inputs: { hard_delete: 'true' } });
    expect(sent[1]?.path).toMatch(/\?hard_delete=true$/);
  });

  it('succeeds if the branch is already gone', async () => {
    const account = accountWith().on('DELETE /branches/*', { status: 404 });
    const { result } = await run({ command: 'delete', account });
    expect(result).toMatchObject({
      ...{ action: 'already-gone', deleted: false, operationIds: [], operations: [] },
      done: `Branch "${name}" (br-1) was already gone`,
    });
  });

  it('is sent again if its response has lost its body, which would have named its operations', async () => {
    const account = accountWith().on('DELETE /branches/*', {});
    const { result, calls } = await run({ command: 'delete', account });
    expect(calls()).toEqual(['GET /branches', 'DELETE /branches/*', 'DELETE /branches/*']);
    expect(result).toMatchObject({ deleted: true, operationIds: ['op-2'] });
  });

  it('counts as done if a response was lost and the retry finds the branch gone', async () => {
    const account = accountWith().on('DELETE /branches/*', { status: 500 }, { status: 204 });
    expect((await run({ command: 'delete', account })).result).toMatchObject({ deleted: true, action: 'deleted' });
  });

  it('fails at once on any other error', async () => {
    const account = accountWith().on('DELETE /branches/*', { status: 403 });
    const { message, calls } = await run({ command: 'delete', account });
    expect(message).toContain(`Could not delete branch "${name}": 403`);
    expect(calls()).toEqual(['GET /branches', 'DELETE /branches/*']);
  });
});

describe('deleting a branch in a project that is locked', () => {
  const locked = (account: Account, change: (id: string) => unknown) =>
    account.on('DELETE /branches/*', (_, id) => {
      change(id);
      return { status: 423, headers: { 'retry-after': '2' } };
    });

  it('stops if the branch has changed in the meantime', async () => {
    const account = accountWith();
    locked(account, (id) => Object.assign(account.branch(id) ?? {}, { protected: true }));
    const { message, calls } = await run({ command: 'delete', account });
    expect(message).toBe(`Branch "${name}" (br-1) was protected in the meantime, so it was not deleted.`);
    expect(calls()).toEqual(['GET /branches', 'DELETE /branches/*', 'GET /branches/*']);
  });

  it("stops if the branch cannot be read again: that doesn't mean the deletion was rejected", async () => {
    const account = accountWith();
    locked(account, () => account.on('GET /branches/*', { status: 422 }));
    const { message, calls } = await run({ command: 'delete', account });
    expect(message).toContain('Could not read branch br-1: 422');
    expect(calls()).toEqual(['GET /branches', 'DELETE /branches/*', 'GET /branches/*']);
  });
});

describe('deleting a branch whose operations the service forgets', () => {
  it('succeeds once the branch is gone', async () => {
    const account = forgetsOperations(accountWith());
    account.add({ name: `${name}0` });
    const { message, result, clock } = await run({ command: 'delete', account });
    expect(message).toBeUndefined();
    expect(result).toMatchObject({ deleted: true, operationIds: ['op-lost'], operations: [] });
    // The operations were looked for once: there is nothing left to wait for.
    expect(clock.pauses).toHaveLength(1);
  });

  it('fails if the branch is still there after a wait for them', async () => {
    const account = forgetsOperations(accountWith(), { keep: true });
    account.add({ name: `${name}0` });
    const { message, clock } = await run({ command: 'delete', account });
    expect(message).toContain('Operation delete_timeline (op-lost) is no longer known to the service');
    expect(clock.pauses.length).toBeGreaterThan(2);
  });

  it('fails if nobody knows whether it is gone', async () => {
    const account = forgetsOperations(accountWith());
    account.on('GET /branches', () => (account.branch('br-1') ? undefined : { status: 403 }));
    expect((await run({ command: 'delete', account })).message).toContain(
      `Could not check whether branch "${name}" is gone: 403`,
    );
  });
});

describe('a branch with children', () => {
  it('is not deleted, even if the service would; up to five are named', async () => {
    const account = accountWith();
    for (let nth = 1; nth <= 6; nth++) account.add({ id: `br-c${nth}`, name: `c${nth}`, parent_id: 'br-1' });
    account.add({ name: 'other' });
    const children = [1, 2, 3, 4, 5].map((nth) => `"c${nth}" (br-c${nth})`).join(', ');
    const expected = `Branch "${name}" (br-1) has child branches: ${children} and 1 more. Delete the child branches first.`;
    for (const inputs of [{}, { branch_id: 'br-1' }] as Record<string, string>[]) {
      const { message, calls } = await run({ command: 'delete', account, inputs });
      expect(message).toBe(expected);
      expect(calls().every((call) => call.startsWith('GET'))).toBe(true);
    }
    expect(account.branch('br-1')).toBeDefined();
  });

  it('is not deleted if the first one appears while it is', async () => {
    const account = accountWith().on('DELETE /branches/*', () => {
      account.add({ id: 'br-c1', name: 'c1', parent_id: 'br-1' });
      return refused;
    });
    const { message, error } = await run({ command: 'delete', account });
    expect(message).toContain('has a child branch: "c1" (br-c1)');
    expect(error).toMatchObject({ cause: { status: 422 } });
  });
});

describe('a deletion that is refused with 422', () => {
  it('is sent again for five seconds if the branch is new and nothing explains the error', async () => {
    const created_at = '2026-03-04T05:06:06Z';
    const account = accountWith({ created_at }).on('DELETE /branches/*', refused, refused, refused, refused);
    const { message, calls } = await run({ command: 'delete', account });
    expect(message).toBeUndefined();
    expect(calls().filter((call) => call.startsWith('DELETE'))).toHaveLength(5);

    const lasting = accountWith({ created_at }).on('DELETE /branches/*', () => refused);
    const failed = await run({ command: 'delete', account: lasting });
    expect(failed.message).toContain(': 422');
    const seconds = (failed.clock.now() - Date.parse('2026-03-04T05:06:07Z')) / 1_000;
    expect(seconds).toBeGreaterThanOrEqual(5);
    expect(seconds).toBeLessThan(8);
  });

  it('is sent once more if the branch is old', async () => {
    const account = accountWith().on('DELETE /branches/*', () => refused);
    const { message, calls } = await run({ command: 'delete', account });
    expect(message).toContain(`Could not delete branch "${name}": 422`);
    expect(calls()).toEqual(['GET /branches', 'DELETE /branches/*', 'GET /branches', 'DELETE /branches/*']);
  });

  it('is not explained by a protected branch that is another one', async () => {
    const account = accountWith().on('DELETE /branches/*', refused);
    account.add({ name: 'production', protected: true });
    expect((await run({ command: 'delete', account })).result).toMatchObject({ deleted: true });
  });
});
