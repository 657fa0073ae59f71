import { describe, expect, it } from 'vitest';
import { rulesFor } from '../../../src/commands/index.ts';
import { inputNames } from '../../../src/inputs/fields.ts';
import { InputError, loadInputs } from '../../../src/inputs/load.ts';
import { parseEvent } from '../../../src/step/event.ts';
import * as events from '../../../tools/runner/events.ts';
import { defaults, sourceOf } from '../../../tools/runner/inputs.ts';
import { inputOf, inputs, load, messages, now } from './loaded.ts';

const rule = {
  ...{ database_name: 'neondb', schema_name: 'public', table_name: 'users' },
  ...{ column_name: 'email', masking_function: 'anon.fake_email()' },
};
const rules = await rulesFor('manage');

describe('valid inputs', () => {
  it('have the same defaults whether they are not set or empty', () => {
    const expected = {
      api_key: 'napi_secret99',
      project_id: 'shiny-wind-028834',
      api_host: 'https://console.neon.tech/api/v2',
      command: 'auto',
      fail_on: [],
      branch_type: 'default',
      if_exists: 'reuse',
      on_limit: 'fail',
      require: 'any',
      ssl: 'require',
      on_missing_key: 'fail',
      wait: true,
      timeout: 600_000,
      summary: true,
      github_token: 'ghs_token',
    };
    for (const name of inputNames)
      if (!(name in expected)) Object.assign(expected, { [name]: defaults[name] === 'false' ? false : undefined });
    expect(inputs({})).toEqual(expected);
    const empty = Object.fromEntries(
      inputNames
        .filter((name) => !['api_key', 'project_id', 'github_token'].includes(name))
        .map((name) => [name, name === 'timeout' ? '  ' : '']),
    );
    expect(inputs(empty)).toEqual(expected);
  });

  it('are parsed', () => {
    expect(
      inputs({
        command: 'create',
        branch_name: ' feat/ü #1 ',
        expires_in: '14d',
        timeout: '90s',
        min_cu: '0.25',
        max_cu: '2',
        suspend_timeout: '-1',
        parent_lsn: '0/1DE2850',
        base_point: '2026-03-01T00:00:00.123456Z',
        fail_on: 'locking, destructive',
        ignore_rules: 'add-index, drop-column:public.users.legacy',
        prisma: 'True',
        wait: 'FALSE',
        method: 'post',
        max_lock: '500ms',
        closed_for: '7d',
        older_than: '12h',
        unused_for: '90m',
        masking_rules: JSON.stringify([rule]),
        api_host: 'localhost:3000',
      }),
    ).toMatchObject({
      branch_name: 'feat/ü #1',
      expires_in: 14 * 86_400_000,
      timeout: 90_000,
      min_cu: 0.25,
      max_cu: 2,
      suspend_timeout: -1,
      base_point: { timestamp: '2026-03-01T00:00:00.123456Z' },
      fail_on: ['destructive', 'locking'],
      ignore_rules: [{ rule: 'add-index' }, { rule: 'drop-column', object: 'public.users.legacy' }],
      prisma: true,
      wait: false,
      method: 'POST',
      max_lock: 500,
      closed_for: 7 * 86_400_000,
      older_than: 43_200_000,
      unused_for: 5_400_000,
      masking_rules: [rule],
      api_host: 'http://localhost:3000/api/v2',
    });
  });

  it('are not masked if they are the name of a secret, which the error has to show', () => {
    const masked: string[] = [];
    const source = sourceOf({ ...defaults, api_key: 'secrets.API_KEY' });
    const mask = (secret: string) => masked.push(secret);
    expect(() => loadInputs({ source, rules, event: parseEvent(events.push()), now, mask })).toThrow(
      'api_key: "secrets.API_KEY" is invalid; expected an expression: `$' + '{{ secrets.API_KEY }}`',
    );
    expect(masked).not.toContain('secrets.API_KEY');
  });

  it('are masked if they are secret, even if another input is invalid', () => {
    const masked: string[] = [];
    const mask = (secret: string) => masked.push(secret);
    const bad = sourceOf({
      ...defaults,
      api_key: 'napi secret99',
      project_id: 'postgres://u:pass%2099@h/d',
      body: '{"password": "hunter22"}',
      command: 'destroy',
    });
    expect(() => loadInputs({ source: bad, rules, event: parseEvent(events.push()), now, mask })).toThrow(InputError);
    expect(masked).toEqual(expect.arrayContaining(['napi secret99', 'ghs_token', 'hunter22']));
    // A URI in an input that is no secret is not shown, but its parts may be ordinary words.
    expect(masked.filter((mask) => /pass|postgres/.test(mask))).toEqual([]);
  });

  it('are trimmed, whatever their kind', () => {
    const names = ['branch_name', 'parent_branch', 'preserve_under_name', 'base_branch', 'database', 'role'] as const;
    const padded = Object.fromEntries(names.map((name) => [name, ` \t${name} \r\n`]));
    expect(inputs(padded)).toMatchObject(Object.fromEntries(names.map((name) => [name, name])));
    expect(inputs({ branch_name: ' \n' }).branch_name).toBeUndefined();
  });
});

describe('invalid inputs', () => {
  it.each([
    [{ expires_at: '2026-03-05T00:00:00Z', expires_in: '2d' }, 'expires_at and expires_in are mutually exclusive'],
    [{ database: '*' }, 'database: "*" is invalid with `command: create`; only `command: diff`'],
    [{ command: 'get', database: '*' }, 'database: "*" is invalid with `command: get`'],
    [{ expires_in: '31d' }, 'expires_in: "31d" is invalid; expected a duration of at most 30d'],
    [{ expires_at: '2026-03-04T05:06:07Z' }, 'expires_at (2026-03-04T05:06:07Z) must be in the future'],
    [{ expires_at: '2026-04-04T05:06:07Z' }, 'expires_at (2026-04-04T05:06:07Z) must be at most 30 days in the future'],
    [{ min_cu: '2', max_cu: '1' }, 'min_cu (2) must not be greater than max_cu (1)'],
    [
      { protected: 'true', expires_in: '1d' },
      'protected and expires_in are mutually exclusive: a protected branch cannot expire',
    ],
    [
      { protected: 'true', ephemeral: 'true' },
      'protected and ephemeral are mutually exclusive: a protected branch is never deleted',
    ],
    [
      { masking_rules: JSON.stringify([rule]), branch_type: 'schema-only' },
      'masking_rules and `branch_type: schema-only` are mutually exclusive',
    ],
    [
      { masking_rules: JSON.stringify([rule]), if_exists: 'reset' },
      'masking_rules and `if_exists: reset` are mutually exclusive',
    ],
    [
      { branch_type: 'schema-only', if_exists: 'reset' },
      '`branch_type: schema-only` and `if_exists: reset` are mutually exclusive: a reset copies the rows of another branch',
    ],
    [{ command: 'prune', github_token: '' }, 'github_token is required: `command: prune` reads'],
    [{ on_limit: 'prune', github_token: '' }, 'github_token is required: `on_limit: prune` reads'],
    [
      { ignore_below: '10MB' },
      'ignore_below is invalid with `command: create`; only `command: diff` and `command: rehearse`',
    ],
    [{ project_id: '' }, 'project_id is required'],
    [{ project_id: '', command: 'prune' }, 'project_id is required'],
  ])('are found by comparison: %j', (given, said) => {
    expect(messages(given)).toEqual([expect.stringContaining(said)]);
  });

  it('include combinations as well as single values', () => {
    const found = messages({
      expires_at: '2026-03-05T00:00:00Z',
      expires_in: '2d',
      suspend_timeout: 'soon',
      min_cu: '4',
      max_cu: '1',
    });
    expect(found.map(inputOf)).toEqual(['suspend_timeout', 'expires_at', 'min_cu']);
  });

  it('are listed under a head line that counts them', () => {
    const text = (given: Record<string, string>) => {
      try {
        load(given);
      } catch (error) {
        return (error as InputError).message;
      }
    };
    const timeout = '- timeout: "x" is invalid; expected a duration such as 90s, 10m or 2h';
    expect(text({ timeout: 'x' })).toBe(`Invalid input:\n${timeout}`);
    expect(text({ timeout: 'x', expires_in: '1d', expires_at: '2026-03-05T00:00:00Z' })).toBe(
      `2 invalid inputs:\n${timeout}\n- expires_at and expires_in are mutually exclusive`,
    );
  });

  it('are reported once each', () => {
    expect(messages({ project_id: 'br-1' })).toHaveLength(1);
    expect(messages({ project_id: '', command: 'destroy' })).toHaveLength(2);
  });

  it('include combinations of inputs that are invalid themselves', () => {
    const found = messages({
      command: 'destroy',
      expires_at: '2026-03-05T00:00:00Z',
      expires_in: '2 weeks',
      min_cu: '4',
      max_cu: '1',
    });
    expect(found.map(inputOf)).toEqual(['command', 'expires_in', 'expires_at', 'min_cu']);
    expect(messages({ project_id: '' }, events.schedule())).toHaveLength(2);
  });

  it('do not include values at a limit', () => {
    expect(messages({ expires_in: '30d' })).toEqual([]);
    expect(messages({ expires_at: '2026-04-03T05:06:07Z' })).toEqual([]);
    expect(messages({ expires_at: '2026-03-04T05:06:08Z' })).toEqual([]);
    expect(messages({ min_cu: '1', max_cu: '1' })).toEqual([]);
  });

  it('do not include one half of a conflict', () => {
    const halves: Record<string, string>[] = [
      { branch_type: 'schema-only' },
      { if_exists: 'reset' },
      { masking_rules: JSON.stringify([rule]) },
      { protected: 'true' },
      { ephemeral: 'true' },
    ];
    for (const given of halves) expect(messages(given)).toEqual([]);
  });

  it('do not include all databases with `command: diff`', () => {
    expect(messages({ command: 'diff', database: '*' })).toEqual([]);
  });

  it('do not include an expiry in the past unless the command sets one', () => {
    const expired = { expires_at: '2020-01-01T00:00:00Z', branch_name: 'a' };
    for (const command of ['get', 'delete', 'diff']) expect(messages({ ...expired, command })).toEqual([]);
    for (const command of ['create', 'reset']) expect(messages({ ...expired, command })).toHaveLength(1);
  });

  it('do not include inputs that the command does not use', () => {
    expect(messages({ command: 'get', protected: 'true', expires_in: '1d' })).toEqual([]);
    expect(messages({ command: 'create', github_token: '' })).toEqual([]);
    expect(messages({ command: 'manage', project_id: '', resource: 'api_key', verb: 'list' })).toEqual([]);
  });

  it('include a missing branch name if the event has none', () => {
    const nothing = { name: 'repository_dispatch', payload: {}, env: { GITHUB_EVENT_NAME: 'repository_dispatch' } };
    for (const command of ['auto', 'create', 'get', 'delete', 'reset', 'diff'])
      expect(messages({ command }, nothing)).toEqual([
        expect.stringMatching(/^branch_name is required: event "repository_dispatch" /),
      ]);
    expect(messages({ command: 'get', branch_id: 'br-1' }, nothing)).toEqual([]);
    expect(messages({ command: 'get', branch_name: 'x' }, nothing)).toEqual([]);
  });

  it('include a missing branch name for a comment on an issue', () => {
    const comment = {
      name: 'issue_comment',
      payload: { issue: { number: 7 } },
      env: { GITHUB_EVENT_NAME: 'issue_comment' },
    };
    expect(messages({}, comment)).toEqual([
      'branch_name is required: the comment is on an issue, not on a pull request, so the event names no branch',
    ]);
    expect(messages({ branch_name: 'x' }, comment)).toEqual([]);
    expect(messages({ branch_id: 'br-1' }, comment)).toEqual([]);
    expect(messages({ branch_id: 'no ID' }, comment).map(inputOf)).toEqual(['branch_id']);
  });

  it('include a missing command on a schedule', () => {
    expect(messages({}, events.schedule())).toEqual([
      expect.stringMatching(/^command: `auto` has nothing to do for a schedule/),
    ]);
    expect(messages({ command: 'create' }, events.schedule()).map(inputOf)).toEqual(['branch_name']);
  });
});

describe('unknown inputs', () => {
  it('are reported with the others', () => {
    const found = messages({ timeout: 'x' }, undefined, { INPUT_BRANCH: 'ci/tests', INPUT_PARENT: 'true' });
    expect(found.map(inputOf)).toEqual(['timeout', 'branch', 'parent']);
  });
});

describe('the summary of a failed run', () => {
  const wanted = (given: Record<string, string>) => {
    try {
      load({ timeout: 'x', ...given });
    } catch (error) {
      return (error as InputError).summary;
    }
    throw new Error('The inputs were accepted');
  };

  it('is written unless `summary` is false', () => {
    expect(['', 'true', 'nonsense', 'false'].map((summary) => wanted({ summary }))).toEqual([true, true, true, false]);
  });
});
