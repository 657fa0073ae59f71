import { describe, expect, it } from 'vitest';
import { Account } from '../../support/account.ts';
import { run } from '../../support/lifecycle.ts';

const name = 'preview/pr-7';

describe('reset', () => {
  it('resets the branch to its parent and returns its connection details', async () => {
    const account = new Account();
    account.add({ name });
    const { result, bodies, message } = await run({ command: 'reset', account });
    expect(message).toBeUndefined();
    expect(bodies('POST /branches/*/restore')).toEqual([{ source_branch_id: 'br-main' }]);
    expect(result).toMatchObject({
      ...{ action: 'reset', branch: { id: 'br-1' }, operations: [{ action: 'create_timeline', status: 'finished' }] },
      connection: { host: 'ep-1.eu.db.test' },
    });
    expect(result.operationIds).toEqual(result.operations.map(({ id }) => id));
  });

  it('adds an endpoint to a branch without one, and reports its operation too', async () => {
    const account = new Account();
    account.add({ name }, { endpoint: false });
    const { result } = await run({ command: 'reset', account });
    expect(result.operations.map(({ action }) => action)).toEqual(['create_timeline', 'start_compute']);
    expect(result.operationIds).toEqual(result.operations.map(({ id }) => id));
    expect(result.connection?.host).toBe('ep-1.eu.db.test');
  });

  it('fails if the branch does not exist', async () => {
    const { message, sent } = await run({ command: 'reset' });
    expect(message).toContain(`The project has no branch "${name}"`);
    expect(sent).toHaveLength(1);
  });

  it('reports the branch even if the reset is refused', async () => {
    const account = new Account();
    account.add({ name, protected: true });
    const { message, result } = await run({ command: 'reset', account });
    expect(message).toContain('was not reset, because it is');
    expect(result.branch?.id).toBe('br-1');
  });

  it('reports the expiry that it has set', async () => {
    const account = new Account();
    account.add({ name });
    const { result } = await run({ command: 'reset', account, inputs: { expires_in: '1h' } });
    expect(result.branch?.expires_at).toBe('2026-03-04T06:06:07Z');
  });

  it('does not report an expiry that the branch does not have', async () => {
    const account = new Account();
    account.add({ name });
    const { result } = await run({ command: 'reset', account });
    expect(result.branch?.expires_at).toBeUndefined();
  });
});
