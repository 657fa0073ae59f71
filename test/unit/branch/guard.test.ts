import { describe, expect, it } from 'vitest';
import { guarded } from '../../../src/branch/guard.ts';
import { type Found, findWithChildren } from '../../../src/service/branches.ts';
import { Account, projectId, type RawBranch } from '../../support/account.ts';
import { type Made, makeStep, run } from '../../support/lifecycle.ts';

const name = 'preview/pr-7';
const locked = { status: 423, body: { code: '', message: 'locked' } };

/** Runs a step for a branch that is locked for a minute, and changed by someone else in the meantime. */
async function play(command: 'delete' | 'reset', change: (branch: RawBranch, account: Account) => void, inputs = {}) {
  const account = new Account();
  const branch = account.add({ name });
  const route = command === 'delete' ? 'DELETE /branches/*' : 'POST /branches/*/restore';
  let made: Made | undefined;
  account.on(
    route,
    ...Array.from({ length: 30 }, () => () => {
      if ((made?.clock.now() ?? 0) - start > 20_000) change(branch, account);
      return (made?.clock.now() ?? 0) - start > 60_000 ? undefined : locked;
    }),
  );
  let start = 0;
  const ended = await run({
    ...{ command, account, inputs },
    prepare(one) {
      made = one;
      start = one.clock.now();
    },
  });
  return { ...ended, message: ended.message, account, route };
}

describe.each(['delete', 'reset'] as const)('a %s that has to be sent again later', (command) => {
  it('is checked again, and succeeds if nothing has changed', async () => {
    const { message, calls } = await play(command, () => {});
    expect(message).toBeUndefined();
    const sent = calls();
    const reads = sent.filter((call) => call === 'GET /branches').length;
    expect(reads).toBeGreaterThan(2);
  });

  it.each<[string, (branch: RawBranch, account: Account) => void, string]>([
    ['protected', (branch) => Object.assign(branch, { protected: true }), 'because it is protected'],
    ['the default branch', (branch) => Object.assign(branch, { default: true }), 'because it is the default branch'],
    ['renamed', (branch) => Object.assign(branch, { name: 'kept' }), 'was renamed to "kept" in the meantime'],
    [
      'given another owner',
      (branch, account) => Object.assign(account.metadata, { [branch.id]: { 'github-commit-repo': 'a/b' } }),
      'belongs to a/b',
    ],
    [
      'given a child',
      (_, account) => account.branch('child') ?? account.add({ name: 'child', parent_id: 'br-1' }),
      'has a child branch ("child"',
    ],
  ])('is not sent once the branch was %s', async (_, change, error) => {
    const { message, account, result } = await play(command, change);
    expect(message).toContain(error);
    expect(account.branch('br-1')).toBeDefined();
    expect(account.branch('br-1')?.last_reset_at).toBeUndefined();
    expect(result).toMatchObject({ deleted: false });
  });
});

it('a branch with children is reset only if its old state is kept for them', async () => {
  const account = new Account();
  account.add({ name });
  account.add({ name: 'child', parent_id: 'br-1' });
  const refused = await run({ command: 'reset', account });
  expect(refused.message).toContain('so it was not reset. To keep its old state for them, set `preserve_under_name`.');
  const kept = await run({ command: 'reset', account, inputs: { preserve_under_name: 'before' } });
  expect(kept.message).toBeUndefined();
});

it('nothing is sent if the service takes too long to say what the branch is', async () => {
  const account = new Account();
  account.add({ name });
  let made: Made | undefined;
  account.on('GET /branches', () => {
    made?.clock.pass(11_000);
    return undefined;
  });
  const prepare = (one: Made) => {
    made = one;
  };
  const { message, calls } = await run({ command: 'delete', account, prepare });
  expect(message).toContain('the service takes too long to say what it is now');
  expect(calls().every((call) => call.startsWith('GET'))).toBe(true);
});

describe.each(['default', 'protected'])('a list that does not say which branches are %s', (missing) => {
  const play = (command: 'delete' | 'reset', itself: object) => {
    const account = new Account();
    const branch = account.add({ name, [missing]: undefined }, { metadata: { 'github-pr-number': '7' } });
    account.on('GET /branches/*', () => ({ body: { branch: { ...branch, ...itself } } }));
    return run({ command, account });
  };

  it.each(['delete', 'reset'] as const)('is not relied on: %s reads the branch itself', async (command) => {
    expect((await play(command, { [missing]: false })).message).toBeUndefined();
    expect((await play(command, { [missing]: true })).message).toMatch(/because it is (protected|the default branch)/);
    expect((await play(command, {})).message).toContain('because the service does not say whether');
  });
});

it('a new branch that no list has yet is read itself', async () => {
  const account = new Account();
  account.add({ name }, { metadata: { 'github-pr-number': '7' } });
  let lists = 0;
  account.on('GET /branches', () => (++lists > 1 ? { body: { branches: [], pagination: {} } } : undefined));
  account.on('GET /branches/*', { body: { branch: { ...account.branch(name), protected: true } } });
  let made: Made | undefined;
  const prepare = (one: Made) => {
    made = one;
  };
  account.on('DELETE /branches/*', () => {
    made?.clock.pass(20_000);
    return locked;
  });
  const { message } = await run({ command: 'delete', account, prepare });
  expect(message).toContain('was not deleted, because it is protected');
});

it('a branch is read again if its check took too long', async () => {
  const account = new Account();
  account.add({ name });
  const { api, clock, calls } = makeStep({ command: 'delete', account });
  const found = await findWithChildren({ api, projectId, is: (one) => one.name === name, goal: 'find it' });
  const seen: number[] = [];
  const check = async () => {
    seen.push(clock.now());
    if (seen.length === 1) clock.pass(11_000);
  };
  await guarded(found as Found, { doing: 'deleted', check })();
  expect(seen).toHaveLength(2);
  expect(calls()).toEqual(['GET /branches', 'GET /branches']);
});
