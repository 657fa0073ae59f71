import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { pullRequest } from '../../../tools/runner/events.ts';
import { Account } from '../../support/account.ts';
import { run } from '../../support/lifecycle.ts';
import type { Reply, Sent } from '../../support/mock-api.ts';

const name = 'preview/pr-7';
const mine = { 'github-commit-repo': 'octo-org/octo-repo', 'github-pr-number': '7' };
const auto = { command: 'auto', github_token: '' };

describe('delete', () => {
  it('deletes the branch of the pull request and waits until it is gone', async () => {
    const account = new Account();
    account.add({ name });
    const { result, sent, calls } = await run({ command: 'delete', account });
    expect(calls()).toEqual(['GET /branches', 'DELETE /branches/*']);
    expect(sent.at(-1)?.path).toContain('/operations');
    expect(result).toMatchObject({ action: 'deleted', deleted: true, done: `Deleted branch "${name}" (br-1)` });
    expect(result.operations).toMatchObject([{ action: 'delete_timeline', status: 'finished' }]);
    expect(account.branch(name)).toBeUndefined();
  });

  it('says that the deletion has begun if its end cannot be seen', async () => {
    const account = new Account().on('GET /operations', () => ({ status: 403, body: { message: 'no' } }));
    account.add({ name });
    const { message, warnings } = await run({ command: 'delete', account });
    expect(message).toContain('403, no');
    expect(warnings).toEqual([`The deletion of branch "${name}" (br-1) has begun, but was not seen to end`]);
  });

  it('with `wait: false` says that the branch is not gone yet', async () => {
    const account = new Account();
    account.add({ name });
    const { result } = await run({ command: 'delete', account, inputs: { wait: 'false' } });
    expect(result).toMatchObject({ deleted: true, done: expect.stringContaining('not gone yet (`wait: false`)') });
    expect(result.operations).toEqual([]);
  });

  it.each<[Record<string, string>, object, string]>([
    [{}, { id: undefined, name }, `Branch "${name}" does not exist; nothing to delete`],
    [{ branch_id: 'br-x' }, { id: 'br-x', name: undefined }, 'Branch br-x does not exist; nothing to delete'],
  ])('succeeds if there is no branch: %j', async (inputs, missing, done) => {
    const { result } = await run({ command: 'delete', inputs });
    expect(result).toMatchObject({ action: 'already-gone', deleted: false, operationIds: [], missing, done });
  });

  it('succeeds if the branch is gone by the time of the request', async () => {
    const account = new Account().on('DELETE /branches/*', { status: 404, body: {} });
    account.add({ name });
    expect((await run({ command: 'delete', account })).result).toMatchObject({
      action: 'already-gone',
      deleted: false,
    });
  });

  it('has deleted it if an attempt without a response did', async () => {
    const account = new Account();
    account.add({ name });
    account.on(
      'DELETE /branches/*',
      (request) => {
        account.carryOut(request);
        return { error: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) };
      },
      () => undefined,
    );
    expect((await run({ command: 'delete', account })).result).toMatchObject({ deleted: true });
  });

  it('succeeds if the service forgets the operations along with the branch, and fails if one fails', async () => {
    const account = new Account().on('GET /operations/*', { status: 404, body: {} });
    account.add({ name });
    account.on('GET /operations/*', () => ({ status: 404, body: {} }));
    expect((await run({ command: 'delete', account })).result).toMatchObject({ action: 'deleted' });

    const failing = new Account();
    failing.add({ name });
    failing.on('DELETE /branches/*', (request) => {
      const reply = failing.carryOut(request);
      Object.assign(failing.operations.at(-1) ?? {}, { status: 'error', error: 'disk full' });
      return reply;
    });
    const { message, result } = await run({ command: 'delete', account: failing });
    expect(message).toMatch(/Operation delete_timeline \(op-\d+\) ended with status "error": "disk full"/);
    expect(result).toMatchObject({ deleted: false });
  });

  it.each(['default', 'protected'])('never deletes a %s branch, but reports it', async (guard) => {
    const account = new Account();
    account.add({ name, [guard]: true });
    for (const inputs of [{}, { branch_name: name }, auto] as Record<string, string>[]) {
      const { message, result, calls } = await run({ command: 'delete', account, inputs });
      expect(message).toContain('was not deleted, because it is ');
      expect(calls().some((call) => call.startsWith('DELETE'))).toBe(false);
      expect(result).toMatchObject({ branch: { id: 'br-1' }, deleted: false });
    }
  });
});

describe('a branch with children', () => {
  const withChild = () => {
    const account = new Account();
    account.add({ name }, { metadata: mine });
    account.add({ name: 'child', parent_id: 'br-1' });
    return account;
  };

  it('is kept with a warning when its pull request closes', async () => {
    const { message, result, warnings, calls } = await run({ command: 'delete', account: withChild(), inputs: auto });
    expect(message).toBeUndefined();
    expect(result).toMatchObject({ action: 'kept', deleted: false });
    expect(warnings).toEqual([
      `Branch "${name}" (br-1) has a child branch ("child" (br-2)), so it was not deleted. Delete them first. Once they are gone, \`prune\` can delete it`,
    ]);
    expect(calls()).toEqual(['GET /branches']);
  });

  /** The end of a pull request, if its branch gets a child once the DELETE is sent. */
  const playLate = async (reply: (account: Account, request: Sent) => Reply) => {
    const account = new Account();
    account.add({ name }, { metadata: mine });
    account.on('DELETE /branches/*', (request) => {
      account.add({ name: 'child', parent_id: 'br-1' });
      return reply(account, request);
    });
    return run({ command: 'delete', account, inputs: auto });
  };

  it('is kept with a warning if the service says that it has got one since it was read', async () => {
    const has = { code: '', message: 'the branch has 1 child branches' };
    const { message, result, warnings } = await playLate(() => ({ status: 422, body: has }));
    expect(message).toBeUndefined();
    expect(result).toMatchObject({ action: 'kept', deleted: false });
    expect(warnings).toEqual([
      expect.stringMatching(/: 422, the branch has 1 child branches\. Once they are gone, `prune` can delete it$/),
    ]);
  });

  it.each<[string, (account: Account, request: Sent) => Reply]>([
    ['403, no', () => ({ status: 403, body: { message: 'no' } })],
    ['422, not now', () => ({ status: 422, body: { message: 'not now' } })],
    [
      'ended with status "error"',
      (account, request) => {
        const reply = account.carryOut(request);
        Object.assign(account.operations.at(-1) ?? {}, { status: 'error' });
        return reply;
      },
    ],
  ])('is no excuse for another error: %s', async (error, reply) => {
    const { message, result } = await playLate(reply);
    expect(message).toContain(error);
    expect(result).toMatchObject({ deleted: false });
  });

  it('is no excuse if it is protected, either', async () => {
    const account = withChild();
    Object.assign(account.branch(name) ?? {}, { protected: true });
    const { message } = await run({ command: 'delete', account, inputs: auto });
    expect(message).toContain('because it is protected');
  });

  it.each<Record<string, string>>([{}, { branch_name: name }])('fails an explicit delete (%j)', async (inputs) => {
    const { message, result } = await run({ command: 'delete', account: withChild(), inputs });
    expect(message).toContain('has a child branch ("child" (br-2)), so it was not deleted. Delete them first.');
    expect(result.deleted).toBe(false);
  });
});

it('a re-run keeps the branch of a pull request that is opened again while the branch is locked', async () => {
  const account = new Account();
  account.add({ name }, { metadata: mine });
  let state = 'closed';
  account.on(
    'DELETE /branches/*',
    () => {
      state = 'open';
      return { status: 423, headers: { 'retry-after': '25' } };
    },
    () => undefined,
  );
  const { env, ...closed } = pullRequest({ number: 7, action: 'closed' });
  const { result, calls } = await run({
    ...{ command: 'delete', account, inputs: { command: 'auto' } },
    event: { ...closed, env: { ...env, GITHUB_RUN_ATTEMPT: '2' } },
    connectGitHub: async () => async () => ({
      status: 200,
      headers: new Headers(),
      body: new Response(JSON.stringify({ number: 7, state })).body,
    }),
  });
  expect(result).toMatchObject({ action: 'kept', deleted: false });
  expect(result.done).toContain('because pull request #7 of octo-org/octo-repo is open again');
  expect(calls().filter((call) => call.startsWith('DELETE'))).toHaveLength(1);
});

it('the end of a pull request does not wait for a GitHub that does not respond', async () => {
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => (ms === 8_000 ? AbortSignal.abort() : timeout(ms)));
  onTestFinished(() => void vi.restoreAllMocks());
  const account = new Account();
  account.add({ name: 'shared' }, { metadata: mine });
  const { result, lines } = await run({
    ...{ command: 'delete', account, inputs: { command: 'auto', branch_name: 'shared' } },
    event: pullRequest({ number: 7, action: 'closed' }),
    connectGitHub: async () => (_, options) => Promise.reject(options.signal?.reason),
  });
  expect(result).toMatchObject({ action: 'deleted', deleted: true });
  expect(lines.join('\n')).toContain(
    'GitHub could not be asked: Could not ask GitHub: no response within the 8s limit',
  );
});

describe('`auto` with an explicit name', () => {
  const play = (metadata: Record<string, string>, inputs: Record<string, string> = auto) => {
    const account = new Account();
    account.add({ name: 'shared' }, { metadata });
    return run({ command: 'delete', account, inputs: { branch_name: 'shared', ...inputs } });
  };

  it('deletes what belongs to the event', async () => {
    for (const metadata of [mine, { ...mine, 'github-commit-ref': 'renamed' }])
      expect((await play(metadata)).result.deleted).toBe(true);
  });

  it.each<[Record<string, string>, string]>([
    [{ ...mine, 'github-pr-number': '8' }, 'it belongs to pull request #8 of octo-org/octo-repo'],
    [{ ...mine, 'github-commit-repo': 'octo/web' }, 'it belongs to pull request #7 of octo/web'],
    [{ 'github-pr-number': '7' }, 'it belongs to pull request #7'],
    [{ note: 'by hand' }, 'its metadata does not name its owner'],
  ])('keeps a branch with metadata %j, with a notice', async (metadata, why) => {
    const { result, message } = await play(metadata);
    expect(message).toBeUndefined();
    expect(result).toMatchObject({ action: 'kept', deleted: false, operationIds: [] });
    expect(result.done).toContain(`because ${why}, and \`auto\` deletes only what belongs to pull request #7`);
    expect((await play(metadata, {})).result.deleted).toBe(true);
  });
});
