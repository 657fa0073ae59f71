import { describe, expect, it } from 'vitest';
import { type InputSource, inputNames } from '../../../src/inputs/fields.ts';
import { InputError, loadInputs } from '../../../src/inputs/load.ts';
import { parseEvent } from '../../../src/runner/event.ts';
import { readAction } from '../../support/action.ts';
import type { GitHubEvent } from '../../support/events.ts';
import * as events from '../../support/events.ts';
import { ROOT } from '../repository/files.ts';

const defaults = Object.fromEntries(readAction(ROOT).inputs);
const now = Date.parse('2026-03-04T05:06:07Z');
const access = { api_key: 'napi_secret99', project_id: 'shiny-wind-028834' };

/** Reads inputs as the toolkit does: trimmed unless told otherwise, and with YAML's words for booleans. */
function source(given: Record<string, string>): InputSource {
  const all: Record<string, string> = { ...defaults, github_token: 'ghs_token', ...access, ...given };
  const getInput: InputSource['getInput'] = (name, options) => {
    const raw = all[name];
    if (raw === undefined) throw new Error(`no input ${name}`);
    return options?.trimWhitespace === false ? raw : raw.trim();
  };
  return {
    getInput,
    getBooleanInput(name) {
      const raw = getInput(name);
      if (['true', 'True', 'TRUE'].includes(raw)) return true;
      if (['false', 'False', 'FALSE'].includes(raw)) return false;
      throw new TypeError('not a boolean');
    },
  };
}

function load(given: Record<string, string>, event: GitHubEvent = events.pullRequest()) {
  const masked: string[] = [];
  const settings = loadInputs({
    source: source(given),
    event: parseEvent(event),
    now,
    mask: (secret) => masked.push(secret),
  });
  return { settings, masked };
}
function inputs(given: Record<string, string>, event?: GitHubEvent) {
  const { settings } = load(given, event);
  if ('skip' in settings) throw new Error('The step was skipped');
  return settings.inputs;
}
function messages(given: Record<string, string>, event?: GitHubEvent): string[] {
  try {
    load(given, event);
  } catch (error) {
    expect(error).toBeInstanceOf(InputError);
    return (error as InputError).errors.map(({ message }) => message);
  }
  return [];
}

/** The first input that a message names. */
function inputOf(message: string): string | undefined {
  return /^\w+/.exec(message)?.[0];
}

describe('valid inputs', () => {
  it('have the same defaults whether they are not set or empty', () => {
    const expected = {
      api_key: 'napi_secret99',
      project_id: 'shiny-wind-028834',
      api_host: 'https://console.neon.tech/api/v2',
      command: 'auto',
      branch_type: 'default',
      if_exists: 'reuse',
      on_limit: 'fail',
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
        prisma: 'True',
        wait: 'FALSE',
        method: 'post',
        older_than: '12h',
        masking_rules: '[{"a": 1}]',
        api_host: 'localhost:3000',
      }),
    ).toMatchObject({
      branch_name: ' feat/ü #1 ',
      expires_in: 14 * 86_400_000,
      timeout: 90_000,
      min_cu: 0.25,
      max_cu: 2,
      suspend_timeout: -1,
      prisma: true,
      wait: false,
      method: 'POST',
      older_than: 43_200_000,
      masking_rules: [{ a: 1 }],
      api_host: 'http://localhost:3000/api/v2',
    });
  });

  it('are masked if they are secret, even if another input is invalid', () => {
    const masked: string[] = [];
    const mask = (secret: string) => masked.push(secret);
    const bad = source({
      api_key: 'napi secret99',
      project_id: 'postgres://u:pass%2099@h/d',
      body: '{"password": "hunter22"}',
      command: 'destroy',
    });
    expect(() => loadInputs({ source: bad, event: parseEvent(events.push()), now, mask })).toThrow(InputError);
    expect(masked).toEqual(
      expect.arrayContaining([
        'napi secret99',
        'ghs_token',
        'postgres://u:pass%2099@h/d',
        'pass%2099',
        'pass 99',
        'hunter22',
      ]),
    );
  });
});

describe('invalid inputs', () => {
  it('are all reported in one error, each with its value and what is expected', () => {
    const event = events.pullRequest();
    const all = messages(
      {
        api_key: 'napi_a\nb',
        project_id: 'postgresql://u:secret99@ep-1.host/neondb',
        api_host: 'http://api.example',
        command: 'destroy',
        branch_id: 'preview/pr-7',
        parent_timestamp: 'yesterday',
        parent_lsn: '12',
        branch_type: 'schema',
        if_exists: 'replace',
        on_limit: 'retry',
        expires_at: 'tomorrow',
        expires_in: '2 weeks',
        protected: 'yes',
        suspend_timeout: 'soon',
        min_cu: 'small',
        max_cu: '-1',
        masking_rules: '{}',
        ssl: 'disable',
        prisma: '1',
        older_than: '14',
        operation_ids: '[1]',
        verb: 'remove',
        body: '{',
        method: 'HEAD',
        path: 'https://evil.example',
        on_missing_key: 'ignore',
        wait: 'no',
        timeout: '10',
        summary: 'nope',
        github_token: 'ghs a',
      },
      event,
    );
    const single = all.filter((message) => !/^\w+ and \w+ are/.test(message));
    expect(all.length - single.length).toBe(2);
    expect(single.map(inputOf).sort()).toEqual(
      [
        'api_key',
        'project_id',
        'api_host',
        'command',
        'branch_id',
        'parent_timestamp',
        'parent_lsn',
        'branch_type',
        'if_exists',
        'on_limit',
        'expires_at',
        'expires_in',
        'protected',
        'suspend_timeout',
        'min_cu',
        'max_cu',
        'masking_rules',
        'ssl',
        'prisma',
        'older_than',
        'operation_ids',
        'verb',
        'body',
        'method',
        'path',
        'on_missing_key',
        'wait',
        'timeout',
        'summary',
        'github_token',
      ].sort(),
    );
    for (const message of single) expect(message).toMatch(/^\w+: .+ is invalid; expected .+/);
    expect(all.join('\n')).not.toContain('secret99');
    expect(all).toContain('expires_in: "2 weeks" is invalid; expected a duration such as 90m, 12h or 14d');
    expect(all).toContain(
      'command: "destroy" is invalid; expected one of auto, create, get, reset, delete, diff, prune, wait, manage',
    );
  });

  it.each([
    [{ expires_at: '2026-03-05T00:00:00Z', expires_in: '2d' }, 'expires_at and expires_in are mutually exclusive'],
    [
      { parent_lsn: '0/1', parent_timestamp: '2026-01-01T00:00:00Z' },
      'parent_timestamp and parent_lsn are mutually exclusive',
    ],
    [{ expires_in: '31d' }, 'expires_in: must be at most 30d'],
    [{ expires_at: '2026-03-04T05:06:07Z' }, 'expires_at: 2026-03-04T05:06:07Z must be in the future'],
    [{ expires_at: '2026-04-04T05:06:07Z' }, 'expires_at: 2026-04-04T05:06:07Z must be at most 30 days in the future'],
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
      { masking_rules: '[{"a":1}]', branch_type: 'schema-only' },
      'masking_rules and `branch_type: schema-only` are mutually exclusive',
    ],
    [{ masking_rules: '[{"a":1}]', if_exists: 'reset' }, 'masking_rules and `if_exists: reset` are mutually exclusive'],
    [{ command: 'prune', github_token: '' }, 'github_token is required: `command: prune` reads'],
    [{ on_limit: 'prune', github_token: '' }, 'github_token is required: `on_limit: prune` reads'],
    [{ command: 'wait' }, 'operation_ids is required'],
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

  it('do not include inputs that the command does not use', () => {
    expect(messages({ command: 'get', protected: 'true', expires_in: '1d' })).toEqual([]);
    expect(messages({ command: 'manage', project_id: '', resource: 'api_key', verb: 'list' })).toEqual([]);
  });

  it('include a missing branch name if the event has none', () => {
    const nothing = { name: 'repository_dispatch', payload: {}, env: { GITHUB_EVENT_NAME: 'repository_dispatch' } };
    for (const command of ['create', 'get', 'delete', 'reset', 'diff'])
      expect(messages({ command }, nothing)).toEqual([
        'branch_name is required: event "repository_dispatch" has no pull request or git ref to take a name from',
      ]);
    expect(messages({ command: 'get', branch_id: 'br-1' }, nothing)).toEqual([]);
    expect(messages({ command: 'get', branch_name: 'x' }, nothing)).toEqual([]);
  });

  it('include `dry_run` with a command that has no dry run', () => {
    const dry = (given: Record<string, string>, event?: events.GitHubEvent) =>
      messages({ dry_run: 'true', resource: 'role', verb: 'list', branch_name: 'x', ...given }, event);
    const says = (command: string) =>
      `dry_run: not available with \`command: ${command}\`, only with \`command: prune\` and \`command: manage\``;
    for (const command of ['create', 'reset', 'delete']) expect(dry({ command })).toEqual([says(command)]);
    expect(dry({ command: 'create', on_limit: 'prune' })).toEqual([says('create')]);
    for (const command of ['prune', 'manage', 'get', 'diff']) expect(dry({ command })).toEqual([]);
    expect(dry({ command: 'wait', operation_ids: '[]' })).toEqual([]);
    expect(dry({}, events.pullRequest())).toEqual([says('create')]);
    expect(dry({}, events.pullRequest({ action: 'closed' }))).toEqual([says('delete')]);
    expect(dry({ command: 'create', dry_run: 'false' })).toEqual([]);
    const among = dry({ command: 'delete', branch_name: '', timeout: 'x' });
    expect(among.map(inputOf)).toEqual(['timeout', 'dry_run']);
  });

  it('include a missing command on a schedule', () => {
    expect(messages({}, events.schedule())).toEqual([
      expect.stringMatching(/^command is required: .*`command: prune`/),
    ]);
    expect(messages({ command: 'create' }, events.schedule())).toEqual([]);
  });
});

describe('a missing api_key', () => {
  const missing = { api_key: ' ' };

  it.each([
    [
      'a fork',
      events.pullRequest({ fork: 'someone/octo-repo' }),
      /pull requests from forks.*`on_missing_key: skip`.*`pull_request_target`/,
    ],
    [
      'Dependabot',
      events.pullRequest({ author: 'dependabot[bot]' }),
      /Dependabot only its own secrets.*Secrets and variables > Dependabot.*`on_missing_key: skip`/,
    ],
    ['another run', events.push(), /^api_key is required: it is empty\. Check the name of the secret/],
  ])('is explained for %s', (_, event, said) => {
    const found = messages(missing, event);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(said);
  });

  it('is reported with other errors', () => {
    expect(messages({ ...missing, timeout: 'x' })).toHaveLength(2);
  });

  it.each([
    [
      events.pullRequest({ fork: 'someone/octo-repo' }),
      {},
      'create',
      'api_key is empty, because GitHub gives no secrets to pull requests from forks',
    ],
    [
      events.pullRequest({ action: 'closed', author: 'dependabot[bot]' }),
      {},
      'delete',
      'api_key is empty, because GitHub gives Dependabot only its own secrets',
    ],
    [events.push(), { command: 'get' }, 'get', 'api_key is empty'],
    [events.schedule(), {}, 'auto', 'api_key is empty'],
    [events.push(), { command: 'nonsense' }, 'auto', 'api_key is empty'],
  ])('skips the step with `on_missing_key: skip` (%#)', (event, given, command, skip) => {
    const { settings } = load({ ...missing, on_missing_key: 'skip', ...given }, event);
    expect(settings).toEqual({ skip, command, summary: true });
  });

  it('is not assumed with `on_missing_key: skip` alone', () => {
    expect('skip' in load({ on_missing_key: 'skip' }).settings).toBe(false);
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
