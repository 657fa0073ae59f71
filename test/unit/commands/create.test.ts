import { describe, expect, it } from 'vitest';
import { Account } from '../../support/account.ts';
import { run } from '../../support/step.ts';

describe('create', () => {
  it('creates the branch with an endpoint, and takes its connection details from the response', async () => {
    const { message, result, calls } = await run({ command: 'create' });
    expect(message).toBeUndefined();
    expect(calls()).toEqual(['POST /branches']);
    expect(result).toMatchObject({ action: 'created', created: true, done: 'Created branch "preview/pr-7" (br-1)' });
    expect(result.connection).toMatchObject({ database: 'neondb', role: 'neondb_owner', password: 'npg_Secret99' });
  });

  it('reuses a branch of that name, with connection details for its own endpoint', async () => {
    const account = new Account();
    account.add({ name: 'preview/pr-70' });
    account.add({ name: 'preview/pr-7' });
    const { result } = await run({ command: 'create', account });
    expect(result).toMatchObject({ action: 'reused', created: false, branch: { id: 'br-2' } });
    expect(result.connection).toMatchObject({ host: 'ep-2.eu.db.test', pooledHost: 'ep-2-pooler.eu.db.test' });
  });
});
