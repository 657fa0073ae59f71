import { describe, expect, it } from 'vitest';
import { checkParent, sight, whatChanged } from '../../../src/branch/sighting.ts';
import { branch as readBranch } from '../../../src/service/types.ts';
import { Account } from '../../support/account.ts';
import type { Reply } from '../../support/mock-api.ts';
import { run, step } from '../../support/step.ts';

const metadata = { 'github-commit-repo': 'octo/api', 'github-pr-number': '7', 'github-commit-ref': 'x' };
type Fields = Record<string, unknown>;

const branchOf = (fields: Fields = {}, metadata: Record<string, string> = {}) =>
  readBranch({ id: 'br-1', name: 'mine', created_at: '2025-03-04T05:06:07Z', ...fields }, 'branch', {
    value: metadata,
  });

/** The check of a branch that has just been read. */
function check(fields: Fields = {}, doing: 'deleted' | 'reset' | 'given an expiry' = 'deleted') {
  const account = new Account();
  const raw = account.add({ name: 'mine', ...fields });
  const { context, clock, calls } = step({ command: 'get', account });
  const seen = sight(context, { branch: branchOf(fields), date: clock.now(), readAt: clock.now() });
  const check = (mayHaveActed: boolean) => seen.check(doing, mayHaveActed);
  return { account, raw, clock, calls, check };
}

describe('a branch that was read', () => {
  it('counts as unchanged for two seconds, and is then read again', async () => {
    const { clock, calls, check: again } = check();
    await again(false);
    clock.pass(1_999);
    await again(false);
    expect(calls()).toEqual([]);
    clock.pass(1);
    await again(false);
    expect(calls()).toEqual(['GET /branches/*']);
    clock.pass(1_999);
    await again(false);
    expect(calls()).toHaveLength(1);
    clock.pass(1);
    await again(false);
    expect(calls()).toHaveLength(2);
  });

  it.each([
    [1, 2],
    [9, 3],
  ])('is read again while the service takes too long to respond (%i times): %i times', async (slow, reads) => {
    const { account, clock, calls, check: again } = check();
    let left = slow;
    account.on('GET /branches/*', () => {
      if (left-- > 0) clock.pass(2_000);
      return undefined;
    });
    clock.pass(2_000);
    await again(false);
    expect(calls()).toHaveLength(reads);
  });

  it('is left alone if a read that the step has made anyway says that it has changed', async () => {
    const { context, clock, calls } = step({ command: 'get', account: new Account() });
    const seen = sight(context, { branch: branchOf({}, metadata), date: undefined, readAt: clock.now() });
    const now = seen.with(branchOf({}, { ...metadata, 'github-pr-number': '8' }));
    for (const one of [seen, now])
      await expect(one.check('reset')).rejects.toThrow('was reassigned to pull request #8');
    expect(calls()).toEqual([]);
  });

  it.each<[Fields, string, 'BranchGoneError' | 'RefusedError']>([
    [{ name: 'kept' }, 'was renamed to "kept"', 'BranchGoneError'],
    [{ default: true }, "became the project's default branch", 'RefusedError'],
    [{ protected: true }, 'was protected', 'RefusedError'],
  ])('is left alone if it has changed to %j by then', async (fields, what, name) => {
    const { raw, clock, check: again } = check({}, 'reset');
    Object.assign(raw, fields);
    clock.pass(5_000);
    const message = `Branch "mine" (br-1) ${what} in the meantime, so it was not reset.`;
    await expect(again(false)).rejects.toMatchObject({ name, message });
    clock.pass(5_000);
    await expect(again(true)).rejects.toMatchObject({
      message: `Branch "mine" (br-1) ${what} in the meantime, so the request to reset it was not sent again. An earlier attempt got no response, and may still take effect.`,
      change: { why: `${what} in the meantime`, mayHaveActed: true },
    });
  });

  it('is left alone if its metadata names another owner by then', async () => {
    const { account, clock, check: again } = check();
    account.metadata['br-1'] = { 'github-pr-number': '8' };
    clock.pass(5_000);
    await expect(again(false)).rejects.toThrow(
      'was assigned to pull request #8 in the meantime (see its metadata), so it was not deleted.',
    );
  });

  it.each([404, 410])('may be gone by then (%i): the change itself will report it', async (status) => {
    const { account, clock, calls, check: again } = check();
    account.on('GET /branches/*', { status });
    clock.pass(5_000);
    await again(false);
    expect(calls()).toEqual(['GET /branches/*']);
  });

  it('is left alone if it cannot be read', async () => {
    const { account, clock, check: again } = check();
    account.on('GET /branches/*', { status: 403 });
    clock.pass(5_000);
    await expect(again(false)).rejects.toThrow('Could not read branch br-1: 403');
  });

  it.each([
    ['new', '2026-03-04T05:06:06Z', ['GET /branches/*', 'GET /branches/*']],
    ['old', '2025-03-04T05:06:07Z', ['GET /branches/*']],
  ])('is read again after a 422 if it was %s', async (age, created_at, expected) => {
    const notReady: Reply = { status: 422 };
    const { account, clock, calls, check: again } = check({ created_at });
    account.on('GET /branches/*', notReady);
    clock.pass(2_000);
    const checked = again(false);
    if (age === 'old') await expect(checked).rejects.toThrow(': 422');
    else await checked;
    expect(calls()).toEqual(expected);
  });
});

it.each([true, false])('the window of a branch closes 15 seconds after it was read (created: %s)', (created) => {
  const { context, clock } = step({ command: 'get', account: new Account() });
  const created_at = created ? '2025-03-04T05:06:07Z' : new Date(clock.now()).toISOString();
  const seen = sight(
    context,
    { branch: branchOf({ created_at }), date: clock.now(), readAt: clock.now() },
    { created },
  );
  const until = clock.now() + 15_000;
  expect([seen.window?.until, seen.shortWindow?.until]).toEqual([until, until - 10_000]);
  clock.pass(14_999);
  expect([seen.window?.until, seen.shortWindow?.until]).toEqual([until, until]);
  clock.pass(1);
  expect([seen.window, seen.shortWindow]).toEqual([undefined, undefined]);
});

describe('a change of a branch', () => {
  const before = branchOf({}, metadata);

  it.each<[Fields, Record<string, string>, string]>([
    [{ name: 'kept', default: true }, metadata, 'was renamed to "kept" in the meantime'],
    [{ default: true, protected: true }, metadata, "became the project's default branch in the meantime"],
    [{ protected: true }, {}, 'was protected in the meantime'],
    [
      {},
      { ...metadata, 'github-commit-repo': 'octo/web' },
      'was reassigned to pull request #7 of octo/web in the meantime (see its metadata)',
    ],
    [
      {},
      { ...metadata, 'github-pr-number': '8' },
      'was reassigned to pull request #8 of octo/api in the meantime (see its metadata)',
    ],
    [{}, { 'github-commit-ref': 'y' }, 'was reassigned to git branch "y" in the meantime (see its metadata)'],
  ])('to %j with the metadata %j is named', (fields, owner, change) => {
    expect(whatChanged(before, branchOf(fields, owner))?.change).toBe(change);
  });

  it('to a first owner is no reassignment', () => {
    expect(whatChanged(branchOf({}, {}), branchOf({}, metadata))?.change).toBe(
      'was assigned to pull request #7 of octo/api in the meantime (see its metadata)',
    );
  });

  it.each<[string, Fields, Record<string, string>]>([
    ['nothing', {}, metadata],
    ['its state', { current_state: 'archived', expires_at: '2027-01-01T00:00:00Z' }, metadata],
    ['its metadata, which is missing now', {}, {}],
    ['its metadata, which is partly empty now', {}, { ...metadata, 'github-pr-number': '' }],
    ['other metadata', {}, { ...metadata, note: 'new' }],
  ])('does not matter if it is about %s', (_, fields, owner) => {
    expect(whatChanged(before, branchOf(fields, owner))).toBeUndefined();
  });

  it.each<[Fields, Record<string, string>]>([
    [{}, {}],
    [{ protected: true }, metadata],
  ])('other than a delete or a reset may follow the first metadata, or a protection: %j, %j', (fields, owner) => {
    const now = branchOf(fields, metadata);
    expect(whatChanged(branchOf({}, owner), now, { strict: false })).toBeUndefined();
    expect(whatChanged(branchOf({}, owner), now)).toBeDefined();
  });

  it('does not matter once the branch is gone', () => {
    expect(whatChanged(before, undefined)).toBeUndefined();
  });
});

describe('the parent that the step names', () => {
  /** A create or a reset whose first request finds the project locked, while something happens to the parent. */
  async function locked(options: {
    command: 'create' | 'reset';
    parent_branch: string;
    change: (account: Account) => void;
  }) {
    const { command, parent_branch, change } = options;
    const account = new Account();
    account.add({ name: 'release', id: 'br-release' });
    if (command === 'reset') account.add({ name: 'preview/pr-7', id: 'br-7' });
    const route = command === 'create' ? 'POST /branches' : 'POST /branches/*/restore';
    let changed = false;
    account.on(route, () => {
      if (changed) return undefined;
      changed = true;
      change(account);
      return { status: 423, headers: { 'retry-after': '2' } };
    });
    const ended = await run({ command, account, inputs: { parent_branch, ephemeral: String(command === 'create') } });
    return { ...ended, requests: ended.bodies(route) };
  }
  const rename = (account: Account) => {
    Object.assign(account.branch('br-release') ?? {}, { name: 'release (old)' });
    account.add({ name: 'release', id: 'br-new' });
  };

  it.each(['create', 'reset'] as const)('is not used by a late %s once it has another name', async (command) => {
    const { message, requests, saved } = await locked({ command, parent_branch: 'release', change: rename });
    expect(message).toBe(
      'Branch "release" (br-release) (`parent_branch`) was renamed to "release (old)" in the meantime, so it was not used as the parent. Set `parent_branch` to the branch that you want, and run the step again.',
    );
    expect(requests).toHaveLength(1);
    if (command === 'create') expect(saved.map(({ create }) => create)).toEqual(['sent', 'refused']);
  });

  it.each(['create', 'reset'] as const)(
    'is read again before a late %s, and used if it has its name',
    async (command) => {
      const { message, requests, calls } = await locked({ command, parent_branch: 'release', change: () => {} });
      expect(message).toBeUndefined();
      expect(requests).toHaveLength(2);
      expect(calls()).toContain('GET /branches/*');
    },
  );

  it('is used whatever its name is, if the step gives its ID', async () => {
    const { message, requests } = await locked({ command: 'create', parent_branch: 'br-release', change: rename });
    expect(message).toBeUndefined();
    expect(requests).toHaveLength(2);
  });

  it('is read again if its own list took too long', async () => {
    const account = new Account();
    account.add({ name: 'release', id: 'br-release' });
    const { message, calls } = await run({
      ...{ command: 'create', account, inputs: { parent_branch: 'release' } },
      prepare({ clock }) {
        account.on('GET /branches', (request) => {
          const reply = account.carryOut(request);
          clock.pass(2_000);
          const [branch] = account.branches.filter(({ id }) => id === 'br-release');
          const before = JSON.parse(JSON.stringify(reply));
          Object.assign(branch ?? {}, { name: 'release (old)' });
          return before;
        });
      },
    });
    expect(message).toContain('was renamed to "release (old)" in the meantime, so it was not used as the parent');
    expect(calls()).toEqual(['GET /branches', 'GET /branches/*']);
  });

  it('is not read again before a request that is sent at once', async () => {
    const account = new Account();
    account.add({ name: 'release' });
    const { calls } = await run({ command: 'create', account, inputs: { parent_branch: 'release' } });
    expect(calls()).toEqual(['GET /branches', 'POST /branches']);
  });

  it('may be gone by then: the request itself will report it', async () => {
    const account = new Account();
    const { context, clock } = step({ command: 'create', account, inputs: { parent_branch: 'mine' } });
    const check = checkParent(context, { ...branchOf(), readAt: clock.now() });
    clock.pass(5_000);
    await expect(check()).resolves.toBeUndefined();
  });
});
