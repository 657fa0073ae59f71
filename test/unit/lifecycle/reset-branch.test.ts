import { describe, expect, it } from 'vitest';
import { Account, type Raw } from '../../support/account.ts';
import { run } from '../../support/lifecycle.ts';

const name = 'preview/pr-7';

function accountWith(fields: Raw = {}): Account {
  const account = new Account();
  account.add({ name, ...fields });
  return account;
}

/** Runs a reset, and fails the test if it fails. */
async function reset(inputs: Record<string, string> = {}, account = accountWith()) {
  const ended = await run({ command: 'reset', account, inputs });
  expect(ended.message).toBeUndefined();
  return { ...ended, restores: ended.bodies('POST /branches/*/restore') };
}

/** The message of a reset that fails without having reset anything. */
async function refusal(account: Account, inputs: Record<string, string> = {}): Promise<string | undefined> {
  const { message, bodies } = await run({ command: 'reset', account, inputs });
  expect(bodies('POST /branches/*/restore')).toEqual([]);
  return message;
}

describe('a reset', () => {
  const timestamp = '2026-03-01T00:00:00Z';

  it.each<[Record<string, string>, Raw, string]>([
    [{}, { source_branch_id: 'br-main' }, 'the head of its parent'],
    [{ parent_branch: 'other' }, { source_branch_id: 'br-2' }, 'the head of branch "other"'],
    [
      { parent_point: timestamp },
      { source_branch_id: 'br-main', source_timestamp: timestamp },
      `its parent at ${timestamp}`,
    ],
    [
      { parent_point: '0/1A2B3C4', parent_branch: 'other' },
      { source_branch_id: 'br-2', source_lsn: '0/1A2B3C4' },
      'branch "other" at 0/1A2B3C4',
    ],
    [
      { preserve_under_name: 'before' },
      { source_branch_id: 'br-main', preserve_under_name: 'before' },
      'the head of its parent',
    ],
  ])('with %j restores the right state', async (inputs, body, to) => {
    const account = accountWith();
    account.add({ name: 'other' });
    const { restores, lines, result } = await reset(inputs, account);
    expect(restores).toEqual([body]);
    expect(lines[1]).toBe(`Resetting branch "${name}" (br-1) to ${to}`);
    expect(result).toMatchObject({ action: 'reset', done: `Reset branch "${name}" (br-1) to ${to}` });
  });

  it('does not wait with `wait: false`', async () => {
    const { result, calls } = await reset({ wait: 'false' });
    expect(result).toMatchObject({ operationIds: ['op-2'], operations: [], branch: { id: 'br-1' } });
    expect(calls()).not.toContain('GET /branches/*');
  });

  const failed = { status: 'error' };

  it.each<[string, string, string[]]>([
    ['POST /branches/*/restore', 'create_timeline', ['op-2']],
    ['PATCH /branches/*', 'set_expiry', ['op-2', 'op-3']],
  ])('reports its operations even if one of them fails (%s)', async (route, action, ids) => {
    const account = accountWith();
    account.on(route, (_, id) => ({
      body: { branch: account.branch(id), operations: [account.start(action, id, failed)] },
    }));
    const { message, result } = await run({ command: 'reset', account, inputs: { expires_in: '1d' } });
    expect(message).toContain(`Operation ${action} (${ids.at(-1)}) ended with status "error"`);
    expect(result.operationIds).toEqual(ids);
  });

  it('reports its operations even if a new endpoint does not start', async () => {
    const account = new Account();
    account.add({ name }, { endpoint: false });
    account.on('POST /endpoints', () => {
      const endpoint = account.addEndpoint('br-1');
      return { body: { endpoint, operations: [account.start('start_compute', 'br-1', failed)] } };
    });
    const { message, result } = await run({ command: 'reset', account });
    expect(message).toContain('Operation start_compute (op-3) ended with status "error"');
    expect(result.operationIds).toEqual(['op-2', 'op-3']);
  });

  it('sets the expiry afterwards, and reports its operations too', async () => {
    const account = accountWith();
    account.on('PATCH /branches/*', (request, id) => {
      const { body } = account.carryOut(request);
      return { body: { ...(body as object), operations: [account.start('set_expiry', id)] } };
    });
    const { result, calls } = await reset({ expires_at: '2026-03-05T05:06:07Z' }, account);
    expect(calls().indexOf('PATCH /branches/*')).toBeGreaterThan(calls().indexOf('POST /branches/*/restore'));
    expect(result.branch?.expires_at).toBe('2026-03-05T05:06:07Z');
    expect(result.operationIds).toEqual(['op-2', 'op-3']);
    expect(result.operations?.map(({ action }) => action)).toEqual(['create_timeline', 'set_expiry']);
    const later = await reset({ expires_in: '2d', wait: 'false' }, account);
    expect(later.result).toMatchObject({ operationIds: ['op-4', 'op-5'], operations: [] });
  });

  it('sets the expiry after a retry if the branch is still the same', async () => {
    const account = accountWith();
    account.metadata['br-1'] = { 'github-pr-number': '7' };
    account.on('PATCH /branches/*', { status: 423, headers: { 'retry-after': '2' } });
    const { result } = await reset({ expires_in: '1d', wait: 'false' }, account);
    expect(result.branch?.expires_at).toMatch(/^2026-03-05/);
  });
});

describe('a reset is refused, before anything is changed, of', () => {
  it.each([
    ['the default branch', { default: true }, 'was not reset, because it is the default branch.'],
    ['a protected branch', { protected: true }, 'was not reset, because it is protected.'],
    ['a root branch', { parent_id: undefined }, 'has no parent to reset to, and `parent_branch` is not set'],
    [
      'a schema-only branch',
      { init_source: 'schema-only' },
      'is a schema-only branch, and a reset would copy rows into it. Nothing was changed. To replace it, use `command: create` with `if_exists: recreate` and `branch_type: schema-only`.',
    ],
  ])('%s', async (_, fields, why) => {
    expect(await refusal(accountWith(fields))).toContain(`Branch "${name}" (br-1) ${why}`);
  });

  it('an anonymized branch', async () => {
    const account = accountWith().on('GET /branches/*/anonymized_status', { body: { state: 'anonymized' } });
    expect(await refusal(account)).toContain(
      'use `command: create` with `if_exists: recreate` and the same `masking_rules`.',
    );
  });

  it('a branch whose new parent does not exist', async () => {
    expect(await refusal(accountWith(), { parent_branch: 'nobody' })).toContain('"nobody" (`parent_branch`)');
  });
});

it('a root branch can be reset if a parent is named', async () => {
  const { restores } = await reset({ parent_branch: 'main' }, accountWith({ parent_id: undefined }));
  expect(restores).toEqual([{ source_branch_id: 'br-main' }]);
});

describe('a reset that the service refuses', () => {
  const refusedWith = (status: number, fields: Raw = {}) =>
    accountWith(fields).on('POST /branches/*/restore', () => ({ status, body: { message: 'refused' } }));
  const fails = (account: Account, inputs: Record<string, string> = {}) => run({ command: 'reset', account, inputs });

  it.each<[string, Record<string, string>]>([
    ['no children', {}],
    ['no branch of the name for the old state', { preserve_under_name: 'before' }],
  ])('stands for itself if there is %s', async (_, inputs) => {
    const { message } = await fails(refusedWith(422), inputs);
    expect(message).toBe(`Could not reset branch "${name}": 422, refused`);
  });
});
