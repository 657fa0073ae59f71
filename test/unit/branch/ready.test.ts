import { describe, expect, it } from 'vitest';
import { isBusy, makeUsable } from '../../../src/branch/ready.ts';
import { sight } from '../../../src/branch/sighting.ts';
import { branch as readBranch } from '../../../src/service/types.ts';
import { Account, type Raw } from '../../support/account.ts';
import { step } from '../../support/step.ts';

const name = 'preview/pr-7';
const justNow = '2026-03-04T05:06:06Z';
const notFound = { status: 404 };

/** A branch that exists, and the function that makes it usable. */
function existing(
  options: {
    fields?: Raw;
    endpoint?: Raw | false;
    inputs?: Record<string, string>;
    created?: boolean;
    timeoutMs?: number;
  } = {},
) {
  const { fields = {}, endpoint = {}, inputs = {}, created = false, ...rest } = options;
  const account = new Account();
  const raw = account.add({ name, ...fields }, { endpoint });
  const made = step({ command: 'create', inputs, account, ...rest });
  const branch = readBranch(raw, 'branch');
  const use = () =>
    makeUsable(made.context, sight(made.context, { branch, date: undefined, readAt: made.clock.now() }, { created }), {
      wait: made.context.inputs.wait,
    });
  /** From the first read of the branch on, it has these fields. */
  const becomes = (fields: Raw, ofEndpoint: Raw = {}) =>
    account.on('GET /branches/*', () => {
      Object.assign(raw, fields);
      for (const one of account.endpoints) if (one.branch_id === raw.id) Object.assign(one, ofEndpoint);
      return undefined;
    });
  return { ...made, made, account, use, becomes };
}

/** The first list of operations shows them as running, later ones as they are after `then`. */
function seenRunning(account: Account, then = () => {}): void {
  const running = () => account.operations.map((one) => ({ ...one, status: 'running' }));
  account.on(
    'GET /operations',
    () => ({ body: { operations: running() } }),
    () => void then(),
  );
}

describe('a branch that is ready', () => {
  it.each(['ready', 'archived'])('is used with its endpoint, after a look at its operations (%s)', async (state) => {
    const { use, account, calls, sent, lines } = existing({ fields: { current_state: state } });
    account.addEndpoint('br-1', { id: 'ep-reader', type: 'read_only', current_state: 'init' });
    account.start('start_compute', 'br-1');
    expect(await use()).toMatchObject({ seen: { branch: { id: 'br-1' } }, endpoint: { id: 'ep-1' }, wasUsable: true });
    expect(calls()).toEqual(['GET /branches/*/endpoints']);
    expect(sent).toHaveLength(2);
    expect(lines).toEqual([]);
  });

  it('cannot be about to be deleted if this step has just created it', async () => {
    const { use, sent } = existing({ created: true });
    expect(await use()).toMatchObject({ seen: { window: { statuses: [404, 422] } } });
    expect(sent.map(({ path }) => path)).toEqual([expect.stringMatching(/endpoints$/)]);
  });

  it.each([
    [justNow, true],
    ['2025-03-04T05:06:07Z', false],
  ])('is not known everywhere if it is new (created at %s)', async (created_at, isNew) => {
    const { window } = (await existing({ fields: { created_at } }).use()).seen;
    expect(window !== undefined).toBe(isNew);
  });
});

describe('a branch that is not ready', () => {
  const states: [string, { fields?: Raw; endpoint?: Raw | false }][] = [
    ['it is being created', { fields: { current_state: 'init' } }],
    ['it is about to change its state', { fields: { pending_state: 'ready' } }],
    ['its endpoint is starting for the first time', { endpoint: { current_state: 'init' } }],
  ];
  const ready = { current_state: 'ready', pending_state: undefined };

  it.each(states)('is waited for if %s', async (_, state) => {
    const { use, made, account, becomes, lines, clock } = existing(state);
    account.start('start_compute', 'br-1');
    account.start('start_compute', 'br-main');
    seenRunning(account);
    becomes({ ...ready, protected: true }, { current_state: 'active' });
    const { seen, endpoint, wasUsable } = await use();
    expect(seen.branch).toMatchObject({ current_state: 'ready', protected: true });
    expect(endpoint.current_state).toBe('active');
    expect(wasUsable).toBe(false);
    expect(made.result.operations.map(({ action, status }) => [action, status])).toEqual([
      ['start_compute', 'finished'],
    ]);
    expect(made.result.operationIds).toEqual([]);
    expect(lines[0]).toBe(`Branch "${name}" is not ready yet; waiting for its operations`);
    expect(clock.pauses).toHaveLength(1);
  });

  it.each(states)('is used as it is with `wait: false`, even if %s', async (_, state) => {
    const { use, clock, calls } = existing({ ...state, inputs: { wait: 'false' } });
    expect((await use()).wasUsable).toBe(true);
    expect(clock.pauses).toEqual([]);
    expect(calls()).toEqual(['GET /branches/*/endpoints']);
  });

  it('has no endpoint to wait for, if it has none', () => {
    expect(isBusy(readBranch({ id: 'br-1', name }, 'branch'), undefined)).toBe(false);
  });
});

describe('a branch without a read-write endpoint', () => {
  it('gets one of the requested size, which is waited for', async () => {
    const inputs = { min_cu: '1', max_cu: '4', suspend_timeout: '60' };
    const { use, made, bodies, lines } = existing({ endpoint: false, inputs });
    const usable = await use();
    expect(bodies('POST /endpoints')).toEqual([
      {
        endpoint: {
          ...{ branch_id: 'br-1', type: 'read_write', suspend_timeout_seconds: 60 },
          ...{ autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 4 },
        },
      },
    ]);
    expect(usable).toMatchObject({ endpoint: { id: 'ep-1', branch_id: 'br-1' }, wasUsable: false });
    expect(made.result).toMatchObject({
      operationIds: ['op-2'],
      operations: [{ id: 'op-2', action: 'start_compute', status: 'finished' }],
    });
    expect(lines[0]).toBe(`Branch "${name}" has no read-write compute endpoint; creating one`);
  });

  it('gets one that is not waited for with `wait: false`', async () => {
    const { use, made, clock } = existing({ endpoint: false, inputs: { wait: 'false' } });
    await use();
    expect(made.result).toMatchObject({ operationIds: ['op-2'], operations: [] });
    expect(clock.pauses).toEqual([]);
  });

  it('gets one, whose operations are reported with the earlier ones even if they fail', async () => {
    const { use, made, account } = existing({ endpoint: false });
    made.context.progress({ operationIds: ['op-earlier'] });
    account.on('POST /endpoints', () => {
      const endpoint = account.addEndpoint('br-1');
      return { body: { endpoint, operations: [account.start('start_compute', 'br-1', { status: 'error' })] } };
    });
    await expect(use()).rejects.toThrow('Operation start_compute (op-2) ended with status "error"');
    expect(made.result.operationIds).toEqual(['op-earlier', 'op-2']);
  });
});

describe('a branch that is being deleted', () => {
  it('is gone once its operations have ended', async () => {
    const { use, account, lines } = existing();
    account.start('delete_timeline', 'br-1');
    account.on('GET /branches/*', notFound);
    await expect(use()).rejects.toMatchObject({
      name: 'BranchGoneError',
      message: `Branch "${name}" (br-1) was deleted in the meantime (404)`,
    });
    expect(lines).toEqual([
      `Branch "${name}" (br-1) is being deleted; waiting until it is gone`,
      'Operation delete_timeline (op-2) finished after 0ms',
    ]);
  });

  it.each(['fails', 'is forgotten'])('is used after all if the operation that deletes it %s', async (how) => {
    const { use, account, clock } = existing();
    account.start('delete_timeline', 'br-1', { status: 'error' });
    seenRunning(account, () => {
      if (how === 'is forgotten') account.operations.length = 0;
    });
    expect((await use()).seen.branch.id).toBe('br-1');
    expect(clock.pauses).toHaveLength(1);
  });

  it('fails the step if it takes longer than the step may', async () => {
    const { use, account } = existing({ timeoutMs: 5_000 });
    account.start('delete_timeline', 'br-1', { status: 'scheduling' });
    await expect(use()).rejects.toThrow('while waiting for operation delete_timeline (op-2, status "scheduling")');
  });

  it('is not this one if the operations belong to another branch', async () => {
    const { use, account, lines } = existing();
    account.start('delete_timeline', 'br-main');
    expect((await use()).seen.branch.id).toBe('br-1');
    expect(lines).toEqual([]);
  });
});

describe('an error', () => {
  it('that is a 404 means that the branch was deleted', async () => {
    const { use, account } = existing();
    account.remove(name);
    await expect(use()).rejects.toMatchObject({
      name: 'BranchGoneError',
      message: expect.stringMatching(`^Branch "${name}" \\(br-1\\) was deleted in the meantime \\(404, not found\\)$`),
    });
  });

  it('of another kind stands for itself', async () => {
    const { use, account } = existing();
    account.on('GET /branches/*/endpoints', { status: 403 });
    await expect(use()).rejects.toMatchObject({ name: 'ApiError', status: 403 });
  });
});
