import { describe, expect, it } from 'vitest';
import { push } from '../../../tools/runner/events.ts';
import { Account } from '../../support/account.ts';
import { run } from '../../support/lifecycle.ts';

const name = 'preview/pr-7';
const taken = { status: 409, body: { code: 'BRANCH_ALREADY_EXISTS', message: 'exists' } };
const lost = { error: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) };

describe('create', () => {
  it('sends what the inputs and the event say', async () => {
    const account = new Account();
    account.add({ name: 'staging', id: 'br-staging' });
    const { bodies } = await run({
      command: 'create',
      account,
      inputs: {
        ...{ parent_branch: 'staging', parent_point: '0/1C2D3E', protected: 'true', suspend_timeout: '300' },
        ...{ min_cu: '0.5', max_cu: '4' },
      },
    });
    expect(bodies('POST /branches')).toEqual([
      {
        branch: { name, parent_id: 'br-staging', parent_lsn: '0/1C2D3E', protected: true },
        endpoints: [
          {
            type: 'read_write',
            suspend_timeout_seconds: 300,
            autoscaling_limit_min_cu: 0.5,
            autoscaling_limit_max_cu: 4,
          },
        ],
        annotation_value: expect.objectContaining({
          'github-pr-number': '7',
          'database-branch-create-id': expect.stringMatching(/^[\da-f-]{36}$/),
        }),
      },
    ]);
  });

  it.each([
    [{ branch_type: 'schema-only' }, { init_source: 'schema-only' }],
    [{ parent_point: '2026-03-01T00:00:00Z' }, { parent_timestamp: '2026-03-01T00:00:00Z' }],
    [{ expires_in: '1h' }, { expires_at: '2026-03-04T06:06:07Z' }],
    [{ expires_at: '2026-03-05T00:00:00Z' }, { expires_at: '2026-03-05T00:00:00Z' }],
  ])('sends %o', async (inputs, branch) => {
    const { bodies } = await run({ command: 'create', inputs });
    expect(bodies('POST /branches')).toMatchObject([{ branch: { name, ...branch } }]);
  });

  it.each([
    ['parent-data', 'is not a schema-only branch'],
    ['schema-only', undefined],
    [undefined, undefined],
  ])('accepts a schema-only branch as such, unless the response says otherwise (%s)', async (init_source, error) => {
    const account = new Account();
    account.on('POST /branches', (request) => {
      const reply = account.carryOut(request);
      Object.assign((reply.body as { branch: object }).branch, { init_source });
      return reply;
    });
    const { message, result } = await run({ command: 'create', account, inputs: { branch_type: 'schema-only' } });
    if (error === undefined) expect(message).toBeUndefined();
    else expect(message).toMatch(new RegExp(`${error}.* which this step created, was deleted\\.$`));
    expect(result.connection === undefined).toBe(error !== undefined);
    expect(account.branch(name) === undefined).toBe(error !== undefined);
  });

  it('stays if only the wait for it fails, unless it was to be masked', async () => {
    const account = new Account().on('GET /operations', () => ({ status: 403, body: { message: 'no' } }));
    const { message } = await run({ command: 'create', account, inputs: { branch_type: 'schema-only' } });
    expect(message).toContain('Could not list the operations of the project: 403, no');
    expect(account.branch(name)).toBeDefined();
  });

  it('says that a branch which nothing ends expires, if it does', async () => {
    const account = new Account();
    const doneOf = async () => (await run({ command: 'create', account, event: push() })).result.done;
    expect(await doneOf()).toMatch(/, which expires at \S+, because no event ends it/);
    account.remove('preview/main');
    account.on('POST /branches', (request) => {
      const { branch } = request.body as { branch: object };
      Object.assign(branch, { expires_at: undefined });
      return undefined;
    });
    expect(await doneOf()).toMatch(/^Created branch "preview\/main" \(br-\d+\)$/);
  });

  it('with `wait: false` does not wait for the operations', async () => {
    const { result, sent } = await run({ command: 'create', inputs: { wait: 'false' } });
    expect(sent).toHaveLength(1);
    expect(result.operationIds).toHaveLength(2);
    expect(result.operations).toEqual([]);
  });

  it.each([{ databases: [] }, { roles: [] }])('asks for the names if the response has %o', async (none) => {
    const account = new Account();
    account.on('POST /branches', (request) => {
      const reply = account.carryOut(request);
      Object.assign(reply.body as object, none);
      return reply;
    });
    const { result, calls } = await run({ command: 'create', account });
    expect(calls()).toEqual(['POST /branches', 'GET /branches/*/databases', 'GET /branches/*/roles']);
    expect(result.connection).toMatchObject({ database: 'neondb' });
  });

  it('adds an endpoint to a new branch that has none, and reports its operation too', async () => {
    const account = new Account();
    account.on('POST /branches', (request) => {
      (request.body as { endpoints?: unknown }).endpoints = undefined;
      return undefined;
    });
    const { result, calls, bodies } = await run({ command: 'create', account, inputs: { suspend_timeout: '60' } });
    expect(calls()).toContain('POST /endpoints');
    expect(bodies('POST /endpoints')).toMatchObject([{ endpoint: { suspend_timeout_seconds: 60 } }]);
    expect(result).toMatchObject({ action: 'created', created: true });
    expect(result.operationIds).toHaveLength(3);
  });

  it('reuses a branch of that name, with connection details for its own endpoint', async () => {
    const account = new Account();
    account.add({ name: 'preview/pr-70' });
    account.add({ name });
    const { result } = await run({ command: 'create', account });
    expect(result).toMatchObject({ action: 'reused', created: false, branch: { id: 'br-2' } });
    expect(result.connection).toMatchObject({ host: 'ep-2.eu.db.test', pooledHost: 'ep-2-pooler.eu.db.test' });
  });

  it('reuses a branch by its ID without a create', async () => {
    const account = new Account();
    account.add({ name: 'any' });
    const { result, calls } = await run({ command: 'create', account, inputs: { branch_id: 'br-1' } });
    expect(calls()).not.toContain('POST /branches');
    expect(result).toMatchObject({ action: 'reused', created: false, branch: { name: 'any' } });
  });

  it('with the ID of a branch that does not exist fails without a create', async () => {
    const { message, calls } = await run({ command: 'create', inputs: { branch_id: 'br-x' } });
    expect(message).toContain('The project has no branch br-x');
    expect(calls()).not.toContain('POST /branches');
  });

  it('counts a create whose response was lost as its own', async () => {
    const account = new Account();
    account.on('POST /branches', (request) => {
      account.carryOut(request);
      return lost;
    });
    const { result, calls } = await run({ command: 'create', account });
    expect(calls().filter((call) => call === 'POST /branches')).toHaveLength(1);
    expect(result).toMatchObject({ action: 'created', created: true });
  });

  it('reuses what its lost create has created, if another run took the name in between', async () => {
    const account = new Account();
    account.on('POST /branches', lost, (request) => {
      account.carryOut(request);
      return taken;
    });
    const { result } = await run({ command: 'create', account });
    expect(result).toMatchObject({ action: 'created', created: true });
  });

  it('reports an operation that failed, and what it had found out by then', async () => {
    const account = new Account();
    account.on('GET /operations', () => {
      for (const one of account.operations) one.status = 'error';
      return undefined;
    });
    const { message, result } = await run({ command: 'create', account });
    expect(message).toMatch(/^Operation create_branch/);
    expect(result).toMatchObject({ created: true, branch: { id: 'br-1' } });
    expect(result.operationIds).toHaveLength(2);
  });

  it('passes on an error of a branch that it reuses', async () => {
    const account = new Account();
    account.add({ name, protected: true });
    const { message, calls } = await run({ command: 'create', account, inputs: { if_exists: 'reset' } });
    expect(message).toContain('was not reset, because it is protected');
    expect(calls().filter((call) => call === 'POST /branches')).toHaveLength(1);
  });

  describe('if the name is taken by a branch that is being deleted', () => {
    it('creates a new one, also if the old one is gone between two reads', async () => {
      for (const route of ['GET /branches', 'GET /operations']) {
        const account = new Account();
        account.add({ name, id: 'br-old' });
        const { id } = account.start('delete_timeline', 'br-old');
        account.on('POST /branches', taken, taken, (request) => account.carryOut(request));
        account.on(route, () => {
          account.remove('br-old');
          Object.assign(account.operations.find((one) => one.id === id) ?? {}, { status: 'finished' });
          return undefined;
        });
        const { result, message } = await run({ command: 'create', account });
        expect(message).toBeUndefined();
        expect(result).toMatchObject({ created: true, branch: { name } });
      }
    });

    it.each([
      ['its deletion has failed and is to be retried', {}, { status: 'failed', retry_at: '2026-03-04T05:07:00Z' }],
      ['only its state says so', { pending_state: 'storage_deleted' }, { status: 'finished' }],
    ])('waits until it is gone if %s', async (_, fields, deletion) => {
      const account = new Account();
      account.add({ name, id: 'br-old', ...fields });
      account.start('delete_timeline', 'br-old', deletion);
      let looks = 0;
      account.on('GET /branches', () => {
        if (++looks === 3) account.remove('br-old');
        return undefined;
      });
      const { result, message, lines } = await run({ command: 'create', account, inputs: { wait: 'false' } });
      expect([message, result.created, looks]).toEqual([undefined, true, 3]);
      expect(lines).toContain(`Branch "${name}" (br-old) is being deleted; waiting to create it anew`);
    });

    it('does not report the delete of another step', async () => {
      const account = new Account();
      account.add({ name, id: 'br-old' });
      const deleting = account.start('delete_timeline', 'br-old');
      account.on('GET /branches/*/endpoints', { status: 404, body: { code: '', message: 'gone' } });
      account.on('DELETE /branches/*', () => undefined);
      account.on('GET /operations/*', () => {
        account.remove('br-old');
        return undefined;
      });
      const { result } = await run({ command: 'create', account });
      expect(result.operations.map(({ id }) => id)).not.toContain(deleting.id);
    });
  });
});
