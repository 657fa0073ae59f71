import { expect, it } from 'vitest';
import { waitForOperations } from '../../../src/branch/ready.ts';
import { operation } from '../../../src/service/types.ts';
import { Account } from '../../support/account.ts';
import { step } from '../../support/step.ts';

const known = (account: Account, action: string, fields = {}) =>
  operation(account.start(action, 'br-main', fields), 'operation');

it('waits for each operation, and logs it once it has succeeded', async () => {
  const account = new Account();
  const started = [
    known(account, 'create_timeline', { total_duration_ms: 1_500 }),
    known(account, 'start_compute', { total_duration_ms: 80 }),
  ];
  const { context, lines } = step({ command: 'wait', inputs: { operation_ids: '[]' }, account });
  const done = await waitForOperations(context, started);
  expect(done.map(({ id, status }) => [id, status])).toEqual([
    ['op-1', 'finished'],
    ['op-2', 'finished'],
  ]);
  expect(lines).toEqual([
    'Operation create_timeline (op-1) finished after 1.5s',
    'Operation start_compute (op-2) finished after 80ms',
  ]);
});

it('records each operation once, even if it is waited for again', async () => {
  const account = new Account();
  const started = [known(account, 'create_timeline'), known(account, 'start_compute')];
  const made = step({ command: 'wait', inputs: { operation_ids: '[]' }, account });
  await waitForOperations(made.context, started.slice(0, 1));
  await waitForOperations(made.context, started);
  expect(made.result.operations.map(({ id }) => id)).toEqual(['op-1', 'op-2']);
});

it('throws at the first operation that fails', async () => {
  const account = new Account();
  const started = [known(account, 'create_timeline'), known(account, 'start_compute')];
  Object.assign(account.operations[0] ?? {}, { status: 'error', error: 'no space left' });
  const { context, lines } = step({ command: 'wait', inputs: { operation_ids: '[]' }, account });
  await expect(waitForOperations(context, started)).rejects.toThrow(
    'Operation create_timeline (op-1) ended with status "error": "no space left"',
  );
  expect(lines).toEqual([]);
});

it('gives an unknown operation ten seconds to appear, or as long as the caller says', async () => {
  const account = new Account();
  const started = [known(account, 'create_timeline')];
  account.operations.length = 0;
  for (const [options, least, most] of [
    [{}, 10_000, 14_000],
    [{ unknownMs: 0 }, 0, 1_000],
  ] as const) {
    const { context, clock } = step({ command: 'wait', inputs: { operation_ids: '[]' }, account });
    const before = clock.now();
    await expect(waitForOperations(context, started, options)).rejects.toThrow('is no longer known to the service');
    expect(clock.now() - before).toBeGreaterThanOrEqual(least);
    expect(clock.now() - before).toBeLessThan(most);
  }
});
