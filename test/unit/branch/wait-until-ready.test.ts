import { describe, expect, it } from 'vitest';
import { waitUntilReady } from '../../../src/branch/ready.ts';
import { sight } from '../../../src/branch/sighting.ts';
import { branch as readBranch } from '../../../src/service/types.ts';
import { Account, type Raw } from '../../support/account.ts';
import { step } from '../../support/step.ts';

const name = 'preview/pr-7';

/** A branch that is being created, unless it has other fields, and the wait for it. */
function existing(options: { fields?: Raw; endpoint?: Raw | false; timeoutMs?: number } = {}) {
  const { fields = { current_state: 'init' }, endpoint = {}, ...rest } = options;
  const account = new Account();
  const raw = account.add({ name, ...fields }, { endpoint });
  const made = step({ command: 'create', account, ...rest });
  const branch = readBranch(raw, 'branch');
  const wait = (options: { created?: boolean } = {}) =>
    waitUntilReady(made.context, sight(made.context, { branch, date: undefined, readAt: 0 }, options));
  return { ...made, made, account, raw, wait };
}

describe('waiting until a branch is ready', () => {
  it('reads it again after growing delays of up to 3 seconds', async () => {
    const { wait, raw, account, clock } = existing();
    let reads = 0;
    account.on('GET /branches/*', () => {
      if (++reads === 9) raw.current_state = 'ready';
      return undefined;
    });
    expect((await wait()).current_state).toBe('ready');
    expect(clock.pauses.map(Math.round)).toEqual([250, 375, 563, 844, 1_266, 1_898, 2_848, 3_000]);
  });

  it('goes on while its endpoint is starting', async () => {
    const { wait, account, clock } = existing({ fields: {}, endpoint: { current_state: 'init' } });
    account.on('GET /branches/*/endpoints', () => {
      if (clock.pauses.length === 2) Object.assign(account.endpoints[1] ?? {}, { current_state: 'active' });
      return undefined;
    });
    await wait();
    expect(clock.pauses).toHaveLength(2);
  });

  it('ends at once if it has no endpoint', async () => {
    const { wait, clock } = existing({ fields: {}, endpoint: false });
    expect((await wait()).id).toBe('br-1');
    expect(clock.pauses).toEqual([]);
  });

  it('waits for the operations that appear in the meantime, too', async () => {
    const { wait, made, account, raw } = existing();
    account.start('create_timeline', 'br-1');
    account.on(
      'GET /branches/*',
      () => void account.start('start_compute', 'br-1'),
      () => void Object.assign(raw, { current_state: 'ready' }),
    );
    await wait();
    expect(made.result.operations.map(({ action }) => action)).toEqual(['create_timeline', 'start_compute']);
  });

  it('says what it was waiting for if the time is over', async () => {
    const { wait } = existing({ timeoutMs: 10_000 });
    await expect(wait()).rejects.toThrow(`while waiting until branch "${name}" (br-1) is ready`);
  });

  it('ends if the branch was renamed', async () => {
    const { wait, raw, account } = existing();
    account.on('GET /branches/*', () => void Object.assign(raw, { name: 'kept' }));
    await expect(wait()).rejects.toThrow(`Branch "${name}" (br-1) was renamed to "kept" in the meantime`);
  });

  it.each([
    ['is believed once operations have run on it', true],
    ['may mean that it is not known everywhere yet, as long as no operations have run on it', false],
  ])('a 404 of a new branch %s', async (_, running) => {
    const { wait, account, raw } = existing();
    if (running) account.start('create_timeline', 'br-1');
    account.on('GET /branches/*', { status: 404 }, () => void Object.assign(raw, { current_state: 'ready' }));
    const waited = wait({ created: true });
    if (running) await expect(waited).rejects.toThrow('Could not read branch br-1: 404');
    else expect((await waited).current_state).toBe('ready');
  });
});
