import { describe, expect, it } from 'vitest';
import { Account, type Raw } from '../../support/account.ts';
import { run } from '../../support/lifecycle.ts';

const name = 'preview/pr-7';
const restore = 'POST /branches/*/restore';

function accountWith(fields: Raw = {}, options: Parameters<Account['add']>[1] = {}): Account {
  const account = new Account();
  account.add({ name, ...fields }, options);
  return account;
}

const reset = (account = accountWith(), inputs: Record<string, string> = {}) =>
  run({ command: 'create', account, inputs: { if_exists: 'reset', ...inputs } });

describe('`if_exists: reset`', () => {
  it('resets the branch before it reads its connection details', async () => {
    const { message, result, calls, lines } = await reset();
    expect(message).toBeUndefined();
    expect(result).toMatchObject({
      ...{ action: 'reset', created: false, done: `Reused and reset branch "${name}" (br-1)` },
      ...{ operationIds: ['op-2'], operations: [{ id: 'op-2', action: 'create_timeline' }] },
    });
    expect(result.connection?.host).toBe('ep-1.eu.db.test');
    expect(lines).toContain(`Resetting branch "${name}" (br-1) to the head of its parent`);
    // A reset may change the names, so they are read afterwards.
    for (const route of ['GET /branches/*/databases', 'GET /connection_uri']) {
      expect(calls().indexOf(route)).toBeGreaterThan(calls().indexOf(restore));
    }
  });

  it('does not take the reset of another run for its own, whose request was lost', async () => {
    const account = accountWith({ current_state: 'init' });
    account.on('GET /branches/*', (_, id) => {
      // Another run resets the branch while it is waited for.
      Object.assign(account.branch(id) ?? {}, { current_state: 'ready', last_reset_at: '2026-03-04T05:06:00Z' });
      return undefined;
    });
    account.on(restore, { error: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) });
    const { message, calls } = await reset(account);
    expect(message).toBeUndefined();
    expect(calls().filter((call) => call === restore)).toHaveLength(2);
  });

  it('looks for a reason to refuse the branch once', async () => {
    const { calls } = await reset(accountWith({}, { metadata: { 'database-branch-create-id': 'x' } }));
    expect(calls().filter((call) => call.endsWith('/anonymized_status'))).toHaveLength(1);
    expect(calls().filter((call) => call === 'GET /connection_uri')).toHaveLength(2);
  });

  it('sets the expiry once, and then the settings', async () => {
    const inputs = { expires_at: '2026-03-05T05:06:07Z', max_cu: '4' };
    const { calls, result } = await reset(accountWith(), inputs);
    expect(calls().filter((call) => !call.startsWith('GET'))).toEqual([
      'POST /branches',
      restore,
      'PATCH /branches/*',
      'PATCH /endpoints/*',
    ]);
    expect(result.branch?.expires_at).toBe(inputs.expires_at);
    expect(result.operationIds).toEqual(['op-2', 'op-3']);
  });

  it.each([
    [{ protected: true }, 'was not reset, because it is protected.'],
    [{ parent_id: undefined }, 'has no parent to reset to'],
    [{ parent_id: undefined, init_source: 'schema-only' }, 'is a schema-only branch'],
  ])('is refused before anything is changed if the branch is %j', async (fields, why) => {
    const { message, calls } = await reset(accountWith(fields, { endpoint: false }));
    expect(message).toContain(why);
    expect(calls().filter((call) => !call.startsWith('GET'))).toEqual(['POST /branches']);
  });

  it('is refused if the branch was protected while it was made ready', async () => {
    const account = accountWith({ current_state: 'init' });
    account.on('GET /branches/*', (_, id) => {
      return void Object.assign(account.branch(id) ?? {}, { current_state: 'ready', protected: true });
    });
    const { message, bodies } = await reset(account);
    expect(message).toContain('was not reset, because it is protected.');
    expect(bodies(restore)).toEqual([]);
  });

  it('is reported even if a later request fails', async () => {
    const account = accountWith().on('PATCH /endpoints/*', { status: 403 });
    const { message, result } = await reset(account, { max_cu: '4' });
    expect(message).toContain(': 403');
    expect(result).toMatchObject({ operationIds: ['op-2'], operations: [{ id: 'op-2' }] });
  });

  it('is started but not waited for with `wait: false`', async () => {
    const { result } = await reset(accountWith(), { wait: 'false' });
    expect(result).toMatchObject({ action: 'reset', operationIds: ['op-2'], operations: [] });
  });
});

it('a branch that was renamed after its reset is not used', async () => {
  const account = accountWith();
  account.on('GET /branches/*', (_, id) => {
    Object.assign(account.branch(id) ?? {}, { name: 'kept' });
    return undefined;
  });
  const { message, bodies, calls } = await reset(account);
  expect(message).toContain('was renamed to "kept" in the meantime.');
  expect(bodies(restore)).toHaveLength(1);
  expect(calls().filter((call) => call === 'POST /branches')).toHaveLength(1);
});
