import { describe, expect, it } from 'vitest';
import type { CommandName } from '../../../src/lifecycle/auto.ts';
import { Account } from '../../support/account.ts';
import { run } from '../../support/lifecycle.ts';

const name = 'preview/pr-7';
const rule = (column_name: string, masking_value = 'x') => ({
  ...{ database_name: 'neondb', schema_name: 'public', table_name: 'users', column_name, masking_value },
});
const masking_rules = JSON.stringify([rule('email')]);
const masked = { 'database-branch-masked': 'true' };

/** A project whose branch has these masking states, one after another; `undefined` for a branch that is not anonymized. */
function account(
  states: (string | undefined)[],
  options: { exists?: boolean; rules?: object[]; metadata?: Record<string, string> } = {},
): Account {
  const { exists = true, rules = [rule('email')], metadata = masked } = options;
  const made = new Account();
  if (exists) made.add({ name }, { metadata });
  made.on('GET /branches/*/anonymized_status', () => {
    const state = states.length > 1 ? states.shift() : states[0];
    return state === undefined ? undefined : { body: { state, status_message: `now ${state}` } };
  });
  made.on('GET /branches/*/masking_rules', () => ({ body: { masking_rules: rules } }));
  return made;
}

const play = (on: Account, inputs: Record<string, string> = {}, command: CommandName = 'create') =>
  run({ command, account: on, inputs });

describe('a new branch', () => {
  it('without masking rules is not asked for its masking state', async () => {
    const { calls } = await play(account(['anonymizing'], { exists: false }));
    expect(calls().join()).not.toContain('anonymized_status');
  });

  it('with masking rules is masked before its connection details are returned', async () => {
    const on = account(['initialized', 'anonymizing', 'anonymized'], { exists: false });
    const { result, lines, calls, bodies } = await play(on, { masking_rules });
    expect(calls()[0]).toBe('POST /branch_anonymized');
    expect(bodies('POST /branch_anonymized')).toMatchObject([{ masking_rules: [rule('email')] }]);
    expect(lines.filter((line) => line.startsWith('Masking'))).toEqual([
      `Masking branch "${name}": now initialized`,
      `Masking branch "${name}": now anonymizing`,
    ]);
    expect(result.connection?.host).toBe('ep-1.eu.db.test');
    expect(result.masked).toEqual(['neondb.public.users.email']);
  });

  it.each([['error'], ['initialization_error'], [undefined]])('is deleted if it ends in state %s', async (state) => {
    const on = account([state], { exists: false });
    const { message, result } = await play(on, { masking_rules });
    expect(message).toContain(
      state === undefined ? 'is not anonymized, or was' : `failed (state "${state}"): "now ${state}"`,
    );
    expect(message).toContain('Branch "preview/pr-7" (br-1), which this step created, was deleted.');
    expect(result.connection).toBeUndefined();
    expect(on.branch(name)).toBeUndefined();
  });

  it('is deleted if one of its operations fails', async () => {
    const play = async (inputs: Record<string, string>) => {
      const on = account(['initialized'], { exists: false });
      on.on('GET /operations', () => {
        for (const one of on.operations) one.status = one.action === 'start_compute' ? 'error' : 'finished';
        return undefined;
      });
      const { message } = await run({ command: 'create', account: on, inputs });
      expect(message).toContain('Operation start_compute');
      return { message, branch: on.branch(name) };
    };
    const { message, branch } = await play({ masking_rules });
    expect(message).toContain('Branch "preview/pr-7" (br-1), which this step created, was deleted.');
    expect(branch).toBeUndefined();
    // One that need not be masked shows what has happened.
    expect((await play({})).branch).toBeDefined();
  });

  it('says so if it could not be deleted', async () => {
    const on = account(['error'], { exists: false }).on('DELETE /branches/*', { status: 403, body: {} });
    expect((await play(on, { masking_rules })).message).toContain('may still exist; delete it manually: Could not');
  });

  it('with `wait: false` is returned without its connection details', async () => {
    const on = account(['anonymizing'], { exists: false });
    const { result, lines, message } = await play(on, { masking_rules, wait: 'false' });
    expect(message).toBeUndefined();
    expect(result.connection).toBeUndefined();
    expect(lines.join('\n')).toContain('`command: get` with `branch_id: br-1` waits until it is.');
  });
});

describe('an existing branch', () => {
  it.each<Record<string, string>>([{}, { masking_rules }])('that is being masked is waited for: %o', async (inputs) => {
    const { result, warnings } = await play(account(['anonymizing', 'anonymized']), inputs);
    expect(result.connection?.host).toBe('ep-1.eu.db.test');
    expect(result.masked).toEqual(['neondb.public.users.email']);
    expect(warnings).toEqual([]);
  });

  it('that was created just now is waited for by `get`, although its state is not known yet', async () => {
    const { result, lines } = await play(account([undefined, undefined, 'anonymizing', 'anonymized']), {}, 'get');
    expect(result.connection?.host).toBe('ep-1.eu.db.test');
    expect(lines).toContain(`Masking branch "${name}": now anonymizing`);
  });

  it('that is not anonymized itself is refused if masking rules are set, although its parent is', async () => {
    const on = new Account();
    on.add({ name });
    on.on('GET /branches/*/anonymized_status', (_, id) =>
      id === 'br-main' ? { body: { state: 'anonymized', updated_at: '2025-01-01T00:00:00Z' } } : undefined,
    );
    on.on('GET /branches/*/masking_rules', () => ({ body: { masking_rules: [rule('email')] } }));
    expect((await play(on, { require: 'masked' })).message).toBeUndefined();
    expect((await play(on, { masking_rules })).message).toContain('`masking_rules` rejects it');
  });

  it('that is not anonymized is refused if masking rules are set', async () => {
    const { message, calls } = await play(account([undefined], { metadata: {} }), { masking_rules });
    expect(message).toMatch(/is not anonymized, or was reset .* `masking_rules` rejects it/);
    expect(calls().every((call) => !call.startsWith('PATCH'))).toBe(true);
  });

  it('keeps its own rules, with a warning that names at most ten columns that differ', async () => {
    const wanted = [rule('email', 'other'), ...Array.from({ length: 11 }, (_, index) => rule(`c${index}`))];
    const { warnings, result } = await play(account(['anonymized']), { masking_rules: JSON.stringify(wanted) });
    expect(result.action).toBe('reused');
    expect(warnings).toEqual([
      expect.stringMatching(/differently or not at all: neondb\.public\.users\.email, .* and 2 more\. Using it as is/),
    ]);
  });

  it('that was reset or restored after it was masked is refused', async () => {
    const on = account(['anonymized']);
    Object.assign(on.branch(name) ?? {}, { last_reset_at: '2026-03-01T00:00:00Z' });
    expect((await play(on, { masking_rules })).message).toContain('was reset or restored since');
  });

  it('whose masking failed is refused', async () => {
    const { message } = await play(account(['error']));
    expect(message).toContain('Fix `masking_rules` in the step that creates the branch');
  });

  it('whose masking state disappears is refused', async () => {
    expect((await play(account(['anonymizing', undefined]))).message).toContain('no longer has a masking state');
  });
});

describe('get', () => {
  it('waits until the rows are masked', async () => {
    const { result } = await play(account(['anonymizing', 'anonymized']), {}, 'get');
    expect(result.connection?.host).toBe('ep-1.eu.db.test');
    expect(result.masked).toHaveLength(1);
  });
});
