import { describe, expect, it } from 'vitest';
import type { CommandName } from '../../../src/inputs/commands.ts';
import { Account } from '../../support/account.ts';
import type { Reply } from '../../support/mock-api.ts';
import { run } from '../../support/step.ts';

const name = 'preview/pr-7';
const rule = (column_name: string, masking_value = 'x') => ({
  ...{ database_name: 'neondb', schema_name: 'public', table_name: 'users', column_name, masking_value },
});
const masking_rules = JSON.stringify([rule('email')]);

/** A project whose branch has these masking states, one after another; `undefined` for a branch that is not anonymized. */
function account(states: (string | undefined)[], options: { exists?: boolean; rules?: object[] } = {}): Account {
  const made = new Account();
  if (options.exists ?? true) made.add({ name });
  made.on('GET /branches/*/anonymized_status', () => {
    const state = states.length > 1 ? states.shift() : states[0];
    return state === undefined ? undefined : { body: { state, status_message: `now ${state}` } };
  });
  made.on('GET /branches/*/masking_rules', () => ({ body: { masking_rules: options.rules ?? [rule('email')] } }));
  return made;
}

const create = (on: Account, inputs: Record<string, string> = {}) => run({ command: 'create', account: on, inputs });

describe('a new branch', () => {
  it('without masking rules is not asked for its masking state', async () => {
    const { calls } = await create(account(['anonymizing'], { exists: false }));
    expect(calls().join()).not.toContain('anonymized_status');
  });

  it('with masking rules is masked before its connection details are returned', async () => {
    const on = account(['initialized', 'anonymizing', 'anonymized'], { exists: false });
    const { result, lines, calls, bodies } = await create(on, { masking_rules });
    expect(calls()[0]).toBe('POST /branch_anonymized');
    expect(bodies('POST /branch_anonymized')).toMatchObject([{ masking_rules: [rule('email')] }]);
    expect(lines.filter((line) => line.startsWith('Masking'))).toEqual([
      `Masking branch "${name}": now initialized`,
      `Masking branch "${name}": now anonymizing`,
    ]);
    expect(result.connection?.host).toBe('ep-1.eu.db.test');
  });

  it('with masking rules that was not anonymized is refused', async () => {
    const { message, result } = await create(account([undefined], { exists: false }), { masking_rules });
    expect(message).toContain(
      `Branch "${name}" (br-1) was created and is not anonymized, but \`masking_rules\` is set. Its data is not masked`,
    );
    expect(message).toMatch(/ withheld\. To replace it, set `if_exists: recreate`\.$/);
    expect(result.connection).toBeUndefined();
    const masked = { masking_rules, require: 'masked' };
    const gone = await create(account([undefined], { exists: false }), masked);
    expect(gone.message).toMatch(
      / withheld\. Deleted branch .*, because `require: masked` is set\. Run the step again\.$/,
    );
  });

  it('of a rehearsal is not to be replaced if it was not anonymized: the next one is new', async () => {
    const inputs = { masking_rules, run: 'true' };
    const { message } = await run({ command: 'rehearse', account: account([undefined], { exists: false }), inputs });
    expect(message).toMatch(/is not anonymized, but .* its connection details are withheld\. Run the step again\.$/);
  });

  it.each(['error', 'initialization_error'])('fails in the words of the service on state %s', async (state) => {
    const { message } = await create(account([state], { exists: false }), { masking_rules });
    expect(message).toContain(`failed (state "${state}"): "now ${state}"`);
  });

  it('that must be masked and is not is deleted, however late and even if the create returned no metadata', async () => {
    const states = [...Array<string>(8).fill('anonymizing'), 'error'];
    const on = account(states, { exists: false });
    on.on('POST /branch_anonymized', (request) => {
      const { annotation: _, ...body } = on.carryOut(request).body as { annotation: object };
      return { status: 201, body };
    });
    const { message, clock } = await create(on, { masking_rules, require: 'masked' });
    expect(message).toMatch(/failed \(state "error"\).* Deleted branch .* because `require: masked` is set\./);
    expect(clock.pauses.reduce((all, ms) => all + ms, 0)).toBeGreaterThan(2_000);
  });

  it.each<[string, (body: unknown) => Reply]>([
    ['was lost', () => ({ status: 504 })],
    ['cannot be used', () => ({ status: 201, body: {} })],
    ['arrives', (body) => ({ status: 201, body })],
  ])('is created and deleted once if masking fails, and the response to the create %s', async (_, reply) => {
    const on = account(['error'], { exists: false });
    on.on('POST /branch_anonymized', (request) => reply(on.carryOut(request).body));
    const { message, calls, result } = await create(on, { masking_rules, require: 'masked' });
    expect(message).toBe(
      `Masking branch "${name}" (br-1) failed (state "error"): "now error". Deleted branch "${name}" (br-1), because \`require: masked\` is set. Fix \`masking_rules\`.`,
    );
    expect(calls().filter((call) => !call.startsWith('GET'))).toEqual([
      'POST /branch_anonymized',
      'DELETE /branches/*',
    ]);
    expect(result.connection).toBeUndefined();
  });

  it('with `wait: false` is returned without its connection details', async () => {
    const { message, result, lines } = await create(account(['anonymizing'], { exists: false }), {
      ...{ masking_rules, wait: 'false' },
    });
    expect(message).toBeUndefined();
    expect(result).toMatchObject({ created: true });
    expect(result.connection).toBeUndefined();
    expect(lines.at(-1)).toBe(
      `Branch "${name}" (br-1) is not masked yet (state "anonymizing"), so its connection details are withheld. To get them once its rows are masked, use \`command: wait\` with \`branch_id: br-1\` and this step's output \`operation_ids\`.`,
    );
  });
});

describe('the rules of a branch', () => {
  it.each([
    ['that this step has created', { exists: false }, { masking_rules }, 'anonymized'],
    ['if no rules are set', {}, {}, 'anonymized'],
    ['that is not anonymized', {}, { masking_rules }, undefined],
  ])('are not read for a branch %s', async (_, options, inputs, state) => {
    const { calls } = await create(account([state], options), inputs);
    expect(calls()).not.toContain('GET /branches/*/masking_rules');
  });
});

describe('an existing branch', () => {
  it('that is not anonymized is refused if masking rules are set', async () => {
    const { message, calls } = await create(account([undefined]), { masking_rules });
    expect(message).toContain(
      `Branch "${name}" (br-1) already exists and is not anonymized, but \`masking_rules\` is set.`,
    );
    expect(calls()).not.toContain('GET /connection_uri');
  });

  it('that has no masking state any more is refused', async () => {
    const { message, result } = await create(account(['anonymizing', undefined]));
    expect(message).toContain('was being anonymized, but no longer has a masking state. Its data may not be masked');
    expect(result.connection).toBeUndefined();
  });

  it('whose masking failed is refused, even without waiting', async () => {
    const { message, result } = await create(account(['error']), { wait: 'false' });
    expect(message).toContain('failed (state "error"): "now error"');
    expect(result.connection).toBeUndefined();
  });

  it.each<Record<string, string>>([{}, { masking_rules }])('that is masked is returned: %o', async (inputs) => {
    const { result, warnings } = await create(account(['anonymizing', 'anonymized']), inputs);
    expect(result.connection?.host).toBe('ep-1.eu.db.test');
    expect(warnings).toEqual([]);
  });

  it.each(['anonymized', 'anonymizing'])('keeps its own rules, with a warning if others are set: %s', async (state) => {
    const wanted = JSON.stringify([rule('email', 'other'), rule('phone')]);
    const { warnings, result } = await create(account([state, 'anonymized']), { masking_rules: wanted });
    expect(result.action).toBe('reused');
    expect(warnings).toEqual([
      expect.stringContaining(
        'these columns are masked differently or not at all: neondb.public.users.email, neondb.public.users.phone. Using it as is.',
      ),
    ]);
  });

  it('names at most ten columns in that warning', async () => {
    const wanted = JSON.stringify(Array.from({ length: 12 }, (_, index) => rule(`c${index}`)));
    const { warnings } = await create(account(['anonymized']), { masking_rules: wanted });
    expect(warnings[0]).toContain('users.c9 and 2 more');
  });

  it('is used, with a warning, if its rules cannot be read', async () => {
    const on = new Account().on('GET /branches/*/masking_rules', () => ({
      status: 404,
      body: { code: '', message: 'no' },
    }));
    on.add({ name });
    on.on('GET /branches/*/anonymized_status', () => ({ body: { state: 'anonymized' } }));
    const { warnings, result } = await create(on, { masking_rules });
    expect(result.connection?.host).toBe('ep-1.eu.db.test');
    expect(warnings).toEqual([
      expect.stringMatching(
        /but it is unknown whether it was masked with the requested rules\. Could not read the masking rules.* To be sure, set `if_exists: recreate`, which replaces the branch\.$/,
      ),
    ]);
  });

  it.each([503, 429, 500])('is not used if the rules can still not be read at the deadline: %d', async (status) => {
    const on = new Account().on('GET /branches/*/masking_rules', () => ({
      status,
      body: { code: '', message: 'later' },
    }));
    on.add({ name });
    on.on('GET /branches/*/anonymized_status', () => ({ body: { state: 'anonymized' } }));
    const { message, result } = await run({
      command: 'create',
      account: on,
      inputs: { masking_rules },
      timeoutMs: 20_000,
    });
    expect(message).toContain('Could not read the masking rules');
    expect(result.connection).toBeUndefined();
  });
});

describe('wait', () => {
  const wait = (on: Account) =>
    run({ command: 'wait', account: on, inputs: { operation_ids: '[]', branch_name: name } });

  it.each([undefined, 'anonymized'])('returns a branch with masking state %s', async (state) => {
    expect((await wait(account([state]))).result.connection?.host).toBe('ep-1.eu.db.test');
  });

  it('refuses a branch that has no masking state any more', async () => {
    const { message, result, calls } = await wait(account(['anonymizing', 'anonymizing', undefined]));
    expect(message).toBe(
      `Branch "${name}" (br-1) was being anonymized, but no longer has a masking state. Its data may not be masked, so its connection details are withheld. To replace it, use \`command: create\` with \`if_exists: recreate\`.`,
    );
    expect(result.connection).toBeUndefined();
    expect(calls()).not.toContain('GET /connection_uri');
  });
});

describe('a new branch that an earlier step has created with masking rules', () => {
  /** Its masking state is unknown at first. */
  const isNew = () => {
    const made = new Account();
    const created_at = '2026-03-04T05:06:06Z';
    made.add({ name, created_at }, { metadata: { 'database-branch-masked': 'true' } });
    return made.on(
      'GET /branches/*/anonymized_status',
      ...[undefined, undefined, 'anonymizing'].map(
        (state) => () => (state === undefined ? state : { body: { state } }),
      ),
    );
  };

  it.each<[CommandName, Record<string, string>, string]>([
    ['get', {}, 'is being anonymized'],
    ['create', {}, 'while waiting until branch'],
    ['wait', { operation_ids: '[]', branch_name: name }, 'while waiting until branch'],
    ['reset', {}, 'is anonymized, and a reset would bring back'],
  ])('has no connection details for `%s`', async (command, inputs, why) => {
    const { message, result } = await run({ command, account: isNew(), inputs, timeoutMs: 60_000 });
    expect(message).toContain(why);
    expect(result.connection).toBeUndefined();
  });

  it('has none for `create` with `wait: false`', async () => {
    const { message, result } = await create(isNew(), { wait: 'false' });
    expect(message).toBeUndefined();
    expect(result.connection).toBeUndefined();
  });
});

describe('get', () => {
  const get = (on: Account) => run({ command: 'get', account: on });

  it.each([undefined, 'anonymized'])('returns a branch with masking state %s', async (state) => {
    expect((await get(account([state]))).result.connection?.host).toBe('ep-1.eu.db.test');
  });

  it('refuses a branch that is being masked, and says how to get it', async () => {
    const { message } = await get(account(['anonymizing']));
    expect(message).toBe(
      `Branch "${name}" (br-1) is being anonymized (state "anonymizing": "now anonymizing"), so its connection details are withheld. To get them once its rows are masked, use \`command: wait\` with \`branch_id: br-1\` and no operations (\`operation_ids: '[]'\`).`,
    );
  });

  it('refuses a branch whose masking failed', async () => {
    const { message } = await get(account(['error']));
    expect(message).toContain(`Masking branch "${name}" (br-1) failed (state "error": "now error")`);
    expect(message).toContain(
      'Fix `masking_rules` in the step that creates the branch, and set `if_exists: recreate` there',
    );
  });

  it('shows the state alone if the service says nothing about it', async () => {
    const on = new Account();
    on.add({ name });
    on.on('GET /branches/*/anonymized_status', () => ({ body: { state: 'error' } }));
    expect((await get(on)).message).toContain('failed (state "error"), so');
  });
});
