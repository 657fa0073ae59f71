import { describe, expect, it } from 'vitest';
import { check, type Inputs, inputs as table } from '../../../src/lifecycle/inputs.ts';
import { parseEvent } from '../../../src/step/event.ts';
import { readInputs, unknownInputs } from '../../../src/step/inputs.ts';
import { deleteRef, type GitHubEvent, mergeGroup, pullRequest, push, schedule } from '../../../tools/runner/events.ts';
import { sourceOf } from '../../support/inputs.ts';

const access = { api_key: 'napi_key', project_id: 'shiny-wind-028834', github_token: 'ghs_token' };
const now = Date.parse('2026-03-04T05:06:07Z');
const rules =
  '[{"database_name":"neondb","schema_name":"public","table_name":"users","column_name":"email","masking_value":"x"}]';

/** What is wrong with the inputs of a step. */
function errorsOf(inputs: Record<string, string>, event: GitHubEvent = pullRequest()): string[] {
  const given = readInputs(table, { source: sourceOf({ ...access, ...inputs }), mask: () => {} });
  const together = check({ inputs: given.inputs as Partial<Inputs>, event: parseEvent(event), now });
  return [...Object.values(given.errors), ...together];
}

it('valid inputs have no errors', () => {
  expect(errorsOf({})).toEqual([]);
  const all = { parent_point: '0/1DE2850', expires_in: '14d', min_cu: '0.25', max_cu: '2', masking_rules: rules };
  expect(errorsOf({ ...all, command: 'create', ssl: 'verify-full', on_limit: 'prune' })).toEqual([]);
});

it('all invalid inputs are found at once', () => {
  expect(errorsOf({ api_key: '', project_id: '', branch_type: 'x', wait: 'maybe', min_cu: '3', max_cu: '2' })).toEqual([
    expect.stringContaining('api_key is required'),
    expect.stringContaining('project_id is required'),
    'branch_type: "x" is invalid; expected one of default, schema-only',
    'wait: "maybe" is invalid; expected true or false',
    'min_cu (3) must not be greater than max_cu (2)',
  ]);
});

it.each<[Record<string, string>, string]>([
  [{ protected: 'true', expires_in: '1d' }, 'protected and expires_in are mutually exclusive'],
  [{ protected: 'true', ephemeral: 'true' }, 'protected and ephemeral are mutually exclusive'],
  [{ expires_in: '1d', expires_at: '2026-03-05T00:00:00Z' }, 'expires_at and expires_in are mutually exclusive'],
  [{ expires_at: '2026-03-04T00:00:00Z' }, 'expires_at (2026-03-04T00:00:00Z) must be in the future'],
  [{ expires_at: '2026-05-04T00:00:00Z' }, 'must be at most 30 days in the future'],
  [{ masking_rules: rules, branch_type: 'schema-only' }, 'masking_rules and `branch_type: schema-only` are mutually'],
  [
    { masking_rules: rules, if_exists: 'reset' },
    'masking_rules and `if_exists: reset` are mutually exclusive; use `command: create` with `if_exists: recreate`',
  ],
  [
    { branch_type: 'schema-only', if_exists: 'reset' },
    '`branch_type: schema-only` and `if_exists: reset` are mutually',
  ],
  [{ command: 'reset', masking_rules: rules }, 'masking_rules and `command: reset` are mutually exclusive'],
  [{ command: 'reset', branch_type: 'schema-only' }, '`branch_type: schema-only` and `command: reset` are mutually'],
  [
    { require: 'masked', wait: 'false', if_exists: 'reset' },
    '`require: masked` and `wait: false` are mutually exclusive with `if_exists: reset`',
  ],
  [{ on_limit: 'wait' }, 'on_limit: "wait" is invalid; expected one of fail, prune'],
  [{ parent_point: 'yesterday' }, 'expected an RFC 3339 time such as'],
  [{ command: 'diff' }, '`diff` is an action of its own: add `/diff` to the name of this one in `uses:`'],
  [{ command: 'wait' }, 'command: "wait" is invalid; expected one of auto, create, get, reset'],
])('%o is an error', (inputs, error) => {
  expect(errorsOf(inputs)).toEqual([expect.stringContaining(error)]);
});

describe('a delete without a branch', () => {
  it.each<[string, GitHubEvent]>([
    ['a closed pull request', pullRequest({ action: 'closed' })],
    ['a deleted git branch', deleteRef()],
  ])('takes the branch of %s', (_, event) => {
    expect(errorsOf({ command: 'delete' }, event)).toEqual([]);
  });

  it.each<[string, GitHubEvent]>([
    ['an open pull request', pullRequest()],
    ['a push', push()],
    ['a merge group', mergeGroup()],
  ])('needs one on %s', (_, event) => {
    expect(errorsOf({ command: 'delete' }, event)).toEqual([
      expect.stringContaining(
        'branch_name or branch_id is required: `command: delete` takes the branch only from an event that ends it',
      ),
    ]);
    expect(errorsOf({ command: 'delete', branch_name: 'x' }, event)).toEqual([]);
  });
});

it('an event that is about no branch needs a name', () => {
  for (const command of ['auto', 'get']) {
    expect(errorsOf({ command }, schedule())).toHaveLength(1);
    expect(errorsOf({ command, branch_name: 'x' }, schedule())).toEqual([]);
  }
  expect(errorsOf({}, schedule())[0]).toContain('use the action `prune`');
});

it('unknown inputs that look like ours are errors', () => {
  const unknown = unknownInputs(table, { INPUT_PARENT_ID: 'br-1', INPUT_FAIL_ON: 'any', INPUT_NODE_VERSION: '24' });
  expect(unknown).toEqual([
    expect.stringContaining('parent_id, fail_on are not inputs of this action; its inputs are'),
  ]);
});
