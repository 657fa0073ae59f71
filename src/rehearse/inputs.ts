import { type Level, rules } from '../schema/rules.ts';
import {
  common,
  flag,
  type InputsOf,
  type InputTable,
  optional,
  project,
  required,
  token,
  withDefault,
} from '../step/inputs.ts';
import { InvalidValue } from '../step/invalid.ts';
import * as value from '../step/values.ts';

/** The rules of the schema review, and those that only a rehearsal has, each with its level. */
export const levelsOfRules = { ...rules, 'delete-rows': 'destructive', 'invalid-index': 'breaking' } as const;
export type Rule = keyof typeof levelsOfRules;

/** The levels that may fail a rehearsal: it measures the locks that a schema review can only expect. */
function gate(raw: string): Level[] {
  if (/\blocking\b/.test(raw)) {
    const instead = 'a rehearsal measures how long tables are blocked: set `max_lock` instead of `locking`';
    throw new InvalidValue(`\`never\`, or a list of destructive, exposing, breaking, any (${instead})`);
  }
  return value.failOn(raw).filter((level) => level !== 'locking');
}

/** The inputs of `rehearse`, as in its `action.yml`. Times are milliseconds. */
export const inputs = {
  ...common,
  project_id: project,
  run: required(value.text, 'Set it to the command that runs the migration'),
  load: optional(value.text),
  // biome-ignore lint/suspicious/noThenProperty: the name of the input
  then: optional(value.text),
  probe_locks: flag(false),
  parent_branch: optional(value.branchNameOrId),
  database: optional(value.text),
  role: optional(value.text),
  masking_rules: optional(value.maskingRules),
  require: withDefault('any', value.choice('any', 'masked')),
  min_cu: optional(value.computeUnits),
  max_cu: optional(value.computeUnits),
  expires_in: withDefault('2h', value.timeToExpiry),
  max_lock: optional(value.shortDuration),
  max_duration: optional(value.shortDuration),
  fail_on: withDefault('never', gate),
  ignore_rules: optional(value.ignoreRulesOf(Object.keys(levelsOfRules) as Rule[])),
  comment: flag(false),
  github_token: token,
} satisfies InputTable;

export type RehearseInputs = InputsOf<typeof inputs>;
