import { describe, expect, it } from 'vitest';
import type { CommandName } from '../../../src/inputs/commands.ts';
import { Account, type Raw } from '../../support/account.ts';
import { run } from '../../support/step.ts';

const name = 'preview/pr-7';
const rule = {
  ...{ database_name: 'neondb', schema_name: 'public', table_name: 'users' },
  ...{ column_name: 'email', masking_value: 'x' },
};
const masking_rules = JSON.stringify([rule]);
const times = {
  before: '2026-01-01T00:00:00Z',
  started: '2026-01-02T00:00:00Z',
  masked: '2026-01-02T01:00:00Z',
  after: '2026-01-03T00:00:00Z',
};
const snapshot = 'snap-quiet-leaf-12345678';
const anonymized = { state: 'anonymized', updated_at: times.masked, last_run: { started_at: times.started } };

/** A project whose branches with these IDs have these masking states. */
function accountWith(states: Record<string, Raw>): Account {
  const account = new Account();
  account.on('GET /branches/*/anonymized_status', (_, id) => {
    const body = states[id];
    return body && { body: { branch_id: id, ...body } };
  });
  account.on('GET /branches/*/masking_rules', () => ({ body: { masking_rules: [rule] } }));
  return account;
}

const end = (account: Account, inputs: Record<string, string>, command: CommandName = 'get') =>
  run({ command, account, inputs });

describe('`require: masked`', () => {
  const inputs = { require: 'masked' };

  it.each<[string, Raw, Raw]>([
    ['was never replaced', {}, anonymized],
    ['was never replaced, masked at an unknown time', {}, { state: 'anonymized' }],
    ['was reset before it was masked', { last_reset_at: times.before }, anonymized],
  ])('accepts an anonymized branch that %s', async (_, fields, status) => {
    const account = accountWith({ 'br-1': status });
    account.add({ name, ...fields });
    for (const each of [inputs, { ...inputs, masking_rules }]) {
      const { message, result } = await end(account, each, 'create');
      expect(message).toBeUndefined();
      expect(result.connection?.host).toBe('ep-1.eu.db.test');
    }
  });

  it.each<[string, Raw, Raw]>([
    ['was reset after it was masked', { last_reset_at: times.after }, anonymized],
    ['was reset while it was masked', { last_reset_at: '2026-01-02T00:30:00Z' }, anonymized],
    ['was reset in the second in which masking began', { last_reset_at: times.started }, anonymized],
    ['was reset, masked at an unknown time', { last_reset_at: times.before }, { ...anonymized, last_run: undefined }],
    ['was reset at an unknown time', { last_reset_at: 'yesterday' }, anonymized],
    ['was restored from a snapshot', { restored_from: snapshot }, anonymized],
    ['has replaced another one', { restored_as: 'br-other' }, anonymized],
  ])('refuses an anonymized branch that %s, before it changes anything', async (_, fields, status) => {
    const account = accountWith({ 'br-1': status });
    account.add({ name, ...fields }, { endpoint: false });
    const { message, result, calls } = await end(account, inputs, 'create');
    expect(message).toBe(
      `Branch "${name}" (br-1) was reset or restored, perhaps after its rows were masked. The branch may hold real rows, so \`require: masked\` rejects it. To replace it, set \`if_exists: recreate\`, and either set \`masking_rules\` or set \`parent_branch\` to an anonymized branch that was never reset or restored.`,
    );
    expect(result.connection).toBeUndefined();
    expect(calls().filter((call) => !call.startsWith('GET'))).toEqual([]);
  });

  it.each<[string, Raw, string]>([
    [
      'is still being masked',
      { state: 'anonymizing' },
      `Branch "${name}" (br-1) is being anonymized (state "anonymizing"), so \`require: masked\` rejects it. To wait until its rows are masked, use \`command: wait\` with \`branch_id: br-1\` and no operations (\`operation_ids: '[]'\`).`,
    ],
    [
      'could not be masked',
      { state: 'error', status_message: 'no such column' },
      `Masking branch "${name}" (br-1) failed (state "error": "no such column"), so \`require: masked\` rejects it. Fix \`masking_rules\` in the step that creates the branch, and set \`if_exists: recreate\` there to replace it; or restart masking in the service's console.`,
    ],
  ])('says what to do about a branch that %s', async (_, status, expected) => {
    const account = accountWith({ 'br-1': status });
    account.add({ name, parent_id: 'br-main' });
    account.add({ id: 'br-main', name: 'main' });
    const { message } = await end(account, inputs, 'diff');
    expect(message).toBe(expected);
  });

  it('says how to get another one, depending on what the step does', async () => {
    const adviceOf = async (command: CommandName, more: Record<string, string> = {}) => {
      const account = accountWith({});
      account.add({ name });
      const { message } = await end(account, { ...inputs, ...more }, command);
      return message?.split('rejects it. ')[1];
    };
    expect(await adviceOf('create', { masking_rules })).toBe('To replace it, set `if_exists: recreate`.');
    expect(await adviceOf('get')).toMatch(/^Create a branch with `masking_rules`, or with `parent_branch` set to /);
    expect(await adviceOf('create', { require: 'schema-only' })).toBe(
      'To replace it, set `branch_type: schema-only` and `if_exists: recreate`.',
    );
    expect(await adviceOf('get', { require: 'schema-only' })).toBe('Create a branch with `branch_type: schema-only`.');
  });

  it.each<CommandName>(['get', 'create', 'wait'])('refuses a branch that is reset during `%s`', async (command) => {
    const account = accountWith({ 'br-1': anonymized });
    const branch = account.add({ name });
    account.on('GET /branches/*/roles', () => void Object.assign(branch, { last_reset_at: times.after }));
    const operation = command === 'wait' ? { operation_ids: '[]', branch_name: name } : {};
    const { message, result } = await end(account, { ...inputs, ...operation } as Record<string, string>, command);
    expect(message).toContain('was reset or restored, perhaps after its rows were masked');
    expect(result.connection).toBeUndefined();
  });

  describe('of a child of an anonymized branch', () => {
    const child = (fields: Raw = {}, parent: Raw = {}) => {
      const account = accountWith({ 'br-masked': anonymized });
      account.add({ id: 'br-masked', name: 'masked', ...parent });
      account.add({ name, parent_id: 'br-masked', created_at: times.after, ...fields });
      return account;
    };

    it.each<[string, Raw, Raw]>([
      ['was created from it later', {}, {}],
      ['was reset to it later', { last_reset_at: times.after, parent_timestamp: times.after, parent_lsn: '0/1' }, {}],
      ['was created from it after it was reset and then masked', {}, { last_reset_at: times.before }],
    ])('accepts one that %s', async (_, fields, parent) => {
      const { message, result } = await end(child(fields, parent), inputs);
      expect(message).toBeUndefined();
      expect(result.connection).toBeDefined();
    });

    it.each<[string, Raw]>([
      ['was restored from a snapshot', { restored_from: snapshot }],
      ['has replaced another one', { restored_as: 'br-other' }],
      ['was created before', { created_at: times.before }],
      ['was reset to a point before', { last_reset_at: times.after, parent_timestamp: times.before }],
      ['was reset to an unknown point', { last_reset_at: times.after }],
      ['was reset to an unknown time', { last_reset_at: times.after, parent_lsn: '0/1' }],
    ])('refuses one that %s', async (_, fields) => {
      const { message, result } = await end(child(fields), inputs);
      expect(message).toContain(
        `Branch "${name}" (br-1) is not anonymized, and may have its parent's rows as they were before masking. The branch may hold real rows, so \`require: masked\` rejects it.`,
      );
      expect(result.connection).toBeUndefined();
    });

    it.each<[string, Raw]>([
      ['reset', { last_reset_at: times.after }],
      ['restored', { restored_from: snapshot }],
    ])('refuses it if that branch was %s since, and does not create another', async (_, parent) => {
      const account = child({}, parent);
      expect((await end(account, inputs)).message).toContain(
        'is not anonymized, and its parent "masked" (br-masked) was reset or restored, perhaps after its rows were masked. The branch may',
      );
      const created = await end(account, { ...inputs, branch_name: 'another', parent_branch: 'masked' }, 'create');
      expect(created.message).toContain(
        '`require: masked` rejects the rows of branch "masked" (br-masked), because that branch was reset or restored, perhaps after its rows were masked. Nothing was changed. Set `masking_rules`, or',
      );
      expect(created.calls().filter((call) => !call.startsWith('GET'))).toEqual([]);
    });

    it('refuses one that gets another parent in the meantime', async () => {
      const account = child();
      const after = { parent_id: 'br-main', last_reset_at: times.after, parent_timestamp: times.after };
      account.on('GET /branches/*/roles', () => void Object.assign(account.branch(name) ?? {}, after));
      const { message, result } = await end(account, inputs);
      expect(message).toContain('is not anonymized');
      expect(result.connection).toBeUndefined();
    });
  });

  it('believes no masking state of another branch', async () => {
    const account = accountWith({ 'br-1': { ...anonymized, branch_id: 'br-other' } });
    account.add({ name });
    const { message, result } = await end(account, inputs);
    expect(message).toContain(
      'The service returned the masking state of branch br-other instead of that of branch br-1',
    );
    expect(result.connection).toBeUndefined();
  });
});

it.each<[string, Raw, string | undefined]>([
  ['was never replaced', {}, undefined],
  ['was reset before', { last_reset_at: times.before }, undefined],
  ['was reset after', { last_reset_at: times.after }, 'exists, but was reset or restored'],
  ['was restored', { restored_from: snapshot }, 'exists, but was reset or restored'],
])('`masking_rules` for an anonymized branch that %s', async (_, fields, error) => {
  const account = accountWith({ 'br-1': anonymized });
  account.add({ name, ...fields });
  const { message, result } = await end(account, { masking_rules }, 'create');
  if (error === undefined) expect(message).toBeUndefined();
  else expect(message).toContain(error);
  expect(result.connection === undefined).toBe(error !== undefined);
});

describe('a schema-only branch', () => {
  const inputs = { require: 'schema-only' };
  const fields = { name, init_source: 'schema-only', parent_id: undefined };

  it('is what `require: schema-only` accepts', async () => {
    const account = new Account();
    account.add(fields);
    expect((await end(account, inputs)).result.connection).toBeDefined();
  });

  it.each<Raw>([{ last_reset_at: times.before }, { restored_from: snapshot }, { restored_as: 'br-other' }])(
    'that may have been given rows is refused: %j',
    async (given) => {
      const account = new Account();
      account.add({ ...fields, ...given });
      const { message, result } = await end(account, inputs);
      expect(message).toBe(
        `Branch "${name}" (br-1) was reset or restored. The branch may hold real rows, so \`require: schema-only\` rejects it. Create a branch with \`branch_type: schema-only\`.`,
      );
      expect(result.connection).toBeUndefined();
      const reused = await end(account, { branch_type: 'schema-only' }, 'create');
      expect(reused.message).toContain('exists and may contain rows');
    },
  );
});
