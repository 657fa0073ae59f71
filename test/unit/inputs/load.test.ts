import { describe, expect, it } from 'vitest';
import { type InputSource, inputNames } from '../../../src/inputs/fields.ts';
import { InputError, loadInputs } from '../../../src/inputs/load.ts';
import { parseEvent } from '../../../src/runner/event.ts';
import type { GitHubEvent } from '../../support/events.ts';
import * as events from '../../support/events.ts';
import { INPUTS } from '../repository/contract.ts';

const now = Date.parse('2026-03-04T05:06:07Z');
const access = { api_key: 'napi_secret99', project_id: 'shiny-wind-028834' };

/** The runner's own rules, as in its toolkit: trimmed unless told otherwise, booleans by YAML's words. */
function source(given: Record<string, string>): InputSource {
  const all: Record<string, string> = { ...INPUTS, github_token: 'ghs_token', ...access, ...given };
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
  if ('skip' in settings) throw new Error('it was skipped');
  return settings.inputs;
}
function faults(given: Record<string, string>, event?: GitHubEvent): string[] {
  try {
    load(given, event);
  } catch (error) {
    expect(error).toBeInstanceOf(InputError);
    return (error as InputError).faults;
  }
  return [];
}

describe('inputs', () => {
  it('have the defaults of the contract, and the same where they are empty', () => {
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
      if (!(name in expected)) Object.assign(expected, { [name]: INPUTS[name] === 'false' ? false : undefined });
    expect(inputs({})).toEqual(expected);
    const empty = Object.fromEntries(
      inputNames
        .filter((name) => !['api_key', 'project_id', 'github_token'].includes(name))
        .map((name) => [name, name === 'timeout' ? '  ' : '']),
    );
    expect(inputs(empty)).toEqual(expected);
  });

  it('are parsed, spans into milliseconds', () => {
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

  it('that are secret are masked before anything is found wrong with them', () => {
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

describe('bad input', () => {
  it('is named all at once, with what it got and what it takes', () => {
    const event = events.pullRequest();
    const all = faults(
      {
        api_key: 'napi_a\nb',
        project_id: 'postgresql://u:secret99@ep-1.host/neondb',
        api_host: 'http://api.example',
        command: 'destroy',
        branch_id: 'preview/pr-7',
        parent_timestamp: 'yesterday',
        parent_lsn: '12',
        branch_type: 'schema',
        if_exists: 'recreate',
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
    const single = all.filter((fault) => !/^\w+ and \w+:/.test(fault));
    expect(all.length - single.length).toBe(2);
    expect(single.map((fault) => fault.split(':')[0]).sort()).toEqual(
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
    for (const fault of single) expect(fault).toMatch(/^\w+: got .+, takes .+/);
    expect(all.join('\n')).not.toContain('secret99');
    expect(all).toContain(
      'expires_in: got "2 weeks", takes a span above zero with one of the units s, m, h and d: 90m, 12h or 14d',
    );
    expect(all).toContain(
      'command: got "destroy", takes one of auto, create, get, reset, delete, diff, prune, wait, manage',
    );
  });

  it.each([
    [{ expires_at: '2026-03-05T00:00:00Z', expires_in: '2d' }, 'expires_at and expires_in: got both'],
    [{ parent_lsn: '0/1', parent_timestamp: '2026-01-01T00:00:00Z' }, 'parent_timestamp and parent_lsn: got both'],
    [{ expires_in: '31d' }, 'expires_in: got more than 30 days'],
    [{ expires_at: '2026-03-04T05:06:07Z' }, 'which is past'],
    [{ expires_at: '2026-04-04T05:06:07Z' }, 'at most 30 days ahead'],
    [{ min_cu: '2', max_cu: '1' }, 'min_cu and max_cu: got 2 and 1'],
    [{ protected: 'true', expires_in: '1d' }, 'protected and expires_at / expires_in'],
    [{ protected: 'true', ephemeral: 'true' }, 'protected and ephemeral'],
    [{ masking_rules: '[{"a":1}]', branch_type: 'schema-only' }, 'masking_rules and branch_type'],
    [{ project_id: '' }, 'project_id: is empty'],
    [{ project_id: '', command: 'prune' }, 'project_id: is empty'],
  ])('together: %j', (given, said) => {
    const found = faults(given);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(said);
  });

  it('together is named beside what is bad by itself', () => {
    const found = faults({
      expires_at: '2026-03-05T00:00:00Z',
      expires_in: '2d',
      suspend_timeout: 'soon',
      min_cu: '4',
      max_cu: '1',
    });
    expect(found.map((fault) => fault.split(':')[0])).toEqual([
      'suspend_timeout',
      'expires_at and expires_in',
      'min_cu and max_cu',
    ]);
  });

  it('is not said twice about one input', () => {
    expect(faults({ project_id: 'br-1' })).toHaveLength(1);
    expect(faults({ project_id: '', command: 'destroy' })).toHaveLength(2);
  });

  it('is named though the same input, or the command, is faulty besides', () => {
    const found = faults({
      command: 'destroy',
      expires_at: '2026-03-05T00:00:00Z',
      expires_in: '2 weeks',
      min_cu: '4',
      max_cu: '1',
    });
    expect(found.map((fault) => fault.split(':')[0])).toEqual([
      'command',
      'expires_in',
      'expires_at and expires_in',
      'min_cu and max_cu',
    ]);
    expect(faults({ project_id: '' }, events.schedule())).toHaveLength(2);
  });

  it('is taken at its bounds', () => {
    expect(faults({ expires_in: '30d' })).toEqual([]);
    expect(faults({ expires_at: '2026-04-03T05:06:07Z' })).toEqual([]);
    expect(faults({ expires_at: '2026-03-04T05:06:08Z' })).toEqual([]);
    expect(faults({ min_cu: '1', max_cu: '1' })).toEqual([]);
  });

  it('that is of another command’s business is left alone', () => {
    expect(faults({ command: 'get', protected: 'true', expires_in: '1d' })).toEqual([]);
    expect(faults({ command: 'manage', project_id: '', resource: 'api_key', verb: 'list' })).toEqual([]);
  });

  it('is no branch to work on', () => {
    const nothing = { name: 'repository_dispatch', payload: {}, env: { GITHUB_EVENT_NAME: 'repository_dispatch' } };
    for (const command of ['create', 'get', 'delete', 'reset', 'diff'])
      expect(faults({ command }, nothing).join()).toContain(
        'branch_name: is empty, and event "repository_dispatch" names no',
      );
    expect(faults({ command: 'get', branch_id: 'br-1' }, nothing)).toEqual([]);
    expect(faults({ command: 'get', branch_name: 'x' }, nothing)).toEqual([]);
  });

  it('is a dry run of a command that would change something all the same', () => {
    const dry = (given: Record<string, string>, event?: events.GitHubEvent) =>
      faults({ dry_run: 'true', resource: 'role', verb: 'list', branch_name: 'x', ...given }, event);
    const says = (command: string) =>
      `dry_run: got true with \`command: ${command}\`, which would change things all the same; takes \`command: prune\` or \`command: manage\``;
    for (const command of ['create', 'reset', 'delete']) expect(dry({ command })).toEqual([says(command)]);
    expect(dry({ command: 'create', on_limit: 'prune' })).toEqual([says('create')]);
    for (const command of ['prune', 'manage', 'get', 'diff']) expect(dry({ command })).toEqual([]);
    expect(dry({ command: 'wait', operation_ids: '[]' })).toEqual([]);
    expect(dry({}, events.pullRequest())).toEqual([says('create')]);
    expect(dry({}, events.pullRequest({ action: 'closed' }))).toEqual([says('delete')]);
    expect(dry({ command: 'create', dry_run: 'false' })).toEqual([]);
    const among = dry({ command: 'delete', branch_name: '', timeout: 'x' });
    expect(among.map((fault) => fault.split(':')[0])).toEqual(['timeout', 'dry_run']);
  });

  it('on a schedule without a command names what there is for it', () => {
    expect(faults({}, events.schedule()).join()).toContain('`command: prune`');
    expect(faults({ command: 'create' }, events.schedule())).toEqual([]);
  });
});

describe('a missing key', () => {
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
      /Dependabot its own secrets.*Secrets and variables > Dependabot.*`on_missing_key: skip`/,
    ],
    ['anybody', events.push(), /^api_key: is empty, takes an API key.*Is the secret named/],
  ])('of %s is explained', (_, event, said) => {
    const found = faults(missing, event);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(said);
  });

  it('is one fault among the others', () => {
    expect(faults({ ...missing, timeout: 'x' })).toHaveLength(2);
  });

  it.each([
    [
      events.pullRequest({ fork: 'someone/octo-repo' }),
      {},
      'create',
      'There is no api_key, because GitHub gives no secrets to pull requests from forks',
    ],
    [
      events.pullRequest({ action: 'closed', author: 'dependabot[bot]' }),
      {},
      'delete',
      'There is no api_key, because GitHub gives Dependabot its own secrets only',
    ],
    [events.push(), { command: 'get' }, 'get', 'There is no api_key'],
    [events.schedule(), {}, 'auto', 'There is no api_key'],
    [events.push(), { command: 'nonsense' }, 'auto', 'There is no api_key'],
  ])('ends the step well where that is asked for (%#)', (event, given, command, skip) => {
    const { settings } = load({ ...missing, on_missing_key: 'skip', ...given }, event);
    expect(settings).toEqual({ skip, command, summary: true });
  });

  it('skips nothing where there is a key', () => {
    expect('skip' in load({ on_missing_key: 'skip' }).settings).toBe(false);
  });
});

describe('a summary', () => {
  const wanted = (given: Record<string, string>) => {
    try {
      load({ timeout: 'x', ...given });
    } catch (error) {
      return (error as InputError).summary;
    }
    throw new Error('the inputs were taken');
  };

  it('of a run with bad inputs is wanted unless it is said not to be', () => {
    expect(['', 'true', 'nonsense', 'false'].map((summary) => wanted({ summary }))).toEqual([true, true, true, false]);
  });
});
