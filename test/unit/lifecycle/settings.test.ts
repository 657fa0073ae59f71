import { describe, expect, it } from 'vitest';
import { Account, type Raw } from '../../support/account.ts';
import { run } from '../../support/lifecycle.ts';

/** A create of a branch that exists. */
async function reuse(options: { inputs: Record<string, string>; fields?: Raw; endpoint?: Raw; account?: Account }) {
  const { inputs, fields = {}, endpoint = {}, account = new Account() } = options;
  account.add({ name: 'preview/pr-7', ...fields }, { endpoint });
  const ended = await run({ command: 'create', account, inputs });
  expect(ended.message).toBeUndefined();
  return {
    ...ended,
    compute: ended.bodies('PATCH /endpoints/*'),
    branch: ended.bodies('PATCH /branches/*'),
  };
}

describe('the compute settings of an existing branch', () => {
  const has = { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 2, suspend_timeout_seconds: 300 };

  it.each<[Record<string, string>, Raw]>([
    [{ min_cu: '0.5' }, { autoscaling_limit_min_cu: 0.5 }],
    [{ max_cu: '4' }, { autoscaling_limit_max_cu: 4 }],
    [{ suspend_timeout: '0' }, { suspend_timeout_seconds: 0 }],
    [{ min_cu: '1', max_cu: '3', suspend_timeout: '300' }, { autoscaling_limit_max_cu: 3 }],
  ])('are changed if they differ from the inputs %j', async (inputs, endpoint) => {
    const { compute, branch, lines } = await reuse({ inputs, endpoint: has });
    expect(compute).toEqual([{ endpoint }]);
    expect(branch).toEqual([]);
    const list = Object.entries(endpoint).map(([name, value]) => `${name} ${value}`);
    expect(lines).toContain(`Changed the compute settings of branch "preview/pr-7": ${list.join()}`);
  });

  it('are changed in one request, and logged in one line', async () => {
    const inputs = { min_cu: '2', max_cu: '4', suspend_timeout: '60' };
    const { compute, lines } = await reuse({ inputs, endpoint: has });
    const endpoint = { autoscaling_limit_min_cu: 2, autoscaling_limit_max_cu: 4, suspend_timeout_seconds: 60 };
    expect(compute).toEqual([{ endpoint }]);
    expect(lines).toContain(
      'Changed the compute settings of branch "preview/pr-7": autoscaling_limit_min_cu 2, autoscaling_limit_max_cu 4, suspend_timeout_seconds 60',
    );
  });

  it.each<Record<string, string>>([{}, { min_cu: '1', max_cu: '2', suspend_timeout: '300' }])(
    'stay as they are if the inputs are %j',
    async (inputs) => {
      const { compute, lines } = await reuse({ inputs, endpoint: has });
      expect(compute).toEqual([]);
      expect(lines.join()).not.toContain('compute settings');
    },
  );
});

describe('the protection of an existing branch', () => {
  it('is added if the step asks for it', async () => {
    const { branch, compute, lines, result } = await reuse({ inputs: { protected: 'true' } });
    expect(branch).toEqual([{ branch: { protected: true } }]);
    expect(compute).toEqual([]);
    expect(lines).toContain('Branch "preview/pr-7" is now protected');
    expect(result.branch?.protected).toBe(true);
  });

  it('is not added twice', async () => {
    const { branch, lines } = await reuse({ inputs: { protected: 'true' }, fields: { protected: true } });
    expect(branch).toEqual([]);
    expect(lines.join()).not.toContain('now protected');
  });

  it('is neither added nor removed if the step does not ask for it', async () => {
    expect((await reuse({ inputs: {} })).branch).toEqual([]);
    expect((await reuse({ inputs: {}, fields: { protected: true } })).branch).toEqual([]);
  });
});

describe('the operations of changed settings', () => {
  const inputs = { max_cu: '4', protected: 'true' };
  const account = () => {
    const made = new Account();
    return made.on('PATCH /branches/*', (_, id) => ({
      body: { branch: made.branch(id), operations: [made.start('protect', id)] },
    }));
  };

  it('are waited for, and reported', async () => {
    const { result, lines } = await reuse({ inputs, account: account() });
    expect(result.operations).toMatchObject([
      { action: 'apply_config', status: 'finished' },
      { action: 'protect', status: 'finished' },
    ]);
    expect(result.operationIds).toEqual(result.operations?.map(({ id }) => id));
    expect(lines.filter((line) => line.startsWith('Operation '))).toHaveLength(2);
  });

  it('are reported even if the next change is refused', async () => {
    const refusing = new Account().on('PATCH /branches/*', { status: 403, body: { code: '', message: 'no' } });
    refusing.add({ name: 'preview/pr-7' });
    const { result, message } = await run({ command: 'create', account: refusing, inputs });
    expect(message).toContain('403');
    expect(result.operationIds).toEqual(refusing.operations.map(({ id }) => id));
    expect(result.operationIds).toHaveLength(1);
  });

  it('are only reported with `wait: false`', async () => {
    const { result, lines } = await reuse({ inputs: { ...inputs, wait: 'false' }, account: account() });
    expect(result.operationIds).toHaveLength(2);
    expect(result.operations).toEqual([]);
    expect(lines.filter((line) => line.startsWith('Operation '))).toEqual([]);
  });

  it('are reported even if one of them fails', async () => {
    const failing = new Account().on('PATCH /endpoints/*', () => ({
      body: {
        endpoint: failing.endpoints[1],
        operations: [failing.start('apply_config', 'br-1', { status: 'error' })],
      },
    }));
    failing.add({ name: 'preview/pr-7' });
    const { message, result } = await run({ command: 'create', account: failing, inputs: { max_cu: '4' } });
    expect(message).toContain('Operation apply_config (op-2) ended with status "error"');
    expect(result).toMatchObject({ operationIds: ['op-2'], operations: [] });
  });
});

describe('a branch that changes while the project is locked', () => {
  const locked = (route: string, change: Raw) => {
    const account = new Account();
    account.add({ name: 'preview/pr-7' });
    let changed = false;
    account.on(route, () => {
      if (changed) return undefined;
      changed = true;
      Object.assign(account.branch('br-1') ?? {}, change);
      return { status: 423, headers: { 'retry-after': '2' } };
    });
    return account;
  };

  it.each<[string, Record<string, string>]>([
    ['PATCH /branches/*', { protected: 'true' }],
    ['PATCH /endpoints/*', { max_cu: '4' }],
  ])('still gets its settings if another step has protected it (%s)', async (route, inputs) => {
    const { message, bodies } = await run({
      ...{ command: 'create', inputs },
      account: locked(route, { protected: true }),
    });
    expect(message).toBeUndefined();
    expect(bodies(route)).toHaveLength(2);
  });
});
