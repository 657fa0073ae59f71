import { describe, expect, it } from 'vitest';
import { Account, type Raw } from '../../support/account.ts';
import { run } from '../../support/step.ts';

const name = 'preview/pr-7';
const justNow = '2026-03-04T05:06:06Z';

function accountWith(fields: Raw = {}, options: Parameters<Account['add']>[1] = {}): Account {
  const account = new Account();
  account.add({ name, ...fields }, options);
  return account;
}

describe('a branch that is deleted while it is reused', () => {
  const inputs = { expires_in: '1d' };

  it.each([
    'GET /branches/*/endpoints',
    'GET /branches/*/databases',
    'GET /branches/*/roles',
    'GET /connection_uri',
    'PATCH /branches/*',
  ])('is created again (at %s)', async (route) => {
    const account = accountWith();
    account.on(route, () => void account.remove('br-1'));
    const { message, result, lines, calls } = await run({ command: 'create', account, inputs });
    expect(message).toBeUndefined();
    expect(result).toMatchObject({ action: 'created', created: true, branch: { id: 'br-2' } });
    expect(lines.join()).toContain(
      `Could not use the existing branch "${name}" (br-1): it was deleted in the meantime (404, not found)`,
    );
    expect(calls().filter((call) => call === 'POST /branches')).toHaveLength(2);
  });

  it('is created again if that cancels an operation that the step waits for', async () => {
    const account = accountWith({}, { endpoint: false });
    account.on('POST /endpoints', () => {
      account.remove('br-1');
      const endpoint = account.addEndpoint('br-1');
      return { body: { endpoint, operations: [account.start('start_compute', 'br-1', { status: 'cancelled' })] } };
    });
    const { result, lines } = await run({ command: 'create', account });
    expect(result).toMatchObject({ created: true, branch: { id: 'br-3' } });
    expect(lines.join()).toContain('was deleted in the meantime: Operation start_compute (op-2) ended with status');
  });

  it('is not created again if it was given by ID', async () => {
    const account = accountWith();
    account.on('GET /branches/*/databases', () => void account.remove('br-1'));
    const { message, calls } = await run({ command: 'create', account, inputs: { branch_id: 'br-1' } });
    expect(message).toContain(`Branch "${name}" (br-1) was deleted in the meantime (404, not found)`);
    expect(calls()).not.toContain('POST /branches');
  });
});

describe('a failed operation', () => {
  const failing = (fields: Raw) => {
    const account = accountWith(fields, { endpoint: false });
    return account.on('POST /endpoints', () => {
      const endpoint = account.addEndpoint('br-1');
      return { body: { endpoint, operations: [account.start('start_compute', 'br-1', { status: 'error' })] } };
    });
  };

  it.each([
    ['old', '2025-03-04T05:06:07Z', 1],
    ['new, even if that is not known everywhere yet', justNow, 2],
  ])('is the error of a step whose branch still exists and is %s', async (_, created_at, reads) => {
    const account = failing({ created_at });
    if (reads === 2) account.on('GET /branches/*', { status: 404 });
    const { message, result, calls } = await run({ command: 'create', account });
    expect(message).toContain('Operation start_compute (op-2) ended with status "error"');
    expect(result.operationIds).toEqual(['op-2']);
    expect(calls().filter((call) => call === 'GET /branches/*')).toHaveLength(reads);
  });
});

describe('a branch that changes before its expiry is set', () => {
  // The first lists of operations are read before the compute has started, which takes some seconds.
  const slow = (change: Raw) => {
    const account = accountWith({}, { endpoint: false });
    account.on('POST /endpoints', () => {
      const endpoint = account.addEndpoint('br-1');
      const operation = account.start('start_compute', 'br-1', { status: 'scheduling' });
      const begun = account.now();
      account.on('GET /operations', () => {
        if (account.now() - begun > 2_000) {
          Object.assign(account.operations[0] ?? {}, { status: 'finished' });
          if (account.branch('br-1')?.name === name) Object.assign(account.branch('br-1') ?? {}, change);
        }
        return undefined;
      });
      return { body: { endpoint, operations: [operation] } };
    });
    return account;
  };

  it('is created again if it was renamed, and does not expire under its new name', async () => {
    const account = slow({ name: 'kept' });
    const { result } = await run({ command: 'create', account, inputs: { expires_in: '1d' } });
    expect(result).toMatchObject({ created: true, branch: { id: 'br-3' } });
    expect(account.branch('kept')?.expires_at).toBeUndefined();
  });

  it('fails the step if it was protected', async () => {
    const { message, bodies } = await run({
      command: 'create',
      account: slow({ protected: true }),
      inputs: { expires_in: '1d' },
    });
    expect(message).toBe(`Branch "${name}" (br-1) was protected in the meantime, so it was not given an expiry.`);
    expect(bodies('PATCH /branches/*')).toEqual([]);
  });
});

describe('the requests for a branch that exists', () => {
  const metadata = { 'database-branch-create-id': 'x' };
  const reads = async (account: Account, inputs: Record<string, string> = {}) => {
    const { message, calls } = await run({ command: 'create', account, inputs });
    expect(message).toBeUndefined();
    return calls().slice(2);
  };
  const inSequence = [
    'GET /branches/*/endpoints',
    'GET /branches/*/anonymized_status',
    'GET /branches/*/databases',
    'GET /branches/*/roles',
    'GET /connection_uri',
    'GET /connection_uri',
  ];

  it('are sent at once if this action created it', async () => {
    const calls = await reads(accountWith({}, { metadata }));
    expect([...calls].sort()).toEqual([...inSequence].sort());
    expect(calls.indexOf('GET /connection_uri')).toBeLessThan(calls.indexOf('GET /branches/*/endpoints'));
  });

  it.each<[string, Raw, object]>([
    ['someone else created it', {}, {}],
    ['it is new, and so not known everywhere yet', { created_at: justNow }, { metadata }],
  ])('are sent one after another if %s', async (_, fields, options) => {
    expect(await reads(accountWith(fields, options))).toEqual(inSequence);
  });

  it.each<[string, Raw, object]>([
    ['it got an endpoint', {}, { metadata, endpoint: false }],
    ['it was not ready', { current_state: 'init' }, { metadata }],
  ])('are sent again if %s by then', async (_, fields, options) => {
    const account = accountWith(fields, options);
    account.start('start_compute', 'br-1', { status: 'finished' });
    if (fields.current_state) {
      account.start('create_timeline', 'br-1');
      account.on(
        'GET /operations',
        () => ({ body: { operations: account.operations } }),
        () => undefined,
      );
      account.on(
        'GET /branches/*',
        (_, id) => void Object.assign(account.branch(id) ?? {}, { current_state: 'ready' }),
      );
    }
    const calls = await reads(account);
    expect(calls.filter((call) => call === 'GET /branches/*/databases')).toHaveLength(2);
    expect(calls.filter((call) => call === 'GET /connection_uri')).toHaveLength(4);
  });
});
