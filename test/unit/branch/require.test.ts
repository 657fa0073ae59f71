import { describe, expect, it } from 'vitest';
import type { CommandName } from '../../../src/lifecycle/auto.ts';
import { Account, type Raw } from '../../support/account.ts';
import { run } from '../../support/lifecycle.ts';

const name = 'preview/pr-7';
const rule = {
  ...{ database_name: 'neondb', schema_name: 'public', table_name: 'users' },
  ...{ column_name: 'email', masking_value: 'x' },
};
const masking_rules = JSON.stringify([rule]);
const times = {
  before: '2026-01-01T00:00:00Z',
  started: '2026-01-02T00:00:00Z',
  meanwhile: '2026-01-02T00:59:00Z',
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

  it.each<[string, Raw, Raw, string | undefined]>([
    ['was never replaced', {}, anonymized, undefined],
    ['was reset before it was masked', { last_reset_at: times.before }, anonymized, undefined],
    ['was reset after it was masked', { last_reset_at: times.after }, anonymized, 'was reset or restored since'],
    [
      'was reset, masked at an unknown time',
      { last_reset_at: times.before },
      { state: 'anonymized' },
      'was reset or restored since',
    ],
    ['was restored from a snapshot', { restored_from: snapshot }, anonymized, 'was reset or restored since'],
  ])('looks at an anonymized branch that %s', async (_, fields, status, error) => {
    const account = accountWith({ 'br-1': status });
    account.add({ name, ...fields });
    for (const command of ['get', 'create'] as const) {
      const { message, result } = await end(account, inputs, command);
      if (error === undefined) expect(message).toBeUndefined();
      else expect(message).toContain(error);
      expect(result.connection === undefined).toBe(error !== undefined);
    }
  });

  it.each<[string, Raw, Raw, string | undefined]>([
    ['was created from it later', {}, {}, undefined],
    ['was reset to it later', { last_reset_at: times.after, parent_timestamp: times.after }, {}, undefined],
    ['was created from it later, unchanged since', { parent_timestamp: times.meanwhile }, {}, undefined],
    [
      'was created from it meanwhile',
      { created_at: times.meanwhile, parent_timestamp: times.meanwhile },
      {},
      'is not anonymized',
    ],
    ['was created from it before', { created_at: times.before }, {}, 'is not anonymized'],
    ['was created at a point before', { parent_timestamp: times.before }, {}, 'is not anonymized'],
    ['was restored from a snapshot', { restored_from: snapshot }, {}, 'is not anonymized'],
    ['has a parent that was reset', {}, { last_reset_at: times.after }, 'is not anonymized'],
  ])('looks at the child of an anonymized branch that %s', async (_, fields, parent, error) => {
    const account = accountWith({ 'br-masked': anonymized });
    account.add({ id: 'br-masked', name: 'masked', ...parent });
    account.add({ name, parent_id: 'br-masked', created_at: times.after, ...fields });
    const { message, result } = await end(account, inputs);
    if (error === undefined) expect(message).toBeUndefined();
    else expect(message).toContain(error);
    expect(result.connection === undefined).toBe(error !== undefined);
  });

  it.each<[string, Record<string, string>, string | undefined]>([
    ['with masking rules', { masking_rules }, undefined],
    ['of a masked parent', { parent_branch: 'masked' }, undefined],
    ['of the default branch', {}, 'rejects a copy of rows that may not be masked'],
    [
      'of a point in the past',
      { parent_branch: 'masked', parent_point: times.after },
      'rejects a copy of rows that may not be masked',
    ],
  ])('allows or refuses a create %s before it is sent', async (_, more, error) => {
    const account = accountWith({ 'br-masked': anonymized, 'br-1': anonymized });
    account.add({ id: 'br-masked', name: 'masked' });
    const { message, calls } = await end(account, { ...inputs, ...more }, 'create');
    if (error === undefined) expect(message).toBeUndefined();
    else expect(message).toContain(error);
    expect(calls().some((call) => call.startsWith('POST'))).toBe(error === undefined);
  });

  it.each<[CommandName, Record<string, string>]>([
    ['create', {}],
    ['create', { if_exists: 'reset' }],
    ['reset', {}],
  ])(
    'accepts what %s with %o has just copied from a masked parent, whatever the point is said to be',
    async (command, more) => {
      const account = accountWith({ 'br-masked': anonymized });
      account.add({ id: 'br-masked', name: 'masked' });
      if (command === 'reset' || more.if_exists)
        account.add({ name, parent_id: 'br-masked', created_at: times.before });
      for (const route of ['POST /branches', 'POST /branches/*/restore']) {
        account.on(route, (request) => {
          const reply = account.carryOut(request);
          Object.assign(account.branch(name) ?? {}, { parent_lsn: '0/1DE2850' });
          return reply;
        });
      }
      const { message, result } = await end(account, { ...inputs, parent_branch: 'masked', ...more }, command);
      expect(message).toBeUndefined();
      expect(result.connection).toBeDefined();
    },
  );

  it('creates a branch anew whose old one is being deleted', async () => {
    const account = accountWith({ 'br-1': anonymized, 'br-3': anonymized });
    account.add({ name });
    const deletion = account.start('delete_timeline', 'br-1');
    let reads = 0;
    account.on('GET /operations', () => {
      if (++reads === 3) account.remove(name);
      Object.assign(account.operations[0] ?? {}, { status: reads < 3 ? 'running' : 'finished' });
      return undefined;
    });
    const { message, result } = await end(account, { ...inputs, masking_rules }, 'create');
    expect([message, result.created, deletion.action]).toEqual([undefined, true, 'delete_timeline']);
  });

  it('creates a branch anew whose old one is gone between two reads', async () => {
    const account = accountWith({ 'br-1': anonymized, 'br-3': anonymized });
    account.add({ name });
    const { id: deletion } = account.start('delete_timeline', 'br-1');
    account.on('GET /branches', (request) => {
      const reply = account.carryOut(request);
      account.remove(name);
      Object.assign(account.operations.find(({ id }) => id === deletion) ?? {}, { status: 'finished' });
      return reply;
    });
    const { message, result } = await end(account, { ...inputs, masking_rules }, 'create');
    expect([message, result.created]).toEqual([undefined, true]);
  });

  it('refuses a reset to rows that are not masked, before it is sent', async () => {
    const account = accountWith({});
    account.add({ name });
    const { message, calls } = await end(account, inputs, 'reset');
    expect(message).toContain('rejects a copy of rows that may not be masked');
    expect(calls()).not.toContain('POST /branches/*/restore');
  });
});

describe('`require: schema-only`', () => {
  const inputs = { require: 'schema-only' };

  it.each<[Raw, string | undefined]>([
    [{ init_source: 'schema-only', parent_id: undefined }, undefined],
    [
      { init_source: 'schema-only', last_reset_at: times.after },
      'was reset or restored since, so it may hold real rows',
    ],
    [{ init_source: 'parent-data' }, 'is not a schema-only branch, or was reset'],
  ])('looks at a branch with %o', async (fields, error) => {
    const account = new Account();
    account.add({ name, ...fields });
    const { message, result } = await end(account, inputs);
    if (error === undefined) expect(message).toBeUndefined();
    else expect(message).toContain(error);
    expect(result.connection === undefined).toBe(error !== undefined);
  });

  it('allows only a create of such a branch', async () => {
    expect((await end(new Account(), inputs, 'create')).message).toContain('rejects a copy with rows');
    const { result } = await end(new Account(), { ...inputs, branch_type: 'schema-only' }, 'create');
    expect(result.connection).toBeDefined();
  });
});
