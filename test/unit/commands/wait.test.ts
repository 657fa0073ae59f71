import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Account, type Raw } from '../../support/account.ts';
import { run } from '../../support/step.ts';

const name = 'preview/pr-7';

/** Starts an operation with an ID as `operation_ids` takes it. */
const start = (account: Account, action: string, branchId: string, fields: Raw = {}) =>
  account.start(action, branchId, { id: randomUUID(), ...fields });

/** Runs `wait` with the IDs of these operations. */
function wait(account: Account, ids: string[], inputs: Record<string, string> = {}) {
  return run({ command: 'wait', account, inputs: { operation_ids: JSON.stringify(ids), ...inputs } });
}

describe('wait', () => {
  it('waits for the operations, and returns the connection details of their branch', async () => {
    const account = new Account();
    account.add({ name: 'any' });
    const [one, two] = [start(account, 'create_branch', 'br-1'), start(account, 'start_compute', 'br-1')];
    const { result, message } = await wait(account, [one.id, two.id]);
    expect(message).toBeUndefined();
    expect(result).toMatchObject({
      ...{ action: 'waited', branch: { id: 'br-1' }, connection: { host: 'ep-1.eu.db.test' } },
      done: 'Waited for 2 operations; branch "any" (br-1) is ready',
    });
    expect(result.operations.map(({ action, status }) => [action, status])).toEqual([
      ['create_branch', 'finished'],
      ['start_compute', 'finished'],
    ]);
  });

  it('without operations returns the connection details of the named branch', async () => {
    const account = new Account();
    account.add({ name });
    const { result } = await wait(account, [], { branch_name: name });
    expect(result.done).toBe(`No operations to wait for; branch "${name}" (br-1) is ready`);
    expect(result.connection?.host).toBe('ep-1.eu.db.test');
  });

  it('returns no branch if the operations are about several, or about none', async () => {
    const account = new Account();
    account.add({ name: 'a' });
    account.add({ name: 'b' });
    const [one, two] = [start(account, 'apply_config', 'br-1'), start(account, 'apply_config', 'br-2')];
    const several = await wait(account, [one.id, two.id]);
    expect(several.result.done).toBe('Waited for 2 operations');
    const none = await wait(account, [start(account, 'check', 'br-1', { branch_id: undefined }).id]);
    expect(none.result.done).toBe('Waited for 1 operation');
    for (const { result } of [several, none]) expect(result.branch).toBeUndefined();
  });

  it('succeeds without a branch after the operations of a delete', async () => {
    const account = new Account();
    const operation = start(account, 'delete_timeline', 'br-9');
    const { result, lines, clock } = await wait(account, [operation.id]);
    expect(result.branch).toBeUndefined();
    expect(lines.at(-1)).toBe('Branch br-9 is gone, as expected after a delete');
    expect(clock.pauses.filter((ms) => ms > 500)).toEqual([]);
  });

  it('gives a branch that was just created time to become known', async () => {
    const account = new Account();
    account.add({ name: 'any' });
    account.on('GET /branches/*', { status: 404, body: {} }, { status: 422, body: {} });
    const { result } = await wait(account, [start(account, 'create_branch', 'br-1').id]);
    expect(result.branch?.id).toBe('br-1');
  });

  it('says that the branch is gone even if none of these operations deleted it', async () => {
    const account = new Account();
    const { lines, message } = await wait(account, [start(account, 'create_branch', 'br-9').id]);
    expect(message).toBeUndefined();
    expect(lines.at(-1)).toBe('Branch br-9 is gone');
  });

  it('passes on other errors of reading the branch', async () => {
    const account = new Account().on('GET /branches/*', () => ({ status: 403, body: { code: '', message: 'no' } }));
    const { message } = await wait(account, [start(account, 'create_branch', 'br-9').id]);
    expect(message).toContain('Could not read branch br-9');
  });

  it.each<Record<string, string>>([{ branch_name: name }, { branch_id: 'br-1' }])(
    'requires the branch that is named: %o',
    async (inputs) => {
      const account = new Account();
      const { message } = await wait(account, [start(account, 'apply_config', 'br-other').id], inputs);
      expect(message).toContain('The project has no branch');
    },
  );

  it.each<Record<string, string>>([{ branch_name: name }, { branch_id: 'br-1' }])(
    'does not require it after the operations of its delete: %o',
    async (inputs) => {
      const account = new Account();
      const { message, lines } = await wait(account, [start(account, 'delete_timeline', 'br-1').id], inputs);
      expect(message).toBeUndefined();
      expect(lines.at(-1)).toBe('Branch br-1 is gone, as expected after a delete');
    },
  );

  it("requires it after the operations of another branch's delete", async () => {
    const account = new Account();
    const { message } = await wait(account, [start(account, 'delete_timeline', 'br-2').id], { branch_id: 'br-1' });
    expect(message).toContain('The project has no branch br-1');
  });

  it('waits until the branch is ready, whose operations another step has started', async () => {
    const account = new Account();
    const branch = account.add({ name, current_state: 'init' });
    start(account, 'create_branch', 'br-1');
    account.on('GET /branches/*', () => {
      branch.current_state = 'ready';
      return undefined;
    });
    const { result, message } = await wait(account, [], { branch_name: name });
    expect(message).toBeUndefined();
    expect(result).toMatchObject({ branch: { id: 'br-1' }, connection: { host: 'ep-1.eu.db.test' } });
    expect(result.operations.map(({ action }) => action)).toEqual(['create_branch']);
  });

  it('waits until an anonymized branch is masked', async () => {
    const account = new Account();
    account.add({ name });
    const states = ['initialized', 'anonymizing', 'anonymized'];
    account.on('GET /branches/*/anonymized_status', () => ({ body: { state: states.shift() ?? 'anonymized' } }));
    const { lines, result } = await wait(account, [], { branch_name: name });
    expect(lines).toEqual([`Masking branch "${name}": initialized`, `Masking branch "${name}": anonymizing`]);
    expect(result.connection?.host).toBe('ep-1.eu.db.test');
  });

  it('succeeds for a branch without an endpoint, and says why there is no host', async () => {
    const account = new Account();
    account.add({ name }, { endpoint: false });
    const { lines, result } = await wait(account, [], { branch_name: name });
    expect(lines).toEqual([`Branch "${name}" has no read-write compute endpoint, so it has no host`]);
    expect(result).toMatchObject({ branch: { id: 'br-1' }, done: 'No operations to wait for' });
    expect(result.connection).toBeUndefined();
  });

  it('reports the branch even if it never gets ready', async () => {
    const account = new Account();
    account.add({ name, current_state: 'init' });
    const { message, result } = await run({
      ...{ command: 'wait', account, timeoutMs: 10_000 },
      inputs: { operation_ids: '[]', branch_name: name },
    });
    expect(message).toContain(`waiting until branch "${name}" (br-1) is ready`);
    expect(result.branch?.id).toBe('br-1');
  });

  it('reads a ready branch once', async () => {
    const account = new Account();
    account.add({ name });
    const { calls } = await wait(account, [], { branch_name: name });
    expect(calls().filter((call) => call === 'GET /branches/*/endpoints')).toHaveLength(1);
    expect(calls()).not.toContain('GET /branches/*');
  });

  it('finds the branch of a delete among its other operations', async () => {
    const account = new Account();
    const ids = ['suspend_compute', 'delete_timeline'].map((action) => start(account, action, 'br-1').id);
    const { message, lines } = await wait(account, ids, { branch_id: 'br-1' });
    expect(message).toBeUndefined();
    expect(lines.at(-1)).toBe('Branch br-1 is gone, as expected after a delete');
  });

  it('returns a branch of the deleted name that was created again', async () => {
    const account = new Account();
    account.add({ name, id: 'br-new' });
    const { result, lines } = await wait(account, [start(account, 'delete_timeline', 'br-1').id], {
      branch_name: name,
    });
    expect(result.branch?.id).toBe('br-new');
    expect(lines.join()).not.toContain('is gone');
  });

  it('fails if an operation fails, but reports nothing else', async () => {
    const account = new Account();
    const { message } = await wait(account, [
      start(account, 'create_branch', 'br-1', { status: 'error', error: 'oops' }).id,
    ]);
    expect(message).toContain('oops');
  });
});
