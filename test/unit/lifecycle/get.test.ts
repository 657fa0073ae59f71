import { expect, it } from 'vitest';
import { Account } from '../../support/account.ts';
import { run } from '../../support/lifecycle.ts';

const name = 'preview/pr-7';

it('reads the branch and its connection details, and changes nothing', async () => {
  const account = new Account();
  account.add({ name });
  const { result, calls } = await run({ command: 'get', account });
  expect(calls().every((call) => call.startsWith('GET'))).toBe(true);
  expect(result).toMatchObject({ action: 'read', done: `Read branch "${name}" (br-1)`, created: false });
  expect(result.connection).toMatchObject({ host: 'ep-1.eu.db.test', database: 'neondb', role: 'neondb_owner' });
  expect(result.operationIds).toBeUndefined();
});

it('waits for the unfinished operations of the branch, and until it is ready', async () => {
  const account = new Account();
  const branch = account.add({ name, current_state: 'init' });
  account.start('create_branch', 'br-1');
  account.start('start_compute', 'br-other', { status: 'scheduling' });
  let reads = 0;
  account.on('GET /branches/*', () => {
    if (++reads > 3) branch.current_state = 'ready';
    return undefined;
  });
  const { result, lines } = await run({ command: 'get', account });
  expect(lines).toContain(`Branch "${name}" is not ready yet; waiting for its operations`);
  expect(result.branch).toMatchObject({ current_state: 'ready' });
  expect(result.operations).toMatchObject([{ action: 'create_branch', status: 'finished' }]);
});

it('fails if one of its operations does', async () => {
  const account = new Account();
  account.add({ name });
  const operation = account.start('create_branch', 'br-1');
  const list = (fields: object) => ({ body: { operations: [{ ...operation, ...fields }] } });
  account.on('GET /operations', list({}), list({ status: 'error', error: 'no' }));
  expect((await run({ command: 'get', account })).message).toMatch(/create_branch .* ended with status "error": "no"/);
});

it('fails if the branch has no endpoint, and says how to add one', async () => {
  const account = new Account();
  account.add({ name }, { endpoint: false });
  expect((await run({ command: 'get', account })).message).toBe(
    `Branch "${name}" (br-1) has no read-write compute endpoint, so it has no host. Add one with the action \`manage\`, \`resource: compute endpoint\` and \`verb: create\`.`,
  );
});
