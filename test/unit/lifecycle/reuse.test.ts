import { describe, expect, it } from 'vitest';
import { Account, type Raw } from '../../support/account.ts';
import { run } from '../../support/lifecycle.ts';
import type { Sent } from '../../support/mock-api.ts';

const name = 'preview/pr-7';

function accountWith(fields: Raw = {}, options: Parameters<Account['add']>[1] = {}): Account {
  const account = new Account();
  account.add({ name, ...fields }, options);
  return account;
}

/** Runs a create, and fails the test if it fails. */
async function reuse(inputs: Record<string, string> = {}, account = accountWith()) {
  const ended = await run({ command: 'create', account, inputs });
  expect(ended.message).toBeUndefined();
  return ended;
}

/** The message of a create that fails without having changed anything. */
async function refusal(account: Account, inputs: Record<string, string> = {}) {
  const ended = await run({ command: 'create', account, inputs });
  expect(ended.sent.filter(({ method }) => method !== 'GET').map(Account.route)).toEqual(['POST /branches']);
  expect(ended.result.connection).toBeUndefined();
  return ended;
}

describe('an existing branch', () => {
  it('gets an endpoint if it has none, whose operations are reported', async () => {
    const { result } = await reuse({}, accountWith({}, { endpoint: false }));
    expect(result).toMatchObject({ operationIds: ['op-2'], operations: [{ id: 'op-2', action: 'start_compute' }] });
  });

  it.each<Record<string, string>>([{}, { require: 'schema-only' }])(
    'may not be known everywhere yet, because another run has just created it: %j',
    async (inputs) => {
      const account = accountWith({ init_source: 'schema-only' });
      account.on('GET /branches/*/endpoints', { status: 404 }, { status: 404 });
      expect((await reuse(inputs, account)).result.connection).toBeDefined();
    },
  );

  it('gets its expiry and its settings, in this order, and their operations are reported', async () => {
    const account = accountWith();
    account.on('PATCH /branches/*', (request, id) => {
      const { body } = account.carryOut(request);
      return { body: { ...(body as object), operations: [account.start('set_expiry', id)] } };
    });
    const { result, calls } = await reuse({ expires_at: '2026-03-05T05:06:07Z', max_cu: '4' }, account);
    expect(calls().filter((call) => call.startsWith('PATCH'))).toEqual(['PATCH /branches/*', 'PATCH /endpoints/*']);
    expect(result.branch?.expires_at).toBe('2026-03-05T05:06:07Z');
    expect(result.operationIds).toEqual(['op-2', 'op-3']);
    expect(result.operations?.map(({ action }) => action)).toEqual(['set_expiry', 'apply_config']);
  });

  it.each(['GET /connection_uri'])(
    'is reported with all that was done even if a later request fails (%s)',
    async (route) => {
      const account = accountWith({}, { endpoint: false }).on(route, () => ({ status: 403 }));
      const { message, result } = await run({ command: 'create', account });
      expect(message).toContain(': 403');
      expect(result).toMatchObject({
        ...{ created: false, branch: { id: 'br-1' } },
        ...{ operationIds: ['op-2'], operations: [{ id: 'op-2' }] },
      });
    },
  );

  it('is reported with its new settings even if its connection details cannot be read', async () => {
    const account = accountWith().on('GET /connection_uri', () => ({ status: 403 }));
    const inputs = { max_cu: '4', protected: 'true' };
    const { result } = await run({ command: 'create', account, inputs });
    expect(result).toMatchObject({ branch: { protected: true }, operationIds: ['op-2'], operations: [{ id: 'op-2' }] });
  });

  it('is not changed if its rows are not masked although they must be', async () => {
    const account = new Account();
    account.on('POST /branch_anonymized', { status: 409, body: { code: 'BRANCH_ALREADY_EXISTS' } });
    account.add({ name });
    const rule = {
      database_name: 'neondb',
      schema_name: 'public',
      table_name: 't',
      column_name: 'c',
      masking_value: "'x'",
    };
    const inputs = { masking_rules: JSON.stringify([rule]), max_cu: '4', expires_in: '1d' };
    const { message, calls } = await run({ command: 'create', account, inputs });
    expect(message).toContain('is not anonymized');
    expect(calls().filter((call) => call.startsWith('PATCH'))).toEqual([]);
  });
});

describe('an existing branch is refused, before anything is changed,', () => {
  it('if it is the default branch', async () => {
    const { message } = await refusal(new Account(), { branch_name: 'main' });
    expect(message).toBe(
      'Branch "main" (br-main) is the default branch, which `create` never returns. Use `command: get`, or set `branch_name` to another name.',
    );
  });

  it('also if it becomes the default branch meanwhile', async () => {
    const account = accountWith({ current_state: 'init' });
    account.on('GET /branches/*', () => {
      Object.assign(account.branch(name) ?? {}, { current_state: 'ready', default: true });
      return undefined;
    });
    expect((await refusal(account)).message).toContain('is the default branch, which `create` never returns');
  });

  it('if it belongs to another pull request', async () => {
    const account = accountWith({}, { metadata: { 'github-pr-number': '8' } });
    expect((await refusal(account)).message).toContain('belongs to pull request #8, not to pull request #7');
  });
});

it.each<[object, object]>([
  [{ default: true }, { message: expect.stringContaining('is the default branch, which `create` never returns') }],
  [{ name: 'other' }, { message: expect.stringContaining('was renamed to "other" in the meantime') }],
  [{ expires_at: undefined }, { message: undefined, result: { branch: { expires_at: undefined } } }],
])('an existing branch is what the response to its new expiry says: %j', async (changed, expected) => {
  const account = accountWith();
  account.on('PATCH /branches/*', (_, id) => ({ body: { branch: { ...account.branch(id), ...changed } } }));
  const ended = await run({ command: 'create', account, inputs: { expires_in: '2h' } });
  expect(ended).toMatchObject(expected);
  expect(ended.result.connection === undefined).toBe(ended.message !== undefined);
});

describe('an existing branch with another parent, or another point in its history,', () => {
  const timestamp = '2026-03-01T00:00:00Z';
  const lsn = '0/1A2B3C4';
  const accountWithOther = (fields: Raw = {}) => {
    const account = accountWith(fields);
    account.add({ id: 'br-other', name: 'other' });
    return account;
  };

  it.each<[Record<string, string>, Raw]>([
    [{}, { parent_id: 'br-other', parent_timestamp: timestamp, parent_lsn: lsn }],
    [{ parent_branch: 'main' }, {}],
    [{ parent_point: timestamp }, { parent_timestamp: '2026-03-01T01:00:00.000+01:00' }],
    [{ parent_point: lsn }, { parent_lsn: lsn }],
    [
      { parent_branch: 'other', parent_point: lsn, branch_type: 'schema-only' },
      { init_source: 'schema-only', parent_id: undefined },
    ],
    [{ parent_branch: 'other', parent_point: lsn, if_exists: 'reset' }, {}],
  ])(
    'is no reason for a warning if that is what the step asks for, or does not matter (%j, %j)',
    async (inputs, fields) => {
      expect((await reuse(inputs, accountWithOther(fields))).warnings).toEqual([]);
    },
  );

  it.each<[Record<string, string>, Raw, string]>([
    [{ parent_branch: 'other' }, {}, 'another parent (br-main) or point in its history (unknown)'],
    [
      { parent_point: timestamp },
      { parent_timestamp: '2026-03-02T00:00:00Z' },
      'another parent (br-main) or point in its history (2026-03-02T00:00:00Z)',
    ],
    [{ parent_point: lsn }, {}, 'another parent (br-main) or point in its history (unknown)'],
    [
      { parent_branch: 'other' },
      { init_source: 'schema-only', parent_id: undefined },
      'another parent (none) or point in its history (unknown)',
    ],
  ])('is reused with a warning (%j, %j)', async (inputs, fields, difference) => {
    const { warnings, result } = await reuse(inputs, accountWithOther(fields));
    expect(result.action).toBe('reused');
    expect(warnings).toEqual([expect.stringContaining(`already exists, but with ${difference}`)]);
    expect(warnings[0]).toContain('Using it as is. To replace it, set `if_exists: recreate`.');
  });
});

describe('a branch whose create lost its response', () => {
  const lost = (account: Account, options: { endpoint?: false } = {}) =>
    account.on('POST /branches', ({ body }: Sent) => {
      const metadata = (body as { annotation_value: Record<string, string> }).annotation_value;
      account.add({ name, created_at: new Date(account.now()).toISOString() }, { metadata, ...options });
      return { status: 500 };
    });

  it('may be returned with `if_exists: fail`', async () => {
    expect((await reuse({ if_exists: 'fail' }, lost(new Account()))).result.created).toBe(true);
  });

  it('may be protected and schema-only, as the step asks', async () => {
    const inputs = { protected: 'true', branch_type: 'schema-only' };
    expect((await reuse(inputs, lost(new Account()))).result.created).toBe(true);
  });
});
