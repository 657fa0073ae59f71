import { describe, expect, it } from 'vitest';
import { Account, type Raw } from '../../support/account.ts';
import { run } from '../../support/step.ts';

const name = 'preview/pr-7';
const justNow = '2026-03-04T05:06:06Z';

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
      { parent_timestamp: timestamp },
      { source_branch_id: 'br-main', source_timestamp: timestamp },
      `its parent at ${timestamp}`,
    ],
    [
      { parent_lsn: '0/1A2B3C4', parent_branch: 'other' },
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
    expect(lines[0]).toBe(`Resetting branch "${name}" (br-1) to ${to}`);
    expect(result).toMatchObject({ action: 'reset', done: `Reset branch "${name}" (br-1) to ${to}` });
  });

  it('waits for its operations, and then reads the branch again', async () => {
    const { result, calls } = await reset();
    expect(result).toMatchObject({ operationIds: ['op-2'], operations: [{ id: 'op-2', status: 'finished' }] });
    expect(calls().slice(0, 3)).toEqual([
      'GET /branches',
      'GET /branches/*/anonymized_status',
      'POST /branches/*/restore',
    ]);
    expect(calls().slice(3)).toContain('GET /branches/*');
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
    account.on('PATCH /branches/*', (_, id) => ({
      body: { branch: account.branch(id), operations: [account.start('set_expiry', id)] },
    }));
    const { result, calls } = await reset({ expires_at: '2026-03-05T05:06:07Z' }, account);
    expect(calls().indexOf('PATCH /branches/*')).toBeGreaterThan(calls().indexOf('POST /branches/*/restore'));
    expect(result.branch?.expires_at).toBe('2026-03-05T05:06:07Z');
    expect(result.operationIds).toEqual(['op-2', 'op-3']);
    expect(result.operations?.map(({ action }) => action)).toEqual(['create_timeline', 'set_expiry']);
    const later = await reset({ expires_in: '1d', wait: 'false' }, account);
    expect(later.result).toMatchObject({ operationIds: ['op-4', 'op-5'], operations: [] });
  });

  it.each([
    ['true', 'GET /branches/*'],
    ['false', 'POST /branches/*/restore'],
  ])('fails if the branch was renamed by its end (wait: %s)', async (wait, route) => {
    const account = accountWith();
    account.on(route, (_, id) => void Object.assign(account.branch(id) ?? {}, { name: 'kept' }));
    const { message, result } = await run({ command: 'reset', account, inputs: { wait } });
    expect(message).toBe(`Branch "${name}" (br-1) was renamed to "kept" in the meantime`);
    expect(result.connection).toBeUndefined();
  });

  it('is not sent again once the branch has changed while the project was locked', async () => {
    const account = accountWith();
    account.on('POST /branches/*/restore', (_, id) => {
      Object.assign(account.branch(id) ?? {}, { protected: true });
      return { status: 423, headers: { 'retry-after': '2' } };
    });
    const { message, bodies } = await run({ command: 'reset', account });
    expect(message).toBe(`Branch "${name}" (br-1) was protected in the meantime, so it was not reset.`);
    expect(bodies('POST /branches/*/restore')).toHaveLength(1);
  });

  it.each(['true', 'false'])('gives no expiry to a branch that was renamed after it (wait: %s)', async (wait) => {
    const account = accountWith();
    account.metadata['br-1'] = { 'github-pr-number': '7' };
    account.on('PATCH /branches/*', (_, id) => {
      Object.assign(account.branch(id) ?? {}, { name: 'kept' });
      return { status: 423, headers: { 'retry-after': '2' } };
    });
    const { message, bodies } = await run({ command: 'reset', account, inputs: { expires_in: '1d', wait } });
    expect(message).toBe(
      `Branch "${name}" (br-1) was renamed to "kept" in the meantime, so it was not given an expiry.`,
    );
    expect(bodies('PATCH /branches/*')).toHaveLength(1);
  });

  it('sets the expiry after a retry if the branch is still the same', async () => {
    const account = accountWith();
    account.metadata['br-1'] = { 'github-pr-number': '7' };
    account.on('PATCH /branches/*', { status: 423, headers: { 'retry-after': '2' } });
    const { result } = await reset({ expires_in: '1d', wait: 'false' }, account);
    expect(result.branch?.expires_at).toMatch(/^2026-03-05/);
  });

  it('adds no endpoint to a branch that was renamed after it', async () => {
    const account = new Account();
    account.add({ name }, { endpoint: false });
    account.on('POST /endpoints', () => {
      Object.assign(account.branch('br-1') ?? {}, { name: 'kept' });
      return { status: 423, headers: { 'retry-after': '2' } };
    });
    const { message, bodies } = await run({ command: 'reset', account });
    expect(message).toBe(`Branch "${name}" (br-1) was renamed to "kept" in the meantime, so it was not changed.`);
    expect(bodies('POST /endpoints')).toHaveLength(1);
  });

  it('is recorded as soon as the service has accepted it', async () => {
    const account = accountWith();
    account.on('GET /operations', { status: 403 });
    account.on('GET /operations/*', { status: 403 });
    const { message, result } = await run({ command: 'reset', account });
    expect(message).toContain(': 403');
    expect(result.action).toBe('reset');
  });
});

describe('a reset is refused, before anything is changed, of', () => {
  it.each([
    ['the default branch', { default: true }, "is the project's default branch and is never reset."],
    ['a protected branch', { protected: true }, 'is a protected branch and is never reset.'],
    ['a root branch', { parent_id: undefined }, 'has no parent to reset to: it is a root branch. Set `parent_branch`'],
  ])('%s', async (_, fields, why) => {
    expect(await refusal(accountWith(fields))).toContain(`Branch "${name}" (br-1) ${why}`);
  });

  it('an anonymized branch, because its rows would no longer be masked', async () => {
    const account = accountWith();
    account.on('GET /branches/*/anonymized_status', { body: { state: 'anonymized' } });
    expect(await refusal(account)).toBe(
      `Branch "${name}" (br-1) is anonymized, and a reset would bring back its parent's rows unmasked. Nothing was changed. To replace it, run \`command: create\` with \`masking_rules\` and \`if_exists: recreate\`.`,
    );
  });

  it.each<[Raw, Record<string, string>]>([
    [{ parent_id: undefined }, {}],
    [{ parent_id: undefined }, { parent_branch: 'main' }],
    [{}, {}],
  ])('a schema-only branch, which would get rows (%j, %j)', async (fields, inputs) => {
    expect(await refusal(accountWith({ init_source: 'schema-only', ...fields }), inputs)).toBe(
      `Branch "${name}" (br-1) is a schema-only branch, and a reset would copy another branch's rows into it. Nothing was changed. To replace it, run \`command: create\` with \`branch_type: schema-only\` and \`if_exists: recreate\`. For a branch with rows, use another name and \`branch_type: default\`.`,
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

describe('a branch that is new', () => {
  it.each([
    [{ protected: true }, 'is a protected branch and is never reset.'],
    [{ name: 'kept' }, 'was renamed to "kept" in the meantime'],
  ])('is read again before its reset, and left alone if it has changed to %j', async (fields, why) => {
    const account = accountWith({ created_at: justNow });
    account.on('GET /branches/*', (_, id) => void Object.assign(account.branch(id) ?? {}, fields));
    expect(await refusal(account)).toContain(why);
  });

  it('is read until it is known everywhere, and so is its masking state', async () => {
    const account = accountWith({ created_at: justNow });
    account.on('GET /branches/*', { status: 404 });
    account.on('GET /branches/*/anonymized_status', { status: 422 }, { body: { state: 'created' } });
    expect(await refusal(account)).toContain('is anonymized');
  });

  it('is read until it is known everywhere after its reset, too', async () => {
    const account = accountWith({ created_at: justNow });
    account.on('POST /branches/*/restore', () => void account.on('GET /branches/*', { status: 404 }));
    expect((await reset({}, account)).restores).toHaveLength(1);
  });
});

describe('a reset that the service refuses', () => {
  const refusedWith = (status: number, fields: Raw = {}) =>
    accountWith(fields).on('POST /branches/*/restore', () => ({ status, body: { message: 'refused' } }));
  const fails = (account: Account, inputs: Record<string, string> = {}) => run({ command: 'reset', account, inputs });

  it.each([400, 409, 412, 422])('is explained by the children of the branch (%i)', async (status) => {
    const account = refusedWith(status);
    for (let nth = 1; nth <= 6; nth++) account.add({ name: `c${nth}`, parent_id: 'br-1' });
    account.add({ name: 'other' });
    const { message, error } = await fails(account);
    expect(message).toBe(
      `Branch "${name}" (br-1) has child branches ("c1", "c2", "c3", "c4", "c5" and 1 more), so its old state must be kept: set \`preserve_under_name\`. Nothing was changed.`,
    );
    expect(error).toMatchObject({ name: 'RefusedError', cause: { status } });
  });

  it.each([400, 409, 412, 422])('is explained by a branch that has the name for the old state (%i)', async (status) => {
    const account = refusedWith(status);
    account.add({ name: 'before', parent_id: 'br-1' });
    const { message, error } = await fails(account, { preserve_under_name: 'before' });
    expect(message).toBe(
      '`preserve_under_name`: branch "before" (br-2) already exists. Nothing was changed. Choose another name.',
    );
    expect(error).toMatchObject({ name: 'RefusedError', cause: { status } });
  });

  it('does not claim that nothing was changed if an earlier response was lost', async () => {
    const account = accountWith();
    account.add({ name: 'before', created_at: justNow });
    account.on('POST /branches/*/restore', { status: 500 }, { status: 409, body: { message: 'taken' } });
    const { message } = await fails(account, { preserve_under_name: 'before' });
    expect(message).toBe(
      '`preserve_under_name`: branch "before" (br-2) already exists. An earlier attempt to reset branch "preview/pr-7" (br-1) got no response, and may have reset it and created "before". Check both branches in the service\'s console. To run the step again, set `preserve_under_name` to another name; this resets "preview/pr-7" even if the earlier attempt already did.',
    );
  });

  it.each<[string, Record<string, string>]>([
    ['no children', {}],
    ['no branch of the name for the old state', { preserve_under_name: 'before' }],
  ])('stands for itself if there is %s', async (_, inputs) => {
    const { message } = await fails(refusedWith(422), inputs);
    expect(message).toBe(`Could not reset branch "${name}": 422, refused`);
  });

  it('stands for itself if its status says why', async () => {
    const account = refusedWith(403);
    account.add({ name: 'child', parent_id: 'br-1' });
    const { message, calls } = await fails(account);
    expect(message).toBe(`Could not reset branch "${name}": 403, refused`);
    expect(calls().filter((call) => call === 'GET /branches')).toHaveLength(1);
  });

  it('is sent again for some seconds if the branch is new', async () => {
    const account = accountWith({ created_at: justNow });
    account.on('POST /branches/*/restore', { status: 422 }, { status: 422 });
    expect((await reset({}, account)).restores).toHaveLength(3);
  });
});
