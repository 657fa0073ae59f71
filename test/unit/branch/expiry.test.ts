import { describe, expect, it } from 'vitest';
import { checkCanExpire, renewExpiry } from '../../../src/branch/settings.ts';
import { sight } from '../../../src/branch/sighting.ts';
import { expiryOf } from '../../../src/inputs/expiry.ts';
import { branch as readBranch } from '../../../src/service/types.ts';
import { Account, type Raw } from '../../support/account.ts';
import { run, step } from '../../support/step.ts';

const day = 86_400_000;
const at = '2026-03-05T05:06:07Z';

describe('the expiry of a branch', () => {
  const now = Date.parse('2026-11-21T08:00:00.700Z');

  it('is the given time, or the duration from now, in whole seconds', () => {
    expect(expiryOf({ expires_at: now, expires_in: undefined }, 0)).toBe('2026-11-21T08:00:00Z');
    expect(expiryOf({ expires_at: undefined, expires_in: day }, now)).toBe('2026-11-22T08:00:00Z');
    expect(expiryOf({ expires_at: undefined, expires_in: undefined }, now)).toBeUndefined();
  });

  it('is at most 30 days ahead even for a service whose clock is slightly slow', () => {
    const at = Date.parse(expiryOf({ expires_at: undefined, expires_in: 30 * day }, now) ?? '');
    expect(at).toBeLessThanOrEqual(now + 30 * day - 60_000);
    expect(at).toBeGreaterThan(now + 30 * day - 62_000);
  });
});

describe('a protected branch', () => {
  const check = (inputs: Record<string, string>, isProtected: boolean) => () =>
    checkCanExpire(
      step({ command: 'create', inputs }).context,
      readBranch({ id: 'br-1', name: 'mine', protected: isProtected }, 'branch'),
    );

  it.each([
    ['expires_in', '1d'],
    ['expires_at', at],
  ])('is refused if %s is set', (input, value) => {
    expect(check({ [input]: value }, true)).toThrow(
      `Branch "mine" (br-1) is protected, and a protected branch cannot expire. Nothing was changed. Remove \`${input}\`, or unprotect the branch.`,
    );
    expect(check({ [input]: value }, false)).not.toThrow();
  });

  it('may be used if it is not to expire', () => {
    expect(check({}, true)).not.toThrow();
  });
});

describe('the expiry of an existing branch', () => {
  function renewal(options: { inputs: Record<string, string>; fields?: Raw; account?: Account }) {
    const { inputs, fields = {}, account = new Account() } = options;
    const raw = account.add({ name: 'preview/pr-7', ...fields });
    const made = step({ command: 'reset', inputs, account });
    const seen = sight(made.context, {
      branch: readBranch(raw, 'branch'),
      date: undefined,
      readAt: made.context.api.clock.now(),
    });
    const renew = () => renewExpiry(made.context, seen);
    return { ...made, made, account, renew };
  }

  it.each<[Record<string, string>, Raw]>([
    [{ expires_in: '1d' }, {}],
    [{ expires_at: at }, {}],
    [{ expires_at: at }, { expires_at: '2026-03-05T05:06:08Z' }],
  ])('is set as %j asks, if it is %j', async (inputs, fields) => {
    const { renew, bodies, lines } = renewal({ inputs, fields });
    expect((await renew()).expires_at).toBe(at);
    expect(bodies('PATCH /branches/*')).toEqual([{ branch: { expires_at: at } }]);
    expect(lines).toEqual([`Branch "preview/pr-7" now expires at ${at}`]);
  });

  it.each<[Record<string, string>, Raw]>([
    [{}, {}],
    [{}, { expires_at: at }],
    [{ expires_at: at }, { expires_at: '2026-03-05T06:06:07+01:00' }],
  ])('stays as it is if the inputs are %j and it is %j', async (inputs, fields) => {
    const { renew, sent, lines } = renewal({ inputs, fields });
    expect((await renew()).expires_at).toBe(fields.expires_at);
    expect([sent, lines]).toEqual([[], []]);
  });

  it('is the one in the response, which the service may have rounded', async () => {
    const account = new Account().on('PATCH /branches/*', (_, id) => ({
      body: { branch: { ...account.branch(id), expires_at: '2026-03-05T05:07:00Z' } },
    }));
    const { renew } = renewal({ inputs: { expires_at: at }, account });
    expect((await renew()).expires_at).toBe('2026-03-05T05:07:00Z');
  });

  it('is the requested one if the response has none', async () => {
    const account = new Account().on('PATCH /branches/*', (_, id) => ({ body: { branch: account.branch(id) } }));
    const { renew } = renewal({ inputs: { expires_at: at }, account });
    expect((await renew()).expires_at).toBe(at);
  });

  it('fails the step if the branch was renamed by then', async () => {
    const account = new Account().on('PATCH /branches/*', (_, id) => {
      Object.assign(account.branch(id) ?? {}, { name: 'kept' });
      return undefined;
    });
    const { renew } = renewal({ inputs: { expires_at: at }, account });
    await expect(renew()).rejects.toThrow('was renamed to "kept" in the meantime');
  });

  it('is not set if a check before it fails', async () => {
    const { renew, account, clock, bodies } = renewal({ inputs: { expires_at: at } });
    Object.assign(account.branch('br-1') ?? {}, { protected: true });
    clock.pass(5_000);
    await expect(renew()).rejects.toThrow('was protected in the meantime, so it was not given an expiry');
    expect(bodies('PATCH /branches/*')).toEqual([]);
  });

  it('waits for the operations that it starts', async () => {
    const account = new Account().on('PATCH /branches/*', (_, id) => ({
      body: { branch: account.branch(id), operations: [account.start('set_expiry', id)] },
    }));
    const { renew, made } = renewal({ inputs: { expires_at: at }, account });
    await renew();
    expect(made.result.operations).toMatchObject([{ action: 'set_expiry', status: 'finished' }]);
    expect(made.result.operationIds).toEqual(made.result.operations.map(({ id }) => id));
  });
});

describe('a branch that never expired', () => {
  const id = { 'database-branch-create-id': 'x' };
  /** The warnings of a `create` that reuses the branch. */
  async function warnings(options: {
    metadata?: Record<string, string>;
    inputs?: Record<string, string>;
    fields?: Raw;
  }) {
    const { metadata = {}, inputs = { expires_in: '1d' }, fields = {} } = options;
    const account = new Account();
    account.add({ name: 'staging', ...fields }, { metadata });
    const ended = await run({ command: 'create', account, inputs: { branch_name: 'staging', ...inputs } });
    expect(ended.message).toBeUndefined();
    return ended.warnings;
  }

  it.each<[Record<string, string>, string]>([
    [{}, 'this action did not create it'],
    [{ ...id, 'github-commit-repo': 'octo/api', 'github-pr-number': '7' }, 'it belongs to pull request #7 of octo/api'],
  ])('is given an expiry with a warning if its metadata is %j', async (metadata, why) => {
    expect(await warnings({ metadata })).toEqual([
      `Branch "staging" (br-1) had no expiry, and ${why}. The service will now delete it at ${at}. To keep it, remove \`expires_in\` or \`expires_at\` from the step, and clear the branch's expiry in the service's console.`,
    ]);
  });

  it.each<[string, Parameters<typeof warnings>[0]]>([
    ['if this action created it', { metadata: id }],
    ['if it is not to expire', { inputs: {} }],
    ['if it did expire', { fields: { expires_at: '2026-03-04T06:00:00Z' } }],
  ])('is reused without a warning %s', async (_, options) => {
    expect(await warnings(options)).toEqual([]);
  });
});
