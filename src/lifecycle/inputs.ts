import type { RunEvent } from '../step/event.ts';
import {
  checkCompute,
  common,
  flag,
  type Given,
  type InputsOf,
  type InputTable,
  isEmpty,
  optional,
  project,
  token,
  withDefault,
} from '../step/inputs.ts';
import { InvalidValue } from '../step/invalid.ts';
import * as value from '../step/values.ts';
import { type CommandName, commandNames, decide } from './auto.ts';

/** The inputs of the root action. Durations are milliseconds, times milliseconds since the epoch. */
export const inputs = {
  ...common,
  project_id: project,
  command: withDefault('auto', command),
  branch_name: optional(value.branchName),
  branch_id: optional(value.branchId),
  parent_branch: optional(value.branchNameOrId),
  parent_point: optional(value.point),
  branch_type: withDefault('default', value.choice('default', 'schema-only')),
  if_exists: withDefault('reuse', value.choice('reuse', 'reset', 'recreate', 'fail')),
  require: withDefault('any', value.choice('any', 'masked', 'schema-only')),
  on_limit: withDefault('fail', value.choice('fail', 'prune')),
  expires_in: optional(value.timeToExpiry),
  expires_at: optional(value.time),
  protected: flag(false),
  database: optional(value.text),
  role: optional(value.text),
  suspend_timeout: optional(value.suspendTimeout),
  min_cu: optional(value.computeUnits),
  max_cu: optional(value.computeUnits),
  preserve_under_name: optional(value.branchNameOrId),
  masking_rules: optional(value.maskingRules),
  ssl: withDefault('require', value.choice('require', 'verify-ca', 'verify-full', 'omit')),
  prisma: flag(false),
  get_auth_url: flag(false),
  get_data_api_url: flag(false),
  export_env: flag(false),
  check_connection: flag(false),
  ephemeral: flag(false),
  wait: flag(true),
  comment: flag(false),
  github_token: token,
} satisfies InputTable;

export type Inputs = InputsOf<typeof inputs>;

const others = ['diff', 'rehearse', 'prune', 'manage'];

function command(raw: string): CommandName | 'auto' {
  if (others.includes(raw)) {
    throw new InvalidValue(
      `one of auto, ${commandNames.join(', ')}; \`${raw}\` is an action of its own: add \`/${raw}\` to the name of this one in \`uses:\``,
    );
  }
  return value.choice('auto', ...commandNames)(raw);
}

/** What is wrong with inputs that are valid by themselves. `now` is in milliseconds since the epoch. */
export function check(options: { inputs: Given<Inputs>; event: RunEvent; now: number }): string[] {
  const { inputs, event, now } = options;
  const { command, invalid } = decide(event, inputs);
  return [
    ...(invalid === undefined ? [] : [invalid]),
    ...(command === 'create' ? checkCreate(inputs) : []),
    ...(command === 'reset' ? checkReset(inputs, '`command: reset`') : []),
    ...(command === 'create' || command === 'reset' ? checkExpiry(inputs, now) : []),
    ...checkCompute(inputs),
  ];
}

function checkCreate(inputs: Given<Inputs>): string[] {
  const { protected: protects, ephemeral, expires_at, expires_in, masking_rules: masks } = inputs;
  return [
    ...(inputs.if_exists === 'reset' ? checkReset(inputs, '`if_exists: reset`') : []),
    protects && expires_at !== undefined && exclusive('protected', 'expires_at'),
    protects && expires_in !== undefined && exclusive('protected', 'expires_in'),
    protects && ephemeral && exclusive('protected', 'ephemeral'),
    masks && inputs.branch_type === 'schema-only' && exclusive('masking_rules', '`branch_type: schema-only`'),
    inputs.on_limit === 'prune' &&
      isEmpty(inputs, 'github_token') &&
      'github_token is required: `on_limit: prune` reads the state of pull requests',
  ].filter((error) => typeof error === 'string');
}

/** A reset copies rows as they are, and the ones from before stay until it is done. */
function checkReset({ masking_rules, branch_type, require, wait }: Given<Inputs>, by: string): string[] {
  const asked = [masking_rules && 'masking_rules', branch_type === 'schema-only' && '`branch_type: schema-only`'];
  const next = 'use `command: create` with `if_exists: recreate`';
  const isEarly = require === 'masked' && wait === false;
  return [
    ...asked.flatMap((one) => (one ? `${exclusive(one, by)}; ${next}` : [])),
    ...(isEarly ? [`${exclusive('`require: masked`', '`wait: false`')} with ${by}`] : []),
  ];
}

function exclusive(one: string, other: string): string {
  return `${one} and ${other} are mutually exclusive`;
}

function checkExpiry(inputs: Given<Inputs>, now: number): string[] {
  const { expires_at } = inputs;
  if (expires_at === undefined) return [];
  const given = `expires_at (${value.toSeconds(expires_at)})`;
  return [
    inputs.expires_in !== undefined && exclusive('expires_at', 'expires_in'),
    expires_at <= now && `${given} must be in the future`,
    expires_at > now + value.longestExpiryMs && `${given} must be at most 30 days in the future`,
  ].filter((error) => typeof error === 'string');
}
